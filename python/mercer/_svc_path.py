"""Support vector machines along a path of C."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer import _core, _fit, _svm_fit, _svm_probability
from mercer._arrays import Samples
from mercer._params import ParameterError
from mercer._reports import warn_of_stops
from mercer._svc import SVC


def svc_path(
    X: Samples,
    y: ArrayLike,
    Cs: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **params: object,
) -> list[SVC]:
    """Fit a :class:`mercer.SVC` for each of several C.

    Kernel values are shared and each fit is warm-started: much less work than separate fits, with
    the same results to the tolerance.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, or the kernel matrix if the kernel is precomputed.
    y : array-like of shape (n_samples,)
        The class of each sample.
    Cs : array-like of shape (n_Cs,)
        The values of C, all positive.
    sample_weight : float or array-like of shape (n_samples,), optional
        Weights of the samples.
    **params
        Parameters of :class:`mercer.SVC` other than C: kernel, gamma, tol and so on. A `max_time`
        is the limit of each fit.

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
    cs = costs_of(Cs, "Cs")
    if "C" in params:
        raise TypeError("svc_path takes Cs, not C")
    first = SVC(**params)
    X, targets, choice = _svm_fit.prepare(first, X, y, sample_weight)
    with _fit.run_of(first) as run:
        data, settings = _fit.training_data(first, X, choice), _svm_fit.settings(first, X, choice)
        found = _core.svm_path(data, targets, cs, settings, run)
    state = dict(vars(first))
    return [
        _fitted(state | {"C": c}, model, choice, X, targets)
        for c, model in zip(cs, found, strict=True)
    ]


def _fitted(state: dict, model: _core.Model, choice, X, targets: tuple) -> SVC:
    estimator = SVC()
    vars(estimator).update(state)
    _svm_fit.set_fitted(estimator, model, choice, X)
    calibration = _svm_probability.fit_calibration(estimator)
    if calibration is not None:
        _svm_probability.calibrate(estimator, X, targets, calibration)
    warn_of_stops(estimator)
    return estimator


def costs_of(values: ArrayLike, name: str) -> list[float]:
    """Return positive numbers as a list."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 1 or not found.size or not np.all((found > 0) & np.isfinite(found)):
        raise ParameterError(f"{name} must be a sequence of positive numbers, not {values!r}")
    return found.tolist()
