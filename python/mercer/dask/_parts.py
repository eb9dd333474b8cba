"""Parts of the rows: which rows a task reads, and on which worker they lie."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from mercer import _core

# Groups of rows that are worth a task of their own.
_LEAST = 2


class Part:
    """Rows from `first` on: the places of partitions, and which rows of each."""

    def __init__(self, first: int) -> None:
        self.first, self.rows = first, 0
        self.pieces: list[tuple[int, int, int]] = []


def planned(lengths: list[int], size: int) -> list[Part]:
    """Divide partitions into parts of about `size` rows, which begin where a group of rows does, as
    near to the beginning of a partition as there is one.
    """
    cuts = _cuts(lengths, size, _core.group_rows())
    parts = [Part(cut) for cut in cuts[:-1]]
    row, number = 0, 0
    for place, length in enumerate(lengths):
        start = 0
        while start < length:
            if row == cuts[number + 1]:
                number += 1
            taken = min(length - start, cuts[number + 1] - row)
            parts[number].pieces.append((place, start, start + taken))
            parts[number].rows += taken
            start, row = start + taken, row + taken
    return parts


def _cuts(lengths: list[int], size: int, group: int) -> list[int]:
    """The first rows of parts, and the number of rows."""
    rows, ends = sum(lengths), [0]
    for end in itertools.accumulate(lengths):
        near = min(rows, round(end / group) * group) if end < rows else rows
        if near > ends[-1]:
            ends.append(near)
    cuts = [0]
    for end, after in zip(ends[1:], [*ends[2:], None], strict=True):
        pieces = -(-(end - cuts[-1]) // size)
        step = -(-(end - cuts[-1]) // (pieces * group)) * group
        while end - cuts[-1] > step:
            cuts.append(cuts[-1] + step)
        # Partitions may lie on different workers: only small ones are put together.
        is_small = end - cuts[-1] < min(size, _LEAST * group)
        if after is None or after - cuts[-1] > size or not is_small:
            cuts.append(end)
    return cuts


def placed(
    parts: list[Part], holders: dict[int, Iterable[str]], threads: dict[str, int]
) -> list[str | None]:
    """Return the worker that holds most of the rows of each part; None where none does, and where
    it holds more than its threads' share of all rows.

    Parameters
    ----------
    parts : list of Part
        Parts of the rows.
    holders : dict
        The workers that hold a partition, by its place.
    threads : dict
        The threads of each worker.
    """
    share = sum(part.rows for part in parts) / max(1, sum(threads.values()))
    room = {worker: share * count for worker, count in threads.items()}
    found: list[str | None] = []
    for part in parts:
        held: Counter[str] = Counter()
        for place, start, stop in part.pieces:
            for worker in holders.get(place, ()):
                held[worker] += stop - start
        best = max(held, key=lambda worker: (held[worker], room.get(worker, 0.0)), default=None)
        if best is not None and room.get(best, 0.0) < part.rows / 2:
            best = None
        if best is not None:
            room[best] -= part.rows
        found.append(best)
    return found
