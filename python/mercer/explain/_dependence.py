"""Partial dependence: what an estimator says as one column varies, the others as they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer import _params
from mercer._params import ParameterError, is_integer, is_real
from mercer._rows import count_rows, rows_of
from mercer.explain._responses import response_of
from mercer.explain._tables import column_names, column_of, place_of, with_column

# Values of a column up to which each of them is a point of the curve.
_FEW = 12


@dataclass
class Dependence:
    """The response as one column varies: see :func:`partial_dependence`.

    Attributes
    ----------
    name : str
        The column.
    values : ndarray of shape (n_values,)
        The values it takes.
    mean : ndarray of shape (n_values,)
        The mean response over the samples.
    std_error : ndarray of shape (n_values,)
        The standard error of that mean.
    lower, upper : ndarray of shape (n_values,)
        The interval that contains the responses of the stated fraction of samples.
    curves : ndarray of shape (n_samples, n_values)
        The response of each sample.
    interval : float
        The fraction of samples.
    observed : ndarray
        The values of the column in X.
    """

    name: str
    values: np.ndarray
    curves: np.ndarray = field(repr=False)
    interval: float
    observed: np.ndarray = field(repr=False)
    mean: np.ndarray = field(init=False)
    std_error: np.ndarray = field(init=False, repr=False)
    lower: np.ndarray = field(init=False, repr=False)
    upper: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n, tail = len(self.curves), (1 - self.interval) / 2
        self.mean = self.curves.mean(axis=0)
        self.std_error = self.curves.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n)
        self.lower, self.upper = np.quantile(self.curves, [tail, 1 - tail], axis=0)


def partial_dependence(
    estimator: Any,
    X: Any,
    column: int | str,
    *,
    values: ArrayLike | int = 30,
    interval: float = 0.9,
    target: object = None,
    max_samples: int = 500,
    random_state: int | np.random.RandomState | None = None,
) -> Dependence:
    """Return what a fitted estimator says as one column varies, for each of the samples.

    The mean curve shows the effect of the column on average, the interval how much that effect and
    the level differ from sample to sample. Where columns are correlated, some of the combinations
    do not occur in practice.

    Parameters
    ----------
    estimator : estimator
        Fitted: a regressor, a classifier (decision values, or probabilities if it has none) or a
        detector of outliers (scores).
    X : array-like, sparse matrix, data frame or dictionary of columns
        Samples.
    column : int or str
        The column, by its place or name.
    values : int or array-like, default=30
        The values to take, or their number. A number means quantiles of a column of numbers from
        5 % to 95 %, evenly spaced between them; a column with at most 12 different values, or of
        strings, takes all its values.
    interval : float, default=0.9
        The fraction of samples that the interval contains.
    target : object, optional
        The class that is explained; not needed for two classes, where it is the second.
    max_samples : int, default=500
        More samples than this are represented by as many of them, drawn at random.
    random_state : int, RandomState instance, optional
        Seed of that draw. None stands for 0.

    Returns
    -------
    dependence : Dependence
        The curve, the interval and the curves of all samples.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge, explain
    >>> X = np.random.default_rng(0).uniform(-2, 2, size=(80, 2))
    >>> model = KernelRidge(1e-5, kernel="rbf").fit(X, X[:, 0] ** 2 + X[:, 1])
    >>> curve = explain.partial_dependence(model, X, 0, values=[-1.0, 0.0, 1.0])
    >>> (curve.mean - curve.mean[1]).round(1)
    array([1., 0., 1.])
    """
    respond, place = response_of(estimator, target), place_of(X, column)
    if not is_real(interval) or not 0 < interval < 1:
        raise ParameterError(f"interval must be a number between 0 and 1, not {interval!r}")
    if not is_integer(max_samples) or max_samples < 1:
        raise ParameterError(f"max_samples must be a positive integer, not {max_samples!r}")
    n, observed = count_rows(X), np.asarray(column_of(X, place))
    points = _points(observed, values)
    if n > max_samples:
        rng = np.random.RandomState(_params.seed(random_state))
        X = rows_of(X, np.sort(rng.permutation(n)[:max_samples]))
    curves = [respond(with_column(X, place, _filled(X, place, value))) for value in points]
    if curves[0].ndim > 1:
        raise ParameterError("several targets are predicted: explain a model of one of them")
    return Dependence(
        column_names(X)[place], points, np.column_stack(curves), float(interval), observed
    )


def _points(observed: np.ndarray, values: ArrayLike | int) -> np.ndarray:
    if not is_integer(values):
        found = np.asarray(values)
        if found.ndim != 1 or not found.size:
            raise ParameterError(f"values must be a number or a sequence, not {values!r}")
        return found
    if values < 2:
        raise ParameterError(f"values must be at least 2, not {values!r}")
    distinct = np.unique(observed)
    if len(distinct) <= _FEW or observed.dtype.kind not in "iuf":
        return distinct
    low, high = np.quantile(observed, [0.05, 0.95])
    return np.linspace(low, high, int(values))


def _filled(X: Any, place: int, value: Any) -> Any:
    """A column of one value, with the type that the column has."""
    column = column_of(X, place)
    if hasattr(column, "dtype") and getattr(column.dtype, "kind", "O") in "iub":
        return np.full(count_rows(X), value)
    return [value] * count_rows(X)
