"""Toy cases with known behaviour; ``test_harness`` and the fresh memory processes share them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import checks
from bench.problem import MB, Case, Contestant, MemoryTarget, Phase, Problem, Target

TAKEN = 80 * MB


def _hold(problem: Problem, _: Any) -> np.ndarray:
    """Touch ``TAKEN`` bytes besides a result of the size of X, then let them go."""
    scratch = np.ones(TAKEN // 8)
    return problem.X + 0.0 * scratch[0]


def toy(name: str, *contestants: Contestant, target: Target | None = None) -> Case:
    """A case on a small matrix whose output is that matrix."""
    return Case(
        name=name,
        work=f"toy {name}",
        data=lambda: Problem(np.arange(12.0).reshape(4, 3), "made here"),
        contestants=lambda problem: list(contestants),
        check=checks.gram,
        target=target or Target(ratio=1.0),
        cost=lambda problem: [Phase("toy", flops=1.0)],
    )


CASES: list[Case] = [
    toy(
        "memory",
        Contestant("ours", _hold, ours=True),
        Contestant("light", lambda p, _: p.X.copy()),
        target=Target(memory=MemoryTarget(lambda p: TAKEN / 2, "beyond output")),
    ),
]
