"""Texts that AutoKernel is given in the place of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer._columns import Table
from mercer._strings import holds_strings, one_column, strings_of
from mercer._table_columns import is_categorical, read_column

# A column of strings with at most so many different values is one of categories.
_MOST_CATEGORIES = 30


def texts_of(X: Any) -> list[str] | None:
    """Return the texts, if X is a sequence of strings or a table whose only column is texts."""
    if not (_is_sequence(X) or _is_column(X)):
        return None
    return column_of(X)


def column_of(X: Any) -> list[str]:
    """Return the strings of a sequence, or of the only column of a table."""
    if isinstance(X, Mapping) and len(X) == 1:
        X = next(iter(X.values()))
    return strings_of(one_column(X))


def _is_sequence(X: Any) -> bool:
    if isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "column_names"):
        return False
    if hasattr(X, "shape"):
        return len(X.shape) == 1 and holds_strings(X)
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], str)


def _is_column(X: Any) -> bool:
    """Whether a table has one column, of more different strings than categories have."""
    names = getattr(X, "column_names", getattr(X, "columns", X if isinstance(X, Mapping) else ()))
    if len(names) != 1:
        return False
    table = Table(X)
    (name,) = table.names
    column = table.column(name)
    if is_categorical(column):
        return False
    found = read_column(column, name)
    return found.kind == "category" and len(set(found.values)) > _MOST_CATEGORIES
