"""The contestants: mercer, and every way scikit-learn has of doing the same work.

mercer is imported when a contestant runs, so that the harness can be listed and tested without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from bench.problem import Contestant, Problem

DENSE_UP_TO = 3000  # beyond, a full decomposition for ten components only wastes minutes
RAISED_POWER = 20  # iterations that bring the randomised solver nearer to exact results
WIDE_UP_TO = 3000  # features up to which scikit-learn's d × d covariance is sensible


def _sklearn_kpca(problem: Problem, **options: Any) -> KernelPCA:
    return KernelPCA(problem.k, kernel="rbf", gamma=problem.gamma, random_state=0, **options)


def _mercer_kpca(problem: Problem, precision: str) -> Any:
    import mercer

    extras = {} if problem.budget is None else {"memory_budget": problem.budget}
    return mercer.KernelPCA(
        problem.k, kernel="rbf", gamma=problem.gamma, precision=precision, **extras
    )


def kernel_pca_solvers(problem: Problem) -> dict[str, dict[str, Any]]:
    """Options of scikit-learn's solvers by name; the first is the reference of the check."""
    if problem.k is None:
        return {"dense": {"eigen_solver": "dense"}}
    solvers: dict[str, dict[str, Any]] = {
        "arpack": {"eigen_solver": "arpack"},
        "arpack, n_jobs=-1": {"eigen_solver": "arpack", "n_jobs": -1},
        "randomized": {"eigen_solver": "randomized"},
        f"randomized, iterated_power={RAISED_POWER}": {
            "eigen_solver": "randomized",
            "iterated_power": RAISED_POWER,
        },
    }
    if problem.n <= DENSE_UP_TO:
        solvers = {"dense": {"eigen_solver": "dense"}, **solvers}
    return solvers


def kernel_pca(precision: str = "f64") -> Any:
    """Fits: mercer in the given precision against all solvers of scikit-learn."""

    def contestants(problem: Problem) -> list[Contestant]:
        rivals = [
            Contestant(
                f"scikit-learn {name}",
                lambda p, _, options=options: _sklearn_kpca(p, **options).fit(p.X),
            )
            for name, options in kernel_pca_solvers(problem).items()
        ]
        ours = Contestant("mercer", lambda p, _: _mercer_kpca(p, precision).fit(p.X), ours=True)
        return [ours, *rivals]

    return contestants


def kernel_pca_mixed(problem: Problem) -> list[Contestant]:
    """Mixed precision; beside the f64 solvers, scikit-learn on rows rounded to float32."""

    def fit(problem: Problem, rounded: np.ndarray) -> KernelPCA:
        return _sklearn_kpca(problem, eigen_solver="arpack").fit(rounded)

    single = Contestant(
        "scikit-learn arpack, float32", fit, lambda p: p.X.astype(np.float32), aside=True
    )
    return [*kernel_pca("mixed")(problem), single]


def kernel_pca_alone(problem: Problem) -> list[Contestant]:
    """mercer only, within a budget; where the matrix is small, scikit-learn checks it."""
    ours, *rivals = kernel_pca()(problem)
    checker = [one for one in rivals if one.name == "scikit-learn arpack"]
    return [ours, *checker] if problem.n <= DENSE_UP_TO else [ours]


def fit_transform(problem: Problem) -> list[Contestant]:
    """A fit followed by the projection of new rows, both timed."""
    return [
        Contestant(one.name, lambda p, state, one=one: _then_project(one, p, state), ours=one.ours)
        for one in kernel_pca()(problem)
    ]


def _then_project(one: Contestant, problem: Problem, state: Any) -> tuple[Any, Any]:
    model = one.run(problem, state)
    return model, model.transform(problem.Y)


def transform(problem: Problem) -> list[Contestant]:
    """Projection of new rows; the fit is prepared outside the timing."""

    def project(problem: Problem, model: Any) -> Any:
        return model.transform(problem.Y)

    def sklearn_fit(problem: Problem, n_jobs: int | None = None) -> KernelPCA:
        return _sklearn_kpca(problem, eigen_solver="arpack", n_jobs=n_jobs).fit(problem.X)

    return [
        Contestant("mercer", project, lambda p: _mercer_kpca(p, "f64").fit(p.X), ours=True),
        Contestant("scikit-learn", project, sklearn_fit),
        Contestant("scikit-learn, n_jobs=-1", project, lambda p: sklearn_fit(p, -1)),
    ]


def _mercer_gram(problem: Problem) -> Any:
    import mercer

    return mercer.pairwise_kernels(problem.X, kernel=f"rbf(gamma={problem.gamma!r})")


def gram(problem: Problem) -> list[Contestant]:
    """The full RBF Gram matrix of one set."""
    return [
        Contestant("mercer", lambda p, _: _mercer_gram(p), ours=True),
        Contestant("scikit-learn rbf_kernel", lambda p, _: rbf_kernel(p.X, gamma=p.gamma)),
        Contestant(
            "scikit-learn pairwise_kernels, n_jobs=-1",
            lambda p, _: pairwise_kernels(p.X, metric="rbf", gamma=p.gamma, n_jobs=-1),
            aside=True,
        ),
    ]


def _mercer_pca(problem: Problem) -> Any:
    import mercer

    return mercer.PCA(problem.k).fit(problem.X)


def _sklearn_pca(name: str, **options: Any) -> Contestant:
    return Contestant(
        f"scikit-learn {name}", lambda p, _: PCA(p.k, random_state=0, **options).fit(p.X)
    )


def pca(problem: Problem) -> list[Contestant]:
    """PCA against every solver that fits the shape."""
    rivals = [
        _sklearn_pca("full", svd_solver="full"),
        _sklearn_pca("arpack", svd_solver="arpack"),
        _sklearn_pca("randomized", svd_solver="randomized"),
        _sklearn_pca(
            f"randomized, iterated_power={RAISED_POWER}",
            svd_solver="randomized",
            iterated_power=RAISED_POWER,
        ),
    ]
    if problem.d <= WIDE_UP_TO:
        rivals.append(_sklearn_pca("covariance_eigh", svd_solver="covariance_eigh"))
    return [Contestant("mercer", lambda p, _: _mercer_pca(p), ours=True), *rivals]


def pca_covariance(problem: Problem) -> list[Contestant]:
    """PCA against the one solver that suits tall data."""
    rival = _sklearn_pca("covariance_eigh", svd_solver="covariance_eigh")
    return [Contestant("mercer", lambda p, _: _mercer_pca(p), ours=True), rival]
