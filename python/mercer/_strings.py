"""Strings, from any container that holds a column of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from mercer._params import ParameterError


class MissingValueError(ValueError):
    """A value that is missing, which may not be the only one."""


def is_missing(value: object) -> bool:
    """Whether a value stands for a missing one."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def values_of(column: object) -> list:
    """Return the values of a column of any library as a list."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def strings_of(column: object, where: str = "X") -> list[str]:
    """Return the strings of a column; any other value is refused with its row."""
    return [_string(value, row, where) for row, value in enumerate(values_of(column))]


def _string(value: object, row: int, where: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return _decoded(value, row, where)
    if is_missing(value):
        raise MissingValueError(
            f"row {row} of {where} is missing ({value!r}), but the kernel takes strings: impute it "
            "or drop the row"
        )
    raise ParameterError(
        f"row {row} of {where} is {value!r} of type {type(value).__name__}, but the kernel takes "
        "strings"
    )


def _decoded(value: bytes, row: int, where: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as fault:
        raise ValueError(
            f"row {row} of {where} is not valid UTF-8 at byte {fault.start} (both counted from 0): "
            "decode it first"
        ) from None


def one_column(X: object) -> object:
    """Return the only column of samples that should be strings."""
    if isinstance(X, (str, bytes)):
        raise ParameterError("X is a single string: pass a list of strings, one for each sample")
    if sparse.issparse(X):
        raise ParameterError("the kernel takes strings, but X is a sparse matrix of numbers")
    if hasattr(X, "column_names"):  # a pyarrow table
        return X.column(_only(X.column_names))
    if hasattr(X, "columns"):
        return X[_only(list(X.columns))]
    if isinstance(X, np.ndarray) or not isinstance(X, (list, tuple)):
        return _flat(X)
    nested = [isinstance(row, (list, tuple)) and len(row) == 1 for row in X]
    return [row[0] for row in X] if nested and all(nested) else X


def _flat(X: object) -> object:
    """A 1-D array, or the column of a 2-D array with one."""
    if not hasattr(X, "shape"):
        return X
    if len(X.shape) == 2 and X.shape[1] == 1 and hasattr(X, "ravel"):
        return X.ravel()
    if len(X.shape) != 1:
        raise ParameterError(
            f"the kernel takes strings, but X has shape {tuple(X.shape)}: pass one string for "
            "each sample, or name their column, as in 'column(title: spectrum(p=3))'"
        )
    return X


def _only(names: list) -> object:
    if len(names) == 1:
        return names[0]
    listed = ", ".join(map(str, names[:8])) + (", …" if len(names) > 8 else "")
    raise ParameterError(
        f"the kernel takes strings, but X has {len(names)} columns ({listed}): name one, as in "
        f"'column({names[0] if names else 'title'}: spectrum(p=3))'"
    )


def holds_strings(X: object) -> bool:
    """Whether X is a column of strings, judging by its first value."""
    if isinstance(X, (str, bytes)):
        return True
    if hasattr(X, "columns") or hasattr(X, "column_names") or sparse.issparse(X):
        return False
    if hasattr(X, "shape") and (len(X.shape) > 2 or (len(X.shape) == 2 and X.shape[1] != 1)):
        return False
    return isinstance(_first(X), str)


def _first(X: object) -> object:
    if isinstance(X, np.ndarray):
        return X.flat[0] if X.size else None
    first = next(iter(X), None) if isinstance(X, Iterable) else None
    return first.as_py() if hasattr(first, "as_py") else first
