"""Scores of searches, whoever made them, as one or two parameters with a score for each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mercer import _core
from mercer._kernel_ridge_cv import KernelRidgeCV
from mercer._params import ParameterError
from mercer._plot.samples import numbers_1d
from mercer._svc_search import SVCSearch
from mercer._svr_search import SVRSearch

# What a parameter is where a combination does not have it, such as the gamma of a linear kernel.
_NOT_SET = "not set"


@dataclass
class Scores:
    """Scores over one parameter, or over two.

    `mean` and `spread` have a line for each of `values` and, with a second parameter, a column for
    each of `second_values`; scores that are not known are NaN. `spread` is None if no score has
    one, and `best` the place of the combination that the search chose. `scattered` says that the
    search drew its combinations and compared no grid: one parameter then has a value for each of
    them, which may be there several times.
    """

    name: str
    values: np.ndarray
    mean: np.ndarray
    spread: np.ndarray | None
    second_name: str | None = None
    second_values: np.ndarray | None = None
    best: tuple[int, ...] | None = None
    scattered: bool = False


def scores_of(estimator: object, params: Sequence[str] | str | None) -> Scores:
    """Return the scores of a search's results over the parameters that it varied, or over `params`;
    all others are as in the best combination, unless the search drew its combinations.
    """
    results, best = results_of(estimator), best_of(estimator)
    columns = _as_given(_columns(results), getattr(estimator, "param_distributions", None))
    varied = [name for name, column in columns.items() if len(set(column)) > 1]
    chosen = _chosen(params, list(columns), varied)
    keep = np.ones(len(results["mean_test_score"]), dtype=bool)
    # Of a combination that several rounds scored, the last score is shown.
    rounds = hasattr(estimator, "param_distributions") or "iter" in results
    if rounds and _is_sparse(columns, varied):
        return _drawn(results, columns, chosen, best)
    for name in set(varied) - set(chosen):
        alike = (columns[name][best], _NOT_SET)
        keep &= np.array([value in alike for value in columns[name]])
    found = _table(results, columns, chosen, keep)
    within = int(keep[:best].sum())
    found.best = tuple(int(place[within]) for place in _places(columns, chosen, keep))
    return found


def _as_given(columns: dict[str, list], given: object) -> dict[str, list]:
    """Parameters in the order in which the user gave them, which a drawn search may turn around."""
    names = [name for name in given if name in columns] if isinstance(given, dict) else []
    return {name: columns[name] for name in (*names, *columns)}


def _is_sparse(columns: dict[str, list], varied: list[str]) -> bool:
    """Whether most combinations of two or more parameters' values are not there."""
    if len(varied) < 2:
        return False
    seen = len(set(zip(*(columns[name] for name in varied), strict=True)))
    return 2 * seen < np.prod([float(len(set(columns[name]))) for name in varied])


def _drawn(results: dict, columns: dict, chosen: list[str], best: int) -> Scores:
    """The scores of combinations that were drawn, all of them."""
    everything = np.ones(len(results["mean_test_score"]), dtype=bool)
    if len(chosen) == 2:
        found = _table(results, columns, chosen, everything)
        places = _places(columns, chosen, everything)
        found.best = tuple(int(place[best]) for place in places)
    else:
        found = _sorted(results, columns[chosen[0]], chosen[0], best)
    found.scattered = True
    return found


def _sorted(results: dict, column: list, name: str, best: int) -> Scores:
    """The scores of all combinations by one parameter, whatever the others are."""
    distinct, places = _distinct(column, np.ones(len(column), dtype=bool))
    order = np.argsort(places, kind="stable")
    mean = np.asarray(results["mean_test_score"], dtype=np.float64)[order]
    place = int(np.flatnonzero(order == best)[0])
    return Scores(name, distinct[places[order]], mean, None, best=(place,))


def _columns(results: dict) -> dict[str, list]:
    """The values of each parameter, one for each combination."""
    names = [key for key in results if key.startswith("param_")]
    columns = {
        key.removeprefix("param_"): [_plain(value) for value in results[key]] for key in names
    }
    split = _split_kernels(columns.get("kernel", []))
    if split is not None:
        columns.pop("kernel")
        columns |= split
    return columns


def _plain(value: object) -> object:
    """A value that can be compared: a number as it is, all else as text."""
    if value is np.ma.masked:
        return _NOT_SET
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
    return value if number else str(value)


def _split_kernels(kernels: list) -> dict[str, list] | None:
    """Kernels of one family that differ in one number, as values of that parameter."""
    texts = [str(kernel) for kernel in kernels]
    if len(set(texts)) < 2 or any("(" not in text or "<" in text for text in texts):
        return None
    shapes = [_core.shape(text) for text in texts]
    # Sums and products have no parameters of their own, and are not split.
    if any(operation != "member" for operation, _ in shapes):
        return None
    families, values = zip(*(operands for _, operands in shapes), strict=True)
    if len(set(families)) > 1 or len({frozenset(one) for one in values}) > 1:
        return None
    varied = [name for name in values[0] if len({one[name] for one in values}) > 1]
    return {name: [one[name] for one in values] for name in varied} if len(varied) == 1 else None


def _chosen(params: Sequence[str] | str | None, known: list[str], varied: list[str]) -> list[str]:
    if params is None:
        if not varied:
            raise ValueError("the search has nothing to show: every parameter had a single value")
        if len(varied) > 2:
            raise ParameterError(
                f"the search varied {', '.join(varied)}, and a picture shows two: say which, as in "
                f"params=({varied[0]!r}, {varied[1]!r}); the others are as in the best combination"
            )
        return varied
    chosen = [params] if isinstance(params, str) else list(params)
    unknown = [name for name in chosen if name not in known]
    if unknown or not 1 <= len(chosen) <= 2 or len(set(chosen)) < len(chosen):
        raise ParameterError(
            f"params must be one or two different of {', '.join(map(repr, known))}, not {params!r}"
        )
    return chosen


