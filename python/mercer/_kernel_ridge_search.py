"""The search for kernel and penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring

from mercer import _core, _fit, _ridge
from mercer._kernel_choice import Choice, Precomputed, kernel_argument
from mercer._kernel_purpose import is_custom
from mercer._params import refuse
from mercer._reports import warn
from mercer._samples import Checked, splits_of
from mercer._stream import Streamed
from mercer._time_limit import Clock, fitting

_NONE_SCORED = "no kernel was scored; raise max_time, or fit on fewer samples"


@dataclass
class SearchResult:
    """The best model with its kernel and score, and the scores of all candidates."""

    model: _core.Model
    choice: Choice
    score: float
    std_error: float
    tables: list[tuple]

    def results(self) -> dict[str, object]:
        """Return all scores in the format of scikit-learn's grid search."""
        kernels = [name for name, alphas, *_ in self.tables for _ in alphas]
        alphas = np.concatenate([alphas for _, alphas, *_ in self.tables])
        scores = np.concatenate([scores for *_, scores, _, _ in self.tables])
        errors = np.concatenate([errors for *_, errors, _ in self.tables])
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
            "std_test_score": np.sqrt((errors**2).sum(axis=1)) / errors.shape[1],
            "rank_test_score": rankdata(-ranked, method="min").astype(np.int32),
            "target_test_scores": scores,
        }


def search(
    estimator, X: Checked | Streamed, targets: tuple | None, kernels: list[Choice], settings: dict
) -> SearchResult:
    """Compare all kernels with all penalties and return the best.

    Built-in kernels are compared in one search, which shares distances among them. User-defined
    functions, which take samples in another form, are compared in a second one, and sums of both in
    a third.
    """
    clock = Clock(estimator)
    kinds = (
        [choice for choice in kernels if not choice.functions],
        [choice for choice in kernels if is_custom(choice)],
        [choice for choice in kernels if choice.functions and not is_custom(choice)],
    )
    found: list[SearchResult] = []
    for choices in filter(None, kinds):
        first = choices[0]
        named = [] if isinstance(first, Precomputed) else list(map(kernel_argument, choices))
        # The penalty of the model is chosen by the search.
        model = _ridge.settings(estimator, X, first, alpha=[1.0])
        data, grid = _fit.training_data(estimator, X, first), settings | {"kernels": named}
        try:
            with fitting(estimator, clock, _NONE_SCORED) as run:
                found.append(result_of(choices, _core.search(data, targets, model, grid, run)))
        except TimeoutError:
            if not (found and clock.is_over):
                raise
            break
    best = max(found, key=lambda result: result.score)
    best.tables = [table for result in found for table in result.tables]
    _warn_of_limit(clock, len(best.tables), len(kernels))
    return best


def _warn_of_limit(clock: Clock, scored: int, kernels: int) -> None:
    if scored < kernels:
        warn(
            f"{scored} of {kernels} kernels were compared within max_time={clock.limit:g} seconds: "
            "raise it, or compare fewer",
            ConvergenceWarning,
        )


def result_of(kernels: list[Choice], found: tuple) -> SearchResult:
    """Return what the extension module found among these kernels."""
    model, tables, (place, score, std_error) = found
    # Fewer tables than kernels if the time limit passed.
    tables = [
        (choice.name if text is None or choice.functions else text, *rest)
        for choice, (text, *rest) in zip(kernels[: len(tables)], tables, strict=True)
    ]
    return SearchResult(model, kernels[place], score, std_error, tables)


def validation(estimator, X: Checked, y: np.ndarray) -> str | list[tuple]:
    """Return the splits, or the name of a closed form, as the extension module takes them."""
    cv = estimator.cv
    if cv is None:
        return "loo"
    if isinstance(cv, str) and cv == "gcv":
        if estimator.scoring is not None:
            raise refuse(
                estimator,
                "scoring",
                "None with cv='gcv', which estimates the squared error",
                estimator.scoring,
            )
        return "gcv"
    expected = "None, 'gcv', an integer of at least 2, a splitter or an iterable of splits"
    return splits_of(estimator, X, y, expected, classifier=False)


def validation_in_blocks(estimator) -> str:
    """Return the name of a closed form: rows in blocks are compared by no other."""
    if estimator.scoring is not None:
        expected = "None for rows in blocks, which are compared by the squared error"
        raise refuse(estimator, "scoring", expected, estimator.scoring)
    if estimator.cv is not None and estimator.cv != "gcv":
        raise refuse(estimator, "cv", "None or 'gcv' for rows in blocks", estimator.cv)
    return "loo" if estimator.cv is None else "gcv"


class _PrecomputedPredictions(RegressorMixin, BaseEstimator):
    """A regressor that returns its samples as predictions, for scorers."""

    def predict(self, X):
        return X


def scorer(estimator, y: np.ndarray, weights: np.ndarray | None, *, flat: bool) -> Callable | None:
    """Return a function from rows and predictions to scores, or None for the squared error.

    As in scikit-learn's ``RidgeCV``, the scorer gets all predictions at once, with the weights of
    their samples if there are any.
    """
    if estimator.scoring is None:
        return None
    if not (isinstance(estimator.scoring, str) or callable(estimator.scoring)):
        expected = "the name of a scorer, a function of estimator, X and y, or None"
        raise refuse(estimator, "scoring", expected, estimator.scoring)
    call = check_scoring(estimator, scoring=estimator.scoring)

    def score(truth, predicted, rows):
        extra = {} if weights is None else {"sample_weight": weights[rows]}
        return float(call(_PrecomputedPredictions(), predicted, truth, **extra))

    def scores(rows, predicted):
        truth = y[rows]
        if flat or estimator.alpha_per_target:
            columns = range(y.shape[1])
            return [score(truth[:, j], predicted[:, j], rows) for j in columns]
        return [score(truth, predicted, rows)]

    return scores


def params_of(choice: Choice, kernel: str) -> dict[str, object]:
    """Return the parameters that give an estimator the chosen kernel."""
    if choice.functions:
        return {"kernel": choice.given, "kernel_params": dict(choice.params)}
    return {"kernel": kernel}
