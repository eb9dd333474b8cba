"""Tests by permutations beside hyppo: the data, the contestants, the checks and the rows.

hyppo's statistics are normalised: its Hsic is the root of the centred kernel alignment, and its MMD
the same for a kernel on labels, times a constant. The checks undo that.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from bench.problem import Case, Contestant, Phase, Problem, Target, Verdict

PERMUTATIONS = 999
STATISTIC = 1e-10


def two_samples(n: int) -> Problem:
    """Two sets of rows, one of them shifted a little."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n // 2, 5)), rng.normal(size=(n - n // 2, 5)) + 0.05
    return Problem(X, "normal rows", Y=Y, gamma=0.1)


def pairs(n: int) -> Problem:
    """Rows, and a number that depends on one of their columns, beside noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 5))
    return Problem(X, "normal rows", Y=0.1 * X[:, :1] ** 2 + rng.normal(size=(n, 1)), gamma=0.1)


def _absent() -> str:
    return "" if importlib.util.find_spec("hyppo") else "hyppo is not installed"


def _two_samples_ours(problem: Problem, _: Any) -> Any:
    import mercer

    settings = {"gamma": problem.gamma, "n_permutations": PERMUTATIONS}
    return mercer.mmd_test(problem.X, problem.Y, kernel="rbf", **settings)


def _pairs_ours(problem: Problem, _: Any) -> Any:
    import mercer

    kernel = f"rbf(gamma={problem.gamma})"
    settings = {"kernel_x": kernel, "kernel_y": kernel, "n_permutations": PERMUTATIONS}
    return mercer.hsic_test(problem.X, problem.Y, **settings)


def _hyppo(kind: str, workers: int) -> Any:
    """A function that runs hyppo's test, whose permutations some processes share."""

    def run(problem: Problem, _: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from hyppo.independence import Hsic
            from hyppo.ksample import MMD

            test = {"mmd": MMD, "hsic": Hsic}[kind](bias=True, gamma=problem.gamma)
            settings = {"reps": PERMUTATIONS, "workers": workers, "auto": False}
            return test.test(problem.X, problem.Y, **settings)

    return run


def contestants(kind: str) -> Any:
    """mercer and hyppo, on one and on all cores."""

    def of(_: Problem) -> list[Contestant]:
        ours = {"mmd": _two_samples_ours, "hsic": _pairs_ours}[kind]
        rivals = [
            Contestant(f"hyppo, {words}", _hyppo(kind, workers), absent=_absent())
            for words, workers in (("one core", 1), ("all cores", -1))
        ]
        return [Contestant("mercer", ours, ours=True), *rivals]

    return of


def _centred(K: np.ndarray) -> np.ndarray:
    return K - K.mean(0) - K.mean(1)[:, None] + K.mean()


def check_two_samples(
    problem: Problem, outputs: Mapping[str, Any], _: str | None
) -> dict[str, Verdict]:
    """MMD² by numpy, and hyppo's number from it."""
    m, n = len(problem.X), len(problem.Y)
    K = rbf_kernel(np.vstack([problem.X, problem.Y]), gamma=problem.gamma)
    w = np.r_[np.full(m, 1 / m), np.full(n, -1 / n)]
    mmd = w @ K @ w
    alignment = m * n / (m + n) * mmd / np.linalg.norm(_centred(K))
    theirs = np.sqrt(alignment) * 2 * m**2 * n**2 / (m + n) ** 4
    return _verdicts(outputs, lambda found: (found.statistic, mmd), theirs)


def check_pairs(problem: Problem, outputs: Mapping[str, Any], _: str | None) -> dict[str, Verdict]:
    """The centred kernel alignment by numpy, and its root."""
    K, L = (_centred(rbf_kernel(A, gamma=problem.gamma)) for A in (problem.X, problem.Y))
    alignment = (K * L).sum() / np.linalg.norm(K) / np.linalg.norm(L)
    return _verdicts(outputs, lambda found: (found.correlation, alignment), np.sqrt(alignment))


def _verdicts(outputs: Mapping[str, Any], ours: Any, theirs: float) -> dict[str, Verdict]:
    verdicts = {}
    for name, found in outputs.items():
        value, expected = ours(found) if name == "mercer" else (found[0], theirs)
        error = abs(float(value) / expected - 1)
        verdicts[name] = Verdict({"statistic": error}, {"statistic": STATISTIC})
    return verdicts


def _cost(kernels: int) -> Any:
    """Half of the matrix, and two operations for each of its entries and each permutation."""

    def of(problem: Problem) -> list[Phase]:
        n = problem.n if kernels == 2 else problem.n + len(problem.Y)
        products = PERMUTATIONS * n * n
        return [Phase("gram", kernels * n * n * problem.d), Phase("permutations", products)]

    return of


CASES: list[Case] = [
    Case(
        name="mmd-permutations",
        work=f"MMD, {PERMUTATIONS} permutations, n = 1,000, d = 5",
        data=two_samples,
        full={"n": 1_000},
        quick={"n": 60},
        contestants=contestants("mmd"),
        check=check_two_samples,
        target=Target(ratio=20.0),
        cost=_cost(1),
        max_repeat=2,
        why="of 1,000 rows there are few tiles, and bits become numbers in each",
    ),
    Case(
        name="hsic-permutations",
        work=f"HSIC, {PERMUTATIONS} permutations, n = 1,000, d = 5",
        data=pairs,
        full={"n": 1_000},
        quick={"n": 60},
        contestants=contestants("hsic"),
        check=check_pairs,
        target=Target(ratio=20.0),
        cost=_cost(2),
        max_repeat=2,
        why="entries of the permuted matrix are gathered one by one",
    ),
]
