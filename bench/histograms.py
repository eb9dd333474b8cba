"""Kernels of histograms and of sparse rows: the data and the contestants of their rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
import sklearn.svm
from sklearn.metrics.pairwise import (
    additive_chi2_kernel,
    chi2_kernel,
    laplacian_kernel,
    pairwise_kernels,
    rbf_kernel,
)

from bench import data, svm
from bench.problem import Contestant, Problem

PRICE = 10.0
MEAN_ROWS = 500  # rows whose mean distance gives gamma
RBF_GAMMA = 0.01
LAPLACIAN_GAMMA = 0.02


def _scene_rows(n: int) -> tuple[np.ndarray, np.ndarray, str]:
    X, y = data.stored("scene15.npz", "hist59"), data.stored("scene15.npz", "y")
    rng = np.random.RandomState(0)
    if X is None or y is None:
        y = np.arange(n) % 15
        centres = rng.dirichlet(np.ones(59), size=15)
        X = np.array([rng.dirichlet(40.0 * centres[c] + 0.1) for c in y])
        return X, y, "stand-in for scene15: Dirichlet mixture"
    rows = rng.permutation(len(X))[:n]
    return X[rows].astype(np.float64), y[rows].astype(int), "scene15, hist59"


def mean_gamma(X: np.ndarray) -> float:
    """1 / mean χ² distance of the first rows: the customary width."""
    return float(-1.0 / additive_chi2_kernel(X[:MEAN_ROWS]).mean())


def scene(n: int, m: int = 0) -> Problem:
    """n histograms of scene15 with their classes, in random order, and m others to predict."""
    X, y, source = _scene_rows(n + m)
    gamma = mean_gamma(X)
    return Problem(
        X[:n], source, Y=X[n:], y=y[:n], gamma=gamma, cost=PRICE, spec=f"chi2(gamma={gamma!r})"
    )


def normal(n: int, d: int) -> Problem:
    """Standard normal rows for the Laplacian kernel."""
    X = np.random.RandomState(0).normal(size=(n, d))
    spec = f"laplacian(gamma={LAPLACIAN_GAMMA})"
    return Problem(X, "standard normal", gamma=LAPLACIAN_GAMMA, spec=spec)


def counts_of(part: str) -> scipy.sparse.csr_matrix | None:
    """Word counts of Reuters R8, ``train`` or ``test``; None where the file is not there."""
    file = "reuters_r8_counts.npz"
    arrays = [data.stored(file, f"{name}_{part}") for name in ("counts", "indices", "indptr")]
    words = data.stored(file, "vocabulary")
    if words is None or any(array is None for array in arrays):
        return None
    counts, indices, indptr = arrays
    shape = (len(indptr) - 1, len(words))
    return scipy.sparse.csr_matrix((counts.astype(float), indices.astype(np.int32), indptr), shape)


def reuters(n: int) -> Problem:
    """Word counts of n training texts of Reuters R8."""
    X, source = counts_of("train"), "Reuters R8, word counts"
    if X is None:
        X = scipy.sparse.random(n, 10_710, density=0.005, format="csr", random_state=0)
        X.data, source = np.ceil(3.0 * X.data), "stand-in for Reuters R8: random counts"
    spec = f"rbf(gamma={RBF_GAMMA})"
    return Problem(X[:n], source, gamma=RBF_GAMMA, spec=spec)


def mercer_matrix(problem: Problem, _: Any) -> np.ndarray:
    """mercer's matrix of the kernel that the problem names."""
    import mercer

    return mercer.pairwise_kernels(problem.X, kernel=problem.spec)


def grams(name: str) -> Callable[[Problem], list[Contestant]]:
    """The Gram matrix by one of scikit-learn's kernels; on all cores only aside, as elsewhere."""
    kernel = {"chi2": chi2_kernel, "laplacian": laplacian_kernel, "rbf": rbf_kernel}[name]

    def rival(problem: Problem, _: Any) -> np.ndarray:
        return kernel(problem.X, gamma=problem.gamma)

    def on_all_cores(problem: Problem, _: Any) -> np.ndarray:
        return pairwise_kernels(problem.X, metric=name, gamma=problem.gamma, n_jobs=-1)

    def contestants(problem: Problem) -> list[Contestant]:
        return [
            Contestant("mercer", mercer_matrix, ours=True),
            Contestant(f"scikit-learn {name}_kernel", rival),
            Contestant("scikit-learn pairwise_kernels, n_jobs=-1", on_all_cores, aside=True),
        ]

    return contestants


def _mercer_svc(problem: Problem) -> Any:
    import mercer

    return mercer.SVC(kernel=problem.spec, C=problem.cost, tol=svm.TOL, cache_size=svm.CACHE)


def _sklearn_svc(problem: Problem) -> sklearn.svm.SVC:
    kernel = partial(chi2_kernel, gamma=problem.gamma)
    return sklearn.svm.SVC(kernel=kernel, C=problem.cost, tol=svm.TOL, cache_size=svm.CACHE)


MAKERS = {"mercer": _mercer_svc, "scikit-learn, kernel=chi2_kernel": _sklearn_svc}


def fits(problem: Problem) -> list[Contestant]:
    """Support vector machines with the exponential χ² kernel."""
    return [
        Contestant(name, lambda p, _, make=make: make(p).fit(p.X, p.y), ours=name == "mercer")
        for name, make in MAKERS.items()
    ]


def predicts(problem: Problem) -> list[Contestant]:
    """Classes of new rows; the fits are prepared outside the timing."""
    return [
        Contestant(
            name,
            lambda p, model: model.predict(p.Y),
            lambda p, make=make: make(p).fit(p.X, p.y),
            ours=name == "mercer",
        )
        for name, make in MAKERS.items()
    ]
