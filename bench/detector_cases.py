"""The row of outlier scores by kernel PCA."""

from __future__ import annotations

from bench import costs, detector
from bench.problem import Case, Phase, Problem, Target


def cost(problem: Problem) -> list[Phase]:
    """A fit, then the projection of all rows."""
    return [*costs.kernel_pca()(problem), *costs.transform(problem)]


CASES: list[Case] = [
    Case(
        name="detector",
        work="outlier scores, fit and score, 20 components, n = 10,000, d = 6",
        data=detector.mammography,
        full={"n": 10_000},
        quick={"n": 300},
        contestants=detector.contestants,
        check=detector.check,
        target=Target(ratio=5.0),
        cost=cost,
        why="exp and differences of 6 features outweigh the products counted",
    ),
]
