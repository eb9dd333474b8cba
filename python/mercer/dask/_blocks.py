"""What workers do: rows of partitions, and passes of the library over them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from threading import Lock
from typing import Any

import numpy as np
from distributed import get_worker
from scipy import sparse

from mercer import _core
from mercer._arrays import Rows
from mercer._scan import Block, Reader, Scan
from mercer._stream import Streamed, add_labels

# Passes that this process has prepared last, by their names.
_prepared: dict[str, _core.Pass] = {}
_preparing = Lock()
# Of a worker's memory, the share that one of its threads may take for sums.
_SHARE = 0.6


class Piece:
    """Rows of a partition, `start` to `stop`; its value, or what reads it, begins at `offset`."""

    def __init__(self, value: Any, place: int, start: int, stop: int, offset: int = 0) -> None:
        self.value, self.place, self.offset = value, place, offset
        self.start, self.stop = start, stop

    def blocks(self) -> Iterator[tuple[int, Block]]:
        """Iterate over the rows, with the place of each block in the partition."""
        at = self.offset
        for block in blocks_of(self.value):
            size = length_of(block[0])
            first, last = max(self.start - at, 0), min(self.stop - at, size)
            if first < last:
                yield at + first, tuple(aligned(rows_of(one, first, last)) for one in block)
            at += size
            if at >= self.stop:
                return


def blocks_of(value: Any) -> Iterator[Block]:
    """Iterate over the blocks of a partition: X, (X, y), (X, y, weights), or a table in files."""
    if isinstance(value, Scan):
        yield from value
    elif isinstance(value, tuple):
        X, y, w = (*value, None, None)[:3]
        yield X, _array(y), _array(w)
    else:
        yield value, None, None


def _array(y: Any) -> Any:
    return y if y is None else np.asarray(y)


def length_of(X: Any) -> int:
    """Return the number of rows of a block."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def rows_of(X: Any, start: int, stop: int) -> Any:
    """Return some rows of a block."""
    if X is None or (start == 0 and stop == length_of(X)):
        return X
    if hasattr(X, "iloc"):
        return X.iloc[start:stop]
    if isinstance(X, dict):
        return {name: column[start:stop] for name, column in X.items()}
    return X[start:stop]


def aligned(X: Any) -> Any:
    """Return an array at a place in memory that suits its numbers: one that was received may lie
    anywhere.
    """
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) and X.format == "csr" else (X,)
    lies = all(part.flags.aligned for part in parts if isinstance(part, np.ndarray))
    return X if lies else X.copy()


def count(value: Any) -> int:
    """Return the number of rows of a partition."""
    known = value.reader().rows if isinstance(value, Scan) else None
    return sum(length_of(X) for X, _, _ in blocks_of(value)) if known is None else known


def cut(value: Any, start: int, stop: int) -> list[Block]:
    """Return some rows of a partition, block by block."""
    return [block for _, block in Piece(value, 0, start, stop).blocks()]


def taken(value: Any, start: int, stop: int) -> Block:
    """Return some rows of a partition."""
    return joined(cut(value, start, stop))


def joined(blocks: list[Block]) -> Block:
    """Return blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    X, y, w = (_stacked([block[i] for block in blocks]) for i in range(3))
    return X, y, w


def _stacked(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    if hasattr(parts[0], "iloc"):
        import pandas

        return pandas.concat(parts)
    if isinstance(parts[0], dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if isinstance(parts[0], list):
        return [one for part in parts for one in part]
    found = np.concatenate(parts)
    return named(found, parts[0].names) if isinstance(parts[0], Rows) else found


def named(X: np.ndarray, names: list[str]) -> Rows:
    """Return rows whose columns have names."""
    found = X.view(Rows)
    found.names = names
    return found


def label_sums(value: Any) -> dict[Any, Fraction]:
    """Return the labels of a partition, with the sums of the weights of their samples."""
    sums: dict[Any, Fraction] = {}
    start = 0
    for block in blocks_of(value):
        start += add_labels(sums, block, start)
    return sums


def same(value: Any) -> Any:
    """Return the value."""
    return value


class PartReader(Reader):
    """The rows of a part of the work, which say where they are from if something is wrong."""

    places = True

    def __init__(self, pieces: list[Piece], first: int) -> None:
        self._pieces, self._first, self.seen = pieces, first, 0
        self.at: tuple[int, int, Any] = (0, 0, None)
        self._blocks = self._all()

    def _all(self) -> Iterator[Block]:
        for piece in self._pieces:
            for start, block in piece.blocks():
                self.at = (piece.place, start, block)
                yield block
                self.seen += length_of(block[0])

    def rewind(self) -> None:
        raise ValueError("the rows of a part are read once")

    def next(self) -> Block | None:
        return next(self._blocks, None)

    def explain(self, error: Exception) -> Exception:
        """Return the error with the partition and the row."""
        place, start, block = self.at
        row = _wrong_row(block)
        if row is None:
            where = f"in partition {place}, rows from {start}"
        else:
            where = f"in partition {place}, row {start + row} (row {self._first + self.seen + row})"
        return type(error)(f"{where}: {error}")


def _wrong_row(block: Any) -> int | None:
    """The first row of a block with a number that is not finite, if there is one."""
    for values in block or ():
        if values is None or sparse.issparse(values):
            continue
        found = np.asarray(values)
        if found.dtype.kind == "f":
            wrong = ~np.isfinite(found.reshape(len(found), -1)).all(axis=1)
            if wrong.any():
                return int(wrong.argmax())
    return None


def limits() -> tuple[int, int | None, None, None]:
    """Return the threads and the memory that a task on this worker may take."""
    worker = get_worker()
    limit = worker.memory_manager.memory_limit
    budget = int(_SHARE * limit / worker.state.nthreads) if limit else None
    return 1, budget, None, None


def prepared(name: str, described: bytes) -> _core.Pass:
    """Return the pass, ready to be made; a worker prepares it once."""
    with _preparing:
        found = _prepared.get(name)
        if found is None:
            _prepared.clear()
            found = _prepared[name] = _core.Pass(described, limits())
        return found


def run_part(
    name: str,
    described: bytes,
    converter: Streamed,
    number: int,
    first: int,
    beside: list[tuple[int, bytes]],
    pieces: list[tuple[int, int, int, int]],
    values: list[Any],
) -> bytes:
    """Return what a pass finds of some rows, the first of which is row `first` of all."""
    worker = get_worker()
    worker.log_event(topic_of(name), ("began", number))
    own = [Piece(value, *piece) for value, piece in zip(values, pieces, strict=True)]
    reader = PartReader(own, first)
    rows = converter.reading(reader)
    blocks = _core.Blocks(rows, rows._single)
    try:
        found = prepared(name, described).part(blocks, first, beside, limits())
    except (ValueError, TypeError) as error:
        raise reader.explain(error) from error
    worker.log_event(topic_of(name), ("ended", number))
    return found


def topic_of(name: str) -> str:
    """Return the topic of the events of a pass."""
    return f"mercer-{name}"


def merge(parts: list[bytes]) -> bytes:
    """Return what parts of the rows have, added up."""
    return _core.merge_parts(parts, limits())
