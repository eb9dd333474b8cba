"""How exact predictions are on real data, at any offset: against a dense reference in long double.

The bound is what rounding errors of kernel values, ε ‖K‖, do to a system with the penalty α; where it is too large to be of
use, the report must say so.
"""

import os
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from mercer import KernelRidge, KernelRidgeCV

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
HERE = ["diabetes", "iris", "wine", "breast_cancer", "linnerud"]
THERE = ["california_housing", "concrete", "energy", "kin8nm", "protein"]
KERNELS = ["linear", "poly", "rbf", "laplacian"]
ROWS, NEW = 60, 20


@cache
def regression_set(name):
    """Standardised samples and targets, as many as a reference can do."""
    if name in HERE:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        y = y[:, 0] if y.ndim > 1 else y
    else:
        path = Path(os.environ.get("MERCER_DATA", SHARED)) / f"{name}.npz"
        if not path.exists():
            return None
        with np.load(path) as data:
            X, y = data["X"].astype(float), data["y"].astype(float)
    y = y[:, 0] if y.ndim > 1 else y
    order = np.random.RandomState(0).permutation(len(X))[: ROWS + NEW]
    X, y = StandardScaler().fit_transform(X[order])[:, :8], y[order].astype(float)
    return np.round(X * 256) / 256, (y - y.mean()) / y.std()


def values(kernel, X, Z, gamma):
    """Kernel values in long double."""
    X, Z = X.astype(np.longdouble), Z.astype(np.longdouble)
    if kernel == "linear":
        return X @ Z.T
    if kernel == "poly":
        return (gamma * (X @ Z.T) + 1) ** 3
    gaps = X[:, None] - Z
    if kernel == "rbf":
        return np.exp(-gamma * (gaps**2).sum(axis=2))
    return np.exp(-gamma * np.abs(gaps).sum(axis=2))


def solve(A, b):
    """Elimination with pivots, in long double."""
    A, b = A.copy(), b.copy()
    n = len(b)
    for k in range(n):
        pivot = k + np.abs(A[k:, k]).argmax()
        A[[k, pivot]], b[[k, pivot]] = A[[pivot, k]], b[[pivot, k]]
        factors = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= factors[:, None] * A[k]
        b[k + 1 :] -= factors * b[k]
    x = np.zeros_like(b)
    for k in reversed(range(n)):
        x[k] = (b[k] - A[k, k + 1 :] @ x[k + 1 :]) / A[k, k]
    return x


def reference(kernel, X, new, y, gamma, alpha, *, intercept):
    """Predictions, and the norms of the matrix before and after centring."""
    K, cross = values(kernel, X, X, gamma), values(kernel, new, X, gamma)
    n = len(K)
    raw = float(np.abs(K).max()) * n
    if intercept:
        # In long double twice: what centring leaves is far smaller than what it takes.
        means, mean = K.mean(axis=0), K.mean()
        cross = cross - means - cross.mean(axis=1, keepdims=True) + mean
        K = K - means - means[:, None] + mean
        shift = y.mean()
    else:
        shift = 0.0
    system = K + np.longdouble(alpha) * np.eye(n, dtype=np.longdouble)
    coef = solve(system, (y - shift).astype(np.longdouble))
    size = float(np.abs(K).sum(axis=1).max())
    return (cross @ coef + shift).astype(float), raw, size


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", HERE + THERE)
def test_predictions_are_as_exact_as_rounding_allows(name, kernel, dtype, offset):
    found = regression_set(name)
    if found is None:
        pytest.skip(f"{name}.npz is not there: set MERCER_DATA to the folder with the data sets")
    X, y = found
    X = (X + offset).astype(dtype)
    X, new, y = X[:ROWS].copy(), X[ROWS:].copy(), y[:ROWS]
    wide, wide_new, gamma = X.astype(float), new.astype(float), 0.1
    epsilon = float(np.finfo(dtype).eps)
    for intercept in (False, True):
        K = values(kernel, wide, wide, gamma)
        K = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean() if intercept else K
        alpha = 1e-2 * float(np.trace(K)) / len(K)
        want, raw, size = reference(
            kernel, wide, wide_new, y, gamma, alpha, intercept=intercept
        )
        # With an intercept the centred matrix counts, however large the other is. Long double knows that one to 1e-19 of `raw`.
        scale = size if intercept else raw
        bound = 50 * (epsilon * scale + 1e-19 * raw) / alpha
        model = KernelRidge(alpha, kernel=kernel, gamma=gamma, fit_intercept=intercept)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(X, y)
        if bound < 0.1:
            np.testing.assert_allclose(model.predict(new), want, atol=max(bound, 1e-12))
        else:
            assert intercept or model.report_["notes"] or bound < 1e3


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", HERE + THERE)
def test_searches_choose_as_well_as_they_do_near_the_origin(name, kernel, dtype, offset):
    found = regression_set(name)
    if found is None:
        pytest.skip(f"{name}.npz is not there: set MERCER_DATA to the folder with the data sets")
    near, y = found
    X = (near + offset).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = KernelRidgeCV(kernel=kernel).fit(X[:ROWS], y[:ROWS])
    want, _, _ = reference(
        kernel, *(part.astype(float) for part in (X[:ROWS], X[ROWS:])), y[:ROWS], model.gamma_,
        model.alpha_, intercept=True,
    )
    if kernel != "poly" or offset < 1e5:
        np.testing.assert_allclose(
            model.predict(X[ROWS:]), want, atol=1e-6 if dtype == "float64" else 2e-2
        )
    if kernel == "linear":
        # No worse than the best of many ridge regressions near the origin, by leave-one-out.
        assert -model.best_score_ <= best_left_out(name) * (1.02 if dtype == "float64" else 1.05)


@cache
def best_left_out(name):
    """The least mean squared error of ridge regressions without each sample in turn."""
    X, y = (part[:ROWS] for part in regression_set(name))
    centred = X - X.mean(axis=0)

    def error(alpha):
        gram = centred.T @ centred + alpha * np.eye(X.shape[1])
        hat = centred @ np.linalg.solve(gram, centred.T) + 1 / ROWS
        return np.mean(((y - hat @ y) / (1 - np.diag(hat))) ** 2)

    return min(error(alpha) for alpha in np.geomspace(1e-3, 1e5, 25))
