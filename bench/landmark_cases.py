"""A million rows by landmarks: low-rank fits beside scikit-learn's Nystroem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from bench import data
from bench.problem import GIB, Case, Contestant, MemoryTarget, Phase, Problem, Target, Verdict

OURS = "mercer"
COMPONENTS = 20
#: Held-out errors of two choices of landmarks may differ so much; shares of the variance, too.
ALIKE = 1.03
#: Deviation of held-out errors beside that of the targets; the geoid's is 30 m.
UNEXPLAINED = 0.5
#: Passes over the rows that conjugate gradients on landmarks may take.
MOST_PASSES = 60


def ridge(problem: Problem, precision: str = "auto") -> list[Contestant]:
    """Ridge regression on as many landmarks."""

    def ours(p: Problem, _: Any) -> Any:
        import mercer

        options = {"kernel": "rbf", "gamma": p.gamma, "fit_intercept": True}
        options |= {"landmarks": p.k, "precision": precision}
        return mercer.KernelRidge(alpha=p.alpha, **options).fit(p.X, p.y)

    def rival(p: Problem, _: Any) -> Any:
        features = Nystroem(gamma=p.gamma, n_components=p.k, random_state=0)
        return make_pipeline(features, Ridge(alpha=p.alpha)).fit(p.X, p.y)

    return [
        Contestant(OURS, ours, ours=True),
        Contestant("scikit-learn Nystroem + Ridge", rival),
    ]


def alone(problem: Problem) -> list[Contestant]:
    """The same without a rival, which would need more memory than there is."""
    return ridge(problem)[:1]


def iterative(problem: Problem) -> list[Contestant]:
    """Ridge regression in passes over the rows."""

    def ours(p: Problem, _: Any) -> Any:
        import mercer

        options = {"kernel": "rbf", "gamma": p.gamma, "fit_intercept": True, "landmarks": p.k}
        return mercer.KernelRidge(alpha=p.alpha, solver="cg", **options).fit(p.X, p.y)

    return [Contestant(OURS, ours, ours=True)]


def check_ridge(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Held-out errors relative to that of the rival; the held-out targets are ``start``."""
    truth = problem.start
    errors = {
        name: float(np.sqrt(np.mean((model.predict(problem.Y) - truth) ** 2)))
        for name, model in outputs.items()
    }
    least = min([error for name, error in errors.items() if name != OURS], default=np.inf)
    found = {name: error / least if name == OURS else 1.0 for name, error in errors.items()}
    return {name: Verdict({"error": value}, {"error": ALIKE}) for name, value in found.items()}


def check_alone(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """The held-out error relative to the deviation of the targets, and convergence in passes."""
    truth = problem.start
    found = {}
    for name, model in outputs.items():
        error = float(np.sqrt(np.mean((model.predict(problem.Y) - truth) ** 2)) / np.std(truth))
        passes = {"passes": float(model.n_iter_)} if model.n_iter_ > 1 else {}
        limits = {"error": UNEXPLAINED} | ({"passes": MOST_PASSES} if passes else {})
        found[name] = Verdict({"error": error} | passes, limits)
    return found


def components(problem: Problem) -> list[Contestant]:
    """Kernel PCA on as many landmarks."""

    def ours(p: Problem, _: Any) -> Any:
        import mercer

        return mercer.KernelPCA(COMPONENTS, kernel="rbf", gamma=p.gamma, landmarks=p.k).fit(p.X)

    def rival(p: Problem, _: Any) -> Any:
        features = Nystroem(gamma=p.gamma, n_components=p.k, random_state=0)
        solver = PCA(COMPONENTS, svd_solver="covariance_eigh")
        return make_pipeline(features, solver).fit(p.X)

    return [
        Contestant(OURS, ours, ours=True),
        Contestant("scikit-learn Nystroem + PCA", rival),
    ]


def check_components(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Variances of the components of held-out rows: the largest of all, relative to each."""
    sums = {
        name: float(np.var(model.transform(problem.Y), axis=0).sum())
        for name, model in outputs.items()
    }
    best = max(sums.values())
    measured = {name: {"variance": best / found} for name, found in sums.items()}
    return {name: Verdict(found, {"variance": ALIKE}) for name, found in measured.items()}


def cost(problem: Problem) -> list[Phase]:
    """Kernel values with the landmarks, their features, and one triangle of their products."""
    n, d, m = problem.n, problem.d, problem.k or 0
    return [Phase("sums", 2.0 * n * m * d + 2.0 * n * m * m, reads=8.0 * n * d)]


def cost_passes(problem: Problem) -> list[Phase]:
    """Kernel values and two products with a vector in each pass, and the preconditioner."""
    n, d, m = problem.n, problem.d, problem.k or 0
    one = 2.0 * n * m * d + 4.0 * n * m
    return [Phase("passes", MOST_PASSES / 2 * one), Phase("preconditioner", 4.0 * m**3)]


def ridge_mixed(problem: Problem) -> list[Contestant]:
    """The same with features in single precision and their sums in double."""
    return ridge(problem, "mixed")


CASES: list[Case] = [
    *(
        Case(
            name=name,
            work=f"ridge regression of the geoid, n = 1,000,000, d = 3, 1,000 landmarks{words}",
            data=data.geoid,
            full={"n": 1_000_000, "m": 38_240, "landmarks": 1_000},
            quick={"n": 2_000, "m": 500, "landmarks": 200},
            contestants=contestants,
            check=check_ridge,
            target=Target(ratio=4.0, memory=MemoryTarget(lambda p: GIB)),
            cost=cost,
            max_repeat=1,
            why="choosing the landmarks and the m × m problem are not counted",
        )
        for name, words, contestants in [
            ("landmarks-ridge", "", ridge),
            ("landmarks-ridge-mixed", ", mixed precision", ridge_mixed),
        ]
    ),
    Case(
        name="landmarks-kpca",
        work="kernel PCA, 20 components, n = 1,000,000, d = 28, 1,000 landmarks",
        data=data.many_rows,
        full={"n": 1_000_000, "d": 28, "m": 5_000, "landmarks": 1_000},
        quick={"n": 2_000, "d": 28, "m": 500, "landmarks": 300},
        contestants=components,
        check=check_components,
        target=Target(ratio=4.0, memory=MemoryTarget(lambda p: GIB)),
        cost=cost,
        max_repeat=1,
        why="choosing the landmarks and the m × m problem are not counted",
    ),
    *(
        Case(
            name=f"landmarks-ridge-{m // 1000}k",
            work=f"ridge regression of the geoid, n = 1,000,000, d = 3, {m:,} landmarks",
            data=data.geoid,
            full={"n": 1_000_000, "m": 38_240, "landmarks": m},
            quick={"n": 2_000, "m": 500, "landmarks": 200},
            contestants=alone,
            check=check_alone,
            target=Target(memory=MemoryTarget(lambda p: 2 * GIB)),
            cost=cost,
            max_repeat=1,
            why="choosing the landmarks and the m × m problem are not counted",
        )
        for m in (2_000, 4_000)
    ),
    Case(
        name="landmarks-ridge-cg",
        work="ridge regression of the geoid, n = 100,000, d = 3, 6,000 landmarks, in passes",
        data=data.geoid,
        full={"n": 100_000, "m": 38_240, "landmarks": 6_000},
        quick={"n": 2_000, "m": 500, "landmarks": 200},
        contestants=iterative,
        check=check_alone,
        target=Target(memory=MemoryTarget(lambda p: 3 * GIB)),
        cost=cost_passes,
        max_repeat=1,
        why="exponential functions, choosing the landmarks and their factor are not counted",
    ),
]
