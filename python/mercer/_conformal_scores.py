"""Ranks and folds of conformal prediction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, check_cv
from sklearn.utils import get_tags

from mercer import _params
from mercer._params import is_integer, is_real, refuse
from mercer._rows import count_rows, fold_of
from mercer._time_limit import Clock


def check_coverage(owner: object, coverage: object, n: int | None = None) -> float:
    """Return the coverage; refuse one that is none, or that n samples cannot give."""
    if not is_real(coverage) or not 0 < coverage < 1:
        raise refuse(owner, "coverage", "a number between 0 and 1", coverage)
    if n is not None and upper_rank(n, coverage) > n:
        least = math.ceil(coverage / (1 - coverage) - 1e-9)
        raise ValueError(
            f"a coverage of {coverage:g} needs at least {least} calibration samples, but there are "
            f"{n}: use more samples, or a lower coverage"
        )
    return float(coverage)


def upper_rank(n: int, coverage: float) -> int:
    """Return the rank of the upper end among n calibration values, from 1: ⌈coverage·(n+1)⌉."""
    return math.ceil(coverage * (n + 1) - 1e-9)


def interval(low: np.ndarray, high: np.ndarray, coverage: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of intervals from n candidates for each end, of shape (m, n)."""
    n = low.shape[1]
    rank = upper_rank(n, coverage)
    # By symmetry the lower end has the same rank, counted from the largest.
    return (
        np.partition(low, n - rank, axis=1)[:, n - rank],
        np.partition(high, rank - 1, axis=1)[:, rank - 1],
    )


@dataclass
class FoldModel:
    """A model, the rows that it was trained on and those that it was not."""

    model: Any
    train: np.ndarray
    test: np.ndarray
    pairwise: bool

    def samples(self, X: Any) -> Any:
        """New samples as this model takes them."""
        return np.asarray(X)[:, self.train] if self.pairwise else X


def is_pairwise(estimator: object) -> bool:
    """Whether the estimator takes a kernel matrix."""
    return bool(get_tags(estimator).input_tags.pairwise)


def fold_models(owner, X: Any, y: np.ndarray, splits: list, clock: Clock) -> list[FoldModel]:
    """Fit a clone of the owner's estimator on the training rows of each split."""
    pairwise, found = is_pairwise(owner.estimator), []
    for train, test in splits:
        if clock.is_over:
            # Residuals of some folds alone have no guaranteed coverage.
            raise clock.error(
                f"{len(found)} of {len(splits)} folds were fitted; raise max_time, use fewer folds "
                "or method='split'"
            )
        part = fold_of(X, train, train, pairwise=pairwise)
        model = clone(owner.estimator).fit(part, y[train])
        found.append(FoldModel(model, train, test, pairwise))
    return found


def splits_for(owner, X: Any, y: np.ndarray, *, classifier: bool) -> list[tuple]:
    """Return the folds of the owner's `cv`; every sample is in the test part of exactly one."""
    cv, n = owner.cv, count_rows(X)
    if n < 2:
        raise ValueError(f"folds need at least 2 samples, but there is {n} sample")
    if is_integer(cv) and cv >= 2:
        kind = StratifiedKFold if classifier else KFold
        seed = _params.seed(owner.random_state)
        cv = kind(min(int(cv), n), shuffle=True, random_state=seed)
    elif isinstance(cv, (str, bool)) or is_integer(cv) or not (_splits(cv)):
        raise refuse(owner, "cv", "an integer of at least 2, a splitter or an iterable", cv)
    found = list(check_cv(cv, y, classifier=classifier).split(np.zeros((n, 1)), y))
    tested = np.concatenate([np.asarray(test) for _, test in found])
    if not np.array_equal(np.sort(tested), np.arange(n)):
        raise ValueError("every sample must be in the test part of exactly one split of cv")
    return found


def _splits(cv: object) -> bool:
    return hasattr(cv, "split") or hasattr(cv, "__iter__")


def one_by_one(n: int) -> list[tuple]:
    """Return n splits that leave out one sample each."""
    return list(LeaveOneOut().split(np.zeros((n, 1))))


def held_share(owner: Any) -> float:
    """Return the share of samples that is held out."""
    share = owner.calibration_size
    if not is_real(share) or not 0 < share < 1:
        raise refuse(owner, "calibration_size", "a number between 0 and 1", share)
    return float(share)


def seed_of(owner: Any) -> int:
    """Return the seed of folds and splits."""
    return _params.seed(owner.random_state)


def one_split(owner, n: int) -> list[tuple]:
    """Return a random split into training and calibration samples."""
    share = held_share(owner)
    order = np.random.RandomState(seed_of(owner)).permutation(n)
    held = math.ceil(share * n)
    if held >= n:
        raise ValueError(f"{n} samples cannot be split: use more, or method='cv+'")
    return [(np.sort(order[held:]), np.sort(order[:held]))]
