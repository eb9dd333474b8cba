"""Data of the cases: real sets if the data directory exists, else synthetic ones of the same shape.

The folder is ``$MERCER_DATA``, or ``../shared/data`` beside the repository. Every problem carries
a ``source`` text, so that a result from stand-in data can never pass for a result on real data.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from bench.problem import Problem

ROOT = Path(__file__).resolve().parent.parent
CALIFORNIA_GAMMA = 0.125
MNIST_GAMMA = 0.02


def folder() -> Path:
    """The place where the real sets are looked for."""
    return Path(os.environ.get("MERCER_DATA", ROOT.parent / "shared" / "data"))


@lru_cache(maxsize=2)
def stored(file: str, array: str) -> np.ndarray | None:
    """One array of a real set; None where the file is not there."""
    path = folder() / file
    if not path.is_file():
        return None
    with np.load(path) as archive:
        return archive[array]


def _standardise(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def mixture(n: int, d: int, *, clusters: int = 20, seed: int = 0) -> np.ndarray:
    """Standardised Gaussian mixture, n × d: clusters of unequal weight, width and place."""
    rng = np.random.RandomState(seed)
    centres = rng.normal(scale=2.0, size=(clusters, d))
    widths = rng.uniform(0.3, 1.2, size=(clusters, d))
    owner = rng.choice(clusters, size=n, p=rng.dirichlet(np.full(clusters, 2.0)))
    return _standardise(centres[owner] + widths[owner] * rng.normal(size=(n, d)))


def _california_rows(n: int) -> tuple[np.ndarray, str]:
    X = stored("california_housing.npz", "X")
    if X is None:
        return mixture(n, 8), "stand-in for California housing: Gaussian mixture"
    order = np.random.RandomState(0).permutation(len(X))
    if n <= len(X):
        return _standardise(X.astype(np.float64))[order[:n]], "California housing"
    # More rows than the set has: whole copies, moved a little so that no two rows are equal.
    rows = _standardise(X.astype(np.float64))[np.resize(order, n)]
    rows += 0.05 * np.random.RandomState(1).normal(size=rows.shape)
    return rows, "California housing, repeated with jitter"


def _mnist_rows(n: int) -> tuple[np.ndarray, str]:
    X = stored("mnist.npz", "X_train")
    if X is None:
        return _digits_stand_in(n), "stand-in for MNIST: sparse low-rank pixels"
    order = np.random.RandomState(0).permutation(len(X))[:n]
    return np.ascontiguousarray(X[order], dtype=np.float64) / 255.0, "MNIST"


def _digits_stand_in(n: int, d: int = 784) -> np.ndarray:
    """Rows in [0, 1] with a decaying spectrum and about four zeros in five, as scans have."""
    rng = np.random.RandomState(0)
    strokes = rng.normal(size=(30, d)) / np.sqrt(1.0 + np.arange(30))[:, None]
    return np.clip(rng.normal(size=(n, 30)) @ strokes - 1.5, 0.0, 1.0)


def california(n: int, k: int | None = 10) -> Problem:
    """Kernel PCA on n rows of California housing, standardised."""
    X, source = _california_rows(n)
    return Problem(X, source, gamma=CALIFORNIA_GAMMA, k=k)


def california_all(n: int) -> Problem:
    """The same, asking for every component."""
    return california(n, k=None)


def mnist(n: int) -> Problem:
    """Kernel PCA on n rows of MNIST, scaled to [0, 1]."""
    X, source = _mnist_rows(n)
    return Problem(X, source, gamma=MNIST_GAMMA, k=10)


def california_split(n: int, m: int) -> Problem:
    """Anchors n and rows to project m, from California housing."""
    X, source = _california_rows(n + m)
    return Problem(X[:n].copy(), source, Y=X[n:].copy(), gamma=CALIFORNIA_GAMMA, k=10)


def mnist_split(n: int, m: int) -> Problem:
    """Anchors n and rows to project m, from MNIST."""
    X, source = _mnist_rows(n + m)
    return Problem(X[:n].copy(), source, Y=X[n:].copy(), gamma=MNIST_GAMMA, k=10)


def normal(n: int, d: int) -> Problem:
    """Standard normal rows for the Gram matrix; gamma keeps its entries away from 0 and 1."""
    X = np.random.RandomState(0).normal(size=(n, d))
    return Problem(X, "standard normal", gamma=0.5 / d)


def low_rank(n: int, d: int, k: int) -> Problem:
    """PCA of k decaying directions under noise."""
    rng = np.random.RandomState(0)
    strengths = np.geomspace(10.0, 2.0, k)
    X = (rng.normal(size=(n, k)) * strengths) @ rng.normal(size=(k, d))
    return Problem(X + rng.normal(size=(n, d)), f"rank {k} plus noise", k=k)


def mnist_pca(n: int, k: int, pixels: int = 784) -> Problem:
    """PCA of n rows of MNIST, scaled to [0, 1]; fewer pixels are taken from the middle."""
    X, source = _mnist_rows(n)
    first = (X.shape[1] - pixels) // 2
    return Problem(np.ascontiguousarray(X[:, first : first + pixels]), source, k=k)


def mixture_tiled(n: int, budget: int) -> Problem:
    """Kernel PCA on a made mixture (d = 8) whose Gram matrix does not fit the budget."""
    source = "Gaussian mixture of 20 clusters"
    return Problem(mixture(n, 8), source, gamma=CALIFORNIA_GAMMA, k=10, budget=budget)


def regression(n: int, d: int, targets: int = 0, alpha: float = 1.0) -> Problem:
    """Standard normal rows with noisy targets; gamma is scikit-learn's default, 1 / d."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(n, d))
    clean = np.sin(X[:, 0]) + X[:, 1]
    y = clean + 0.1 * rng.normal(size=n)
    if targets:
        y = np.sin(X @ rng.normal(size=(d, targets)) / d**0.5) + 0.1 * rng.normal(size=(n, targets))
    return Problem(X, "standard normal", y=y, gamma=1.0 / d, alpha=alpha)


