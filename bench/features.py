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


def nystroem(problem: Problem) -> list[Contestant]:
    """Landmarks by pivoted Cholesky and uniform ones, and scikit-learn's."""

    def ours(method: str) -> Callable[[Problem, Any], np.ndarray]:
        def run(p: Problem, _: Any) -> np.ndarray:
            import mercer

            options = {"gamma": p.gamma, "n_components": p.k, "landmark_method": method}
            return mercer.Nystroem(**options).fit_transform(p.X)

        return run

    def rival(p: Problem, _: Any) -> np.ndarray:
        options = {"gamma": p.gamma, "n_components": p.k, "random_state": 0}
        return kernel_approximation.Nystroem(**options).fit_transform(p.X)

    return [
        Contestant("mercer", ours("pivoted_cholesky"), ours=True),
        Contestant("mercer, uniform", ours("uniform"), aside=True),
        Contestant("scikit-learn", rival),
    ]


def check_error(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """What features leave of the trace, none of which may be more than the reference's."""
    left = {
        name: float(np.mean(1 - np.sum(found.astype(np.float64) ** 2, axis=1)))
        for name, found in outputs.items()
    }
    expected = left[reference or next(iter(left))]
    return {
        name: Verdict({"left": value}, {"left": 1.02 * expected}) for name, value in left.items()
    }


def nystroem_cost(problem: Problem) -> list[Phase]:
    """Kernel values with the landmarks, half a product with their root, and the result."""
    assert problem.k is not None
    n, d, k, size = problem.n, problem.d, problem.k, problem.X.dtype.itemsize
    precision = "f64" if size == 8 else "f32"
    traffic = {"reads": 1.0 * size * n * d, "writes": 1.0 * size * n * k}
    work = 2.0 * n * d * k + 1.0 * n * k * k
    return [Phase("features", work, **traffic, precision=precision)]


def sketches(problem: Problem) -> list[Contestant]:
    """mercer's sketch and scikit-learn's."""

    def of(module: Any) -> Callable[[Problem, Any], np.ndarray]:
        def run(p: Problem, _: Any) -> np.ndarray:
            sketch = module().PolynomialCountSketch(
                gamma=p.gamma, degree=2, coef0=1, n_components=p.k, random_state=0
            )
            return sketch.fit_transform(p.X)

        return run

    def ours() -> Any:
        import mercer

        return mercer

    return [
        Contestant("mercer", of(ours), ours=True),
        Contestant("scikit-learn", of(lambda: kernel_approximation)),
    ]


def check_sketch(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """The errors of all, none of which may be above that of the reference."""

    def apart(found: np.ndarray) -> float:
        Z, X = found[:ROWS].astype(np.float64), problem.X[:ROWS]
        K = (problem.gamma * (X @ X.T) + 1) ** 2
        return float(np.sqrt(np.mean((Z @ Z.T - K) ** 2)))

    errors = {name: apart(found) for name, found in outputs.items()}
    expected = 1.2 * errors[reference or next(iter(errors))]
    return {name: Verdict({"error": value}, {"error": expected}) for name, value in errors.items()}


def sketch_cost(problem: Problem) -> list[Phase]:
    """Two complex transforms for each row, and the features written."""
    assert problem.k is not None
    n, d, k = problem.n, problem.d, problem.k
    work = 2 * 5.0 * n * k * float(np.log2(k))
    return [Phase("transforms", work, reads=8.0 * n * d, writes=8.0 * n * k)]
