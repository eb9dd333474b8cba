"""Columns of categories as numbers, for kernels that compare categories (``gower``, ``overlap``).

Categories without an order become codes 0, 1, …, of which `gower` counts equal ones alone. Ordered
ones become their rank divided by the largest, between 0 and 1, so that `gower` compares them as it
does numbers. A value that the training samples do not have becomes a number that differs from all
others by at least 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._missing import MissingValueError
from mercer._reports import warn
from mercer._table_columns import Column, read_column


@dataclass
class Codes:
    """The categories of a column, as the training samples have them; in order if `ordered`."""

    levels: list
    ordered: bool

    def apply(self, column: Column) -> np.ndarray:
        """Return the column as numbers; warn of categories that are not known."""
        places = {level: place for place, level in enumerate(self.levels)}
        step = 1.0 / max(len(self.levels) - 1, 1) if self.ordered else 1.0
        found = np.array([places.get(value, -1) for value in column.values]) * step
        unknown = np.flatnonzero(found < 0)
        found[unknown] = len(self.levels) + 1.0 + unknown
        if unknown.size:
            rows = "row has" if unknown.size == 1 else "rows have"
            warn(
                f"column {column.name!r}: {unknown.size} {rows} a category that the training "
                f"samples do not have (first {column.values[unknown[0]]!r}), which differs from "
                "all others"
            )
        return found


def learned(column: Column) -> Codes | None:
    """Return the codes of a column of categories; None for numbers and booleans."""
    if column.kind == "ordered":
        return Codes(list(column.order or []), True)
    if column.kind == "category":
        return Codes(sorted(set(column.values), key=str), False)
    return None


def is_category(column: Any) -> bool:
    """Whether a column holds something other than numbers, by its type or its first value."""
    dtype = getattr(column, "dtype", None)
    if type(dtype).__module__.startswith("numpy") and dtype.kind in "biuf":
        return False
    return not (hasattr(dtype, "is_numeric") and dtype.is_numeric())


def read(column: Any, name: str) -> Column:
    """Return a column whose categories are to be compared; refuse dates and missing values."""
    found = read_column(column, name)
    if found.kind == "date":
        raise ValueError(f"column {name!r} contains dates, which are no categories: leave it out")
    if found.kind in ("category", "ordered"):
        missing = [row for row, value in enumerate(found.values) if value is None]
        if missing:
            raise MissingValueError(
                f"row {missing[0]} of column {name!r} is missing: impute it first"
            )
    return found
