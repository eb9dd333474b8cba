"""Cost models: lower bounds on the flops and bytes of the work.

They count matrix arithmetic and traffic to memory, not the kernel's exp nor Python's overhead, so
the share of the limit is a strict figure: 100 % would mean that all else is hidden entirely.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.problem import Phase, Problem

# A block Krylov solver that stops at a residual of 1e-8 needs about this many products with the
# Gram matrix for ten components, in blocks of about this width, on the sets used here.
PASSES = 8
BLOCK = 16


def _bytes(precision: str) -> int:
    return 4 if precision == "f32" else 8


def gram(problem: Problem) -> list[Phase]:
    """Full square from one triangle's arithmetic."""
    n, d = problem.n, problem.d
    return [Phase("gram", flops=n * n * d, writes=8.0 * n * n)]


def kernel_pca(precision: str = "f64") -> Callable[[Problem], list[Phase]]:
    """Lower triangle once, then the passes; each pass reads the triangle and uses it twice."""

    def cost(problem: Problem) -> list[Phase]:
        n, d, width = problem.n, problem.d, _bytes(precision)
        triangle = width * n * n / 2.0
        passes = Phase(
            "passes", PASSES * 2.0 * n * n * BLOCK, reads=PASSES * triangle, precision=precision
        )
        return [Phase("gram", n * n * d, writes=triangle, precision=precision), passes]

    return cost


def kernel_pca_tiled(problem: Problem) -> list[Phase]:
    """The triangle is computed again in every pass and never leaves the cache."""
    n, d = problem.n, problem.d
    return [Phase("passes", PASSES * (1.0 * n * n * d + 2.0 * n * n * BLOCK))]


def kernel_pca_all(problem: Problem) -> list[Phase]:
    """Lower triangle, reduction to tridiagonal form, its eigenvectors, back-transformation."""
    n, d = problem.n, problem.d
    return [
        Phase("gram", n * n * d, writes=4.0 * n * n),
        Phase("eigen", (4 / 3 + 4 / 3 + 2) * n**3),
    ]


def fit_transform(problem: Problem) -> list[Phase]:
    """A small fit, whose one large step is the tridiagonal form, then the projection of rows."""
    n, d = problem.n, problem.d
    return [Phase("gram", n * n * d), Phase("eigen", 4 / 3 * n**3), *transform(problem)]


def transform(problem: Problem) -> list[Phase]:
    """Kernel rows and their product with the coefficients, fused: little traffic."""
    assert problem.Y is not None and problem.k is not None
    n, d, m, k = problem.n, problem.d, len(problem.Y), problem.k
    return [Phase("transform", 2.0 * m * n * (d + k), reads=8.0 * m * d, writes=8.0 * m * k)]


def pca_dual(problem: Problem) -> list[Phase]:
    """Wide data: n × n inner products, their eigenvectors, the k components."""
    n, d, k = problem.n, problem.d, problem.k or problem.n
    read = 8.0 * n * d
    return [
        Phase("inner products", 1.0 * n * n * d, reads=read),
        Phase("eigen", (4 / 3 + 4 / 3 + 2) * n**3),
        Phase("components", 2.0 * n * d * k, reads=read, writes=8.0 * k * d),
    ]


def pca_primal(problem: Problem) -> list[Phase]:
    """Tall data: one triangle of the d × d covariance, then its eigenvectors."""
    n, d = problem.n, problem.d
    return [
        Phase("covariance", 1.0 * n * d * d, reads=8.0 * n * d),
        Phase("eigen", (4 / 3 + 4 / 3 + 2) * d**3),
    ]
