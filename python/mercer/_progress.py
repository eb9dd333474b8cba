"""Progress of long work: a bar on standard error, or a callback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

from mercer._params import ParameterError


class Step(NamedTuple):
    """The progress of one stage of the work.

    Attributes
    ----------
    stage : str
        What is being done.
    done, total : float
        How much of it is done, of how much; an estimate for stages that end by convergence.
    residual : float or None
        The relative residual reached so far, for stages that end by convergence.
    message : str or None
        A short message: for a support vector machine its violation, duality gap and number of
        support vectors.
    """

    stage: str
    done: float
    total: float
    residual: float | None
    message: str | None


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
        self, stage: str, done: float, total: float, residual: float | None, message: str | None
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
        if message is not None:
            self._bar.set_postfix_str(message, refresh=False)
        elif residual is not None:
            self._bar.set_postfix(residual=f"{residual:.1e}", refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        """Close the bar and end its line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._stage and self._tqdm is None:
            sys.stderr.write("\n")
        self._stage = ""


def listener(progress: bool | Callable[[Step], object]) -> Callable[..., object] | None:
    """Return the function that is called with each step, or None."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return Bar()
    if callable(progress):
        return lambda *step: progress(Step(*step))
    raise ParameterError(
        f"progress must be False, True or a function that takes a Step, not {progress!r}"
    )
