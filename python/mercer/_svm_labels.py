"""The classes that support vector machines tell apart, and their weights."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mercer._params import refuse
from mercer._texts import is_missing


def labels(estimator, y: ArrayLike, X) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in order, and the place of each sample's among them."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    y = _checked(y)
    check_consistent_length(X, y)
    try:
        classes, places = np.unique(y, return_inverse=True)
    except TypeError:
        raise _mixed() from None
    if len(classes) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got 1 class, "
            f"{classes.tolist()[0]!r}"
        )
    return classes, places.astype(np.int64, copy=False)


def _checked(y: ArrayLike) -> np.ndarray:
    """The labels with one axis. Those that cannot be wrong are not looked at, for speed."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU":
        return y
    # numpy would make one kind of label of several without a word.
    if isinstance(y, (list, tuple)) and len({isinstance(label, str) for label in y}) > 1:
        _refuse_missing([is_missing(label) for label in y])
        raise _mixed()
    y = column_or_1d(y, warn=True)
    _refuse_missing(_missing(y))
    if y.dtype.kind == "S" or (y.dtype == object and any(type(label) is bytes for label in y)):
        raise TypeError("the labels in y are bytes: decode them first, as in y.astype(str)")
    try:
        check_classification_targets(y)
    except TypeError:
        raise _mixed() from None
    return y


def _missing(y: np.ndarray) -> ArrayLike:
    """Which labels are not there."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind in "mM":
        return np.isnat(y)
    return [is_missing(label) for label in y] if y.dtype == object else []


def _refuse_missing(missing: ArrayLike) -> None:
    if np.any(missing):
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"Input y contains NaN at row {row}: give the sample a label, or leave it out"
        )


def _mixed() -> ValueError:
    return ValueError("y mixes texts and other values: give all labels one type")


def prices(estimator, classes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the weight of each class, by which C is multiplied for its samples."""
    given = estimator.class_weight
    if given is None:
        return np.ones(len(classes))
    balanced = isinstance(given, str) and given == "balanced"
    if not balanced and not isinstance(given, Mapping):
        expected = "a dictionary, 'balanced' or None"
        raise refuse(estimator, "class_weight", expected, given)
    found = compute_class_weight(given, classes=classes, y=classes[places])
    if not np.all(np.isfinite(found) & (found >= 0)):
        expected = "a dictionary of finite weights of at least 0"
        raise refuse(estimator, "class_weight", expected, given)
    return found.astype(np.float64, copy=False)


def refuse_empty(
    estimator, classes: np.ndarray, places: np.ndarray, prices: np.ndarray, own: np.ndarray | None
) -> None:
    """Refuse weights that leave nothing of a class, in scikit-learn's words where it has some.
    Those that are no weights are left for the compiled part to find, which names the row.
    """
    if own is None and prices.all():
        return
    own = np.ones(len(places)) if own is None else own
    if not np.isfinite(own).all():
        return
    left = np.bincount(places, own * prices[places] > 0, len(classes))
    empty = classes[left == 0].tolist()
    if not empty:
        return
    reason = f"no sample of class {', '.join(map(repr, empty))} has a positive weight"
    if estimator._task == "nu_svc":
        raise ValueError(f"specified nu is infeasible: {reason}")
    if len(classes) - len(empty) == 1:
        raise ValueError(
            f"Invalid input - all samples with positive weights belong to the same class: {reason}"
        )
    raise ValueError(f"{reason}: give some of them one, or leave the class out")


def names(classes: np.ndarray) -> list[str]:
    """Return the classes as model files have them."""
    return [str(name) for name in classes.tolist()]
