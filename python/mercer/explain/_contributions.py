"""Contributions of columns to single predictions: exact for additive kernels, Shapley otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer import _params
from mercer._params import ParameterError, is_integer
from mercer._rows import count_rows, rows_of
from mercer.explain._additive import additive_parts
from mercer.explain._responses import response_of
from mercer.explain._tables import column_names, column_of, is_sequence, with_column


@dataclass
class Contributions:
    """What each column, or group of columns, adds to predictions: see :func:`contributions`.

    Attributes
    ----------
    names : list of str
        The columns, or the groups of columns that the parts of an additive kernel read.
    values : ndarray of shape (n_samples, n_names)
        The contributions: ``values.sum(axis=1) + base`` are the predictions.
    std_error : ndarray of shape (n_samples, n_names)
        Their standard errors; 0 if they are exact.
    base : float
        The mean prediction over the background.
    predictions : ndarray of shape (n_samples,)
        The predictions that are explained.
    exact : bool
        Whether the contributions are exact, or estimated from random orders of the columns.
    """

    names: list[str]
    values: np.ndarray
    std_error: np.ndarray = field(repr=False)
    base: float
    predictions: np.ndarray = field(repr=False)
    exact: bool


def contributions(
    estimator: Any,
    X: Any,
    *,
    background: Any = None,
    target: object = None,
    n_permutations: int = 64,
    random_state: int | np.random.RandomState | None = None,
) -> Contributions:
    """Return what each column adds to the predictions of samples, relative to the mean.

    A linear kernel, or a sum of kernels on columns such as ``"columns(age: rbf) + columns(income:
    rbf)"``, makes f a sum of functions of these columns, whose values minus their means are the
    contributions. For other estimators they are Shapley values: the change of the prediction when a
    column's value replaces that of a background sample, averaged over random orders of the columns
    and over the background. Either way they sum to f(x) - E f.

    Parameters
    ----------
    estimator : estimator
        Fitted: a regressor, a classifier (decision values, or probabilities if it has none) or a
        detector of outliers (scores). Exact contributions are those of mercer's kernel ridge
        estimators and support vector machines; a pipeline has Shapley values.
    X : array-like, sparse matrix, data frame or dictionary of columns
        Samples whose predictions are explained.
    background : like X, optional
        The samples that E f is the mean over. By default X.
    target : object, optional
        The class that is explained; not needed for two classes, where it is the second.
    n_permutations : int, default=64
        Orders of columns for Shapley values, each with one background sample and followed by its
        reverse. A larger background is represented by as many samples, drawn at random.
    random_state : int, RandomState instance, optional
        Seed of orders and draws. None stands for 0, so that results are repeatable.

    Returns
    -------
    contributions : Contributions
        The contributions with their standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge, explain
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> kernel = "columns('0': rbf(gamma=0.5)) + columns('1': linear)"
    >>> model = KernelRidge(0.01, kernel=kernel).fit(X, np.cos(X[:, 0]) + X[:, 1])
    >>> found = explain.contributions(model, X)
    >>> found.names, found.exact
    (['0', '1'], True)
    >>> bool(np.allclose(found.values.sum(axis=1) + found.base, model.predict(X)))
    True
    """
    respond = response_of(estimator, target)
    if is_sequence(X):
        raise ParameterError(
            "X has no columns: pass rows and columns; of kernels on strings, explain.kmer_weights "
            "says which substrings matter"
        )
    if not is_integer(n_permutations) or n_permutations < 1:
        raise ParameterError(f"n_permutations must be a positive integer, not {n_permutations!r}")
    background = X if background is None else background
    predictions = respond(X)
    if predictions.ndim > 1:
        raise ParameterError("several targets are predicted: explain a model of one of them")
    parts = additive_parts(estimator, X, background, target)
    if parts is not None:
        names, values, base = parts
        return Contributions(names, values, np.zeros_like(values), base, predictions, True)
    rng = np.random.RandomState(_params.seed(random_state))
    return _shapley(respond, X, background, predictions, n_permutations, rng)


def _shapley(respond, X, background, predictions, orders: int, rng) -> Contributions:
    names, n = column_names(X), count_rows(X)
    drawn = rng.permutation(count_rows(background))[:orders]
    # Every background sample is used equally often, so that contributions sum to f(x) - E f.
    repeats = max(1, orders // len(drawn))
    rounds = np.empty((repeats * len(drawn), n, len(names)))
    starts = []
    for place, row in enumerate(np.tile(drawn, repeats)):
        start = rows_of(background, np.full(n, row))
        order = rng.permutation(len(names))
        base = respond(start)
        rounds[place] = _walk(respond, X, start, order, base, predictions) / 2
        rounds[place] += _walk(respond, X, start, order[::-1], base, predictions) / 2
        starts.append(base[0])
    error = np.zeros(rounds.shape[1:])
    if len(rounds) > 1:
        error = rounds.std(axis=0, ddof=1) / np.sqrt(len(rounds))
    base = float(np.mean(starts))
    return Contributions(names, rounds.mean(axis=0), error, base, predictions, False)


def _walk(respond, X, start, order: np.ndarray, base: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The changes of the prediction as columns take the values of X one after the other."""
    found, before = np.empty((len(base), len(order))), base
    for step, column in enumerate(order):
        start = with_column(start, column, column_of(X, column))
        after = end if step == len(order) - 1 else respond(start)
        found[:, column], before = after - before, after
    return found
