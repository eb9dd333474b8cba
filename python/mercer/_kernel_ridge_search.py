"""The search for kernel and penalty: what is compared, how, and what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from mercer import _core
from mercer._kernel_choice import Choice, Precomputed, written
from mercer._kernel_purpose import is_own
from mercer._params import is_integer, refuse
from mercer._samples import Checked, splittable


@dataclass
class Searched:
    """What a search found: the model, its kernel, the score, and the scores of everything."""

    model: _core.Model
    choice: Choice
    score: float
    spread: float
    tables: list[tuple]

    def results(self) -> dict[str, object]:
        """Return all scores in the manner of scikit-learn's grid search."""
        kernels = [name for name, alphas, *_ in self.tables for _ in alphas]
        alphas = np.concatenate([alphas for _, alphas, *_ in self.tables])
        scores = np.concatenate([scores for *_, scores, _, _ in self.tables])
        spreads = np.concatenate([spreads for *_, spreads, _ in self.tables])
        compared = np.concatenate([compared for *_, compared in self.tables])
        mean = scores.mean(axis=1)
        ranked = np.where(np.isnan(compared), -np.inf, compared)
        return {
            "params": [
                {"alpha": float(alpha), "kernel": kernel}
                for alpha, kernel in zip(alphas, kernels, strict=True)
            ],
            "param_alpha": alphas,
            "param_kernel": np.asarray(kernels, dtype=object),
            "mean_test_score": mean,
            "std_test_score": np.sqrt((spreads**2).sum(axis=1)) / spreads.shape[1],
            "rank_test_score": rankdata(-ranked, method="min").astype(np.int32),
            "target_test_scores": scores,
        }


def search(estimator, X: Checked, aims: tuple, kernels: list[Choice], choices: dict) -> Searched:
    """Compare all kernels with all penalties and return the best.

    Kernels of the library's own are compared in one search, which shares distances among them; so
    are functions of the user's, to which samples are something else, and sums of both.
    """
    kinds = (
        [choice for choice in kernels if not choice.functions],
        [choice for choice in kernels if is_own(choice)],
        [choice for choice in kernels if choice.functions and not is_own(choice)],
    )
    found = []
    with estimator._run() as run:
        for some in filter(None, kinds):
            given = isinstance(some[0], Precomputed)
            asked = choices | {"kernels": [] if given else [written(choice) for choice in some]}
            model = estimator._choices(X, some[0]) | {"classes": None}
            values = estimator._values(X, some[0])
            found.append(_searched(some, _core.search(values, aims, model, asked, run)))
    best = max(found, key=lambda searched: searched.score)
    best.tables = [table for searched in found for table in searched.tables]
    return best


def _searched(kernels: list[Choice], found: tuple) -> Searched:
    model, tables, (place, score, spread) = found
    tables = [
        (choice.name if text is None or choice.functions else text, *rest)
        for choice, (text, *rest) in zip(kernels, tables, strict=True)
    ]
    return Searched(model, kernels[place], score, spread, tables)


def validation(estimator, X: Checked, y: np.ndarray) -> str | list[tuple]:
    """Return how predictions are had, as the compiled part takes it."""
    cv = estimator.cv
    if cv is None:
        return "loo"
    if isinstance(cv, str) and cv == "gcv":
        if estimator.scoring is not None:
            raise refuse(
                estimator,
                "scoring",
                "None with cv='gcv', which is an estimate of the squared error alone",
                estimator.scoring,
            )
        return "gcv"
    plain = isinstance(cv, (str, bool)) or (is_integer(cv) and cv < 2)
    if plain or not (is_integer(cv) or hasattr(cv, "split") or hasattr(cv, "__iter__")):
        expected = "None, 'gcv', an integer of at least 2, a splitter or an iterable of splits"
        raise refuse(estimator, "cv", expected, cv)
    splits = check_cv(cv, y, classifier=False).split(splittable(X), y)
    return [(_rows(train), _rows(test)) for train, test in splits]


def _rows(rows) -> np.ndarray:
    rows = np.asarray(rows)
    found = np.flatnonzero(rows) if rows.dtype == bool else rows
    return np.ascontiguousarray(found, dtype=np.int64)


class _Foretold(RegressorMixin, BaseEstimator):
    """A regressor whose samples are its predictions: what a scorer is given."""

    def predict(self, X):
        return X


def scorer(estimator, y: np.ndarray, weights: np.ndarray | None, *, flat: bool) -> Callable | None:
    """Return a function of rows and predictions that returns scores, or None for the library's own.

    As in scikit-learn's ``RidgeCV``, the scorer is given all predictions at once, and the weights
    of their samples if there are any.
    """
    if estimator.scoring is None:
        return None
    if not (isinstance(estimator.scoring, str) or callable(estimator.scoring)):
        expected = "the name of a scorer, a function of estimator, X and y, or None"
        raise refuse(estimator, "scoring", expected, estimator.scoring)
    call = check_scoring(estimator, scoring=estimator.scoring)

    def score(truth, predicted, rows):
        extra = {} if weights is None else {"sample_weight": weights[rows]}
        return float(call(_Foretold(), predicted, truth, **extra))

    def scores(rows, predicted):
        truth = y[rows]
        if flat or estimator.alpha_per_target:
            columns = range(y.shape[1])
            return [score(truth[:, j], predicted[:, j], rows) for j in columns]
        return [score(truth, predicted, rows)]

    return scores


def params_of(choice: Choice, kernel: str) -> dict[str, object]:
    """Return the parameters with which an estimator has the chosen kernel."""
    if choice.functions:
        return {"kernel": choice.given, "kernel_params": dict(choice.params)}
    return {"kernel": kernel}
