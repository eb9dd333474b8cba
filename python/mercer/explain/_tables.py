"""Columns of samples in any container: their names and values, and copies with other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from mercer import _strings
from mercer._params import ParameterError, is_integer
from mercer._rows import rows_of


def column_names(X: Any) -> list[str]:
    """Return the names of columns; those of arrays are numbered, and strings are one column."""
    if isinstance(X, Mapping) and not sparse.issparse(X):
        return [str(name) for name in X]
    if hasattr(X, "column_names"):  # a pyarrow table
        return [str(name) for name in X.column_names]
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    if is_sequence(X):
        return ["sample"]
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    return [f"x{place}" for place in range(width)]


def is_sequence(X: Any) -> bool:
    """Whether the samples are a sequence of strings or objects, without columns."""
    if hasattr(X, "shape"):
        return len(X.shape) == 1
    return not isinstance(X, Mapping) and not isinstance(X[0], (list, tuple, np.ndarray))


def place_of(X: Any, column: int | str) -> int:
    """Return the place of a column that is given by its place or its name."""
    names = column_names(X)
    if is_integer(column) and -len(names) <= column < len(names):
        return int(column) % len(names)
    if isinstance(column, str) and column in names:
        return names.index(column)
    raise ParameterError(f"X has no column {column!r}; it has {', '.join(names[:12])}")


def column_of(X: Any, place: int) -> Any:
    """Return the values of a column."""
    if sparse.issparse(X):
        return X.tocsc()[:, [place]].toarray()[:, 0]
    if isinstance(X, Mapping):
        return list(X.values())[place]
    if hasattr(X, "column_names"):
        return X.column(int(place))
    if hasattr(X, "columns"):
        return X.iloc[:, place] if hasattr(X, "iloc") else X[X.columns[place]]
    if is_sequence(X):
        return X
    return np.asarray(X)[:, place] if hasattr(X, "shape") else [row[place] for row in X]


def values_of(X: Any, row: int) -> dict[str, object]:
    """Return the values of a row by the names of their columns."""
    found = (_strings.values_of(column_of(X, place))[row] for place in range(len(column_names(X))))
    return dict(zip(column_names(X), found, strict=True))


def with_column(X: Any, place: int, values: Any) -> Any:
    """Return the samples with other values in one column; X is not changed."""
    if sparse.issparse(X):
        return _sparse_with(X.tocsc(), place, values)
    if isinstance(X, Mapping):
        return {name: values if at == place else X[name] for at, name in enumerate(X)}
    if hasattr(X, "column_names"):
        return X.set_column(int(place), X.column_names[place], [_plain(values)])
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        found = X.copy()
        found.isetitem(place, getattr(values, "array", values))
        return found
    if hasattr(X, "columns"):  # a data frame of polars
        return _polars_with(X, X.columns[place], values)
    if is_sequence(X):
        return values
    found = np.array(X) if hasattr(X, "shape") else np.array(X, dtype=object)
    found[:, place] = _plain(values)
    return found if hasattr(X, "shape") else found.tolist()


def _polars_with(X: Any, name: str, values: Any) -> Any:
    import polars

    return X.with_columns(polars.Series(name, values).cast(X[name].dtype))


def _sparse_with(X: Any, place: int, values: Any) -> Any:
    column = sparse.csc_array(np.asarray(values).reshape(-1, 1))
    return sparse.hstack([X[:, :place], column, X[:, place + 1 :]], format="csr")


def _plain(values: Any) -> Any:
    return values.tolist() if hasattr(values, "tolist") else list(values)


def constant(column: Any, row: int, n: int) -> Any:
    """Return n copies of the value of a column in a row, as a column of the same type."""
    return rows_of(column, np.full(n, row))
