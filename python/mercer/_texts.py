"""Texts, from whatever holds a column of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from mercer._params import ParameterError


def is_missing(value: object) -> bool:
    """Whether a value stands for one that is not there."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def values_of(column: object) -> list:
    """Return the values of a column of any library as a list."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def texts_of(column: object, where: str = "X") -> list[str]:
    """Return the texts of a column; a value that is none is refused with its row."""
    return [_text(value, row, where) for row, value in enumerate(values_of(column))]


def _text(value: object, row: int, where: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return _decoded(value, row, where)
    if is_missing(value):
        raise ValueError(
            f"row {row} of {where} is missing ({value!r}), and the kernel is for texts: fill it in "
            "or leave the row out"
        )
    raise ParameterError(
        f"row {row} of {where} is {value!r} of the type {type(value).__name__}, and the kernel is "
        "for texts"
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
    """Return the one column that samples are which should be texts."""
    if isinstance(X, (str, bytes)):
        raise ParameterError("X is one text, and samples are several: give a list of texts")
    if sparse.issparse(X):
        raise ParameterError("the kernel is for texts, and X is a sparse matrix of numbers")
    if hasattr(X, "column_names"):  # a table of pyarrow's
        return X.column(_only(X.column_names))
    if hasattr(X, "columns"):
        return X[_only(list(X.columns))]
    if isinstance(X, np.ndarray) or not isinstance(X, (list, tuple)):
        return _flat(X)
    nested = [isinstance(row, (list, tuple)) and len(row) == 1 for row in X]
    return [row[0] for row in X] if nested and all(nested) else X


def _flat(X: object) -> object:
    """An array of one axis, or of one column."""
    if not hasattr(X, "shape"):
        return X
    if len(X.shape) == 2 and X.shape[1] == 1 and hasattr(X, "ravel"):
        return X.ravel()
    if len(X.shape) != 1:
        raise ParameterError(
            f"the kernel is for texts, and X has the shape {tuple(X.shape)}: give one text for "
            "each sample, or say which column holds them, as in 'column(title: spectrum(p=3))'"
        )
    return X


def _only(names: list) -> object:
    if len(names) == 1:
        return names[0]
    shown = ", ".join(map(str, names[:8])) + (", …" if len(names) > 8 else "")
    raise ParameterError(
        f"the kernel is for texts, and X has {len(names)} columns ({shown}): say which one, as in "
        f"'column({names[0] if names else 'title'}: spectrum(p=3))'"
    )


def holds_texts(X: object) -> bool:
    """Whether X is a column of texts, as far as its first value tells."""
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
