"""Predictions of a few rows by models of 2,000 samples: what a service asks for."""

from __future__ import annotations

from typing import Any

from bench import checks, contestants, costs, data, ridge, ridge_cases, svm, svm_cases, svm_data
from bench.problem import Case, Target

ANCHORS = 2_000
ROWS = (1, 10, 100)
# Support vectors of the machine, about.
SUPPORT = 1_900
WHY = "a call from Python, the checks of its rows and the result outweigh the arithmetic"


LETTER = {"file": "letter.npz", "gamma": 5.0, "cost": 10.0, "divide": 15.0}

# name, what to say of it, data and its parameters, contestants, check, cost, ratio to reach
MODELS: list[tuple[Any, ...]] = [
    ("krr-predict", f"kernel ridge, {ANCHORS:,} anchors, d = 8", data.california_regression, {},
     ridge.predict, ridge.check_predict, ridge_cases.cost_predict, 3.0),
    ("transform", f"kernel PCA, {ANCHORS:,} anchors, d = 8", data.california_split, {},
     contestants.transform, checks.columns, costs.transform, 3.0),
    ("svm-predict", f"SVC, letter, 26 classes, {ANCHORS:,} rows", svm_data.published, LETTER,
     svm.predicts(slow=False), svm.check_predict, svm_cases.rows(SUPPORT), 2.0),
]  # fmt: skip

CASES: list[Case] = [
    Case(
        name=f"{name}-{m}",
        work=f"{words}: predict {m} rows",
        data=source,
        full={**options, "n": ANCHORS, "m": m},
        quick={**options, "n": 300, "m": m},
        contestants=rivals,
        check=check,
        target=Target(ratio=ratio),
        cost=cost,
        why=WHY,
    )
    for name, words, source, options, rivals, check, cost, ratio in MODELS
    for m in ROWS
]
