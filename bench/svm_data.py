"""Data of the rows of support vector machines: the published training sets, or stand-ins."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets

from bench import data
from bench.problem import Problem


def _classes(file: str, n: int | None, m: int, divide: float) -> tuple[np.ndarray, ...]:
    """Training rows and labels, and test rows; a made problem where the file is not there."""
    X, y = data.stored(file, "X_train"), data.stored(file, "y_train")
    Y = data.stored(file, "X_test")
    if X is None or y is None or Y is None:
        X = data.mixture((n or 2000) + m, 8)
        y = (np.sin(2 * X[:, 0]) + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
        return X[:-m], y[:-m], X[-m:]
    rows = slice(0, n)
    return X[rows] / divide, y[rows], Y[:m] / divide


def published(
    file: str, gamma: float, cost: float, n: int | None = None, m: int = 2000, divide: float = 1.0,
    dtype: str = "float64",
) -> Problem:  # fmt: skip
    """A published classification set."""
    X, y, Y = _classes(file, n, m, divide)
    there = data.stored(file, "X_train") is not None
    source = file.split(".")[0] if there else f"stand-in for {file}: Gaussian mixture"
    return Problem(
        np.ascontiguousarray(X, dtype), source, Y=np.ascontiguousarray(Y, dtype), y=y,
        gamma=gamma, cost=cost,
    )  # fmt: skip


def sphere(n: int) -> Problem:
    """Uniform points on the sphere in two classes with a winding border."""
    rows = np.random.default_rng(1).normal(size=(n + 2000, 3))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    x, y, z = 12 * rows.T
    classes = (np.sin(x) + np.sin(y) * np.cos(z) > 0.3).astype(int)
    return Problem(rows[:n], "sphere", Y=rows[n:], y=classes[:n], gamma=300.0, cost=10.0)


def housing(n: int) -> Problem:
    """California housing with its own target, standardised."""
    X, y, source = data._regression_rows("california_housing.npz", n)
    return Problem(X, source, y=y, gamma=0.125, cost=10.0)


def support(n: int) -> Problem:
    """Rows of ijcnn1 without their classes."""
    X, _, _ = _classes("ijcnn1.npz", n, 100, 1.0)
    return Problem(np.ascontiguousarray(X, np.float64), "ijcnn1", gamma=0.5, nu=0.05)


def small(name: str, n: int | None = None) -> Problem:
    """A set that comes with scikit-learn, standardised."""
    loaders: dict[str, Any] = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "breast cancer": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
    }
    X, y = loaders[name](return_X_y=True)
    X, y = data._standardise(X[:n]), y[:n]
    return Problem(X, name, y=y, gamma=1.0 / X.shape[1], cost=1.0)


def guide(n: int | None = None) -> Problem:
    """svmguide1, scaled to [-1, 1]; fewer rows come from all over it: it is sorted by class."""
    X, y, _ = _classes("svmguide1.npz", None, 100, 1.0)
    rows = np.linspace(0, len(X) - 1, n or len(X)).astype(int)
    X, y = X[rows].astype(float), y[rows]
    low, high = X.min(axis=0), X.max(axis=0)
    return Problem(2 * (X - low) / (high - low) - 1, "svmguide1, scaled", y=y)
