"""Errors on public regression sets, measured with another implementation."""

import os
from pathlib import Path

import numpy as np
import pytest

from mercer import KernelRidge, KernelRidgeCV

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def regression_set(name):
    """Samples, targets and the rows of the test parts."""
    path = Path(os.environ.get("MERCER_DATA", SHARED)) / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there: set MERCER_DATA to the folder with the data sets")
    with np.load(path) as data:
        return data["X"].astype(float), data["y"].astype(float), data.get("test_idx")


def error(model, X, y, train, test):
    """The root mean squared error on the test part, of numbers standardised by the other."""
    center, scale = X[train].mean(0), X[train].std(0)
    X = (X - center) / np.where(scale > 0, scale, 1)
    shift, size = y[train].mean(), y[train].std()
    predicted = model.fit(X[train], (y[train] - shift) / size).predict(X[test]) * size + shift
    return np.sqrt(np.mean((predicted - y[test]) ** 2))


@pytest.mark.parametrize(
    ("name", "gamma", "alpha", "expected"),
    [
        ("california_housing", 0.1, 0.1, 60100.4),
        ("kin8nm", 0.05, 0.05, 0.110909),
        ("protein", 0.1, 0.5, 4.90419),
    ],
)
@pytest.mark.parametrize("solver", ["cholesky", "eigen", "cg"])
def test_two_thousand_samples(name, gamma, alpha, expected, solver):
    X, y, _ = regression_set(name)
    order = np.random.RandomState(0).permutation(len(X))
    model = KernelRidge(alpha, kernel="rbf", gamma=gamma, solver=solver)
    found = error(model, X, y, order[:2000], order[2000:7000])
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "alpha", "mean", "spread"),
    [("concrete", 0.01, 5.413, 0.117), ("energy", 1e-4, 0.498, 0.012)],
)
def test_twenty_splits(name, alpha, mean, spread):
    X, y, splits = regression_set(name)
    rows = np.arange(len(X))
    model = KernelRidge(alpha, kernel="rbf", gamma=0.1)
    errors = [error(model, X, y, np.setdiff1d(rows, test), test) for test in splits]
    assert np.mean(errors) == pytest.approx(mean, abs=5e-4)
    assert np.std(errors) / np.sqrt(len(errors)) == pytest.approx(spread, abs=5e-4)


def test_the_search_finds_the_better_kernel():
    X, y, splits = regression_set("concrete")
    rows = np.arange(len(X))
    for test in splits[:2]:
        train = np.setdiff1d(rows, test)
        search = KernelRidgeCV(kernel=["rbf(gamma=0.1)", "laplacian(gamma=0.125)"])
        chosen = error(search, X, y, train, test)
        named = error(KernelRidge(0.01, kernel="rbf", gamma=0.1), X, y, train, test)
        assert search.kernel_.startswith("laplacian")
        assert chosen < 0.9 * named