def _regression_rows(file: str, n: int) -> tuple[np.ndarray, np.ndarray, str]:
    """n rows of a real regression set, standardised; a made one where the file is not there."""
    X, y = stored(file, "X"), stored(file, "y")
    if X is None or y is None:
        X = mixture(n, 9)
        return X, np.sin(X[:, 0]) + 0.3 * X[:, 1], "stand-in: Gaussian mixture"
    rows = np.random.RandomState(0).permutation(len(X))[:n]
    X, y = X[rows].astype(np.float64), y[rows].astype(np.float64)
    return _standardise(X), (y - y.mean()) / y.std(), file.split(".")[0]


def kin8nm(n: int) -> Problem:
    """n rows of kin8nm."""
    X, y, source = _regression_rows("kin8nm.npz", n)
    return Problem(X, source, y=y)


def california_regression(n: int, m: int) -> Problem:
    """Anchors n with smooth targets and rows to predict m, from California housing."""
    X, source = _california_rows(n + m)
    y = np.sin(X[:n, 0]) + X[:n, 7]
    return Problem(X[:n].copy(), source, Y=X[n:].copy(), y=y, gamma=CALIFORNIA_GAMMA, alpha=0.1)


def california_hard(n: int) -> Problem:
    """n rows of California housing with noisy targets and a small penalty."""
    X, source = _california_rows(n)
    y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(size=n)
    return Problem(X, source, y=y, gamma=0.1, alpha=1e-4)


def protein(n: int, budget: int) -> Problem:
    """n rows of the protein set, whose Gram matrix does not fit the budget."""
    X, y, source = _regression_rows("protein.npz", n)
    return Problem(X, source, y=y, gamma=0.1, alpha=0.5, budget=budget)


def geoid(n: int, m: int, landmarks: int) -> Problem:
    """n points of the sphere with the height of the geoid there, and m others with theirs."""
    height = stored("geoid.npz", "height_cm")
    if height is None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n + m, 3))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y, source = 30 * np.sin(5 * X[:, 0]) * np.cos(4 * X[:, 1]), "stand-in for the geoid"
    else:
        i, j = np.divmod(np.random.default_rng(0).permutation(height.size), height.shape[1])
        latitude, longitude = np.deg2rad(90 - i / 4), np.deg2rad(j / 4)
        flat = np.cos(latitude)
        X = np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=1)
        y, source = height[i, j] / 100.0, "EGM96 geoid"
    new, old = slice(0, m), slice(m, m + n)
    options = {"gamma": 20.0, "alpha": 1e-6, "k": landmarks}
    return Problem(X[old].copy(), source, Y=X[new].copy(), y=y[old], start=y[new], **options)


def many_rows(n: int, d: int, m: int, landmarks: int) -> Problem:
    """n rows of a Gaussian mixture, and m others."""
    X = mixture(n + m, d)
    source = "Gaussian mixture"
    return Problem(X[:n], source, Y=X[n:].copy(), gamma=0.5 / d, k=landmarks)
