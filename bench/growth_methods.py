"""The methods whose growth is measured, with what theory says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

COLUMNS = 8
#: Landmarks, rows of a cell: fixed, so that the work grows with the rows alone.
LANDMARKS, CELL = 300, 1000


@dataclass(frozen=True)
class Method:
    """A method: what it does with rows, their targets and their classes, and how time and memory
    beyond the rows grow, as powers of their number.
    """

    name: str
    work: Callable[[np.ndarray, np.ndarray, np.ndarray], Any]
    time: float
    memory: float


def rows(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples (n × 8), their targets, and their classes, a twentieth of which are wrong."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, COLUMNS))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * random.normal(size=n)
    classes = (y > 0) ^ (random.uniform(size=n) < 0.05)
    return X, y, classes.astype(int)


def _methods() -> list[Method]:
    import mercer

    rbf = {"kernel": "rbf", "gamma": 1 / COLUMNS}
    low = rbf | {"landmarks": LANDMARKS}
    return [
        Method("kernel matrix", lambda X, y, c: _matrix(X), 2, 2),
        Method("kernel PCA", lambda X, y, c: mercer.KernelPCA(10, **rbf).fit(X), 2, 2),
        Method("kernel ridge", lambda X, y, c: mercer.KernelRidge(0.1, **rbf).fit(X, y), 3, 2),
        Method("SVC", lambda X, y, c: mercer.SVC(**rbf).fit(X, c), 2, 1),
        Method("SVR", lambda X, y, c: mercer.SVR(epsilon=0.2, **rbf).fit(X, y), 2, 1),
        Method("kernel k-means", lambda X, y, c: _kmeans(**rbf).fit(X), 2, 2),
        Method("SVC, cells", lambda X, y, c: mercer.SVC(cells=CELL, **rbf).fit(X, c), 1, 1),
        Method("SVC, landmarks", lambda X, y, c: mercer.SVC(**low).fit(X, c), 1, 1),
        Method("kernel PCA, landmarks", lambda X, y, c: mercer.KernelPCA(10, **low).fit(X), 1, 0),
        Method(
            "kernel ridge, landmarks",
            lambda X, y, c: mercer.KernelRidge(0.1, **low).fit(X, y),
            1,
            0,
        ),
        Method("kernel k-means, landmarks", lambda X, y, c: _kmeans(**low).fit(X), 1, 1),
    ]


def _matrix(X: np.ndarray) -> np.ndarray:
    import mercer

    return mercer.kernels.RBF(gamma=1 / COLUMNS)(X)


def _kmeans(**options: Any) -> Any:
    import warnings

    import mercer

    warnings.filterwarnings("ignore", message="k-means did not converge")

    # As many rounds at any size.
    return mercer.KernelKMeans(4, max_iter=10, n_init=1, random_state=0, **options)


METHODS: list[Method] = _methods()
