"""Cross-validation of support vector machines, with a fit of its own for each fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer._params import refuse
from mercer._progress import Bar, listener
from mercer._reports import warn
from mercer._rows import fold_of
from mercer._time_limit import Clock

# A path: combinations that differ in C only, which are fitted one after the other.
Path = list[tuple[int, dict[str, object]]]


@dataclass
class Folds:
    """What is cross-validated: samples, targets, weights, and the rows of each fold."""

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    splits: list[tuple[np.ndarray, np.ndarray]]
    pairwise: bool


def check_scoring(estimator) -> None:
    """Refuse a `scoring` that is neither a name, a function nor None."""
    given = estimator.scoring
    if given is not None and not isinstance(given, str) and not callable(given):
        expected = "the name of a scorer, a function of estimator, X and y, or None"
        raise refuse(estimator, "scoring", expected, given)


def paths_of(params: list[dict[str, object]]) -> list[Path]:
    """Return the combinations as paths of increasing C."""
    found: dict[tuple, Path] = {}
    for index, one in enumerate(params):
        rest = tuple((name, id(v) if callable(v) else v) for name, v in one.items() if name != "C")
        found.setdefault(rest, []).append((index, one))
    return [sorted(path, key=lambda member: member[1]["C"]) for path in found.values()]


def cross_validate(
    machine,
    params: list[dict[str, object]],
    folds: Folds,
    score: Callable[..., float],
    *,
    clock: Clock,
    scaled: Callable[..., Mapping] | None = None,
) -> np.ndarray:
    """Return the score of each combination on each fold, of shape (n_combinations, n_folds).

    `scaled` turns a combination into parameters of the machine, given the targets and weights of
    the training rows. Scores that cannot be computed are NaN, with a warning; those that were not
    computed before the time limit are NaN, too.
    """
    table, stopped = np.full((len(params), len(folds.splits)), np.nan), 0
    part: _Fold | None = None
    failures: list[str] = []
    callback = listener(machine.progress)
    try:
        done = 0
        for path, fold in _order(paths_of(params), len(folds.splits), clock):
            if part is None or part.fold != fold:
                part = _Fold(folds, fold)
            stopped += part.score_path(
                machine, path, table[:, fold], score, scaled, failures, clock
            )
            done += len(path)
            _report(callback, done, table.size)
            if clock.is_over:
                break
    finally:
        if isinstance(callback, Bar):
            callback.close()
    _warn_of(failures, stopped, table)
    return table


def _order(paths: list[Path], folds: int, clock: Clock) -> list[tuple[Path, int]]:
    """Fold by fold; with a time limit path by path, so that some are scored on all folds."""
    if clock.limit is None:
        return [(path, fold) for fold in range(folds) for path in paths]
    return [(path, fold) for path in paths for fold in range(folds)]


def _report(callback: Callable | None, done: int, total: int) -> None:
    if callback is not None:
        callback("cross-validation", float(done), float(total), None, None)


class _Fold:
    """The training and test samples of a fold."""

    def __init__(self, folds: Folds, fold: int) -> None:
        train, test = folds.splits[fold]
        self.fold = fold
        self.y_train, self.y_test = folds.y[train], folds.y[test]
        self.weights = None if folds.weights is None else folds.weights[train]
        self.train = fold_of(folds.X, train, train, pairwise=folds.pairwise)
        self.test = fold_of(folds.X, train, test, pairwise=folds.pairwise)

    def score_path(self, machine, path: Path, scores, score, scaled, failures, clock: Clock) -> int:
        """Fill in the scores of a path; return how many fits stopped before they converged."""
        model, stopped = clone(machine).set_params(warm_start=True, progress=False), 0
        for index, params in path:
            if clock.is_over:
                break
            model.set_params(max_time=clock.left)
            if scaled is not None:
                params = scaled(params, self.y_train, self.weights)
            with warnings.catch_warnings():
                # One warning follows for all fits; `probability` is the search's parameter.
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.filterwarnings("ignore", "The `probability`", FutureWarning)
                model.set_params(**params).fit(self.train, self.y_train, self.weights)
            if clock.is_over:
                break  # a machine that the limit has cut short is not scored
            stopped += model.fit_status_
            try:
                scores[index] = score(model, self.test, self.y_test)
            except ValueError as error:
                failures.append(str(error))
        return stopped


def _warn_of(failures: list[str], stopped: int, table: np.ndarray) -> None:
    if len(failures) == table.size:
        raise ValueError(f"no combination could be scored on any fold: {failures[0]}")
    if failures:
        warn(
            f"{len(failures)} of {table.size} scores could not be computed and are NaN; the first "
            f"error: {failures[0]}"
        )
    if stopped:
        warn(
            f"{stopped} of {table.size} fits of the cross-validation stopped before they "
            "converged: raise max_iter, or standardise the columns",
            ConvergenceWarning,
        )
