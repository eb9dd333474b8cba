"""Functions of the user's own, and the samples that they compare.

The compiled part asks for tiles: for some samples of one store and some of another it wants all
kernel values. Here the samples are picked, the function is called, and its answer is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from mercer import _core


class Store:
    """Samples as a user's function sees them: parts of whatever container they came in.

    Of arrays and sparse matrices these are rows, of lists and columns the objects in them; of data
    frames a row is what their library calls one, and of a dictionary of columns a dictionary.
    """

    def __init__(self, held) -> None:
        self.held = held

    def __len__(self) -> int:
        held = self.held
        if isinstance(held, Mapping):
            return len(next(iter(held.values()), ()))
        return held.shape[0] if hasattr(held, "shape") else len(held)

    def take(self, places: np.ndarray):
        """Return the samples in these places, in a container of the same kind."""
        held = self.held
        if isinstance(held, Mapping):
            return {name: Store(column).take(places) for name, column in held.items()}
        if hasattr(held, "iloc"):
            return held.iloc[places]
        if hasattr(held, "shape"):
            return held[_slice(places)]
        return [held[place] for place in places.tolist()]

    def part(self, places: np.ndarray) -> Store:
        """Return a store of these samples alone."""
        return Store(self.take(places))

    def copy(self) -> Store:
        """Return a store that does not change when the user's container does."""
        held = self.held
        if isinstance(held, Mapping):
            return Store({name: Store(column).copy().held for name, column in held.items()})
        if isinstance(held, list):
            return Store(list(held))
        return Store(held.copy() if hasattr(held, "copy") else held.clone())

    def each(self, places: np.ndarray) -> Iterator:
        """Return the samples in these places, one after the other."""
        return map(_picker(self.held), places.tolist())


def _picker(held) -> Callable[[int], object]:
    """A function that returns the sample in a place."""
    if isinstance(held, Mapping):
        columns = {name: _picker(column) for name, column in held.items()}
        return lambda place: {name: pick(place) for name, pick in columns.items()}
    if sparse.issparse(held):
        return lambda place: held[[place]]
    if hasattr(held, "iloc"):
        return held.iloc.__getitem__
    if hasattr(held, "row") and hasattr(held, "columns"):  # a data frame of polars'
        return lambda place: held.row(place, named=True)
    return held.__getitem__


def _slice(places: np.ndarray) -> slice | np.ndarray:
    """Neighbours as a slice, which numpy shows without a copy."""
    first = int(places[0]) if len(places) else 0
    neighbours = len(places) and int(places[-1]) - first + 1 == len(places)
    if neighbours and np.array_equal(places, np.arange(first, first + len(places))):
        return slice(first, first + len(places))
    return places


@dataclass
class Function:
    """A function of the user's own under a name, with what else it is given.

    `plain` says that nobody said whether it takes a pair or a block: the estimator decided, as
    scikit-learn's of the same name does.
    """

    name: str
    call: Callable
    form: str
    params: dict = field(default_factory=dict)
    plain: bool = False

    def __call__(self, left: Store, rows: np.ndarray, right: Store, columns: np.ndarray):
        """Return the values of the samples in `rows` with those in `columns`, as float64."""
        try:
            return self._values(left, rows, right, columns)
        except Exception as raised:
            if self.plain:
                raised.add_note(self._hint())
            raise

    def _hint(self) -> str:
        """What to do if the function takes something else than it was given."""
        took, other = ("two samples", "block"), ("two sets of samples", "pair")
        took, other = (took, other) if self.form == "pair" else (other, took)
        return (
            f"{self.name!r} was called with {took[0]}, as this estimator calls a plain function; "
            f"one of {other[0]} is given as kernels.{took[1]}({self.name})"
        )

    def _values(self, left: Store, rows: np.ndarray, right: Store, columns: np.ndarray):
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
            hint = f": {self._hint()}" if self.plain and found.ndim == 0 else ""
            raise ValueError(
                f"the kernel {self.name!r} must return numbers in the shape {shape}, one row for "
                f"each sample of its first argument and one column for each of its second, and "
                f"returned {found.dtype} in the shape {found.shape}{hint}"
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
