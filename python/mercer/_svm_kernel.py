"""The kernels of support vector machines, whose functions take two sets of samples, as
scikit-learn's do, and not two samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from mercer._arrays import finite
from mercer._kernel_choice import (
    Described,
    Foreign,
    Precomputed,
    choose,
    is_name,
    knows_scale,
)
from mercer._pairwise import need
from mercer.kernels import Kernel

USUAL = {"gamma": "scale", "degree": 3, "coef0": 0.0}
# Kernel values that a function computes at a time.
_BLOCK = 2**22


class Function(Foreign):
    """A user's function of two sets of samples that returns the matrix of their kernel values."""

    def matrix(self, X, Y=None, n_jobs=None) -> np.ndarray:
        """Return the kernel values of the samples of X with those of Y, or of X."""
        Y = X if Y is None else Y
        found = self.metric(X, Y)
        found = np.asarray(found.toarray() if sparse.issparse(found) else found)
        shape = (len(X), len(Y))
        if found.shape != shape or found.dtype.kind not in "biuf":
            raise ValueError(
                f"the kernel {self.name!r} must return numbers in the shape {shape}, one row for "
                f"each sample of its first argument and one column for each of its second, and "
                f"returned {found.dtype} in the shape {found.shape}"
            )
        return found


def is_function(kernel: object) -> bool:
    """Whether the kernel is a function of the user's."""
    return callable(kernel) and not isinstance(kernel, Kernel)


def choose_for(estimator, X) -> Precomputed | Described | Foreign:
    """Return what the estimator's kernel is for samples X."""
    kernel, gamma = estimator.kernel, estimator.gamma
    if is_function(kernel):
        return Function(kernel)
    by_rule = is_name(kernel) and isinstance(gamma, str) and gamma == "scale"
    if by_rule and not knows_scale(kernel, estimator.degree):
        gamma = scale(X)
    degree, coef0 = estimator.degree, estimator.coef0
    return choose(kernel, X.shape[1], gamma=gamma, degree=degree, coef0=coef0, usual=USUAL)


def scale(X: np.ndarray) -> float:
    """Return 1 / (n_features · variance of X), or 1 for samples that are all the same."""
    finite(X)
    variance = X.var(dtype=np.float64)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def is_table(X: object) -> bool:
    """Whether X is to be checked as rows of numbers; a function may take anything else."""
    if sparse.issparse(X) or not isinstance(X, (list, tuple, np.ndarray)):
        return sparse.issparse(X) or hasattr(X, "__array__") or hasattr(X, "__dataframe__")
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.dtype.kind in "biuf"
    first = X[0] if len(X) else None
    return isinstance(first, (list, tuple)) or (isinstance(first, np.ndarray) and first.ndim == 1)


def blocks(choice: Foreign, X: Any, Y: Any, n_jobs: int | None) -> Iterator[np.ndarray]:
    """Compute the kernel values of the samples of X with those of Y, a block of rows at a time."""
    count = max(1, _BLOCK // max(1, len(Y)))
    for first in range(0, len(X), count):
        rows = X if count >= len(X) else some(X, range(first, min(first + count, len(X))))
        # scikit-learn refuses to compute with no samples, as a model may keep none.
        values = choice.matrix(rows, Y, n_jobs) if len(Y) else np.empty((len(rows), 0))
        finite(values)
        yield values


def whole(estimator, choice: Foreign, X: Any, dtype: type) -> np.ndarray:
    """Compute the kernel matrix of all samples, if it fits the memory budget."""
    n = len(X)
    need(n * n * np.dtype(dtype).itemsize, estimator.memory_budget)
    out, first = np.empty((n, n), dtype), 0
    for values in blocks(choice, X, X, estimator.n_jobs):
        out[first : first + len(values)] = values
        first += len(values)
    return out


def some(X: Any, places) -> Any:
    """Return the samples at these places."""
    if isinstance(X, np.ndarray) and isinstance(places, range):
        return X[places.start : places.stop]
    return _safe_indexing(X, np.asarray(places, dtype=np.intp))
