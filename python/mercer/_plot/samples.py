"""Samples as pictures need them: tables of numbers with names, and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._arrays import require_finite
from mercer._params import ParameterError
from mercer._plot.theme import CLASSES
from mercer._samples import is_table


def unwrapped(estimator: object) -> Any:
    """Return the estimator that a search has chosen, or the estimator itself."""
    return getattr(estimator, "best_estimator_", estimator)


def last_step(estimator: object) -> Any:
    """Return the estimator that decides: the best of a search, the last step of a pipeline."""
    whole = unwrapped(estimator)
    return last_step(whole.steps[-1][1]) if isinstance(whole, Pipeline) else whole


def fitted_with(estimator: object, *methods: str) -> None:
    """Refuse an estimator that is not fitted, or has none of the methods."""
    if isinstance(estimator, type):
        name = estimator.__name__
        raise TypeError(f"{name} is a class: pass a fitted estimator, as in {name}().fit(X)")
    if methods and not any(hasattr(estimator, method) for method in methods):
        needed = " or ".join(methods)
        raise TypeError(f"this picture needs an estimator with {needed}, not {estimator!r}")
    check_is_fitted(estimator)


def has_plane(estimator: object, X: object) -> bool:
    """Whether samples are rows of numbers, of which the estimator can predict others."""
    return getattr(last_step(estimator), "kernel", None) != "precomputed" and is_table(X)


def numbers_of(estimator: object, X: object) -> np.ndarray:
    """Return samples as an n × d table, or say why there is no plane to draw them on."""
    if getattr(last_step(estimator), "kernel", None) == "precomputed":
        raise ValueError(
            "the kernel is precomputed, so there is no plane of samples: show the samples "
            "with EmbeddingDisplay, or their kernel values with GramDisplay"
        )
    if not is_table(X):
        raise ValueError(
            "the samples are not rows of numbers, so there is no plane of them: show them with "
            "EmbeddingDisplay, or their kernel values with GramDisplay"
        )
    return table_of(X)


def table_of(X: object, name: str = "X") -> np.ndarray:
    """Return an n × d table of finite numbers."""
    found = X.toarray() if sparse.issparse(X) else np.asarray(X)
    try:
        found = found.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must contain numbers, not {found.dtype} values") from None
    if found.ndim != 2 or not found.size:
        raise ValueError(
            f"{name} must be a table of rows and columns, and has the shape {found.shape}: one "
            "sample is X.reshape(1, -1), one column X.reshape(-1, 1)"
        )
    require_finite(found)
    return found


def same_columns(estimator: object, X: np.ndarray) -> None:
    """Refuse another number of columns than the estimator was fitted with."""
    expected = getattr(estimator, "n_features_in_", X.shape[1])
    if X.shape[1] != expected:
        raise ValueError(
            f"X has {X.shape[1]} columns, but the {type(estimator).__name__} was fitted with "
            f"{expected}: pass the columns that it was fitted with"
        )


def numbers_1d(values: object, name: str, length: int | None = None) -> np.ndarray:
    """Return finite numbers with one axis, of this length if one is given."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, not {values!r}") from None
    if found.ndim != 1 or not found.size or (length is not None and len(found) != length):
        wanted = "a sequence of numbers" if length is None else f"a sequence of {length} numbers"
        raise ValueError(f"{name} must be {wanted}, but has shape {found.shape}")
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found))[0])
        raise ValueError(
            f"{name} contains {found[place]} at position {place} (counted from 0): drop it first"
        )
    return found


def names_of(estimator: object, X: object, width: int) -> list[str]:
    """Return the names of columns: of a data frame, of the fit, or by number."""
    names = getattr(X, "columns", None)
    if names is None:
        names = getattr(estimator, "feature_names_in_", None)
    if names is None or len(names) != width:
        return [f"feature {place}" for place in range(width)]
    return [str(name) for name in names]


