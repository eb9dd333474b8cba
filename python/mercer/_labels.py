"""Labels of classifiers, and weights of their classes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mercer._arrays import require_y
from mercer._params import refuse
from mercer._strings import is_missing


def validate_labels(estimator, y: ArrayLike, X) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes, and the index of each sample's class."""
    require_y(estimator, y)
    y = _checked(y)
    check_consistent_length(X, y)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise _mixed() from None
    if len(classes) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got 1 class, "
            f"{classes.tolist()[0]!r}"
        )
    return classes, codes.astype(np.int64, copy=False)


def codes_among(estimator, y: ArrayLike, X, classes: np.ndarray) -> np.ndarray:
    """Return the index of each sample's class among classes that are known, which may not all have
    a sample.
    """
    require_y(estimator, y)
    y = _checked(y)
    check_consistent_length(X, y)
    return codes_of(y, classes)


def codes_of(y: np.ndarray, classes: np.ndarray, start: int = 0) -> np.ndarray:
    """Return the index of each label among sorted classes, which hold all of them. The labels are
    those of the rows from `start` on.
    """
    if (y.dtype.kind in "USO") != (classes.dtype.kind in "USO"):
        raise _mixed()
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    wrong = np.flatnonzero(classes[codes] != y)
    if wrong.size:
        label, row = y[wrong[0]].item() if hasattr(y[wrong[0]], "item") else y[wrong[0]], wrong[0]
        raise ValueError(
            f"y has the class {label!r} at row {start + row}, which is not among those of the "
            f"first call: {classes.tolist()!r}; give all of them as classes= in the first call"
        )
    return codes.astype(np.int64, copy=False)


def classes_given(classes: ArrayLike) -> np.ndarray:
    """Return the sorted classes that a caller named."""
    found = np.unique(_checked(np.asarray(classes)))
    if len(found) < 2:
        raise ValueError(f"classes must name at least two classes, not {found.tolist()!r}")
    return found


def indicators_of(estimator, y: ArrayLike, X) -> np.ndarray | None:
    """Return which labels each sample has, n_samples × n_labels of 0 and 1; None for classes.

    Several columns are several labels per sample, as in scikit-learn's indicator matrices.
    """
    require_y(estimator, y)
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    if len(shape) != 2 or shape[1] < 2:
        return None
    y = y.toarray() if sparse.issparse(y) else np.asarray(y)
    check_consistent_length(X, y)
    numbers = y.dtype.kind in "biuf"
    wrong = np.argwhere(~np.isin(y, (0, 1))) if numbers else np.zeros((1, 2), dtype=int)
    if len(wrong):
        row, column = wrong[0].tolist()
        raise ValueError(
            "y has several labels per sample, so it must consist of 0 and 1, but has "
            f"{y[row, column]!s} at row {row}, column {column}: for labels of several classes "
            "each, use sklearn.multioutput.MultiOutputClassifier"
        )
    return y.astype(np.int64, copy=False)


def _checked(y: ArrayLike) -> np.ndarray:
    """The labels as a 1-D array. Those of a safe dtype are not inspected, for speed."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU":
        return y
    # numpy would silently convert labels of different types to one.
    if isinstance(y, (list, tuple)) and len({isinstance(label, str) for label in y}) > 1:
        _refuse_missing([is_missing(label) for label in y])
        raise _mixed()
    y = column_or_1d(y, warn=True)
    _refuse_missing(_missing(y))
    if y.dtype.kind == "S" or (y.dtype == object and any(type(label) is bytes for label in y)):
        raise TypeError("y contains bytes: decode the labels first, as in y.astype(str)")
    try:
        check_classification_targets(y)
    except TypeError:
        raise _mixed() from None
    return y


def _missing(y: np.ndarray) -> ArrayLike:
    """Which labels are missing."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind in "mM":
        return np.isnat(y)
    return [is_missing(label) for label in y] if y.dtype == object else []


def _refuse_missing(missing: ArrayLike) -> None:
    if np.any(missing):
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"Input y contains NaN at row {row}: label the sample, or drop it")


def _mixed() -> ValueError:
    return ValueError("y mixes strings and other values: use one type for all labels")


def class_weights(estimator, classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the weight of each class, which multiplies C."""
    return class_weights_of(estimator, classes, np.bincount(codes, minlength=len(classes)))


def class_weights_of(estimator, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the weight of each class, given how many samples each has."""
    given = estimator.class_weight
    if given is None:
        return np.ones(len(classes))
    balanced = isinstance(given, str) and given == "balanced"
    if not balanced and not isinstance(given, Mapping):
        expected = "a dictionary, 'balanced' or None"
        raise refuse(estimator, "class_weight", expected, given)
    if balanced:
        found = counts.sum() / (len(classes) * counts)
    else:
        found = compute_class_weight(given, classes=classes, y=classes)
    if not np.all(np.isfinite(found) & (found >= 0)):
        expected = "a dictionary of finite weights of at least 0"
        raise refuse(estimator, "class_weight", expected, given)
    return found.astype(np.float64, copy=False)


def refuse_empty(
    estimator,
    classes: np.ndarray,
    codes: np.ndarray,
    class_weight: np.ndarray,
    weights: np.ndarray | None,
) -> None:
    """Refuse classes without a sample of positive weight, in scikit-learn's words if it has any.
    Invalid weights are left for the extension module to find, which names the row.
    """
    if weights is None and class_weight.all():
        return
    weights = np.ones(len(codes)) if weights is None else weights
    if not np.isfinite(weights).all():
        return
    counts = np.bincount(codes, weights * class_weight[codes] > 0, len(classes))
    empty = classes[counts == 0].tolist()
    if not empty:
        return
    reason = f"no sample of class {', '.join(map(repr, empty))} has a positive weight"
    if estimator._task == "nu_svc":
        raise ValueError(f"specified nu is infeasible: {reason}")
    if len(classes) - len(empty) == 1:
        raise ValueError(
            f"Invalid input - all samples with positive weights belong to the same class: {reason}"
        )
    raise ValueError(f"{reason}: set one, or drop the class")


def class_names(classes: np.ndarray) -> list[str]:
    """Return the classes as model files store them."""
    return [str(name) for name in classes.tolist()]
