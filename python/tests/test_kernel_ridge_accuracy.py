"""How exact predictions are on real data, at any offset: against a dense reference in long double,
or in 50 digits where that would lose as many as it has.

The bound is what rounding errors of kernel values, ε ‖K‖, do to a system with the penalty α; where
it is too large to be of use, the report must say so. ``python tests/test_kernel_ridge_accuracy.py``
prints the largest errors.
"""

import os
import warnings
from decimal import Decimal, localcontext
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from mercer import KernelRidge, KernelRidgeCV

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
HERE = ["diabetes", "iris", "wine", "breast_cancer"]
THERE = ["california_housing", "concrete", "energy", "kin8nm", "protein"]
KERNELS = ["linear", "poly", "rbf", "laplacian"]
ROWS, NEW = 40, 15


@cache
def regression_set(name):
    """Standardised samples and targets, as many as a reference can do."""
    if name in HERE:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
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


def in_digits(X, new, y, gamma, alpha):
    """Predictions of the polynomial kernel of degree 3 with an intercept, in 50 digits."""
    with localcontext(prec=50):
        X, new = ([[Decimal(float(v)) for v in row] for row in part] for part in (X, new))
        gamma = Decimal(gamma)

        def kernel(a, b):
            return (gamma * sum(p * q for p, q in zip(a, b, strict=True)) + 1) ** 3

        n = len(X)
        rows = [
            [kernel(a, b) for b in X] + [Decimal(1), Decimal(float(t))]
            for a, t in zip(X, y, strict=True)
        ]
        for i in range(n):
            rows[i][i] += Decimal(alpha)
        rows.append([Decimal(1)] * n + [Decimal(0)] * 2)
        for k in range(n + 1):
            pivot = max(range(k, n + 1), key=lambda i: abs(rows[i][k]))
            rows[k], rows[pivot] = rows[pivot], rows[k]
            for i in range(k + 1, n + 1):
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
        x = [Decimal(0)] * (n + 1)
        for k in reversed(range(n + 1)):
            rest = sum(rows[k][j] * x[j] for j in range(k + 1, n + 1))
            x[k] = (rows[k][n + 1] - rest) / rows[k][k]
        sums = (sum(kernel(z, a) * c for a, c in zip(X, x, strict=False)) for z in new)
        return np.array([float(value + x[n]) for value in sums])


def reference(kernel, X, new, y, gamma, alpha, *, intercept):
    """Predictions, and the norms of the matrix before and after centring."""
    if intercept and kernel == "linear":
        # Of a linear kernel only differences count, and those of these numbers are exact.
        X, new = X - X[0], new - X[0]
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
    if intercept and kernel == "poly" and raw > 1e3 * size:
        return in_digits(X, new, y, gamma, alpha), 0.0, size
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
        want, raw, size = reference(kernel, wide, wide_new, y, gamma, alpha, intercept=intercept)
        # With an intercept the centred matrix counts, however large the other is, which the
        # reference knows to 1e-19 of its size.
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
    old, new = (part.astype(float) for part in (X[:ROWS], X[ROWS:]))
    alpha = model.alpha_
    want, raw, size = reference(kernel, old, new, y[:ROWS], model.gamma_, alpha, intercept=True)
    # Half of the digits are gone where the penalty is as small as the grid has it.
    bound = 50 * (float(np.finfo(dtype).eps) * size + 1e-19 * raw) / alpha
    if bound < 0.1:
        np.testing.assert_allclose(model.predict(X[ROWS:]), want, atol=max(bound, 1e-12))
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


def table():
    """The largest errors over all sets, for the guide: a line for each kernel and type."""
    for kernel in KERNELS:
        for dtype in ("float64", "float32"):
            worst = [
                max(error(name, kernel, dtype, offset) for name in HERE + THERE)
                for offset in (0.0, 1e3, 1e5)
            ]
            print(f"| {kernel} | {dtype} |", " | ".join(f"{v:.0e}" for v in worst), "|")


def error(name, kernel, dtype, offset):
    """The largest error of a prediction with an intercept, in standard deviations of the target."""
    if regression_set(name) is None:
        return 0.0
    X, y = regression_set(name)
    X, y = (X + offset).astype(dtype), y[:ROWS]
    old, new = X[:ROWS].astype(float), X[ROWS:].astype(float)
    K = values(kernel, old, old, 0.1)
    K = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()
    alpha = 1e-2 * float(np.trace(K)) / ROWS
    want, _, _ = reference(kernel, old, new, y, 0.1, alpha, intercept=True)
    model = KernelRidge(alpha, kernel=kernel, gamma=0.1, fit_intercept=True).fit(X[:ROWS], y)
    return np.abs(model.predict(X[ROWS:]) - want).max()


if __name__ == "__main__":
    table()
