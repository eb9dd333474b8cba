"""Predictions of a few rows by models of 2,000 samples: what a service asks for."""

from __future__ import annotations

from bench import checks, contestants, costs, data, ridge, ridge_cases, svm, svm_cases, svm_data
from bench.problem import Case, Target

ANCHORS = 2_000
ROWS = (1, 10, 100)
# Support vectors of the machine, about.
SUPPORT = 1_900
WHY = "a call from Python, the checks of its rows and the result outweigh the arithmetic"


def _ridge(m: int) -> Case:
    return Case(
        name=f"krr-predict-{m}",
        work=f"kernel ridge, predict {m} rows, {ANCHORS:,} anchors, d = 8",
        data=data.california_regression,
        full={"n": ANCHORS, "m": m},
        quick={"n": 200, "m": m},
        contestants=ridge.predict,
        check=ridge.check_predict,
        target=Target(ratio=3.0),
        cost=ridge_cases.cost_predict,
        why=WHY,
    )


def _transform(m: int) -> Case:
    return Case(
        name=f"transform-{m}",
        work=f"kernel PCA, transform of {m} rows, {ANCHORS:,} anchors, d = 8",
        data=data.california_split,
        full={"n": ANCHORS, "m": m},
        quick={"n": 200, "m": m},
        contestants=contestants.transform,
        check=checks.columns,
        target=Target(ratio=3.0),
        cost=costs.transform,
        why=WHY,
    )


def _svc(m: int) -> Case:
    options = {"file": "letter.npz", "gamma": 5.0, "cost": 10.0, "divide": 15.0, "m": m}
    return Case(
        name=f"svm-predict-{m}",
        work=f"SVC predict, letter, {m} rows, fitted on {ANCHORS:,} rows of 26 classes",
        data=svm_data.published,
        full={**options, "n": ANCHORS},
        quick={**options, "n": 300},
        contestants=svm.predicts(slow=False),
        check=svm.check_predict,
        target=Target(ratio=2.0),
        cost=svm_cases.rows(SUPPORT),
        why=WHY,
    )


CASES: list[Case] = [make(m) for make in (_ridge, _transform, _svc) for m in ROWS]
