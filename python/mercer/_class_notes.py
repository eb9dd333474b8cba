"""Classes in a model file: their names, and a note of them in their own type."""

from __future__ import annotations

import numpy as np


def noted(classes: np.ndarray) -> list | None:
    """Return the classes and their type as JSON can hold them, or None where it cannot."""
    kind, dtype = classes.dtype.kind, classes.dtype.str
    if kind in "biufUO":
        return [classes.tolist(), dtype]
    if kind in "mM":
        # Moments and spans of time as counts of their unit: JSON has no word for them.
        return [classes.astype(np.int64).tolist(), dtype]
    return None


def classes_of(names: list[str], note: list | None) -> np.ndarray:
    """Return the classes of a model from their names and, if there is one, the note of them.

    Texts are as long as they are: what a file says of their length would be memory for each.
    """
    if note is None:
        return np.asarray(names)
    values, dtype = note
    if np.dtype(dtype).kind in "mM":
        return np.array(values, dtype=np.int64).astype(dtype)
    return np.array(values, dtype=str if np.dtype(dtype).kind == "U" else dtype)
