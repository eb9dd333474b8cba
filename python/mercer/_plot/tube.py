"""A regression along its one column."""

from __future__ import annotations

import numpy as np

from mercer._arrays import Samples
from mercer._plot.boundary_support import support_rows
from mercer._plot.plane import checked_span
from mercer._plot.samples import last_step, numbers_1d
from mercer._plot.tables import Numbers, columns_of_numbers


def tube_of(estimator: object, X: Samples, y: object, resolution: int, margin: float) -> dict:
    """Return what a display needs to show a regression on one column."""
    numbers = columns_of_numbers(estimator, X)
    table = numbers.table
    if table.shape[1] != 1:
        raise ValueError(
            f"a regression is drawn along one column, and X has {table.shape[1]}: fit it on one"
        )
    if y is None:
        raise ValueError("a regression is drawn with its targets: give y")
    y = numbers_1d(y, "y", len(table))
    first = checked_span(table[:, 0], resolution, margin)
    found = np.asarray(estimator.predict(numbers.like(first[:, None])), dtype=np.float64)
    if found.shape != first.shape:
        raise ValueError("only a regression with one target can be drawn, but this one has several")
    return {
        "first": first,
        "second": None,
        "decision": found,
        "points": np.column_stack([table[:, 0], y]),
        "support": _support(estimator, X, numbers, y),
        "epsilon": _epsilon(estimator),
        "names": (numbers.names[0], "target"),
    }


def _epsilon(estimator: object) -> float | None:
    """Half the width of the tube of a machine; other regressions have none."""
    model = last_step(estimator)
    known = hasattr(model, "support_") and hasattr(model, "epsilon")
    return float(model.epsilon) if known else None


def _support(estimator: object, X: Samples, numbers: Numbers, y: np.ndarray) -> np.ndarray | None:
    """Support vectors with their targets, which are known if they are among the samples."""
    model, x = last_step(estimator), numbers.table[:, 0]
    rows = support_rows(estimator, X, numbers)
    if rows is None or len(x) <= model.support_.max():
        return None
    here = x[model.support_]
    same = np.allclose(here, rows[:, 0], rtol=1e-5, atol=1e-8)
    return np.column_stack([here, y[model.support_]]) if same else None
