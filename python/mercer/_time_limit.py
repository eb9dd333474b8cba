"""The time limit `max_time` of fits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from mercer import _core, _params
from mercer._run import running


class Clock:
    """The seconds that a fit may take, from the moment that the clock is made."""

    def __init__(self, estimator: object, share: float = 1.0) -> None:
        """Start; of the estimator's `max_time`, this clock measures the first `share`."""
        _params.none_or_positive(estimator, "max_time")
        self.limit: float | None = estimator.max_time
        self._share, self._name = share, type(estimator).__name__
        self._began = time.perf_counter()

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least 0; None without a limit."""
        if self.limit is None:
            return None
        return max(0.0, self._share * float(self.limit) - self.seconds)

    @property
    def seconds(self) -> float:
        """The seconds since the clock was made."""
        return time.perf_counter() - self._began

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left == 0.0

    def error(self, advice: str) -> TimeoutError:
        """Return the error of a fit that has no result when its time is over."""
        return TimeoutError(
            f"the fit of {self._name} did not end within max_time={self.limit:g} seconds: {advice}"
        )


@contextmanager
def fitting(estimator, clock: Clock, advice: str) -> Iterator[tuple]:
    """Yield what the extension module takes as its last argument, with the time that is left.

    Work that has no result by then raises a TimeoutError, which says what to do.
    """
    limits = (estimator.n_jobs, estimator.memory_budget, estimator.progress)
    with running(*limits, seconds=clock.left) as run:
        try:
            yield run
        except _core.OutOfTimeError:
            raise clock.error(advice) from None
