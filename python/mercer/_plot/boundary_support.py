"""Where the support vectors of a machine are on a plane."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from mercer._arrays import Samples
from mercer._plot.plane import Plane
from mercer._plot.samples import last_step, table_of, unwrapped


def support_of(estimator: object, X: Samples, plane: Plane) -> np.ndarray | None:
    """Return where support vectors are (n × 2), or None for what has none."""
    rows = support_rows(estimator, X)
    return None if rows is None else plane.place(rows)


def support_rows(estimator: object, X: Samples) -> np.ndarray | None:
    """Return the support vectors as samples like those of X.

    Of a pipeline, whose last step has seen something else than samples, they are rows of X. If X is
    not what it was fitted on, they are not known, and a warning says so.
    """
    whole, model = unwrapped(estimator), last_step(estimator)
    if not hasattr(model, "support_"):
        return None
    vectors = model.support_vectors_
    vectors = np.asarray(vectors.toarray() if sparse.issparse(vectors) else vectors)
    if whole is model:
        return table_of(vectors, "support_vectors_") if vectors.size else _rows(X, model)
    seen = table_of(whole[:-1].transform(X), "what the pipeline gives its last step")
    known = len(seen) > model.support_.max()
    if known and np.allclose(seen[model.support_], vectors, rtol=1e-5, atol=1e-8):
        return table_of(X)[model.support_]
    warnings.warn(
        "X is not what the pipeline was fitted on, so that its support vectors are not among the "
        "samples: they are not shown",
        UserWarning,
        stacklevel=4,
    )
    return None


def _rows(X: Samples, model: object) -> np.ndarray | None:
    """The rows of X: a machine whose kernel is a function keeps no vectors, but their rows."""
    table = table_of(X)
    return table[model.support_] if len(table) == model.shape_fit_[0] else None
