"""The columns of numbers that a plane is laid through, and rows on that plane as samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from mercer._columns import Table, form_of
from mercer._kernel_base import Kernel
from mercer._kernel_purpose import Purpose, purpose_of
from mercer._params import is_integer
from mercer._plot.samples import (
    last_step,
    names_of,
    numbers_of,
    rows_like,
    same_columns,
    unwrapped,
)
from mercer._samples import is_number


@dataclass
class Numbers:
    """Columns of numbers (n × d) with their names, and how other such rows look as samples.

    `estimator` is the one that takes these samples, `others` how many columns hold something else.
    """

    estimator: Any
    table: np.ndarray
    names: list[str]
    like: Callable[[np.ndarray], object]
    others: int = 0


def columns_of_numbers(estimator: object, X: object) -> Numbers:
    """Return the columns of numbers of samples that an estimator takes.

    Of a table with columns of other kinds too, these stay at their most frequent values; of a
    kernel on columns, only those that it reads are looked at.
    """
    if not is_mixed(estimator, X):
        table = numbers_of(estimator, X)
        same_columns(estimator, table)
        names = names_of(estimator, X, table.shape[1])
        return Numbers(estimator, table, names, lambda values: rows_like(X, values))
    table, read = Table(X), _read(estimator)
    looked_at = [name for name in table.names if read is None or name in read]
    names = [name for name in looked_at if _holds_numbers(table.column(name))]
    values = np.column_stack([np.empty((table.n, 0)), *(table.numbers((name,)) for name in names)])
    others = len(looked_at) - len(names)
    return Numbers(estimator, values, names, lambda rows: _filled(X, table, names, rows), others)


def seen_by_last(estimator: object, X: object) -> Numbers | None:
    """Return what the last step of a pipeline sees of samples; None if these are no numbers.

    A plane through the samples themselves would follow the columns of the largest numbers, which
    a scaler before the last step has made equal.
    """
    whole = unwrapped(estimator)
    if not isinstance(whole, Pipeline):
        return None
    while isinstance(whole, Pipeline):
        X = whole[:-1].transform(X) if len(whole.steps) > 1 else X
        whole = unwrapped(whole.steps[-1][1])
    try:
        found = columns_of_numbers(whole, X)
    except ValueError:
        return None
    return found if found.table.shape[1] >= 2 else None


def is_mixed(estimator: object, X: object) -> bool:
    """Whether samples are a table of columns by their names, not all of them numbers."""
    if isinstance(X, Mapping):
        return True
    if not hasattr(X, "columns") or getattr(X, "dtypes", None) is None:
        return False
    return _read(estimator) is not None or not all(is_number(kind) for kind in X.dtypes)


def named(columns: Sequence, X: object, numbers: Numbers) -> Sequence:
    """Return columns that are counted in a mixed table by their names."""
    if not is_mixed(numbers.estimator, X) or not isinstance(columns, (list, tuple)):
        return columns
    names = Table(X).names
    return [
        names[one] if is_integer(one) and -len(names) <= one < len(names) else one
        for one in columns
    ]


def _read(estimator: object) -> set[str] | None:
    """The columns that a kernel on columns reads; None for other kernels and behind other steps."""
    kernel = getattr(unwrapped(estimator), "kernel", None)
    if not isinstance(kernel, (str, Kernel)) or last_step(estimator) is not unwrapped(estimator):
        return None
    purpose: Purpose = purpose_of(kernel)
    groups = purpose.groups if purpose.kind == "columns" else ()
    return {name for names, _ in groups for name in names} or None


def _holds_numbers(column: object) -> bool:
    kind = getattr(column, "dtype", None)
    return is_number(np.asarray(column).dtype if kind is None else kind)


def _filled(X: object, table: Table, names: list[str], rows: np.ndarray) -> object:
    """Rows of numbers in the form of X, with its other columns at their most frequent values."""
    columns = {}
    for name in table.names:
        column = table.column(name)
        if name in names:
            columns[name] = rows[:, names.index(name)]
        else:
            columns[name] = _repeated(column, len(rows))
    if form_of(X) == "pandas":
        return type(X)(columns)
    return type(X)(columns) if form_of(X) == "polars" else columns


def _repeated(column: Any, n: int) -> object:
    """The most frequent value of a column n times, in a column of the same type."""
    values = list(column)
    try:
        value = Counter(values).most_common(1)[0][0]
    except TypeError:  # what cannot be counted is taken as it comes
        value = values[0]
    if hasattr(column, "iloc"):
        return type(column)([value] * n, dtype=column.dtype)
    if form_of(column) == "dict" and hasattr(column, "to_list"):  # a column of polars'
        return type(column)(column.name, [value] * n, dtype=column.dtype)
    return [value] * n
