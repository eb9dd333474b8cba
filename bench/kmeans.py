"""Kernel k-means: the data, the contestants and the checks of its rows.

tslearn's KernelKMeans takes 2 − 2 · (mean similarity to the cluster) for the squared distance to a
centre. That leaves out the centre's own norm: samples do not go to the nearest centre, and the
clusters are others. As it comes, it does not agree and is left out. The rival that counts is the
same code with the norm added, which takes no second pass over the matrix.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from bench import data
from bench.checks import BLOCK_ENTRIES
from bench.problem import Contestant, Problem, Verdict

CLUSTERS, FEATURES, ROUNDS, SEED = 10, 20, 20, 0
MEDIAN_ROWS = 1000  # the first rows, whose median distance gives the width
DIFFERING = 1e-3  # share of rows whose cluster may differ: those that lie between two
OBJECTIVE = 1e-6
INERTIA = 1e-9
ROUNDS_APART = 1.0  # tslearn sees that nothing moves one round later
TOL = 1e-300  # of tslearn: the inertia must stay the same
UNSETTLED = 0.05  # share of rows that one more round may move


def _digits(n: int) -> tuple[np.ndarray, str]:
    """Rows of MNIST in their first principal components, n × 20; or a mixture."""
    X = data.stored("mnist.npz", "X_train")
    if X is None:
        return data.mixture(n, FEATURES, clusters=CLUSTERS), "stand-in for MNIST: Gaussian mixture"
    X = X[np.random.RandomState(0).permutation(len(X))[:n]]
    mean = X.mean(axis=0)
    blocks = [(X[i : i + 4096] - mean) / 255.0 for i in range(0, n, 4096)]
    _, axes = np.linalg.eigh(sum(block.T @ block for block in blocks))
    leading = axes[:, -FEATURES:]
    return np.concatenate([block @ leading for block in blocks]), f"MNIST, {FEATURES} components"


def _start(n: int) -> np.ndarray:
    """The labels that tslearn draws first."""
    return np.random.RandomState(SEED).randint(CLUSTERS, size=n)


def samples(n: int, budget: int | None = None) -> Problem:
    """Rows, a width of their median distance, and where every row begins."""
    X, source = _digits(n)
    some = euclidean_distances(X[:MEDIAN_ROWS], squared=True)
    gamma = 1.0 / float(np.median(some[np.triu_indices_from(some, 1)]))
    return Problem(
        X, source, gamma=gamma, k=CLUSTERS, start=_start(n), rounds=ROUNDS, budget=budget
    )


def given(n: int) -> Problem:
    """The same, with the kernel matrix."""
    one = samples(n)
    gram = rbf_kernel(one.X, gamma=one.gamma)
    return Problem(
        one.X, one.source, gamma=one.gamma, k=one.k, start=one.start, rounds=ROUNDS, gram=gram
    )


def _ours(problem: Problem, _: Any) -> Any:
    import mercer

    kernel = {"kernel": "rbf", "gamma": problem.gamma}
    if problem.gram is not None:
        kernel = {"kernel": "precomputed"}
    rounds = {"init": problem.start, "max_iter": problem.rounds, "tol": 0.0}
    extras = {} if problem.budget is None else {"memory_budget": problem.budget}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the rounds do not suffice is meant
        model = mercer.KernelKMeans(problem.k, **kernel, **rounds, **extras)
        return model.fit(problem.X if problem.gram is None else problem.gram)


def _tslearn() -> type:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a package for files that it misses
        from tslearn.clustering import KernelKMeans
    return KernelKMeans


def _with_norms(base: type) -> type:
    """The rival with distances to the centres of its clusters."""

    class WithNorms(base):
        def _compute_dist(self, K: np.ndarray, dist: np.ndarray) -> None:
            super()._compute_dist(K, dist)
            for j in range(self.n_clusters):
                similar = 1.0 - dist[self.labels_ == j, j] / 2.0
                dist[:, j] += similar.mean() - 1.0

    return WithNorms


def _rival(choose: Callable[[type], type]) -> Callable[[Problem, Any], Any]:
    """A fit that draws the start itself, and ends early only if nothing changes."""

    def run(problem: Problem, _: Any) -> Any:
        kernel = {"kernel": "rbf", "kernel_params": {"gamma": problem.gamma}}
        if problem.gram is not None:
            kernel = {"kernel": "precomputed"}
        model = choose(_tslearn())(
            problem.k, **kernel, max_iter=problem.rounds, tol=TOL, random_state=SEED
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that rows are taken for series, as they should be
            return model.fit(problem.X if problem.gram is None else problem.gram)

    return run


def contestants(problem: Problem) -> list[Contestant]:
    """mercer, and tslearn where it is installed: with the norms of centres, and as it comes."""
    ours = Contestant("mercer", _ours, ours=True)
    if importlib.util.find_spec("tslearn") is None:
        return [ours]
    return [
        ours,
        Contestant("tslearn, norms of centres added", _rival(_with_norms)),
        Contestant("tslearn as it comes", _rival(lambda base: base)),
    ]


def alone(problem: Problem) -> list[Contestant]:
    """mercer only, within a budget; where the matrix is small, tslearn checks it."""
    return contestants(problem)[: 2 if problem.n <= 3000 else 1]


def _state(problem: Problem, labels: np.ndarray) -> tuple[float, np.ndarray]:
    """The objective of labels and the cluster that is nearest to each row, block by block."""
    member = np.eye(problem.k)[labels]
    sizes = np.maximum(member.sum(axis=0), 1.0)
    step = max(1, BLOCK_ENTRIES // problem.n)
    sums = [
        rbf_kernel(problem.X[i : i + step], problem.X, gamma=problem.gamma) @ member
        for i in range(0, problem.n, step)
    ]
    means = np.concatenate(sums) / sizes
    inner = (member * means).sum(axis=0)  # n_c ‖centre‖²
    return float(problem.n - inner.sum()), (inner / sizes - 2.0 * means).argmin(axis=1)


def check(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Labels, rounds and objectives against the reference's; the objectives are computed here."""
    expected = outputs[reference or next(iter(outputs))]
    best, _ = _state(problem, expected.labels_)
    limits = {"labels": DIFFERING, "objective": OBJECTIVE, "rounds": ROUNDS_APART}
    verdicts = {}
    for name, model in outputs.items():
        objective, _ = _state(problem, model.labels_)
        measured = {
            "labels": float(np.mean(model.labels_ != expected.labels_)),
            "objective": abs(objective / best - 1.0),
            "rounds": float(abs(model.n_iter_ - expected.n_iter_)),
        }
        verdicts[name] = Verdict(measured, limits)
    return verdicts


def check_alone(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """The same where there is a rival; for all, that few rows would move, and for ours its word."""
    verdicts = check(problem, outputs, reference)
    for name, model in outputs.items():
        objective, nearest = _state(problem, model.labels_)
        measured = {"unsettled": float(np.mean(nearest != model.labels_))}
        limits = {"unsettled": UNSETTLED}
        if name == "mercer":
            measured["inertia"], limits["inertia"] = abs(model.inertia_ / objective - 1), INERTIA
        before = verdicts[name]
        verdicts[name] = Verdict({**before.measured, **measured}, {**before.limits, **limits})
    return verdicts
