"""Methods of fitted estimators on collections, block by block."""

from __future__ import annotations

import copy
from typing import Any

import dask
import dask.array
import numpy as np
from dask.delayed import Delayed
from threadpoolctl import threadpool_limits

from mercer._scan import Scan, scan
from mercer.dask._blocks import rows_of
from mercer.dask._table import files_of, is_delayed, is_file, is_frame


def evaluated(model: Any, method: str, X: Any) -> Any:
    """Return what a method says of samples: at once of an array, lazily of what lies elsewhere."""
    is_lazy = isinstance(X, (dask.array.Array, Delayed)) or is_delayed(X) or is_file(X)
    if not (is_lazy or is_frame(X)):
        return getattr(model, method)(X)
    model = copy.copy(model)
    if "n_jobs" in model.get_params(deep=False):
        model.n_jobs = 1  # Tasks have a thread each.
    shared = dask.delayed(model, pure=True)
    if isinstance(X, Delayed):
        return dask.delayed(_call)(X, shared, method)
    if is_delayed(X):
        return [dask.delayed(_call)(one, shared, method) for one in X]
    if is_file(X):
        return _of_files(model, method, X if isinstance(X, Scan) else scan(X), shared)
    few = X._meta_nonempty if is_frame(X) else np.zeros((1, X.shape[1]), X.dtype)
    meta = _meta(model, method, few)
    if is_frame(X):
        return X.map_partitions(_call, shared, method, meta, meta=meta)
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    shape = {"chunks": (X.chunks[0], (meta.shape[1],))} if meta.ndim == 2 else {"drop_axis": 1}
    return X.map_blocks(_call, shared, method, meta, meta=meta, dtype=meta.dtype, **shape)


def _of_files(model: Any, method: str, table: Scan, shared: Delayed) -> dask.array.Array:
    """What a method says of the rows of files, each of which is a chunk."""
    files = files_of(table)
    first = next(iter(files[0]))[0]
    meta = _meta(model, method, rows_of(first, 0, 1))
    read = dask.delayed(_read)
    chunks = []
    for file in files:
        rows = file.reader().rows
        shape = (float("nan") if rows is None else rows, *meta.shape[1:])
        found = read(file, shared, method, meta)
        chunks.append(dask.array.from_delayed(found, shape, meta=meta))
    return dask.array.concatenate(chunks, allow_unknown_chunksizes=True)


def _meta(model: Any, method: str, few: Any) -> np.ndarray:
    """No rows of the result, in its type and with its columns."""
    return np.asarray(getattr(model, method)(few))[:0]


def _read(table: Scan, model: Any, method: str, nothing: np.ndarray) -> np.ndarray:
    """What a method says of the rows of a file, which are read in blocks."""
    found = [_call(X, model, method) for X, _, _ in table]
    return np.concatenate([nothing, *found])


def _call(X: Any, model: Any, method: str, nothing: np.ndarray | None = None) -> Any:
    """The result of a method for a block; `nothing` for one without rows."""
    if nothing is not None and X.shape[0] == 0:
        return nothing
    with threadpool_limits(1):
        return getattr(model, method)(X)
