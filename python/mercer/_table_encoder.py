"""Tables with columns of any type as rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _params
from mercer._arrays import Samples
from mercer._columns import Table
from mercer._fit import unchanged_on_error
from mercer._reports import warn
from mercer._table_columns import Column, Encoding, learn, read_column


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a table with gaps and columns of any type as numbers.

    Numbers stay, with the median in the place of missing ones; booleans become 0 and 1;
    categories a column of 0 and 1 for each value (one-hot); ordered categories their rank. Missing
    values of the latter are replaced by the most frequent one. A category that was not seen in the
    fit becomes a row of zeros, and is reported by a warning.

    Parameters
    ----------
    dates : {"refuse", "expand"}, default="refuse"
        Whether columns of dates are refused, or become days since 1970, month, weekday and hour.
    max_categories : int, default=30
        The most values of a category that have a column each, the most frequent ones; the others
        become rows of zeros.

    Attributes
    ----------
    encodings_ : list
        How each column is encoded.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from mercer import TableEncoder
    >>> table = {"age": [31.0, None, 45.0], "town": ["Ulm", "Bern", None]}
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'town=Bern', 'town=Ulm']
    >>> encoder.transform(table)
    array([[31.,  0.,  1.],
           [38.,  1.,  0.],
           [45.,  1.,  0.]])
    """

    encodings_: list[Encoding]
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(self, *, dates: str = "refuse", max_categories: int = 30) -> None:
        self.dates = dates
        self.max_categories = max_categories

    @unchanged_on_error
    def fit(self, X: Samples, y: object = None) -> Self:
        """Learn how each column is encoded.

        Parameters
        ----------
        X : array-like, data frame or dictionary of columns
            The table.
        y : None
            Ignored.

        Returns
        -------
        self : TableEncoder
            The encoder itself.
        """
        _params.one_of(self, "dates", ("refuse", "expand"))
        _params.at_least(self, "max_categories", 1, integer=True)
        columns = _columns(X)
        self.encodings_ = [
            learn(column, dates=self.dates, max_categories=self.max_categories)
            for column in columns
        ]
        self.n_features_in_ = len(columns)
        vars(self).pop("feature_names_in_", None)
        if _has_names(X):
            names = [column.name for column in columns]
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return self

    def transform(self, X: Samples) -> np.ndarray:
        """Return the table as numbers.

        Parameters
        ----------
        X : array-like, data frame or dictionary of columns
            A table with the columns of the fit; in a data frame their order has no effect.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_encoded)
            The numbers.
        """
        check_is_fitted(self)
        columns = {column.name: column for column in _columns(X)}
        missing = [one.name for one in self.encodings_ if one.name not in columns]
        if missing or (not _has_names(X) and len(columns) != self.n_features_in_):
            # The first words are those of scikit-learn, which its users search for.
            raise ValueError(
                f"X has {len(columns)} features, but TableEncoder is expecting "
                f"{self.n_features_in_} features as input"
                + (f"; missing: {', '.join(missing[:12])}" if missing else "")
            )
        read = [(one, _as(columns[one.name], one.kind)) for one in self.encodings_]
        for one, column in read:
            # With fewer values than the maximum, all that the fit had are listed.
            if one.kind == "category" and len(one.levels) < self.max_categories:
                _warn_of_unknown(one, column)
        parts = [one.apply(column) for one, column in read]
        return np.ascontiguousarray(np.hstack(parts))

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the names of the columns of :meth:`transform`."""
        check_is_fitted(self)
        names = [name for one in self.encodings_ for name in one.names]
        return np.asarray(names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _warn_of_unknown(encoding: Encoding, column: Column) -> None:
    known = {None, *encoding.levels}
    unknown = [value for value in column.values if value not in known]
    if unknown:
        rows = "row has" if len(unknown) == 1 else "rows have"
        warn(
            f"column {column.name!r}: {len(unknown)} {rows} a category that the training samples "
            f"do not have (first {unknown[0]!r}), which differs from all others"
        )


def _has_names(X: object) -> bool:
    # A sparse matrix in the format DOK is a dictionary, too.
    named = hasattr(X, "columns") or hasattr(X, "column_names") or isinstance(X, Mapping)
    return named and not sparse.issparse(X)


def _columns(X: Samples) -> list[Column]:
    named = _has_names(X)
    table = Table(X if named else _array(X))
    found = [(name if named else f"x{name}", table.column(name)) for name in table.names]
    return [read_column(column, name) for name, column in found]


def _array(X: Samples) -> np.ndarray:
    """Rows and columns; the first words of errors are those of scikit-learn."""
    if sparse.issparse(X):
        raise TypeError("X is sparse, but TableEncoder takes dense tables: pass X.toarray()")
    found = np.array(X, dtype=object) if isinstance(X, (list, tuple)) else np.asarray(X)
    if found.dtype.kind == "c":
        raise ValueError("Complex data not supported: pass real and imaginary parts as columns")
    if found.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {found.ndim}D array instead. Reshape your data: rows are "
            "samples"
        )
    for axis, what in ((0, "sample(s)"), (1, "feature(s)")):
        if found.shape[axis] == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape={found.shape}) while a minimum of 1 is required."
            )
    return found


def _as(column: Column, kind: str) -> Column:
    """The column as the kind that it was in the fit."""
    numbers = ("number", "boolean")
    if column.kind == kind or (column.kind in numbers and kind in numbers):
        return column
    if kind in numbers and column.kind == "category" and not any(v for v in column.values):
        return Column(column.name, kind, np.full(len(column.values), np.nan))
    if kind in ("category", "ordered") and column.kind in ("category", "ordered"):
        return column
    if column.kind in numbers and np.isnan(column.values).all():  # nothing but missing values
        return Column(column.name, kind, np.full(len(column.values), None, dtype=object))
    raise ValueError(f"column {column.name!r} is of kind {column.kind}, but was of kind {kind}")
