"""Tables with columns of several types: data frames, dictionaries of columns, and arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real

import numpy as np

from mercer._arrays import Rows
from mercer._categories import Codes, is_category, learned, read
from mercer._missing import MissingValueError, also, missing_rows
from mercer._params import ParameterError
from mercer._strings import is_missing, strings_of, values_of

# How many columns an error lists.
_LISTED = 12


class Table:
    """Columns by their names; those of an array are numbered."""

    def __init__(self, X: object) -> None:
        self._columns, self.n = _columns_of(X)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self._columns)

    def column(self, name: str) -> object:
        """Return a column; the error for an unknown one lists those that exist."""
        if name not in self._columns:
            names = self.names
            listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
            raise ValueError(f"X has no column {name!r}, which the kernel reads; it has {listed}")
        return self._columns[name]

    def numbers(self, names: tuple[str, ...]) -> np.ndarray:
        """Return columns as rows of numbers."""
        found = [numbers_of(self.column(name), name) for name in names]
        single = all(part.dtype == np.float32 for part in found)
        return np.column_stack(found).astype(np.float32 if single else np.float64, copy=False)

    def categories(
        self, names: tuple[str, ...], codes: dict[str, Codes], *, learn: bool
    ) -> np.ndarray:
        """Return columns of numbers and categories as rows of numbers.

        `codes` has the categories of each column; with `learn` they are those of this table.
        """
        return np.column_stack([self._coded(name, codes, learn=learn) for name in names])

    def _coded(self, name: str, codes: dict[str, Codes], *, learn: bool) -> np.ndarray:
        column = self.column(name)
        if learn and is_category(column):
            found = learned(read(column, name))
            codes |= {} if found is None else {name: found}
        if name not in codes:
            return numbers_of(column, name)
        return codes[name].apply(read(column, name))

    @contextmanager
    def naming_all(self, names: Iterable[str]) -> Iterator[None]:
        """Let an error for a missing value name all of these columns that have some."""
        try:
            yield
        except MissingValueError as fault:
            columns = (
                (repr(name), missing_rows(self.column(name))) for name in dict.fromkeys(names)
            )
            raise ValueError(f"{fault}{also(columns)}") from None

    def strings(self, names: tuple[str, ...]) -> list[str]:
        """Return the only column named, as strings."""
        if len(names) > 1:
            listed = ", ".join(names)
            raise ParameterError(
                f"a kernel on strings takes one column, but got {listed}: add up one for each, "
                f"as in 'column({names[0]}: …) + column({names[1]}: …)'"
            )
        return strings_of(self.column(names[0]), f"column {names[0]!r}")

    def objects(self, names: tuple[str, ...]) -> list:
        """Return the values of a column, or tuples of those of several, as they are."""
        found = [values_of(self.column(name)) for name in names]
        return found[0] if len(found) == 1 else list(zip(*found, strict=True))


def _columns_of(X: object) -> tuple[dict[str, object], int]:
    if isinstance(X, Mapping):
        found = {str(name): column for name, column in X.items()}
    elif hasattr(X, "column_names"):  # a pyarrow table
        found = {str(name): X.column(name) for name in X.column_names}
    elif hasattr(X, "columns") and hasattr(X, "__getitem__"):
        found = {str(name): X[name] for name in X.columns}
    elif isinstance(X, Rows):
        found = {name: X[:, place].view(np.ndarray) for place, name in enumerate(X.names)}
    else:
        rows = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if rows.ndim != 2:
            raise ParameterError(
                "the kernel reads columns: pass a data frame, a dictionary of columns or a 2-D "
                f"array, not {type(X).__name__} of shape {rows.shape}"
            )
        found = {str(place): rows[:, place] for place in range(rows.shape[1])}
    _refuse_twice(X)
    lengths = {name: len(column) for name, column in found.items()}
    if not found or 0 in lengths.values():
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {length}" for name, length in list(lengths.items())[:_LISTED])
        raise ValueError(f"the columns of X have different lengths: {listed}")
    return found, next(iter(lengths.values()))


def _refuse_twice(X: object) -> None:
    """Refuse two columns of one name, which could not be distinguished."""
    names = getattr(X, "column_names", getattr(X, "columns", X if isinstance(X, Mapping) else ()))
    for name, count in Counter(map(str, names)).items():
        if count > 1:
            raise ValueError(f"X has {count} columns with the name {name!r}: rename or drop them")


def form_of(X: object) -> str:
    """Return the library of a data frame, or ``"dict"``."""
    frame = hasattr(X, "columns") or hasattr(X, "column_names")
    return type(X).__module__.partition(".")[0] if frame else "dict"


def table_of(parts: list[tuple[list[str], object]], form: str, order: Sequence[str]) -> object:
    """Return groups of columns as one table of this form, each column once.

    Columns are in the given order; those that it does not name follow, in the order of the groups.
    """
    found: dict[str, object] = {}
    for names, values in parts:
        for place, name in enumerate(names):
            found.setdefault(name, _column(values, place, len(names)))
    known = [name for name in order if name in found]
    columns = {name: found[name] for name in (*known, *found)}
    if form == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if form == "polars":
        import polars

        return polars.DataFrame(columns)
    if form == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    return columns


def _column(values: object, place: int, width: int) -> object:
    """One column of a group: of rows of numbers, of strings, or of objects (several as tuples)."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return values[:, place]
    return values if width == 1 else [row[place] for row in values]


def numbers_of(column: object, name: str) -> np.ndarray:
    """Return a column of numbers; any other value is refused with its row."""
    found = np.asarray(column)
    if found.dtype.kind not in "biuf":
        found = np.array([_number(v, row, name) for row, v in enumerate(values_of(column))])
    if found.dtype.kind != "f" or found.dtype.itemsize < 4:
        found = found.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(found))
    if len(wrong):
        value = found[tuple(wrong[0])]
        what = "missing (NaN)" if np.isnan(value) else "infinity"
        raise MissingValueError(f"row {wrong[0][0]} of column {name!r} is {what}: impute it first")
    return found


def _number(value: object, row: int, name: str) -> float:
    if is_missing(value):
        raise MissingValueError(
            f"row {row} of column {name!r} is missing ({value!r}): impute it first"
        )
    if isinstance(value, Real):
        return float(value)
    raise ParameterError(
        f"row {row} of column {name!r} is {value!r} of type {type(value).__name__}, but the kernel "
        "takes numbers there"
    )