def _table(results: dict, columns: dict, chosen: list[str], keep: np.ndarray) -> Scores:
    """The scores of the combinations to keep, by the values of the chosen parameters."""
    values, places = zip(*(_distinct(columns[name], keep) for name in chosen), strict=True)
    shape = tuple(len(some) for some in values)
    mean = np.full(shape, np.nan)
    mean[places] = np.asarray(results["mean_test_score"])[keep]
    spread = None
    if "std_test_score" in results:
        spread = np.full(shape, np.nan)
        spread[places] = np.asarray(results["std_test_score"])[keep]
        spread = None if np.isnan(spread).all() else spread
    second = (chosen[1], values[1]) if len(chosen) == 2 else (None, None)
    return Scores(chosen[0], values[0], mean, spread, *second)


def _places(columns: dict, chosen: list[str], keep: np.ndarray) -> list[np.ndarray]:
    return [_distinct(columns[name], keep)[1] for name in chosen]


def _distinct(column: list, keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values in order, numbers by size, and the place of each kept combination's."""
    kept = [value for value, there in zip(column, keep, strict=True) if there]
    if all(isinstance(value, (int, float, np.number)) for value in kept):
        return np.unique(np.asarray(kept, dtype=np.float64), return_inverse=True)
    texts = [str(value) for value in kept]
    order = list(dict.fromkeys(texts))
    places = np.array([order.index(text) for text in texts])
    return np.array(order, dtype=object), places


def results_of(estimator: object) -> dict:
    """Return all scores of a search in the manner of scikit-learn's grid search."""
    results = getattr(estimator, "cv_results_", None)
    if isinstance(results, dict) and "mean_test_score" in results:
        return results
    if isinstance(estimator, KernelRidgeCV):
        raise ValueError(
            "the KernelRidgeCV kept no scores: fit it with store_cv_results=True, and not from a "
            "file"
        )
    if isinstance(results, dict):
        raise ValueError("the search has several scores: give one to PathDisplay.from_predictions")
    raise TypeError(
        f"{type(estimator).__name__} is not a search: pass a KernelRidgeCV, SVCSearch, "
        "SVRSearch or GridSearchCV"
    )


def best_of(estimator: object) -> int:
    """Return the place of the combination that the search chose."""
    place = getattr(estimator, "best_index_", None)
    if place is not None:
        return int(place)
    # Of equally good penalties KernelRidgeCV takes the largest.
    results = estimator.cv_results_
    first = np.flatnonzero(results["rank_test_score"] == 1)
    return int(first[np.argmax(results["param_alpha"][first])])


def score_name_of(estimator: object) -> str:
    """Return what the score of a search is, as far as it is known."""
    scoring = getattr(estimator, "scoring", None)
    usual = {SVCSearch: "accuracy", SVRSearch: "R²", KernelRidgeCV: "negative mean squared error"}
    name = usual.get(type(estimator), "score") if scoring is None else "score"
    if isinstance(scoring, str):
        name = scoring.replace("neg_", "negative ").replace("_", " ")
    # Rounds of successive halving score on more and more samples.
    samples = getattr(estimator, "cv_results_", {}).get("n_resources", [0])
    return name if len(set(samples)) == 1 else f"{name} in the last round"


def scores_of_models(models: Sequence, X: object, y: object) -> Scores:
    """Return the scores of models that differ in C, on samples."""
    if X is None or y is None:
        raise ValueError(
            "models along a path need samples to be scored on: "
            "PathDisplay.from_estimator(models, X, y)"
        )
    if not models or any(not hasattr(model, "C") for model in models):
        raise TypeError("a path is a list of fitted SVC, as svc_path returns it")
    scores = np.array([model.score(X, y) for model in models])
    prices = np.array([float(model.C) for model in models])
    order = np.argsort(prices, kind="stable")
    return Scores("C", prices[order], scores[order], None)


def scores_of_arrays(values, scores, spread, name, second_values, second_name) -> Scores:
    """Return scores given as arrays, checked; those of folds as mean and standard deviation."""
    values = _values(values, "values")
    shape = (len(values),)
    if second_values is not None:
        second_values = _values(second_values, "second_values")
        shape = (*shape, len(second_values))
        second_name = second_name or "second parameter"
    elif second_name is not None:
        raise ValueError("second_name is given without second_values")
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape[: len(shape)] != shape or scores.ndim > len(shape) + 1:
        wanted = " × ".join(map(str, shape))
        raise ValueError(
            f"scores must have the shape {wanted}, or {wanted} × folds, and have {scores.shape}"
        )
    if scores.ndim > len(shape):
        if spread is not None:
            raise ValueError("spread is given beside scores of folds, which have their own")
        scores, spread = scores.mean(axis=-1), scores.std(axis=-1)
    elif spread is not None:
        spread = np.asarray(spread, dtype=np.float64)
        if spread.shape != shape:
            raise ValueError(f"spread must have shape {shape}, not {spread.shape}")
        if np.any(spread < 0):
            raise ParameterError(f"spread must be at least 0, but contains {spread.min():.3g}")
    return Scores(name, values, scores, spread, second_name, second_values)


def _values(values: ArrayLike, name: str) -> np.ndarray:
    """Values of a parameter: rising numbers, or names."""
    found = np.asarray(values)
    if found.dtype.kind in "USO":
        return np.array([str(one) for one in found.ravel()], dtype=object)
    found = numbers_1d(found, name)
    if np.any(np.diff(found) <= 0):
        raise ValueError(f"{name} must be in ascending order: sort them first")
    return found
