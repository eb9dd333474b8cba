"""Where the support vectors of a machine are on a plane."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from mercer._arrays import Samples
from mercer._columns import Table
from mercer._plot.plane import PlaneGrid
from mercer._plot.samples import last_step, table_of, unwrapped
from mercer._plot.tables import Numbers, columns_of_numbers


def support_of(estimator: object, X: Samples, grid: PlaneGrid) -> np.ndarray | None:
    """Return where support vectors are (n × 2), or None for what has none."""
    whole = unwrapped(grid.estimator)
    rows = support_rows(whole if whole is last_step(estimator) else estimator, X, grid.numbers)
    return None if rows is None else grid.plane.place(rows)


def support_rows(estimator: object, X: Samples, numbers: Numbers) -> np.ndarray | None:
    """Return the columns of numbers of the support vectors.

    Of a pipeline, whose last step has seen something else than samples, they are rows of X. If X is
    not what it was fitted on, they are not known, and a warning says so.
    """
    whole, model = unwrapped(estimator), last_step(estimator)
    if not hasattr(model, "support_"):
        return None
    if whole is model:
        return _vectors(model, numbers)
    seen = whole[:-1].transform(X)
    if seen.shape[0] > model.support_.max() and _same(seen, model):
        return numbers.table[model.support_]
    warnings.warn(
        "X is not what the pipeline was fitted on, so that its support vectors are not among the "
        "samples: they are not shown",
        UserWarning,
        stacklevel=4,
    )
    return None


def _vectors(model: Any, numbers: Numbers) -> np.ndarray | None:
    """The support vectors of a machine, or the rows of X where it keeps but these."""
    vectors = model.support_vectors_
    if isinstance(vectors, Mapping) or hasattr(vectors, "columns"):
        return Table(vectors).numbers(tuple(numbers.names))
    if sparse.issparse(vectors) or np.size(vectors):
        return table_of(vectors, "support_vectors_")
    same = len(numbers.table) == model.shape_fit_[0]
    return numbers.table[model.support_] if same else None


def _same(seen: Any, model: Any) -> bool:
    """Whether what the last step sees now has its support vectors where they were."""
    if isinstance(model.support_vectors_, Mapping) or hasattr(model.support_vectors_, "columns"):
        here = columns_of_numbers(model, seen)
        vectors = Table(model.support_vectors_).numbers(tuple(here.names))
        found = here.table
    else:
        vectors = table_of(model.support_vectors_, "support_vectors_")
        found = table_of(seen, "what the pipeline gives its last step")
    return np.allclose(found[model.support_], vectors, rtol=1e-5, atol=1e-8)
