"""The rows of random features."""

from __future__ import annotations

from bench import features
from bench.problem import Case, Target

CASES: list[Case] = [
    *(
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
    ),
    *(
        Case(
            name=f"nystroem{suffix}",
            work=f"Nystroem, fit and transform, 300 landmarks, n = 100,000, d = 50, {precision}",
            data=features.normal,
            full={"n": 100_000, "d": 50, "k": 300, "single": single},
            quick={"n": 600, "d": 10, "k": 60, "single": single},
            contestants=features.nystroem,
            check=features.check_error,
            target=Target(ratio=3.0),
            cost=features.nystroem_cost,
            why="the choice of landmarks, exponentials and fresh pages are not counted",
        )
        for suffix, precision, single in (("", "f64", False), ("-f32", "f32", True))
    ),
    Case(
        name="count-sketch",
        work="PolynomialCountSketch, fit and transform, 1,000 features, n = 10,000, d = 784",
        data=features.normal,
        full={"n": 10_000, "d": 784, "k": 1_000},
        quick={"n": 300, "d": 120, "k": 200},
        contestants=features.sketches,
        check=features.check_sketch,
        target=Target(ratio=1.0),
        cost=features.sketch_cost,
        why="the sketches themselves are not counted",
    ),
]
