"""A million rows by landmarks: low-rank fits beside scikit-learn's Nystroem."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
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


def path(problem: Problem) -> list[Contestant]:
    """All of 40 penalties with exact leave-one-out errors, beside one fit."""
    options = {"kernel": "rbf", "gamma": problem.gamma, "fit_intercept": True}
    options |= {"landmarks": problem.k}

    def searched(p: Problem, _: Any) -> Any:
        import mercer

        return mercer.KernelRidgeCV(np.geomspace(1e-8, 1e3, 40), **options).fit(p.X, p.y)

    def fitted(p: Problem, _: Any) -> Any:
        import mercer

        return mercer.KernelRidge(alpha=p.alpha, **options).fit(p.X, p.y)

    return [Contestant(OURS, searched, ours=True), Contestant("one fit", fitted)]


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


def path_cost(problem: Problem) -> list[Phase]:
    """The sums, and for each row again its kernel values, 2 m² for leverages, and the penalties."""
    n, d, m = problem.n, problem.d, problem.k or 0
    again = Phase("kernel values", 2.0 * n * m * d + 2.0 * n * m * 40, reads=8.0 * n * d)
    rotation = Phase("leverages", 2.0 * n * m * m + 2.0 * n * m * 40, precision="f32")
    return [*cost(problem), again, rotation]


CLUSTERS = 20
#: Rounds over all rows, which begin where k-means on a sample ended: the rival stops early too.
ROUNDS = 5


def clusters(problem: Problem) -> list[Contestant]:
    """Kernel k-means on as many landmarks."""

    def ours(p: Problem, _: Any) -> Any:
        import mercer

        options = {"kernel": "rbf", "gamma": p.gamma, "landmarks": p.k, "random_state": 0}
        options |= {"n_init": 3, "max_iter": ROUNDS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return mercer.KernelKMeans(CLUSTERS, **options).fit(p.X)

    def rival(p: Problem, _: Any) -> Any:
        features = Nystroem(gamma=p.gamma, n_components=p.k, random_state=0)
        means = MiniBatchKMeans(CLUSTERS, random_state=0, n_init=3)
        return make_pipeline(features, means).fit(p.X)

    return [
        Contestant(OURS, ours, ours=True),
        Contestant("scikit-learn Nystroem + MiniBatchKMeans", rival),
    ]


def objective(problem: Problem, labels: np.ndarray) -> float:
    """Squared distances of held-out rows to the means of their clusters, by exact kernel values."""
    K = rbf_kernel(problem.Y, gamma=problem.gamma)
    members = labels[:, None] == np.unique(labels)
    sums = np.einsum("ic,ij,jc->c", members, K, members, optimize=True)
    return float(len(K) - (sums / members.sum(axis=0)).sum())


def check_clusters(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Objectives of the clusters of held-out rows, relative to that of the rival."""
    found = {name: objective(problem, model.predict(problem.Y)) for name, model in outputs.items()}
    rivals = [value for name, value in found.items() if name != OURS]
    least = min(rivals, default=found[OURS])
    ratios = {name: value / least for name, value in found.items()}
    limits = {name: 1.0 if name == OURS else np.inf for name in found}
    return {
        name: Verdict({"objective": ratios[name]}, {"objective": limits[name]}) for name in found
    }


def cost_clusters(problem: Problem) -> list[Phase]:
    """Kernel values and their products with the centres in each round; the features once."""
    n, d, m = problem.n, problem.d, problem.k or 0
    rounds = ROUNDS * 2.0 * n * m * (d + CLUSTERS)
    return [Phase("features", 2.0 * n * m * d + 1.0 * n * m * m), Phase("rounds", rounds)]


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
        name="landmarks-ridge-path",
        work="40 penalties with exact leave-one-out, geoid, n = 1,000,000, 1,000 landmarks",
        data=data.geoid,
        full={"n": 1_000_000, "m": 38_240, "landmarks": 1_000},
        quick={"n": 2_000, "m": 500, "landmarks": 200},
        contestants=path,
        check=check_ridge,
        # At most 1.5 times the time of one fit.
        target=Target(ratio=1 / 1.5, memory=MemoryTarget(lambda p: GIB)),
        cost=path_cost,
        max_repeat=1,
        why="choosing the landmarks and the m × m problem are not counted",
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
    Case(
        name="landmarks-kmeans",
        work="kernel k-means, k = 20, n = 1,000,000, d = 20, 500 landmarks",
        data=data.many_rows,
        full={"n": 1_000_000, "d": 20, "m": 5_000, "landmarks": 500},
        quick={"n": 4_000, "d": 20, "m": 500, "landmarks": 100},
        contestants=clusters,
        check=check_clusters,
        target=Target(ratio=1.0, memory=MemoryTarget(lambda p: GIB)),
        cost=cost_clusters,
        max_repeat=1,
        why="exp, choosing the landmarks and the starts on a sample are not counted",
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
