"""Functions of the user's own, and the samples that they compare.

The compiled part asks for tiles: for some samples of one store and some of another it wants all
kernel values. Here the samples are picked, the function is called, and its answer is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from mercer import _core


class Store:
    """Samples as a user's function sees them: rows of an array, or the objects of a list."""

    def __init__(self, held) -> None:
        self.held = held

    def __len__(self) -> int:
        return self.held.shape[0] if hasattr(self.held, "shape") else len(self.held)

    def take(self, places: np.ndarray):
        """Return the samples in these places: rows of the array, or a list."""
        if hasattr(self.held, "shape"):
            return self.held[_slice(places)]
        return [self.held[place] for place in places.tolist()]

    def part(self, places: np.ndarray) -> Store:
        """Return a store of these samples alone."""
        return Store(self.take(places))

    def each(self, places: np.ndarray) -> Iterator:
        """Return the samples in these places, one after the other."""
        if sparse.issparse(self.held):
            return (self.held[[place]] for place in places.tolist())
        return (self.held[place] for place in places.tolist())


def _slice(places: np.ndarray) -> slice | np.ndarray:
    """Neighbours as a slice, which numpy shows without a copy."""
    first = int(places[0]) if len(places) else 0
    neighbours = len(places) and int(places[-1]) - first + 1 == len(places)
    if neighbours and np.array_equal(places, np.arange(first, first + len(places))):
        return slice(first, first + len(places))
    return places


@dataclass
class Function:
    """A function of the user's own under a name, with what else it is given."""

    name: str
    call: Callable
    form: str
    params: dict = field(default_factory=dict)

    def __call__(self, left: Store, rows: np.ndarray, right: Store, columns: np.ndarray):
        """Return the values of the samples in `rows` with those in `columns`, as float64."""
        if self.form == "block":
            found = self.call(left.take(rows), right.take(columns), **self.params)
            return self._checked(found, (len(rows), len(columns)))
        others = list(right.each(columns))
        values = [
            self._of_pair(one, other, row, column)
            for row, one in zip(rows.tolist(), left.each(rows), strict=True)
            for column, other in zip(columns.tolist(), others, strict=True)
        ]
        return np.array(values, dtype=np.float64).reshape(len(rows), len(columns))

    def _of_pair(self, one, other, row: int, column: int) -> float:
        # A tile has thousands of pairs. The thread that was interrupted waits for this one.
        if _core.is_stopping():
            raise KeyboardInterrupt
        return self._number(self.call(one, other, **self.params), row, column)

    def _checked(self, found, shape: tuple[int, int]) -> np.ndarray:
        found = np.asarray(found.toarray() if sparse.issparse(found) else found)
        if found.shape != shape or found.dtype.kind not in "biuf":
            raise ValueError(
                f"the kernel {self.name!r} must return numbers in the shape {shape}, one row for "
                f"each sample of its first argument and one column for each of its second, and "
                f"returned {found.dtype} in the shape {found.shape}"
            )
        return np.ascontiguousarray(found, dtype=np.float64)

    def _number(self, found, row: int, column: int) -> float:
        if isinstance(found, float):  # also those of numpy
            return found
        try:
            # Not float(): a text such as "1" would be taken for a number.
            value = np.asarray(found.toarray() if sparse.issparse(found) else found)
            if value.size == 1 and value.dtype.kind in "biuf":
                return float(value.item())
        except (TypeError, ValueError):
            pass
        raise ValueError(
            f"the kernel {self.name!r} must return one number, and for samples {row} and {column} "
            f"it returned {found!r}"
        )
