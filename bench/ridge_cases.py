"""The rows of kernel ridge regression, with lower bounds on their costs."""

from __future__ import annotations

from bench import data, ridge
from bench.problem import GIB, MB, Case, MemoryTarget, Phase, Problem, Target

# Products that conjugate gradients take, in f32 on the standard normal rows, in f64 on protein.
PASSES = 27
PASSES_TILED = 19


def cost_products(problem: Problem) -> list[Phase]:
    """The triangle in f64, then passes over a copy in f32 with one vector each."""
    n, d = problem.n, problem.d
    return [
        Phase("gram", n * n * d, writes=4.0 * n * n + 2.0 * n * n),
        Phase("passes", PASSES * 2.0 * n * n, reads=PASSES * 2.0 * n * n, precision="f32"),
    ]


def cost_factor(problem: Problem) -> list[Phase]:
    """The triangle, its factor in f32, two solutions and two residuals."""
    assert problem.y is not None
    n, d, t = problem.n, problem.d, problem.y.reshape(problem.n, -1).shape[1]
    return [
        Phase("gram", n * n * d, writes=4.0 * n * n),
        Phase("factor", n**3 / 3, precision="f32"),
        Phase("solutions", 2 * 2.0 * n * n * t, precision="f32"),
        Phase("residuals", 2 * 2.0 * n * n * t),
    ]


def cost_search(problem: Problem) -> list[Phase]:
    """A decomposition per width, then all penalties."""
    n = problem.n
    one = (4 / 3 + 4 / 3 + 2) * n**3 + 2 * 2.0 * n * n * len(ridge.ALPHAS)
    return [Phase("grid", len(ridge.WIDTHS) * one)]


def cost_predict(problem: Problem) -> list[Phase]:
    """Kernel rows times coefficients, fused."""
    assert problem.Y is not None
    n, d, m = problem.n, problem.d, len(problem.Y)
    return [Phase("predict", 2.0 * m * n * (d + 1), reads=8.0 * m * d, writes=8.0 * m)]


def cost_tiled(problem: Problem) -> list[Phase]:
    """The triangle, computed again in every pass; the number of passes is what it takes."""
    n, d = problem.n, problem.d
    return [Phase("passes", PASSES_TILED * (1.0 * n * n * d + 2.0 * n * n))]


def cost_hard(problem: Problem) -> list[Phase]:
    """The triangle, then half as many passes as uniform columns would take."""
    n, d = problem.n, problem.d
    passes = ridge.HALF_OF_UNIFORM
    return [
        Phase("gram", n * n * d, writes=4.0 * n * n),
        Phase("passes", passes * 2.0 * n * n, reads=passes * 2.0 * n * n, precision="f32"),
    ]


CASES: list[Case] = [
    Case(
        name="krr-fit",
        work="kernel ridge fit, n = 10,000, d = 50, RBF, defaults",
        data=data.regression,
        full={"n": 10_000, "d": 50},
        quick={"n": 300, "d": 50},
        contestants=ridge.fit,
        check=ridge.check_fit(),
        target=Target(ratio=3.0),
        cost=cost_products,
        why=(
            "passes with one vector leave fifteen lanes of sixteen empty; the preconditioner "
            "and fresh pages are not counted"
        ),
    ),
    Case(
        name="krr-fit-small-alpha",
        work="kernel ridge fit, n = 10,000, d = 50, RBF, alpha = 0.001",
        data=data.regression,
        full={"n": 10_000, "d": 50, "alpha": 0.001},
        quick={"n": 300, "d": 50, "alpha": 0.001},
        contestants=ridge.fit,
        check=ridge.check_fit(),
        target=Target(),
        cost=cost_factor,
        why=(
            "conjugate gradients are tried and given up first; panels of the factor are "
            "smaller products than the one that the limit is measured by"
        ),
    ),
    Case(
        name="krr-search",
        work="kernel ridge, 40 alphas × 10 widths, n = 2,000, kin8nm (d = 8)",
        data=data.kin8nm,
        full={"n": 2_000},
        quick={"n": 60},
        contestants=ridge.search,
        check=ridge.check_search,
        target=Target(ratio=12.0),
        cost=cost_search,
        max_repeat=1,
        why=("the decomposition runs at 40 to 60 GFLOP/s, as for all components of kernel PCA"),
    ),
    Case(
        name="krr-predict",
        work="kernel ridge, predict 100,000 rows, 10,000 anchors, d = 8",
        data=data.california_regression,
        full={"n": 10_000, "m": 100_000},
        quick={"n": 200, "m": 1_000},
        contestants=ridge.predict,
        check=ridge.check_predict,
        target=Target(ratio=6.0, memory=MemoryTarget(lambda p: 200 * MB, "beyond output")),
        cost=cost_predict,
        why=("exp and differences of 8 features outweigh the products counted"),
    ),
    Case(
        name="krr-tiled-40k",
        work="kernel ridge fit, n = 40,000, protein (d = 9), budget 2 GiB",
        data=data.protein,
        full={"n": 40_000, "budget": 2 * GIB},
        quick={"n": 1_500, "budget": 7 * 2**20},  # less than the matrix, so tiled here too
        contestants=ridge.fit_tiled,
        check=ridge.check_fit(ridge.RESIDUAL_TILED),
        target=Target(memory=MemoryTarget(lambda p: 2.3 * GIB, "process")),
        cost=cost_tiled,
        max_repeat=1,
        why=(
            "exp and differences of 9 features, computed again in every pass, outweigh the products"
        ),
    ),
    Case(
        name="krr-hard-passes",
        work="kernel ridge by conjugate gradients, small penalty, n = 4,000, California (d = 8)",
        data=data.california_hard,
        full={"n": 4_000},
        quick={"n": 300},
        contestants=ridge.fit_passes,
        check=ridge.check_passes,
        target=Target(),
        cost=cost_hard,
        why="pivots are chosen and products with the preconditioner made beside the passes",
    ),
    Case(
        name="krr-100-targets",
        work="kernel ridge fit, 100 targets, n = 5,000, d = 50",
        data=data.regression,
        full={"n": 5_000, "d": 50, "targets": 100},
        quick={"n": 300, "d": 50, "targets": 5},
        contestants=ridge.fit,
        check=ridge.check_fit(),
        target=Target(ratio=2.5),
        cost=cost_factor,
        why=(
            "panels of the factor, triangular solutions and products of tiles are smaller "
            "than the product that the limit is measured by"
        ),
    ),
]
