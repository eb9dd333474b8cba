"""Kernels of differences: moving all samples by the same vector changes nothing."""

import numpy as np
import pytest
from scipy import sparse

from mercer import pairwise_kernels

KERNELS = {
    "rbf": lambda square, _: np.exp(-square),
    "laplacian": lambda _, sum_: np.exp(-sum_),
    "matern(nu=0.5)": lambda square, _: np.exp(-np.sqrt(square)),
    "matern(nu=1.5)": lambda square, _: (1 + np.sqrt(3 * square)) * np.exp(-np.sqrt(3 * square)),
    "matern(nu=2.5)": lambda square, _: (
        (1 + np.sqrt(5 * square) + 5 * square / 3) * np.exp(-np.sqrt(5 * square))
    ),
    "rational_quadratic": lambda square, _: 1 / (1 + square / 2),
}


def specs(kernel, d):
    """The kernel with a width that suits d features, and its unit of distance."""
    if kernel == "rbf":
        return f"rbf(gamma={1 / d})", np.sqrt(d), d
    if kernel == "laplacian":
        return f"laplacian(gamma={1 / d})", np.sqrt(d), d
    name, _, rest = kernel.partition("(")
    more = rest.rstrip(")")
    length = f"length={float(np.sqrt(d))!r}"
    return f"{name}({', '.join(filter(None, [more, length]))})", np.sqrt(d), d


def two_loops(kernel, X, Z, length, d):
    """Kernel values from differences of exact numbers."""
    X, Z = X.astype(np.longdouble), Z.astype(np.longdouble)
    out = np.empty((len(X), len(Z)))
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            square = ((x - z) ** 2).sum() / length**2
            out[i, j] = KERNELS[kernel](square, np.abs(x - z).sum() / d)
    return out


@pytest.mark.parametrize("d", [3, 65, 130])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_those_of_two_loops_wherever_samples_lie(kernel, dtype, offset, d):
    rng = np.random.default_rng(d)
    X = (rng.normal(size=(12, d)) + offset).astype(dtype)
    X[3] = X[7]
    Z = (rng.normal(size=(9, d)) + offset).astype(dtype)
    spec, length, d = specs(kernel, d)
    tolerance = 1e-10 if dtype == "float64" else 2e-4
    for left, right in ((X, None), (X, Z), (Z, X)):
        want = two_loops(kernel, left, left if right is None else right, length, d)
        forms = [(left, right), (sparse.csr_array(left), right)]
        if right is not None:
            forms.append((sparse.csr_array(left), sparse.csr_array(right)))
        for a, b in forms:
            found = pairwise_kernels(a, b, kernel=spec)
            np.testing.assert_allclose(found, want, atol=tolerance, rtol=0)
    assert pairwise_kernels(X, kernel=spec)[3, 7] == pytest.approx(1, abs=1e-6)
