"""What a model file stores beside the model: the estimator's parameters, and its classes."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._kernel_base import Kernel
from mercer._run import RUN_PARAMETERS
from mercer._table_notes import coded_names, codes_notes


def save(estimator, path: str | os.PathLike) -> None:
    """Write a fitted estimator to a model file."""
    check_is_fitted(estimator)
    model = estimator._model
    names = coded_names(estimator)
    if names is None:
        names = getattr(estimator, "feature_names_in_", None)
    names = model.feature_names if names is None else [str(name) for name in names]
    if names is not None and len(names) != model.shape[1]:
        # A kernel on columns keeps the names of those that it reads, and of no others.
        names = None
    write(estimator, model, names, {}, path)


def write(
    estimator,
    model: _core.Model,
    names: list[str] | None,
    more: dict[str, object],
    path: str | os.PathLike,
) -> None:
    """Write a model with the names of its columns, the notes of its estimator, and more notes."""
    refuse_function(estimator, "a model file")
    notes = {"python": _json_params(estimator)} | estimator._notes_to_save()
    notes |= codes_notes(estimator) | more
    model.with_notes(names, json.dumps(notes)).save(os.fspath(path))


def refuse_function(estimator, where: str) -> None:
    """Refuse a kernel with user-defined functions, which files cannot hold."""
    choice = getattr(estimator, "_choice", None)
    if choice is not None and choice.functions:
        raise ValueError(
            f"the kernel {choice.name!r} is a Python function, which {where} cannot hold: "
            "pickle the estimator, or use a kernel given as a spec"
        )


def refuse_categories(estimator, where: str) -> None:
    """Refuse columns of categories, whose codes a file of numbers alone cannot hold."""
    if getattr(estimator, "_codes", None):
        raise ValueError(
            f"the columns {', '.join(estimator._codes)} contain categories, whose codes {where} "
            "cannot hold: save a model file of mercer, or encode them before the fit"
        )


def _json_params(estimator) -> dict[str, object]:
    """The parameters that JSON can hold, those of how work is run aside."""
    params = estimator._params_to_save().items()
    found = {name: _to_json(value) for name, value in params if name not in RUN_PARAMETERS}
    return {name: value for name, value in found.items() if value is not NotImplemented}


def _to_json(value: object) -> object:
    """The value as JSON can hold it, or NotImplemented."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, Kernel):
        return {"spec": value.spec}
    if isinstance(value, Mapping):
        # The keys of a JSON object are strings; those of class weights need not be.
        pairs = _to_json([list(pair) for pair in value.items()])
        return pairs if pairs is NotImplemented else {"items": pairs}
    if isinstance(value, (list, tuple)):
        parts = [_to_json(part) for part in value]
        return NotImplemented if NotImplemented in parts else parts
    if isinstance(value, float) and not math.isfinite(value):
        return NotImplemented  # not valid JSON
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return NotImplemented


def class_notes(classes: np.ndarray) -> dict[str, object]:
    """Return a note of the classes and their dtype; a model file itself has their names only."""
    kind, dtype = classes.dtype.kind, classes.dtype.str
    if kind in "biufUO":
        return {"classes": [classes.tolist(), dtype]}
    if kind in "mM":
        # Dates and durations as counts of their unit: JSON has no type for them.
        return {"classes": [classes.astype(np.int64).tolist(), dtype]}
    return {}


def classes_of(names: list[str], notes: str) -> np.ndarray:
    """Return the classes of a model from their names and, if there is one, the note of them.

    Strings get the length they need: a length stated in a file would set the memory of each.
    """
    note = json.loads(notes).get("classes")
    if note is None:
        return np.asarray(names)
    values, dtype = note
    if np.dtype(dtype).kind in "mM":
        return np.array(values, dtype=np.int64).astype(dtype)
    return np.array(values, dtype=str if np.dtype(dtype).kind == "U" else dtype)
