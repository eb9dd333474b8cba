"""Columns of a table as numbers: imputed, and encoded by what kind of column they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np

from mercer._params import ParameterError
from mercer._strings import is_missing

_EPOCH = date(1970, 1, 1)
# The types of categories of pandas and polars.
_CATEGORICAL = ("CategoricalDtype", "Categorical", "Enum")


@dataclass
class Column:
    """A column as it was read: numbers with NaN, or objects with None for what is missing.

    `kind` is ``"number"``, ``"boolean"``, ``"category"``, ``"ordered"`` or ``"date"``; `order` the
    categories of an ordered one.
    """

    name: str
    kind: str
    values: np.ndarray
    order: list | None = None


def read_column(column: Any, name: str) -> Column:
    """Return the values of a column and what kind it is."""
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "kind", "O") in "iufb" and type(dtype).__module__.startswith("numpy"):
        kind = "boolean" if dtype.kind == "b" else "number"
        return Column(name, kind, _finite(np.asarray(column, dtype=np.float64), name))
    values = _objects(column)
    order = _order_of(column)
    if order is not None:
        return Column(name, "ordered", values, order)
    kind = "category" if is_categorical(column) else _kind_of(values, name)
    if kind in ("number", "boolean"):
        numbers = np.array([np.nan if v is None else float(v) for v in values])
        return Column(name, kind, _finite(numbers, name))
    return Column(name, kind, values)


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    wrong = np.flatnonzero(np.isinf(values))
    if wrong.size:
        raise ValueError(f"column {name!r} contains infinity at row {wrong[0]}: replace it first")
    return values


def _objects(column: Any) -> np.ndarray:
    """The values as Python objects, None where they are missing."""
    raw = np.asarray(column)
    if raw.dtype.kind == "M":
        raw = raw.astype("M8[us]")
    listed = raw.tolist() if raw.dtype.kind == "M" else _listed(column)
    found = np.empty(len(listed), dtype=object)
    found[:] = [None if is_missing(value) else value for value in listed]
    return found


def _listed(column: Any) -> list:
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


def is_categorical(column: Any) -> bool:
    """Whether the type of a column says that it holds categories, whatever their values are."""
    dtype = getattr(column, "dtype", None)
    arrow = getattr(dtype, "pyarrow_dtype", getattr(column, "type", None))
    # Types of dictionaries are the ones of Arrow with an order, set or not.
    return hasattr(arrow, "ordered") or type(dtype).__name__ in _CATEGORICAL


def _order_of(column: Any) -> list | None:
    """The categories of an ordered type of pandas or Arrow, or of an Enum of polars."""
    dtype = getattr(column, "dtype", None)
    if getattr(getattr(dtype, "pyarrow_dtype", None), "ordered", False):
        column = column.array.__arrow_array__()  # a column of pandas that Arrow holds
    if getattr(getattr(column, "type", None), "ordered", False):
        whole = column.combine_chunks() if hasattr(column, "chunks") else column
        whole = whole.chunk(0) if hasattr(whole, "chunks") else whole
        return whole.dictionary.to_pylist()
    if getattr(dtype, "ordered", False) and hasattr(dtype, "categories"):
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):
        return dtype.categories.to_list()
    return None


def _kind_of(values: np.ndarray, name: str) -> str:
    present = [value for value in values if value is not None]
    for kind, types in (
        ("boolean", (bool, np.bool_)),
        ("number", Real),
        ("date", (date, datetime)),
        ("category", str),
    ):
        if all(isinstance(value, types) for value in present):
            return kind
    if len({isinstance(value, str) for value in present}) == 1:
        kinds = ", ".join(sorted({type(value).__name__ for value in present}))
        raise ParameterError(
            f"column {name!r} contains values of type {kinds}, which are neither numbers, strings, "
            "booleans nor dates: convert or drop it"
        )
    raise ParameterError(f"column {name!r} mixes strings and other values: use one type")


@dataclass
class Encoding:
    """How a column becomes numbers, learned from the training samples."""

    name: str
    kind: str
    fill: Any = None
    levels: list = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of the columns that it becomes."""
        if self.kind == "category":
            return [f"{self.name}={level}" for level in self.levels]
        if self.kind == "date":
            return [f"{self.name}: {part}" for part in ("days", "month", "weekday", "hour")]
        return [self.name]

    def apply(self, column: Column) -> np.ndarray:
        """Return the column as numbers, of shape (n, len(names))."""
        if self.kind in ("number", "boolean"):
            return np.where(np.isnan(column.values), self.fill, column.values)[:, None]
        values = [self.fill if value is None else value for value in column.values]
        if self.kind == "category":
            places = {level: place for place, level in enumerate(self.levels)}
            found = np.zeros((len(values), len(self.levels)))
            for row, value in enumerate(values):
                if value in places:
                    found[row, places[value]] = 1.0
            return found
        if self.kind == "ordered":
            return np.array([[float(self._rank(value))] for value in values])
        return np.array([_date_parts(value) for value in values])

    def _rank(self, value: Any) -> int:
        if value not in self.levels:
            raise ValueError(
                f"column {self.name!r} contains {value!r}, which is not one of its ordered "
                f"categories {self.levels}"
            )
        return self.levels.index(value)


def learn(column: Column, *, dates: str, max_categories: int) -> Encoding:
    """Return the encoding of a column: imputation by the median, or by the most frequent value."""
    kind = column.kind
    if kind == "date" and dates != "expand":
        raise ParameterError(
            f"column {column.name!r} contains dates: pass dates='expand' for columns of days, "
            "month, weekday and hour, or drop it"
        )
    if kind in ("number", "boolean"):
        known = column.values[~np.isnan(column.values)]
        middle = float(np.median(known)) if known.size else 0.0
        return Encoding(column.name, kind, round(middle) if kind == "boolean" else middle)
    counts = Counter(value for value in column.values if value is not None)
    if not counts:
        return Encoding(column.name, "number", 0.0)
    # Of equally frequent values the first in order, so that the order of rows has no effect.
    frequent = sorted(counts, key=lambda value: (-counts[value], str(value)))
    levels = column.order if kind == "ordered" else sorted(frequent[:max_categories], key=str)
    return Encoding(column.name, kind, frequent[0], [] if kind == "date" else list(levels))


def _date_parts(value: date) -> list[float]:
    moment = value if isinstance(value, datetime) else None
    hour = 0.0 if moment is None else moment.hour + moment.minute / 60
    day = value.date() if moment is not None else value
    return [(day - _EPOCH).days + hour / 24, float(value.month), float(value.weekday()), hour]
