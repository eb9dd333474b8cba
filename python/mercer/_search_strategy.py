"""Which combinations a search scores, and on how many samples.

A grid scores all of them on all samples. Successive halving scores all on few samples, the best
third on three times as many, and so on, the last on all. Refinement then scores a finer grid around
the best. The best is the one with the highest mean score on the most samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer import _params
from mercer._reports import warn
from mercer._time_limit import Clock

STRATEGIES = ("grid", "halving")
# By how much the samples of a round grow, and the combinations shrink.
_FACTOR = 3
# Samples that a score needs at least, to mean anything.
_LEAST = 50

Params = list[dict[str, object]]
Splits = list[tuple[np.ndarray, np.ndarray]]
# A function from combinations and splits to scores, of shape (n_combinations, n_folds). Those that
# were not scored before the time limit are NaN.
Score = Callable[[Params, Splits], np.ndarray]


def check_params(estimator) -> None:
    """Check the parameters that say what is compared."""
    _params.one_of(estimator, "strategy", STRATEGIES)
    _params.at_least(estimator, "refine", 0, integer=True)


@dataclass
class Search:
    """The scores so far: combinations, their scores on the folds, rounds, and samples of rounds."""

    estimator: object
    splits: Splits
    score: Score
    clock: Clock
    # The class of each sample; all 0 for a regression.
    codes: np.ndarray
    params: Params = field(default_factory=list)
    table: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    rounds: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    def run(self, params: Params) -> None:
        """Score combinations by the strategy of the estimator, then finer ones around the best."""
        if self.estimator.strategy == "halving":
            params = self._halved(params)
        self._add(params, self.splits)
        for _ in range(int(self.estimator.refine)):
            finer = [] if self.clock.is_over else finer_grid(self.params, self.best())
            if not finer:
                break
            self._add(finer, self.splits)
        self._warn_of_limit()

    def best(self) -> int:
        """Return the index of the best combination; the first in a tie."""
        mean = self.table.mean(axis=1)
        scored = ~np.isnan(mean)
        if not scored.any() and not self.clock.is_over:
            return 0  # every combination has a score that is not defined, and a warning said so
        if not scored.any():
            advice = "no combination was scored on all folds; raise max_time, or compare fewer"
            raise self.clock.error(advice)
        rows = np.asarray(self.rows)
        final = scored & (rows == rows[scored].max())
        return int(np.where(final, mean, -np.inf).argmax())

    def _halved(self, params: Params) -> Params:
        """The combinations that are left for all samples, the most promising first."""
        for part in self._shares(len(params)):
            first = len(self.params)
            self._add(params, [self._part(split, part) for split in self.splits])
            if self.clock.is_over:
                return []
            mean = np.nan_to_num(self.table[first:].mean(axis=1), nan=-np.inf)
            order = np.argsort(-mean, kind="stable")
            params = [params[index] for index in order[: math.ceil(len(params) / _FACTOR)]]
        return params

    def _shares(self, combinations: int) -> list[float]:
        """The shares of the samples in the rounds before the last."""
        n, classes = len(self.codes), len(np.unique(self.codes))
        least = max(_LEAST, 2 * len(self.splits) * classes)
        rounds = int(min(math.log(combinations, _FACTOR), math.log(max(n / least, 1), _FACTOR)))
        if rounds == 0:
            warn(
                f"strategy='halving' has one round, with all samples: {n} samples and "
                f"{combinations} combinations are too few for more"
            )
        return [_FACTOR**-power for power in range(rounds, 0, -1)]

    def _part(self, split: tuple[np.ndarray, np.ndarray], share: float) -> tuple:
        """A share of the rows of a split, at least one of each class that is there."""
        return tuple(self._some(rows, share) for rows in split)

    def _some(self, rows: np.ndarray, share: float) -> np.ndarray:
        # The same order in each round, so that a larger part contains the smaller ones.
        shuffled = np.random.RandomState(self._seed).permutation(rows)
        codes = self.codes[shuffled]
        some = [shuffled[codes == code] for code in np.unique(codes)]
        kept = [part[: math.ceil(share * len(part))] for part in some]
        return np.sort(np.concatenate(kept)).astype(np.int64)

    @property
    def _seed(self) -> int:
        if not hasattr(self, "_drawn"):
            # A RandomState instance is drawn from once.
            self._drawn = _params.seed(self.estimator.random_state)
        return self._drawn

    def _add(self, params: Params, splits: Splits) -> None:
        if not params:
            return
        table = self.score(params, splits)
        self.table = np.vstack([self.table, table]) if len(self.table) else table
        self.rounds += [self.rounds[-1] + 1 if self.rounds else 0] * len(params)
        self.rows += [sum(map(len, splits[0]))] * len(params)
        self.params += params

    def _warn_of_limit(self) -> None:
        if not self.clock.is_over:
            return
        complete = ~np.isnan(self.table).any(axis=1)
        if complete.all() and self.rows[-1] == sum(map(len, self.splits[0])):
            return
        rows = self.rows[self.best()]
        warn(
            f"{complete.sum()} of {len(complete)} combinations were scored within the time that "
            f"max_time={self.clock.limit:g} leaves for the comparison; the best was scored on "
            f"{rows} samples: raise max_time, or compare fewer combinations",
            ConvergenceWarning,
        )


def finer_grid(params: Params, best: int) -> Params:
    """Return the combinations half a step, on a logarithmic scale, around the best one."""
    chosen = params[best]
    like = [one for one in params if one.get("kernel") is chosen.get("kernel")]
    axes = {name: _around(like, name, value) for name, value in chosen.items()}
    found = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return [one for one in found if one not in like]


def _around(params: Params, name: str, value: object) -> list:
    """The value, with those half a step below and above it if the parameter has a grid."""
    values = {one.get(name) for one in params} if _params.is_real(value) else set()
    numbers = sorted(float(one) for one in values if _params.is_real(one) and one > 0)
    if not _params.is_real(value) or value <= 0 or len(numbers) < 2:
        return [value]
    at = numbers.index(float(value))
    beside = numbers[max(at - 1, 0) : at] + numbers[at + 1 : at + 2]
    step = math.sqrt(min(max(value, other) / min(value, other) for other in beside))
    return [value / step, value, value * step]
