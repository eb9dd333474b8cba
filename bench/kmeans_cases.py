"""The rows of kernel k-means, with what they cannot do without."""

from __future__ import annotations

from bench import kmeans
from bench.problem import GIB, Case, MemoryTarget, Phase, Problem, Target

# Columns of samples that change their cluster, over all rounds, as a multiple of n.
MOVED = 2.5


def cost_given(problem: Problem) -> list[Phase]:
    """One pass over the matrix, then a column for each sample that moves."""
    n = problem.n
    return [
        Phase("sums", 1.0 * n * n, reads=8.0 * n * n),
        Phase("moves", MOVED * 2.0 * n * n, reads=MOVED * 8.0 * n * n),
    ]


def cost_samples(problem: Problem) -> list[Phase]:
    """The triangle first."""
    n, d = problem.n, problem.d
    return [Phase("gram", n * n * d, writes=4.0 * n * n), *cost_given(problem)]


def cost_tiled(problem: Problem) -> list[Phase]:
    """The triangle once, and columns computed anew for each sample that moves."""
    n, d = problem.n, problem.d
    return [Phase("sums", 1.0 * n * n * d), Phase("moves", MOVED * 2.0 * n * n * d)]


CASES: list[Case] = [
    Case(
        name="kmeans",
        work="kernel k-means, 20 rounds, k = 10, n = 10,000, d = 20",
        data=kmeans.samples,
        full={"n": 10_000},
        quick={"n": 300},
        contestants=kmeans.contestants,
        check=kmeans.check,
        target=Target(ratio=15.0),
        cost=cost_samples,
        max_repeat=3,
        why="exp is not counted",
    ),
    Case(
        name="kmeans-given",
        work="kernel k-means, 20 rounds, k = 10, matrix 10,000 × 10,000 given",
        data=kmeans.given,
        full={"n": 10_000},
        quick={"n": 300},
        contestants=kmeans.contestants,
        check=kmeans.check,
        target=Target(ratio=15.0),
        cost=cost_given,
        max_repeat=3,
        why="the matrix is looked through for numbers that are not finite and for symmetry first",
    ),
    Case(
        name="kmeans-tiled-50k",
        work="kernel k-means, 20 rounds, k = 10, n = 50,000, d = 20, budget 2 GiB",
        data=kmeans.samples,
        full={"n": 50_000, "budget": 2 * GIB},
        quick={"n": 2_000, "budget": 12 * 2**20},  # less than the matrix, so tiled here too
        contestants=kmeans.alone,
        check=kmeans.check_alone,
        target=Target(memory=MemoryTarget(lambda p: 2.3 * GIB, "process")),
        cost=cost_tiled,
        max_repeat=1,
        why="exp and differences of 20 features outweigh the products",
    ),
]
