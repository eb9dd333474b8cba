"""Which columns make a row an outlier."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _params
from mercer._params import ParameterError, is_integer
from mercer._rows import count_rows, rows_of
from mercer.explain._tables import column_names, column_of, constant, is_sequence, with_column


@dataclass
class OutlierColumns:
    """How unusual rows are, and by which columns: see :func:`outlier_columns`.

    Attributes
    ----------
    names : list of str
        The columns.
    scores : ndarray of shape (n_samples,)
        ``score_samples`` of the rows; the lower, the more unusual.
    gains : ndarray of shape (n_samples, n_columns)
        By how much the score of a row rises on average when the value of the column is replaced by
        that of a background sample. Large for columns that make the row an outlier.
    """

    names: list[str]
    scores: np.ndarray = field(repr=False)
    gains: np.ndarray

    def largest(self, k: int = 3) -> list[list[str]]:
        """Return the k columns with the largest gains of each row, the largest first."""
        if not is_integer(k) or k < 1:
            raise ParameterError(f"k must be a positive integer, not {k!r}")
        order = np.argsort(-self.gains, axis=1, kind="stable")[:, :k]
        return [[self.names[place] for place in row] for row in order]


def outlier_columns(
    detector: Any,
    X: Any,
    *,
    background: Any = None,
    n_samples: int = 32,
    random_state: int | np.random.RandomState | None = None,
) -> OutlierColumns:
    """Return which columns make rows outliers.

    Parameters
    ----------
    detector : OneClassSVM, KernelPCADetector or any estimator with ``score_samples``
        Fitted.
    X : array-like, sparse matrix, data frame or dictionary of columns
        The rows.
    background : like X, optional
        Rows whose values are taken in the place of a column's own, usually the training set. By
        default X.
    n_samples : int, default=32
        How many of them, drawn at random.
    random_state : int, RandomState instance, optional
        Seed of the draw. None stands for 0, so that results are repeatable.

    Returns
    -------
    columns : OutlierColumns
        The scores, and the gains of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OneClassSVM, explain
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> detector = OneClassSVM(nu=0.1).fit(X)
    >>> found = explain.outlier_columns(detector, [[0.0, 9.0, 0.0]], background=X)
    >>> found.largest(1)
    [['x1']]
    """
    check_is_fitted(detector)
    if not hasattr(detector, "score_samples"):
        raise TypeError(f"{type(detector).__name__} has no score_samples: pass a detector")
    if not is_integer(n_samples) or n_samples < 1:
        raise ParameterError(f"n_samples must be a positive integer, not {n_samples!r}")
    if is_sequence(X):
        raise ParameterError("X has no columns: a sequence of strings cannot be explained by them")
    background = X if background is None else background
    rng = np.random.RandomState(_params.seed(random_state))
    drawn = rows_of(background, rng.permutation(count_rows(background))[:n_samples])
    scores = np.asarray(detector.score_samples(X), dtype=np.float64)
    gains = np.zeros((len(scores), len(column_names(X))))
    for place in range(gains.shape[1]):
        values = column_of(drawn, place)
        for row in range(count_rows(drawn)):
            replaced = with_column(X, place, constant(values, row, len(scores)))
            gains[:, place] += np.asarray(detector.score_samples(replaced)) - scores
    return OutlierColumns(column_names(X), scores, gains / count_rows(drawn))
