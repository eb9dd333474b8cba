"""Methods of fitted estimators on collections, block by block."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import dask
import dask.array
import numpy as np
from dask.delayed import Delayed
from threadpoolctl import threadpool_limits

from mercer.dask._table import is_frame


def evaluated(model: Any, method: str, X: Any) -> Any:
    """Return the result of a method: at once for an array, lazily for a collection."""
    if not (isinstance(X, (dask.array.Array, Delayed)) or is_frame(X) or _is_delayed(X)):
        return getattr(model, method)(X)
    model = copy.copy(model)
    if "n_jobs" in model.get_params(deep=False):
        model.n_jobs = 1  # Tasks have a thread each.
    shared = dask.delayed(model, pure=True)
    if isinstance(X, Delayed):
        return dask.delayed(_call)(X, shared, method)
    if isinstance(X, Sequence):
        return [dask.delayed(_call)(one, shared, method) for one in X]
    meta = _meta(model, method, X)
    if is_frame(X):
        return X.map_partitions(_call, shared, method, meta, meta=meta)
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    shape = {"chunks": (X.chunks[0], (meta.shape[1],))} if meta.ndim == 2 else {"drop_axis": 1}
    return X.map_blocks(_call, shared, method, meta, meta=meta, dtype=meta.dtype, **shape)


def _is_delayed(X: Any) -> bool:
    return isinstance(X, (list, tuple)) and bool(X) and isinstance(X[0], Delayed)


def _meta(model: Any, method: str, X: Any) -> np.ndarray:
    """No rows of the result, in its type and with its columns."""
    few = X._meta_nonempty if is_frame(X) else np.zeros((1, X.shape[1]), X.dtype)
    return np.asarray(getattr(model, method)(few))[:0]


def _call(X: Any, model: Any, method: str, nothing: np.ndarray | None = None) -> Any:
    """The result of a method for a block; `nothing` for one without rows."""
    if nothing is not None and X.shape[0] == 0:
        return nothing
    with threadpool_limits(1):
        return getattr(model, method)(X)
