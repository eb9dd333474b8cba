"""Some of the rows of a source, chosen by their numbers: the same however they come in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._arrays import Rows
from mercer._rows import count_rows, rows_of
from mercer._scan import Block, Reader, Scan
from mercer._stream import reader_for


def is_held(start: int, count: int, share: float, seed: int) -> np.ndarray:
    """Return which of the rows from `start` on are among the share that is held out: each has a
    random number of its own, which depends on the seed and the row's number alone.
    """
    step, more, last = (
        np.uint64(constant)
        for constant in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
    )
    with np.errstate(over="ignore"):
        bits = (np.arange(start, start + count, dtype=np.uint64) + np.uint64(seed)) * step
        bits = (bits ^ (bits >> np.uint64(30))) * more
        bits = (bits ^ (bits >> np.uint64(27))) * last
    bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 < share


class ScanPart(Scan):
    """The rows of a source that are held out, or the others."""

    def __init__(self, whole: Any, share: float, seed: int, *, held: bool) -> None:
        self.source = whole
        self._rule = (share, seed, held)

    def reader(self) -> Reader:
        """Return a reader that stands before the first row."""
        return _PartReader(reader_for(self.source), *self._rule)


class _PartReader(Reader):
    """The blocks of another reader without some of their rows."""

    def __init__(self, inner: Reader, share: float, seed: int, held: bool) -> None:
        self._inner, self._share, self._seed, self._held = inner, share, seed, held
        self._at = 0
        self.once, self.names, self.places = inner.once, inner.names, inner.places

    @property
    def share(self) -> float | None:  # type: ignore[override]
        """How much of a pass is read."""
        rows = self._inner.rows
        return self._at / rows if rows else self._inner.share

    def rewind(self) -> None:
        self._at = 0
        self._inner.rewind()

    def next(self) -> Block | None:
        while (block := self._inner.next()) is not None:
            n = count_rows(block[0])
            chosen = is_held(self._at, n, self._share, self._seed) == self._held
            self._at += n
            if chosen.any():
                rows = np.flatnonzero(chosen)
                X, y, weights = (None if one is None else _taken(one, rows) for one in block)
                return X, y, weights
        return None


def _taken(whole: Any, rows: np.ndarray) -> Any:
    if not isinstance(whole, Rows):
        return rows_of(whole, rows)
    part = whole[rows]
    part.names = whole.names
    return part
