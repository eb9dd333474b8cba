"""The classes that a model file names, in their own type."""

from __future__ import annotations

import re

import numpy as np

from mercer._core import FormatError


def noted_classes(noted: object, names: list[str]) -> np.ndarray:
    """Return classes from a file's note of values and type, or else their names.

    A note is of as many values as there are names, and texts are as long as they are: what a file
    says of their length would be memory for each of them.
    """
    if noted is None:
        return np.asarray(names)
    try:
        values, dtype = noted
        if len(values) != len(names) or not re.fullmatch(r"[<>|=]?([biuf][1248]|O|U\d+)", dtype):
            raise ValueError(f"{len(values)} values of type {dtype}")
        return np.array(values, dtype=str if "U" in dtype else dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"the file's note of classes cannot be read: {error}") from error
