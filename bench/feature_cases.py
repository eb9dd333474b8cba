"""The rows of random features."""

from __future__ import annotations

from bench import features
from bench.problem import Case, Target

CASES: list[Case] = [
    Case(
        name=f"rbf-sampler{suffix}",
        work=f"RBFSampler, fit and transform, 300 features, n = 100,000, d = 50, {precision}",
        data=features.normal,
        full={"n": 100_000, "d": 50, "k": 300, "single": single},
        quick={"n": 500, "d": 10, "k": 60, "single": single},
        contestants=features.contestants,
        check=features.check,
        target=Target(ratio=3.0),
        cost=features.cost,
        why="sines and cosines, and the fresh pages of the result, are not counted",
    )
    for suffix, precision, single in (("", "f64", False), ("-f32", "f32", True))
]
