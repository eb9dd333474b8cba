"""Permutation importance: how much worse the score is when a column is shuffled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils.validation import check_is_fitted

from mercer import _params
from mercer._params import ParameterError, is_integer
from mercer._rows import count_rows, rows_of
from mercer.explain._tables import column_names, column_of, with_column


@dataclass
class Importance:
    """How much each column matters to a score: see :func:`permutation_importance`.

    Attributes
    ----------
    names : list of str
        The columns.
    mean : ndarray of shape (n_columns,)
        The mean loss of score when the column is shuffled.
    std_error : ndarray of shape (n_columns,)
        Its standard error over the shuffles; NaN for one shuffle.
    importances : ndarray of shape (n_columns, n_repeats)
        The loss of each shuffle.
    score : float
        The score of the samples as they are.
    """

    names: list[str]
    importances: np.ndarray = field(repr=False)
    score: float
    mean: np.ndarray = field(init=False)
    std_error: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        repeats = self.importances.shape[1]
        self.mean = self.importances.mean(axis=1)
        self.std_error = np.full(len(self.names), np.nan)
        if repeats > 1:
            self.std_error = self.importances.std(axis=1, ddof=1) / np.sqrt(repeats)


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    scoring: str | Callable[..., float] | None = None,
    n_repeats: int = 10,
    random_state: int | np.random.RandomState | None = None,
) -> Importance:
    """Return how much the score of a fitted estimator falls when a column is shuffled.

    Use samples that the estimator was not trained on: on those of the fit, columns that it has
    learned by heart look important. Of correlated columns each may look unimportant, because the
    other replaces it.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array-like, sparse matrix, data frame or dictionary of columns
        Samples.
    y : array-like of shape (n_samples,), optional
        What is predicted of them.
    scoring : str or callable, optional
        The name of a scikit-learn scorer, or a function of estimator, X and y. By default the
        estimator's own ``score``.
    n_repeats : int, default=10
        Shuffles of each column.
    random_state : int, RandomState instance, optional
        Seed of the shuffles. None stands for 0, so that results are repeatable.

    Returns
    -------
    importance : Importance
        Means and standard errors over the shuffles.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge, explain
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = KernelRidge(0.1, kernel="rbf").fit(X, X[:, 0] + 0.1 * X[:, 1])
    >>> found = explain.permutation_importance(model, X, X[:, 0] + 0.1 * X[:, 1])
    >>> found.mean.argsort()[::-1]
    array([0, 1, 2])
    """
    check_is_fitted(estimator)
    if not is_integer(n_repeats) or n_repeats < 1:
        raise ParameterError(f"n_repeats must be a positive integer, not {n_repeats!r}")
    score = check_scoring(estimator, scoring=scoring)
    names, n = column_names(X), count_rows(X)
    rng = np.random.RandomState(_params.seed(random_state))
    whole = float(score(estimator, X, y))
    found = np.empty((len(names), n_repeats))
    for place in range(len(names)):
        column = column_of(X, place)
        for repeat in range(n_repeats):
            shuffled = with_column(X, place, rows_of(column, rng.permutation(n)))
            found[place, repeat] = whole - float(score(estimator, shuffled, y))
    return Importance(names, found, whole)
