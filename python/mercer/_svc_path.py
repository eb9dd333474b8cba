"""Support vector machines along the price of errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer import _core
from mercer._arrays import Samples
from mercer._params import ParameterError
from mercer._svc import SVC
from mercer._svm_probability import wants_probabilities
from mercer._svm_report import tell_stops


def svc_path(
    X: Samples,
    y: ArrayLike,
    Cs: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **params: object,
) -> list[SVC]:
    """Fit a :class:`mercer.SVC` for each of several C.

    Kernel values are shared, and each fit begins with the coefficients of another: much less work
    than separate fits, with the same results to the tolerance.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, or the kernel matrix if the kernel is precomputed.
    y : array-like of shape (n_samples,)
        The class of each sample.
    Cs : array-like of shape (n_Cs,)
        The prices, all positive.
    sample_weight : float or array-like of shape (n_samples,), optional
        How much each sample counts.
    **params
        Parameters of :class:`mercer.SVC` other than C: kernel, gamma, tol and so on.

    Returns
    -------
    models : list of SVC
        The fitted models, in the order of `Cs`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import svc_path
    >>> X, y = load_iris(return_X_y=True)
    >>> [round(model.score(X, y), 2) for model in svc_path(X, y, [0.001, 0.1, 10], gamma=0.1)]
    [0.94, 0.95, 0.99]
    """
    cs = prices_of(Cs, "Cs")
    if "C" in params:
        raise TypeError("svc_path takes the prices as Cs, not as C")
    first = SVC(**params)
    X, aims, choice = first._prepare(X, y, sample_weight)
    with first._run() as run:
        values, choices = first._values(X, choice), first._choices(X, choice)
        found = _core.svm_path(values, aims, cs, choices, run)
    prepared = dict(vars(first))
    return [
        _model(prepared | {"C": c}, part, choice, X, aims)
        for c, part in zip(cs, found, strict=True)
    ]


def _model(state: dict, found: _core.Model, choice, X, aims: tuple) -> SVC:
    model = SVC()
    vars(model).update(state)
    model._adopt(found, choice, X)
    if wants_probabilities(model):
        model._calibrate(X, aims, model._calibrating())
    tell_stops(model)
    return model


def prices_of(values: ArrayLike, name: str) -> list[float]:
    """Return positive numbers as a list."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 1 or not found.size or not np.all((found > 0) & np.isfinite(found)):
        raise ParameterError(f"{name} must be a sequence of positive numbers, not {values!r}")
    return found.tolist()
