"""What models with a linear kernel are in the space of the samples: weights of features, centres.

With k(x, x') = x·x', a sum Σ_i c_i k(x, x_i) is w·x with w = Σ_i c_i x_i.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mercer import _core, _fit, _predict
from mercer._arrays import dtype_of
from mercer._samples import to_core


def require_linear(estimator, name: str) -> None:
    """Refuse an attribute that only models with a linear kernel have."""
    estimator._fitted_model()
    if estimator.kernel_ != "linear":
        raise AttributeError(
            f"{name} is only available when using a linear kernel, but the kernel is "
            f"{estimator.kernel_}"
        )


def weights(estimator) -> np.ndarray:
    """Return Σ_i c_i x_i of each target, n_targets × n_features, for a linear kernel."""
    require_linear(estimator, "coef_")
    X, c = estimator.X_fit_, _core.coefficients(estimator._model)
    if sparse.issparse(X):
        found = (X.T @ c).T
    else:
        # With an intercept, the c_i sum to 0: samples far from the origin would only cancel.
        X = np.asarray(X, dtype=np.float64)
        found = c.T @ (X - X.mean(axis=0) if estimator.fit_intercept else X)
    return _read_only(found, estimator._model)


def coef(estimator) -> np.ndarray:
    """The weights of the features, for a linear kernel; 1-D if the targets were."""
    found = weights(estimator)
    return found[0] if estimator._flat else found


def centers(estimator) -> np.ndarray:
    """The centres of the clusters as points, for a linear kernel.

    They follow from the squared distances D of any point p and of points a step s along each axis
    to a centre m: D(p + s·e_j) − D(p) = s² + 2s·(p_j − m_j).
    """
    require_linear(estimator, "cluster_centers_")
    X = _predict.training_set(estimator)
    point, step = _base(X)
    steps = (point + step) - point
    probes = _probes(point, step, is_sparse=sparse.issparse(X))
    single = estimator._model.precision == "f32"
    with _fit.run_of(estimator) as run:
        samples = to_core(probes, single=single)
        D = _core.kmeans_distances(estimator._model, samples, None, run)
    found = point + (steps**2 + D[0][:, None] - D[1:].T) / (2 * steps)
    return _read_only(found, estimator._model)


def _base(X: np.ndarray | sparse.csr_array) -> tuple[np.ndarray, float]:
    """A point among the samples, and a step of the size of their distances from it."""
    if sparse.issparse(X):
        point, squares = np.zeros(X.shape[1]), np.mean(np.square(X.data)) if X.nnz else 0.0
    else:
        X = np.asarray(X, dtype=np.float64)
        point = X.mean(axis=0)
        squares = np.mean(np.square(X - point))
    return point, float(np.sqrt(squares)) or 1.0


def _probes(point: np.ndarray, step: float, *, is_sparse: bool) -> np.ndarray | sparse.csr_array:
    """The point, and the point a step along each axis: n_features + 1 rows."""
    if is_sparse:
        axes = sparse.diags_array(np.full(len(point), step))
        return sparse.csr_array(sparse.vstack([sparse.csr_array((1, len(point))), axes]))
    return np.vstack([point, point + step * np.eye(len(point))])


def _read_only(found: np.ndarray, model: _core.Model) -> np.ndarray:
    found = np.ascontiguousarray(found, dtype=dtype_of(model.dtype))
    found.flags.writeable = False
    return found
