"""The rows of kernel k-means, with lower bounds on their costs."""

from __future__ import annotations

from bench import kmeans
from bench.problem import GIB, Case, MemoryTarget, Phase, Problem, Target

# Rounds in which so many samples move that all is summed again, and samples that move in the
# others, as a share of n; for a stored matrix, and for one that is computed tile by tile.
PASSES, MOVED = 3, 0.5
PASSES_TILED, MOVED_TILED = 2, 0.8


def _rounds(problem: Problem, entry: float) -> list[Phase]:
    """Passes over half of the matrix, of so many bytes, then whole columns of samples that move."""
    entries = problem.n * problem.n
    return [
        Phase("passes", PASSES * 2.0 * entries, reads=PASSES * entry * entries / 2),
        Phase("moves", MOVED * 2.0 * entries, reads=MOVED * entry * entries),
    ]


def cost_given(problem: Problem) -> list[Phase]:
    """The rounds."""
    return _rounds(problem, 8.0)


def cost_samples(problem: Problem) -> list[Phase]:
    """The triangle first."""
    n, d = problem.n, problem.d
    return [Phase("gram", n * n * d, writes=4.0 * n * n), *_rounds(problem, 8.0)]


def cost_tiled(problem: Problem) -> list[Phase]:
    """The triangle anew in every pass, and a column anew for each sample that moves."""
    n, d = problem.n, problem.d
    return [
        Phase("passes", PASSES_TILED * 1.0 * n * n * d),
        Phase("moves", MOVED_TILED * 2.0 * n * n * d),
    ]


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
        max_repeat=1,
        why="exp, differences of 20 features and fresh pages are not counted",
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
        max_repeat=1,
        why="the matrix is looked through for numbers that are not finite and for symmetry first",
    ),
    Case(
        name="kmeans-tiled-50k",
        work="kernel k-means, 20 rounds, k = 10, n = 50,000, d = 20, budget 2 GiB",
        data=kmeans.samples,
        full={"n": 50_000, "budget": 2 * GIB},
        quick={"n": 1_000, "budget": 4 * 2**20},  # less than the matrix, so tiled here too
        contestants=kmeans.alone,
        check=kmeans.check_alone,
        target=Target(memory=MemoryTarget(lambda p: 2.3 * GIB, "process")),
        cost=cost_tiled,
        max_repeat=1,
        why="exp and differences of 20 features outweigh the products",
    ),
]
