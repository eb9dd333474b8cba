"""What an error says of missing and infinite values: all columns that have some, in one message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from mercer._strings import MissingValueError, is_missing, values_of

__all__ = ["MissingValueError", "also", "missing_rows", "not_finite"]

# How many columns an error lists.
_LISTED = 12


def also(columns: Iterable[tuple[object, np.ndarray]]) -> str:
    """Return the end of an error: which columns have such values, in which rows.

    It is empty for a single value, which the error names itself.
    """
    found = [(name, rows) for name, rows in columns if len(rows)]
    if sum(len(rows) for _, rows in found) < 2:
        return ""
    listed = [f"{name} ({_of_rows(rows)})" for name, rows in found[:_LISTED]]
    if len(found) > _LISTED:
        listed.append(f"{len(found) - _LISTED} more")
    return f"; columns with such values: {', '.join(listed)}"


def _of_rows(rows: np.ndarray) -> str:
    first = ", ".join(str(row) for row in rows[:3]) + ", …" * (len(rows) > 3)
    return f"{len(rows):,} row{'s' * (len(rows) != 1)}: {first}"


def not_finite(X: Any) -> list[tuple[int, np.ndarray]]:
    """Return the columns of an array or sparse matrix with NaN or infinity, and their rows."""
    if sparse.issparse(X):
        X = X.tocoo()
        wrong = ~np.isfinite(X.data)
        rows, columns = X.row[wrong], X.col[wrong]
    else:
        rows, columns = np.nonzero(~np.isfinite(X))
    order = np.lexsort((rows, columns))
    rows, columns = rows[order], columns[order]
    places, starts = np.unique(columns, return_index=True)
    parts = np.split(rows, starts[1:]) if len(rows) else []
    return list(zip(places.tolist(), parts, strict=True))


def missing_rows(column: Any) -> np.ndarray:
    """Return the rows of a column of any type that are missing or infinite."""
    values = np.asarray(column)
    if values.dtype.kind in "biuf":
        return np.flatnonzero(~np.isfinite(values))
    return np.array([row for row, value in enumerate(values_of(column)) if is_missing(value)], int)
