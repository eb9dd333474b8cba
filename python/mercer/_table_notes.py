"""How the columns of a table become numbers, as model files store it.

The note ``table`` is what the command line reads: the names of categories as a table of text writes
them. Notes of this package stand beside it: categories in Python may be numbers or booleans, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mercer import _core
from mercer._categories import Codes
from mercer._kernel_purpose import purpose_of
from mercer._table_columns import Encoding

_SCALARS = (str, bool, int, float)


def table_note(columns: list[dict[str, object]]) -> dict[str, object]:
    """Return the note of a table with these columns."""
    places = {"columns": [], "label": None, "label_column": None}
    return {"table_columns": len(columns), "encoding": {"columns": columns}} | places


def stored_levels(levels: Iterable, name: str) -> list:
    """Return categories as JSON holds them; refuse others."""
    found = [level.item() if isinstance(level, np.generic) else level for level in levels]
    for level in found:
        if not isinstance(level, _SCALARS):
            raise TypeError(
                f"column {name!r} has categories of type {type(level).__name__}, which a model "
                "file cannot hold: use strings, numbers or booleans, or pickle the estimator"
            )
    return found


def _text(level: object) -> str:
    """A category as the command line reads it from a cell."""
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


def encoded_column(encoding: Encoding) -> dict[str, object]:
    """Return the note of a column of a TableEncoder."""
    name = encoding.name
    if encoding.kind == "date":
        raise TypeError(
            f"column {name!r} is of kind date, which a model file cannot hold: use columns of "
            "numbers and of categories, or pickle the pipeline"
        )
    if encoding.kind == "number":
        return {"name": name, "type": "number", "fill": float(encoding.fill)}
    if encoding.kind == "boolean":
        levels = ["False", "True"]
        return {"name": name, "type": "category", "levels": levels, "fill": int(encoding.fill)}
    levels = [_text(level) for level in stored_levels(encoding.levels, name)]
    found = {"name": name, "levels": levels, "fill": list(encoding.levels).index(encoding.fill)}
    if encoding.kind == "ordered":
        return found | {"type": "ordered"}
    return found | {"type": "category", "each": True}


def decoded_column(column: dict, kind: str | None, levels: list | None) -> Encoding:
    """Return the encoding of a column from its note, and the kind and categories in Python."""
    name, stored = str(column["name"]), column["type"]
    if stored == "number":
        return Encoding(name, stored, float(column["fill"]))
    if kind == "boolean":
        return Encoding(name, kind, int(column["fill"]))
    if stored not in ("category", "ordered"):
        raise ValueError(stored)
    found = _checked(column["levels"] if levels is None else levels, len(column["levels"]))
    return Encoding(name, stored, found[int(column["fill"])], found)


def _checked(levels: list, count: int) -> list:
    if len(levels) != count or not all(isinstance(level, _SCALARS) for level in levels):
        raise ValueError("levels")
    return list(levels)


def codes_notes(estimator: Any) -> dict[str, object]:
    """Return the notes of an estimator whose kernel compares categories; none for others."""
    codes: dict[str, Codes] = getattr(estimator, "_codes", None) or {}
    if not codes:
        return {}
    groups = purpose_of(estimator._choice).groups
    whole = None if groups else list(estimator._coded)
    groups = groups or ((estimator._coded, "categories"),)
    columns = [_coded(name, kind, codes) for names, kind in groups for name in names]
    levels = {
        name: {"levels": stored_levels(one.levels, name), "ordered": one.ordered}
        for name, one in codes.items()
    }
    return {"table": table_note(columns), "codes": {"columns": whole, "levels": levels}}


def coded_names(estimator: Any) -> list[str] | None:
    """Return the columns that a kernel on categories reads, in its order; None for others.

    A column that it reads twice has no place of its own: then there are no names.
    """
    notes = codes_notes(estimator)
    names = [column["name"] for column in notes["table"]["encoding"]["columns"]] if notes else []
    return names if names and len(set(names)) == len(names) else None


def _coded(name: str, kind: str, codes: dict[str, Codes]) -> dict[str, object]:
    if kind not in ("numbers", "categories"):
        return {"name": name, "type": "unchanged"}
    if name not in codes:
        return {"name": name, "type": "number"}
    levels = [_text(level) for level in stored_levels(codes[name].levels, name)]
    if codes[name].ordered:
        return {"name": name, "type": "ordered", "levels": levels, "unit": True}
    return {"name": name, "type": "code", "levels": levels}


def restore_codes(estimator: Any, notes: dict) -> None:
    """Set the categories of an estimator from the notes of its file, if there are any."""
    if "codes" not in notes:
        return
    try:
        whole, levels = notes["codes"]["columns"], notes["codes"]["levels"]
        codes = {
            str(name): Codes(_checked(one["levels"], len(one["levels"])), one["ordered"] is True)
            for name, one in levels.items()
        }
        coded = None if whole is None else tuple(str(name) for name in whole)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise damaged() from None
    if coded is not None and len(coded) != estimator.n_features_in_:
        raise damaged()
    estimator._codes = codes
    if coded is not None:
        estimator._coded = coded


def damaged() -> _core.FormatError:
    """Return the error for notes on a table that cannot be read."""
    return _core.FormatError("the notes of the model file on its table are damaged")
