"""The rows of histogram kernels, sparse rows and the Laplacian, and lower bounds on their costs."""

from __future__ import annotations

import numpy as np

from bench import checks, costs, histograms, svm
from bench.problem import Case, Phase, Problem, Target

DIVIDES = (
    "a division for every pair of bins, which has a third of the rate counted or less; "
    "exp and fresh pages are not counted"
)


def cost_chi2(problem: Problem) -> list[Phase]:
    """One triangle: difference, sum, square, quotient and total of every bin."""
    n, d = problem.n, problem.d
    return [Phase("gram", flops=2.5 * n * n * d, writes=8.0 * n * n)]


def cost_sparse(problem: Problem) -> list[Phase]:
    """Products of counts of the same word, of one triangle."""
    met = np.bincount(problem.X.indices, minlength=problem.d).astype(float)
    return [Phase("gram", flops=float((met**2).sum()), writes=8.0 * problem.n**2)]


def cost_fit(problem: Problem) -> list[Phase]:
    """Half of the matrix, once."""
    return [Phase("columns", flops=2.5 * problem.n**2 * problem.d)]


def cost_predict(problem: Problem) -> list[Phase]:
    """Kernel values of new rows with the support vectors, two thirds of the rows."""
    return [Phase("rows", flops=5.0 * len(problem.Y) * (2 * problem.n / 3) * problem.d)]


CASES: list[Case] = [
    Case(
        name="gram-chi2",
        work="exponential χ² Gram, scene15 hist59, n = 4,485, d = 59",
        data=histograms.scene,
        full={"n": 4_485},
        quick={"n": 200},
        contestants=histograms.grams("chi2"),
        check=checks.gram,
        target=Target(ratio=8.0),
        cost=cost_chi2,
        why=DIVIDES,
    ),
    Case(
        name="gram-laplacian",
        work="Laplacian Gram, n = 5,000, d = 50",
        data=histograms.normal,
        full={"n": 5_000, "d": 50},
        quick={"n": 200, "d": 50},
        contestants=histograms.grams("laplacian"),
        check=checks.gram,
        target=Target(ratio=4.0),
        cost=costs.gram,
        why="differences, absolute values and sums are three steps where a product is one",
    ),
    Case(
        name="svm-chi2",
        work="SVC fit, exponential χ², scene15 hist59, 4,485 × 59, 15 classes, C = 10",
        data=histograms.scene,
        full={"n": 4_485},
        quick={"n": 200},
        contestants=histograms.fits,
        check=svm.check_fit,
        target=Target(ratio=5.0),
        cost=cost_fit,
        why=DIVIDES + "; coefficients are moved one pair at a time",
    ),
    Case(
        name="svm-chi2-predict",
        work="SVC predict, exponential χ², scene15 hist59, 2,243 rows after a fit of 2,242",
        data=histograms.scene,
        full={"n": 2_242, "m": 2_243},
        quick={"n": 200, "m": 50},
        contestants=histograms.predicts,
        check=svm.check_predict,
        target=Target(),
        cost=cost_predict,
        why=DIVIDES,
    ),
    Case(
        name="gram-sparse-rbf",
        work="RBF Gram of sparse rows, Reuters R8 word counts, 5,485 × 10,710",
        data=histograms.reuters,
        full={"n": 5_485},
        quick={"n": 200},
        contestants=histograms.grams("rbf"),
        check=checks.gram,
        target=Target(ratio=3.0),
        cost=cost_sparse,
        why="counts of the same word are found by index, which no product stands for",
    ),
]
