"""Rows of samples in any container that estimators take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from mercer._params import ParameterError


def count_rows(X: Any) -> int:
    """Return the number of samples."""
    if isinstance(X, Mapping) and not sparse.issparse(X):
        return len(next(iter(X.values()))) if X else 0
    if hasattr(X, "shape") and len(X.shape):
        return int(X.shape[0])
    if not hasattr(X, "__len__") and hasattr(X, "__array__"):
        return len(np.asarray(X))
    if not hasattr(X, "__len__") or isinstance(X, (str, bytes)):
        raise ParameterError(f"X must be a table or a sequence of samples, not {type(X).__name__}")
    return len(X)


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Return some samples, in the order of `rows`, in a container of the same type."""
    if sparse.issparse(X):
        return X.tocsr()[rows]
    if isinstance(X, Mapping):
        return {name: rows_of(column, rows) for name, column in X.items()}
    if isinstance(X, tuple):
        return [X[row] for row in rows]
    if hasattr(X, "column_names"):  # a pyarrow table
        return X.take(rows)
    if not isinstance(X, list) and not hasattr(X, "shape") and hasattr(X, "__array__"):
        return np.asarray(X)[rows]
    return _safe_indexing(X, rows)


def fold_of(X: Any, train: np.ndarray, rows: np.ndarray, *, pairwise: bool) -> Any:
    """Return the samples of `rows`; of a kernel matrix, their values with the training samples."""
    if not pairwise:
        return rows_of(X, rows)
    matrix = np.asarray(X)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a precomputed kernel needs a square matrix, not shape {matrix.shape}")
    return matrix[np.ix_(rows, train)]
