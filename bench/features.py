"""Random features: the data, the contestants and the check of their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn import kernel_approximation
from sklearn.metrics.pairwise import rbf_kernel

from bench.problem import Contestant, Phase, Problem, Verdict

ROWS = 400  # whose inner products are compared with the kernel
# Of scikit-learn's error: its own differs by as much from seed to seed.
WORSE = 1.1


def normal(n: int, d: int, k: int, single: bool = False) -> Problem:
    """Standard normal rows and a number of features; gamma keeps the kernel away from 0 and 1."""
    X = np.random.RandomState(0).normal(size=(n, d))
    X = X.astype(np.float32) if single else X
    return Problem(X, "standard normal", gamma=0.5 / d, k=k)


def _ours(**options: Any) -> Callable[[Problem, Any], np.ndarray]:
    def run(problem: Problem, _: Any) -> np.ndarray:
        import mercer

        params = {"gamma": problem.gamma, "n_components": problem.k, "random_state": 0}
        return mercer.RBFSampler(**params, **options).fit_transform(problem.X)

    return run


def _sklearn(problem: Problem, _: Any) -> np.ndarray:
    params = {"gamma": problem.gamma, "n_components": problem.k, "random_state": 0}
    return kernel_approximation.RBFSampler(**params).fit_transform(problem.X)


def contestants(problem: Problem) -> list[Contestant]:
    """mercer with orthogonal and with independent frequencies, and scikit-learn."""
    return [
        Contestant("mercer", _ours(), ours=True),
        Contestant("mercer, independent", _ours(features="independent"), aside=True),
        Contestant("scikit-learn", _sklearn),
    ]


def error(problem: Problem, features: np.ndarray) -> float:
    """The root mean square of φ(x)·φ(x') - k(x, x') over pairs of the first rows."""
    Z = features[:ROWS].astype(np.float64)
    K = rbf_kernel(problem.X[:ROWS].astype(np.float64), gamma=problem.gamma)
    apart = (Z @ Z.T - K)[np.triu_indices(len(K), 1)]
    return float(np.sqrt(np.mean(apart**2)))


def check(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """The errors of all, none of which may be above that of the reference."""
    expected = error(problem, outputs[reference or next(iter(outputs))])
    return {
        name: Verdict({"error": error(problem, found)}, {"error": WORSE * expected})
        for name, found in outputs.items()
    }


def cost(problem: Problem) -> list[Phase]:
    """The product with a frequency for each pair of features, and the features written."""
    assert problem.k is not None
    n, d, k, size = problem.n, problem.d, problem.k, problem.X.dtype.itemsize
    precision = "f64" if size == 8 else "f32"
    traffic = {"reads": 1.0 * size * n * d, "writes": 1.0 * size * n * k}
    return [Phase("features", 1.0 * n * d * k, **traffic, precision=precision)]
