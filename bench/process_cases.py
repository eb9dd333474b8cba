"""The rows of Gaussian processes: kernel and noise by the largest likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from bench import data
from bench.problem import Case, Contestant, Phase, Problem, Target, Verdict

#: By how much the log marginal likelihood may lie below the best of all contestants.
BELOW = 0.01
#: Evaluations that the search takes on the rows of the full size.
EVALUATIONS = 40


def fit(problem: Problem) -> list[Contestant]:
    """The same start, RBF with a width for each column and noise, to the optimum."""

    def ours(p: Problem, _: Any) -> Any:
        import mercer

        model = mercer.GaussianProcessRegressor("rbf(sigma=1)", ard=True, normalize_y=False)
        return model.fit(p.X, p.y)

    def rival(p: Problem, _: Any) -> GaussianProcessRegressor:
        start = 0.1 * float(np.mean(p.y**2))
        kernel = ConstantKernel(1.0) * RBF(np.ones(p.d)) + WhiteKernel(start)
        return GaussianProcessRegressor(kernel).fit(p.X, p.y)

    return [
        Contestant("mercer", ours, ours=True),
        Contestant("scikit-learn", rival),
    ]


def check(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """How far each likelihood lies below the best."""
    values = {name: model.log_marginal_likelihood_value_ for name, model in outputs.items()}
    best = max(values.values())
    return {
        name: Verdict({"below the best": best - value}, {"below the best": BELOW})
        for name, value in values.items()
    }


def cost(problem: Problem) -> list[Phase]:
    """A factor and its inverse in each evaluation, and the kernel twice."""
    n, d = problem.n, problem.d
    one = 1.0 * n**3 + 2.0 * n * n * d
    return [Phase("evaluations", EVALUATIONS * one)]


CASES: list[Case] = [
    Case(
        name="gp-fit",
        work="Gaussian process, RBF with 10 widths and noise, learned, n = 2,000, d = 10",
        data=data.regression,
        full={"n": 2_000, "d": 10},
        quick={"n": 120, "d": 3},
        contestants=fit,
        check=check,
        target=Target(ratio=5.0),
        cost=cost,
        max_repeat=1,
        why="exp and derivatives of ten widths are not counted; products of tiles are small",
    ),
]
