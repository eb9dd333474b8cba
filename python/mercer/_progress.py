"""Progress of long work: a bar on standard error, or a callback."""

from __future__ import annotations

import sys
import time
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
    remaining : float or None
        The seconds that the stage will still take, where they are better known than from the share
        that is done: for fits on landmarks, whose passes over the rows cost differently.
    """

    stage: str
    done: float
    total: float
    residual: float | None
    message: str | None
    remaining: float | None = None


# tqdm shows whole numbers: long work needs tenths of a percent to be seen moving.
_FORMAT = "{desc}: {percentage:5.1f}%|{bar}| [{elapsed}<{remaining}{postfix}]"


class Bar:
    """A bar on standard error: tqdm's where it is installed, else one line of text."""

    def __init__(self) -> None:
        self._stage = ""
        self._began = 0.0
        self._width = 0
        self._bar = None
        try:
            from tqdm import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(
        self,
        stage: str,
        done: float,
        total: float,
        residual: float | None,
        message: str | None,
        remaining: float | None = None,
    ) -> None:
        """Show one step."""
        share = min(max(done / total, 0.0), 1.0) if total > 0 else 1.0
        if self._tqdm is None:
            self._line(stage, share, message, remaining)
            return
        if stage != self._stage:
            self.close()
            self._bar = self._tqdm(total=100, desc=stage, bar_format=_FORMAT, leave=True)
            self._stage = stage
        self._bar.n = round(100 * share, 2)
        if remaining is not None:
            self._bar.bar_format = _FORMAT.replace("{remaining}", clock(remaining))
        if message is not None:
            self._bar.set_postfix_str(message, refresh=False)
        elif residual is not None:
            self._bar.set_postfix(residual=f"{residual:.1e}", refresh=False)
        self._bar.refresh()

    def _line(self, stage: str, share: float, message: str | None, remaining: float | None) -> None:
        """Show a step on a line of its own: the share, and the time that is left."""
        now = time.monotonic()
        if stage != self._stage:
            if self._stage:
                sys.stderr.write("\n")
            self._stage, self._began, self._width = stage, now, 0
        elapsed = now - self._began
        if remaining is None and 0 < share < 1:
            remaining = elapsed * (1 - share) / share
        left = f", {clock(remaining)} left" if remaining and share < 1 else ""
        said = "" if message is None else f" ({message})"
        text = f"{stage}: {share:6.1%}, {clock(elapsed)} elapsed{left}{said}"
        # Spaces cover what is left of a longer line.
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Close the bar and end its line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._stage and self._tqdm is None:
            sys.stderr.write("\n")
        self._stage = ""


def clock(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


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
