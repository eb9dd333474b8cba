"""Tables that are divided among workers: partitions of any kind of collection."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dask
import dask.array
import numpy as np
from dask.delayed import Delayed
from dask.typing import DaskCollection
from distributed import Client

from mercer._params import ParameterError
from mercer._scan import Block, Scan, scan
from mercer.dask._blocks import blocks_of, joined


def is_collection(X: object) -> bool:
    """Whether X is a collection of Dask."""
    return isinstance(X, DaskCollection) and not isinstance(X, Delayed)


def is_frame(X: Any) -> bool:
    """Whether X is a data frame or a series of Dask."""
    return hasattr(X, "map_partitions") and hasattr(X, "npartitions")


def is_delayed(X: Any) -> bool:
    """Whether X is a list of delayed blocks."""
    several = isinstance(X, (list, tuple)) and bool(X)
    return several and all(isinstance(one, Delayed) for one in X)


def is_file(X: Any) -> bool:
    """Whether X is a path, or a table in files."""
    if isinstance(X, Scan):
        X = X.source
    return isinstance(X, (str, os.PathLike))


def gathered(client: Client, X: Any, y: Any, sample_weight: Any) -> Block:
    """Return samples, targets and weights as one set in the memory of this machine."""
    if isinstance(X, Delayed) or is_delayed(X):
        _refuse_others(y, sample_weight, _IN_BLOCKS)
        blocks = client.compute([X] if isinstance(X, Delayed) else list(X), sync=True)
        return joined([block for value in blocks for block in blocks_of(value)])
    if is_file(X) or isinstance(X, Scan):
        _refuse_others(y, sample_weight, _IN_SCAN)
        return joined(list(X if isinstance(X, Scan) else scan(X)))
    X, y, w = (
        client.compute(one, sync=True) if is_collection(one) else one
        for one in (X, y, sample_weight)
    )
    return X, y, w


_IN_SCAN = "name their columns in mercer.scan"
_IN_BLOCKS = "let each block be (X, y) or (X, y, weights)"


class Partitions:
    """The partitions of samples with their targets and weights: `values` are delayed, blocks of X,
    (X, y) or (X, y, weights), or tuples of three delayed arrays, or what reads files; `lengths`
    their rows, where these are known.
    """

    def __init__(self, values: list[Any], lengths: list[int] | None) -> None:
        if not values:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        self.values, self.lengths = values, lengths


def partitions(X: Any, y: Any = None, sample_weight: Any = None) -> Partitions:
    """Return the partitions of samples, targets and weights."""
    if isinstance(X, (str, os.PathLike)):
        X = scan(X)
    if isinstance(X, Scan):
        _refuse_others(y, sample_weight, _IN_SCAN)
        return Partitions(files_of(X), None)
    if isinstance(X, dask.array.Array):
        return _of_array(X, y, sample_weight)
    if is_frame(X):
        return _of_frame(X, y, sample_weight)
    if isinstance(X, Delayed):
        X = [X]
    if is_delayed(X):
        _refuse_others(y, sample_weight, _IN_BLOCKS)
        return Partitions(list(X), None)
    raise ParameterError(
        "samples are a dask array, a dask data frame, a list of dask.delayed blocks, a path or "
        f"mercer.scan of one, not {type(X).__name__}"
    )


def _refuse_others(y: Any, sample_weight: Any, advice: str) -> None:
    if y is not None or sample_weight is not None:
        raise ParameterError(f"targets and weights come with the blocks: {advice}")


def files_of(table: Scan) -> list[Scan]:
    """Return the files of a table, each of which is a partition that a worker reads in blocks."""
    path = table.source
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(
            "workers read files by their paths: pass mercer.scan of a file, a directory or a "
            "pattern, or dask.delayed blocks"
        )
    text = os.path.abspath(os.fspath(path))
    if any(sign in text for sign in "*?["):
        found = sorted(str(one) for one in Path(text).parent.glob(Path(text).name))
    elif os.path.isdir(text):
        found = sorted(str(one) for one in Path(text).iterdir() if one.is_file())
        found = [one for one in found if not Path(one).name.startswith((".", "_"))]
    else:
        found = [text]
    return [table.with_source(one) for one in found]


def _of_array(X: Any, y: Any, sample_weight: Any) -> Partitions:
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    lengths = [None if np.isnan(size) else int(size) for size in X.chunks[0]]
    known = None if None in lengths else [size for size in lengths if size is not None]
    parts = [
        X.to_delayed(optimize_graph=False).ravel(),
        _beside(y, X.chunks[0], known),
        _beside(sample_weight, X.chunks[0], known),
    ]
    values = _joined(parts)
    if known is not None:
        kept = [i for i, size in enumerate(known) if size > 0]
        values, known = [values[i] for i in kept], [known[i] for i in kept]
    return Partitions(values, known)


def _of_frame(X: Any, y: Any, sample_weight: Any) -> Partitions:
    parts = [X.to_delayed()]
    for other in (y, sample_weight):
        found = None if other is None else _others(other, None)
        if found is not None and len(found) != len(parts[0]):
            raise ValueError(
                f"X has {len(parts[0])} partitions, but its targets or weights have {len(found)}"
            )
        parts.append(found)
    return Partitions(_joined(parts), None)


def _beside(values: Any, chunks: tuple, lengths: list[int] | None) -> Any:
    """Targets or weights, divided as the samples are."""
    if values is None:
        return None
    if not is_collection(values):
        if lengths is None:
            raise ParameterError(
                "X has blocks of unknown sizes: pass y and sample_weight as dask arrays, too"
            )
        values = np.asarray(values)
    if lengths is not None:
        total = sum(lengths)
        if isinstance(values, np.ndarray) and len(values) != total:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: "
                f"[{total}, {len(values)}]"
            )
    return _others(values, chunks, lengths)


def _others(values: Any, chunks: Any, lengths: list[int] | None = None) -> Any:
    if isinstance(values, np.ndarray):
        ends = np.cumsum(lengths)
        return [
            dask.delayed(values[end - n : end]) for n, end in zip(lengths or [], ends, strict=True)
        ]
    if isinstance(values, dask.array.Array):
        if chunks is not None and lengths is not None:
            if values.shape[0] != sum(lengths):
                raise ValueError(
                    "Found input variables with inconsistent numbers of samples: "
                    f"[{sum(lengths)}, {values.shape[0]}]"
                )
            values = values.rechunk({0: chunks} | ({1: -1} if values.ndim > 1 else {}))
        return values.to_delayed(optimize_graph=False).ravel()
    if is_frame(values):
        return values.to_delayed()
    raise ParameterError(
        f"y and sample_weight are dask arrays or series beside X, not {type(values).__name__}"
    )


def _joined(parts: list[Any]) -> list[Any]:
    """Samples with what belongs to them, partition by partition."""
    X, y, w = parts
    if y is None and w is None:
        return list(X)
    for other in (y, w):
        if other is not None and len(other) != len(X):
            raise ValueError(f"X has {len(X)} blocks, but its targets or weights have {len(other)}")
    return [
        (one, None if y is None else y[i], None if w is None else w[i]) for i, one in enumerate(X)
    ]
