"""User-defined kernel functions, and the samples that they compare.

The extension module asks for tiles: all kernel values between some samples of one store and some of
another. Here the samples are selected, the function is called, and its result is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from mercer import _core


class Store:
    """Samples in the container that the user passed, as user-defined functions see them.

    A sample is a row of an array, sparse matrix or data frame, an object of a list or column, or a
    dictionary for a dictionary of columns.
    """

    def __init__(self, data) -> None:
        self.data = data

    def __setstate__(self, state: dict) -> None:
        # Earlier versions pickled the container as "held".
        self.data = state["data"] if "data" in state else state["held"]

    def __len__(self) -> int:
        data = self.data
        if isinstance(data, Mapping):
            return len(next(iter(data.values()), ()))
        return data.shape[0] if hasattr(data, "shape") else len(data)

    def take(self, places: np.ndarray):
        """Return the samples at these positions, in a container of the same type."""
        data = self.data
        if isinstance(data, Mapping):
            return {name: Store(column).take(places) for name, column in data.items()}
        if hasattr(data, "iloc"):
            return data.iloc[places]
        if hasattr(data, "shape"):
            return data[_slice(places)]
        return [data[place] for place in places.tolist()]

    def part(self, places: np.ndarray) -> Store:
        """Return a store of these samples only."""
        return Store(self.take(places))

    def copy(self) -> Store:
        """Return a store that does not change when the caller's container does."""
        data = self.data
        if isinstance(data, Mapping):
            return Store({name: Store(column).copy().data for name, column in data.items()})
        if isinstance(data, list):
            return Store(list(data))
        return Store(data.copy() if hasattr(data, "copy") else data.clone())

    def each(self, places: np.ndarray) -> Iterator:
        """Return an iterator over the samples at these positions."""
        return map(_picker(self.data), places.tolist())


def _picker(data) -> Callable[[int], object]:
    """A function that returns the sample at a position."""
    if isinstance(data, Mapping):
        columns = {name: _picker(column) for name, column in data.items()}
        return lambda place: {name: pick(place) for name, pick in columns.items()}
    if sparse.issparse(data):
        return lambda place: data[[place]]
    if hasattr(data, "iloc"):
        return data.iloc.__getitem__
    if hasattr(data, "row") and hasattr(data, "columns"):  # a polars data frame
        return lambda place: data.row(place, named=True)
    return data.__getitem__


def _slice(places: np.ndarray) -> slice | np.ndarray:
    """Consecutive positions as a slice, which numpy indexes without a copy."""
    first = int(places[0]) if len(places) else 0
    neighbours = len(places) and int(places[-1]) - first + 1 == len(places)
    if neighbours and np.array_equal(places, np.arange(first, first + len(places))):
        return slice(first, first + len(places))
    return places


@dataclass
class Function:
    """A user-defined function with its name and its further arguments.

    `plain` says that its form, pair or block, was not given but follows from the estimator, as in
    scikit-learn.
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
        """What to do if the function expects other arguments."""
        took, other = ("two samples", "block"), ("two sets of samples", "pair")
        took, other = (took, other) if self.form == "pair" else (other, took)
        return (
            f"{self.name!r} was called with {took[0]}, which is what this estimator passes to a "
            f"plain function; if it expects {other[0]}, pass kernels.{took[1]}({self.name})"
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
        # A tile has thousands of pairs, and the interrupted thread waits for this one.
        if _core.is_stopping():
            raise KeyboardInterrupt
        return self._number(self.call(one, other, **self.params), row, column)

    def _checked(self, found, shape: tuple[int, int]) -> np.ndarray:
        found = np.asarray(found.toarray() if sparse.issparse(found) else found)
        if found.shape != shape or found.dtype.kind not in "biuf":
            hint = f": {self._hint()}" if self.plain and found.ndim == 0 else ""
            raise ValueError(
                f"the kernel {self.name!r} must return numbers of shape {shape}, one row for each "
                f"sample of its first argument and one column for each of its second, but returned "
                f"{found.dtype} of shape {found.shape}{hint}"
            )
        return np.ascontiguousarray(found, dtype=np.float64)

    def _number(self, found, row: int, column: int) -> float:
        if isinstance(found, float):  # also those of numpy
            return found
        try:
            # Not float(): it would accept a string such as "1".
            value = np.asarray(found.toarray() if sparse.issparse(found) else found)
            if value.size == 1 and value.dtype.kind in "biuf":
                return float(value.item())
        except (TypeError, ValueError):
            pass
        raise ValueError(
            f"the kernel {self.name!r} must return one number, but returned {found!r} for samples "
            f"{row} and {column}"
        )


def name_of(function: Callable) -> str:
    """Return the name of a function."""
    return getattr(function, "__name__", type(function).__name__)


def quoted(name: object) -> str:
    """Return a name as it is quoted in specs."""
    inner = str(name).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inner}'"
