"""Progress of long work: a bar on standard error, or a function of the caller's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

from mercer._params import ParameterError


class Step(NamedTuple):
    """How far a stage of some work has come.

    Attributes
    ----------
    stage : str
        What is being done.
    done, total : float
        How much of it is done, and all of it; an estimate where the stage ends by convergence.
    residual : float or None
        The relative residual reached so far, for stages that end by convergence.
    said : str or None
        What else is worth telling: of a support vector machine its violation, duality gap and
        number of support vectors.
    """

    stage: str
    done: float
    total: float
    residual: float | None
    said: str | None


class Bar:
    """A bar on standard error: tqdm's where it is installed, else one line of text."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar = None
        try:
            from tqdm import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(
        self, stage: str, done: float, total: float, residual: float | None, said: str | None
    ) -> None:
        """Show one step."""
        share = min(max(done / total, 0.0), 1.0) if total > 0 else 1.0
        if self._tqdm is None:
            sys.stderr.write(f"\r{stage}: {share:4.0%}")
            sys.stderr.flush()
            self._stage = stage
            return
        if stage != self._stage:
            self.close()
            self._bar = self._tqdm(total=100, desc=stage, unit="%", leave=True)
            self._stage = stage
        self._bar.n = round(100 * share)
        if said is not None:
            self._bar.set_postfix_str(said, refresh=False)
        elif residual is not None:
            self._bar.set_postfix(residual=f"{residual:.1e}", refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        """End the bar's line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._stage and self._tqdm is None:
            sys.stderr.write("\n")
        self._stage = ""


def listener(progress: bool | Callable[[Step], object]) -> Callable[..., object] | None:
    """Return what the compiled part calls with each step, or None for nothing."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return Bar()
    if callable(progress):
        return lambda *step: progress(Step(*step))
    raise ParameterError(
        f"progress must be False, True or a function of one step, not {progress!r}"
    )
