"""The comparison of AutoKernel: nested cross-validation within a time budget."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from mercer._auto_candidates import OutOfTimeError
from mercer._progress import Bar, listener
from mercer._rows import rows_of

# The share of the budget for the comparison; the rest is for the final fit.
_SHARE = 0.8
# A model that would take more than this part of the time left is postponed, so that others, which
# may be faster, have their turn.
_FRACTION = 3


@dataclass
class Result:
    """The scores of a model on the outer folds, and the seconds that these took."""

    name: str
    baseline: bool
    scores: list[float] = field(default_factory=list)
    seconds: float = 0.0
    status: str = "not started"

    @property
    def score(self) -> float:
        """The mean score."""
        return float(np.mean(self.scores)) if self.scores else float("nan")

    @property
    def std_error(self) -> float:
        """The standard error of the mean over the folds."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")

    @property
    def finished(self) -> bool:
        """Whether all folds were scored."""
        return self.status == "done"


@dataclass
class Comparison:
    """What is compared, on which folds, by which score, and until when."""

    X: Any
    y: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]
    score: Callable[..., float]
    budget: float
    began: float = field(default_factory=time.perf_counter)
    results: list[Result] = field(default_factory=list)
    interrupted: bool = False

    def run(self, candidates: dict[str, tuple[Any, bool]], progress: object) -> None:
        """Score all candidates, in order, until the time is over or Ctrl-C is pressed."""
        self.results = [Result(name, baseline) for name, (_, baseline) in candidates.items()]
        callback = listener(progress)
        try:
            # The threads of BLAS and OpenMP wait for each other in the many small fits of
            # scikit-learn's baselines; ours are not among them.
            with threadpool_limits(1):
                self._score_all(candidates, callback)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            if isinstance(callback, Bar):
                callback.close()

    def _score_all(self, candidates: dict[str, tuple[Any, bool]], callback: Any) -> None:
        for place, result in enumerate(self.results):
            self._score(result, candidates[result.name][0], self.left / _FRACTION)
            if callback is not None:
                callback("comparison", place + 1.0, float(len(self.results)), None, result.name)
        for result in self._postponed():
            self._score(result, candidates[result.name][0], self.left)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds that are left for the comparison."""
        return max(0.0, _SHARE * self.budget - self.seconds)

    def _postponed(self) -> list[Result]:
        """The models that one fold showed to be slow, the most promising first."""
        begun = [one for one in self.results if one.status == "out of time" and one.scores]
        return sorted(begun, key=lambda one: -one.score)

    def _score(self, result: Result, model: Any, limit: float) -> None:
        """Score a model on all folds, unless one shows that they take longer than `limit`.

        Baselines are always scored: they are cheap, and without them a score says nothing.
        """
        result.status = "interrupted"
        if "model__deadline" in model.get_params():
            model.set_params(model__deadline=self.began + _SHARE * self.budget)
        until = self.seconds + limit
        for fold in range(len(result.scores), len(self.splits)):
            needed = result.seconds / fold * (len(self.splits) - fold) if fold else 0.0
            if not result.baseline and (self.left == 0.0 or self.seconds + needed > until):
                result.status = "out of time"
                return
            train, test = self.splits[fold]
            started = time.perf_counter()
            try:
                result.scores.append(self._fold(clone(model), train, test))
            except OutOfTimeError:
                result.status = "out of time"
                return
            except (ValueError, MemoryError, FloatingPointError) as error:
                result.status = f"failed: {error}"
                return
            finally:
                result.seconds += time.perf_counter() - started
        result.status = "done"

    def _fold(self, model: Any, train: np.ndarray, test: np.ndarray) -> float:
        with warnings.catch_warnings():
            # Ends of grids and fits that stop early are matters of the final fit.
            warnings.simplefilter("ignore")
            model.fit(rows_of(self.X, train), self.y[train])
            return float(self.score(model, rows_of(self.X, test), self.y[test]))

    def best(self) -> Result | None:
        """Return the finished model with the best score; the first in a tie."""
        done = [result for result in self.results if result.finished]
        return max(done, key=lambda result: result.score, default=None)


def difference(one: Result, other: Result) -> tuple[float, float]:
    """Return the mean difference of scores over the folds, and its standard error."""
    gaps = np.subtract(one.scores, other.scores)
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