def rows_like(X: object, values: np.ndarray) -> object:
    """Return other rows in the form of X: a data frame of the same columns, or an array.

    Estimators that were fitted on names warn of rows without.
    """
    if not hasattr(X, "columns"):
        return values
    if hasattr(X, "iloc"):
        return type(X)(values, columns=X.columns)
    return type(X)(values, schema=list(X.columns), orient="row")


def labels_of(y: object, n: int, name: str = "y") -> np.ndarray:
    """Return a label for each of n samples, of one type, or say which row has none."""
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(
            f"{name} must contain one label for each of the {n} samples, not {y.shape}"
        )
    missing = np.flatnonzero(_missing(y))
    if missing.size:
        row = int(missing[0])
        raise ValueError(f"{name} contains {y[row]} at row {row} (counted from 0): drop the row")
    try:
        np.unique(y)
    except TypeError:
        raise ValueError(
            f"{name} mixes strings and other values: use one type for all labels"
        ) from None
    return y


def _missing(y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f":
        return ~np.isfinite(y)
    if y.dtype.kind in "mM":
        return np.isnat(y)
    if y.dtype != object:
        return np.zeros(len(y), dtype=bool)
    # pandas has a value of its own for what is missing, which is not even equal to itself.
    kinds = ("NoneType", "NAType", "NaTType")
    return np.array(
        [type(one).__name__ in kinds or (isinstance(one, float) and one != one) for one in y],
        dtype=bool,
    )


def pairs_of(points: object, name: str, n: int | None = None) -> np.ndarray:
    """Return places on a plane (n × 2)."""
    found = table_of(points, name)
    if found.shape[1] != 2 or n not in (None, len(found)):
        wanted = "n" if n is None else n
        raise ValueError(f"{name} must have shape ({wanted}, 2), not {found.shape}")
    return found


def marks_of(points: object, y: object) -> np.ndarray | None:
    """Return where samples are on a plane, if they are given; classes of none are refused."""
    if points is None and y is not None:
        raise ParameterError("y is given without points: pass the samples of these classes")
    return None if points is None else pairs_of(points, "points")


def are_values(y: np.ndarray) -> bool:
    """Whether y is a scale: numbers with fractions, or more whole ones than there are colours."""
    if y.dtype.kind not in "iuf":
        return False
    fractions = y.dtype.kind == "f" and np.any(y != np.floor(y))
    return bool(fractions) or len(np.unique(y)) > len(CLASSES)


@dataclass
class Classes:
    """The classes of samples: their names in order, and the place of each sample's among them."""

    names: list[str]
    codes: np.ndarray


def order_of(y: object) -> list | None:
    """Return the categories of a categorical column in their order; None for anything else."""
    found = getattr(getattr(y, "dtype", None), "categories", None)
    return None if found is None else list(found)


def classes_of(
    y: object, n: int, *, most: int | None = len(CLASSES), order: list | None = None
) -> Classes:
    """Return the classes of n samples. Of more than `most` the smallest are put together.

    Categories stand in their own order, those of `y` or those given; other classes are sorted.
    """
    order = order_of(y) if order is None else order
    found, codes = np.unique(labels_of(y, n), return_inverse=True)
    if order is not None:
        found, codes = _ordered(found, codes, order)
    names = [str(name) for name in found.tolist()]
    if most is None or len(names) <= most:
        return Classes(names, codes)
    return _with_others(names, codes, most)


def _ordered(found: np.ndarray, codes: np.ndarray, order: list) -> tuple:
    """Classes and codes with the classes in the order of categories, which name all of them."""
    rank = {name: place for place, name in enumerate(order)}
    places = np.argsort([rank[name] for name in found.tolist()], kind="stable")
    back = np.empty_like(places)
    back[places] = np.arange(len(places))
    return found[places], back[codes]


def _with_others(names: list[str], codes: np.ndarray, most: int) -> Classes:
    """The largest classes, and one of all others."""
    sizes = np.bincount(codes)
    kept = np.sort(np.argsort(-sizes, kind="stable")[: most - 1])
    place = np.full(len(names), most - 1)
    place[kept] = np.arange(most - 1)
    rest = f"{len(names) - most + 1} others"
    return Classes([names[code] for code in kept] + [rest], place[codes])
