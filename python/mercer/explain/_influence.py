"""Which training samples argue for a prediction: the terms of a kernel expansion."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer import _predict
from mercer._kernel_choice import Described
from mercer._kernel_purpose import purpose_of
from mercer._left_out import final_step, kernel_values
from mercer._pairwise import _NullEstimator
from mercer._params import ParameterError, is_integer
from mercer._samples import Items, validate_samples


@dataclass
class Influence:
    """The training samples with the largest terms: see :func:`influential_samples`.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, k)
        Rows of the training set, by the size of their terms, the largest first. Of a fit on
        landmarks, these are rows of ``landmarks_``.
    terms : ndarray of shape (n_samples, k)
        The terms c_i k(x_i, x), positive for what speaks for a larger value.
    intercept : float
        The intercept.
    values : ndarray of shape (n_samples,)
        The sum of all terms and the intercept: the prediction, or the decision value.
    """

    indices: np.ndarray
    terms: np.ndarray
    intercept: float
    values: np.ndarray


def influential_samples(estimator: Any, X: Any, k: int = 5, *, target: object = None) -> Influence:
    """Return the training samples that contribute most to each prediction.

    A kernel model is f(x) = Σ_i c_i k(x_i, x) + b: each training sample adds a term.

    Parameters
    ----------
    estimator : fitted estimator
        A kernel ridge regression or classifier, a support vector machine, a search over either, or
        a pipeline that ends with one.
    X : array-like
        Samples whose predictions are explained.
    k : int, default=5
        How many training samples to return for each.
    target : object, optional
        For more than two classes, the class that is explained of a KernelRidgeClassifier, or the
        pair of classes of a support vector machine, as in ``target=("setosa", "virginica")``:
        positive terms speak for the first.

    Returns
    -------
    influence : Influence
        Rows of the training set and their terms.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge, explain
    >>> X = np.arange(10.0)[:, None]
    >>> model = KernelRidge(0.1, kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> explain.influential_samples(model, [[2.1]], k=2).indices
    array([[2, 1]])
    """
    if not is_integer(k) or k < 1:
        raise ParameterError(f"k must be a positive integer, not {k!r}")
    model, X = model_of(estimator, X)
    rows, coef, intercept = expansion_of(model, target)
    terms = term_values(model, X) * coef
    order = np.argsort(-np.abs(terms), axis=1, kind="stable")[:, : int(k)]
    return Influence(
        rows[order], np.take_along_axis(terms, order, axis=1), intercept, terms.sum(1) + intercept
    )


def model_of(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the kernel model of a search or pipeline, and the samples as it takes them."""
    check_is_fitted(estimator)
    estimator = getattr(estimator, "best_estimator_", estimator)
    model, X = final_step(estimator, X)
    model = getattr(model, "best_estimator_", model)
    if not hasattr(model, "dual_coef_") or not hasattr(model, "_choice"):
        raise TypeError(
            f"{type(model).__name__} is not an expansion in kernel values: pass mercer's support "
            "vector machines or kernel ridge estimators"
        )
    return model, X


def expansion_of(model: Any, target: object) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the training rows of an expansion, their coefficients and the intercept."""
    coef = model.dual_coef_
    coef = np.asarray(coef.toarray() if sparse.issparse(coef) else coef, dtype=np.float64)
    intercept = np.ravel(np.asarray(model.intercept_, dtype=np.float64))
    if not hasattr(model, "support_"):
        place = _class_place(model, coef, target)
        column = coef if coef.ndim == 1 else coef[:, place]
        return np.arange(len(coef)), column, float(intercept[place])
    if len(getattr(model, "classes_", ())) > 2:
        return (np.asarray(model.support_), *_pair(model, coef, intercept, target))
    _refuse_target(target)
    return np.asarray(model.support_), coef[0], float(intercept[0])


def _refuse_target(target: object) -> None:
    if target is not None:
        raise ParameterError(f"target={target!r} has no effect: there is only one function")


def _class_place(model: Any, coef: np.ndarray, target: object) -> int:
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    if coef.ndim == 1 or coef.shape[1] == 1:
        _refuse_target(target)
        return 0
    if not classes and (not is_integer(target) or not 0 <= target < coef.shape[1]):
        raise ParameterError(f"target must be the index of one of {coef.shape[1]} targets")
    if classes and target not in classes:
        raise ParameterError(f"target must be one of the classes {classes}, not {target!r}")
    return classes.index(target) if classes else int(target)


def _pair(model: Any, coef: np.ndarray, intercept: np.ndarray, target: object) -> tuple:
    """The coefficients and the intercept of the machine of two classes, positive for the first."""
    classes = np.asarray(model.classes_).tolist()
    if not isinstance(target, (tuple, list)) or len(target) != 2 or target[0] == target[1]:
        raise ParameterError(
            f"target must be a pair of the classes {classes}, as in target={tuple(classes[:2])!r}, "
            f"not {target!r}"
        )
    if any(one not in classes for one in target):
        raise ParameterError(f"target must be a pair of the classes {classes}, not {target!r}")
    i, j = sorted(classes.index(one) for one in target)
    ends = np.concatenate([[0], np.cumsum(model.n_support_)])
    parts = [slice(*pair) for pair in pairwise(ends)]
    found = np.zeros(coef.shape[1])
    found[parts[i]], found[parts[j]] = coef[j - 1, parts[i]], coef[i, parts[j]]
    place = list(combinations(range(len(classes)), 2)).index((i, j))
    sign = 1.0 if classes.index(target[0]) == i else -1.0
    return sign * found, sign * float(intercept[place])


def term_values(model: Any, X: Any) -> np.ndarray:
    """Return the kernel values of samples with those of the expansion, in double precision."""
    checked = _predict.new_samples(model, X)
    if not isinstance(model._choice, Described):
        rows = getattr(model, "support_", slice(None))
        return np.asarray(checked, dtype=np.float64)[:, rows]
    if isinstance(checked, Items) or model._choice.alone:
        raise TypeError(
            "training samples of a kernel that is a Python function are not available: pass the "
            "kernel matrix, with kernel='precomputed'"
        )
    kept, purpose = _predict.kept_samples(model), purpose_of(model._choice)
    anchors = validate_samples(_NullEstimator(model.memory_budget), kept, purpose, reset=True)
    return kernel_values(model, checked, anchors).astype(np.float64, copy=False)
