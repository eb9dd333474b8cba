"""The optimum itself, for cases where two machines disagree: an active-set method in float64.

minimise ½βᵀKβ − pᵀβ  given  low ≤ β ≤ high, Σβ as it is at the start.  From a nearly optimal β the
coefficients between their bounds are free. Each step solves for them exactly and goes there, or as
far as the bounds allow; a coefficient that reaches its bound is fixed, and when none does, the one
that most wants to leave its bound is freed. Small and plain: cubic in the number of free
coefficients, and for convex problems only.
"""

from __future__ import annotations

import numpy as np

from bench.equality_cases import Case
from bench.equality_measure import Part

STEPS = 3000


def knows(case: Case) -> bool:
    """Whether the optimum of a case can be found here: one sum is fixed, and it is convex."""
    return case.machine in ("SVC", "SVR") and case.params.get("kernel") != "sigmoid"


def refined(case: Case, part: Part, K: np.ndarray, accuracy: float = 1e-9) -> tuple[Part, float]:
    """The problem with its optimal coefficients and constant, and the violation that is left."""
    rows, p, low, high = _box(case, part)
    Q = K[np.ix_(part.rows, part.rows)]
    beta = np.clip(part.beta[rows], low, high) if case.machine == "SVC" else _split(part)
    free = (beta > low) & (beta < high)
    for _ in range(STEPS):
        pull = p - (Q @ np.bincount(rows, beta, len(part.beta)))[rows]
        step, b = _towards(Q[np.ix_(rows[free], rows[free])], pull[free])
        share, blocked = _room(beta[free], step, low[free], high[free])
        places = np.flatnonzero(free)
        beta[places] = np.clip(beta[places] + share * step, low[free], high[free])
        if blocked is not None:
            free[places[blocked]] = False
            continue
        pull = p - (Q @ np.bincount(rows, beta, len(part.beta)))[rows] - b
        wants = np.where(beta <= low, pull, np.where(beta >= high, -pull, 0.0))
        wants[free] = 0.0
        worst = int(wants.argmax())
        if wants[worst] <= accuracy:
            break
        free[worst] = True
    found = np.bincount(rows, beta, len(part.beta))
    left = max(float(wants[worst]), float(np.abs(pull[free]).max(initial=0)))
    return Part(part.rows, found, part.bounds, b, part.aims), left


def _box(case: Case, part: Part) -> tuple:
    """Which row each variable belongs to, its linear term and its bounds."""
    n, zero = len(part.beta), np.zeros(len(part.beta))
    if case.machine == "SVC":
        up = part.aims > 0
        return np.arange(n), part.aims, np.where(up, 0, -part.bounds), np.where(up, part.bounds, 0)
    width = case.params.get("epsilon", 0.1)
    linear = np.concatenate([part.aims - width, part.aims + width])
    rows = np.concatenate([np.arange(n)] * 2)
    low, high = np.concatenate([zero, -part.bounds]), np.concatenate([part.bounds, zero])
    return rows, linear, low, high


def _split(part: Part) -> np.ndarray:
    return np.concatenate([np.maximum(part.beta, 0), np.minimum(part.beta, 0)])


def _towards(Q: np.ndarray, pull: np.ndarray) -> tuple[np.ndarray, float]:
    """The step of the free coefficients to where nothing pulls any more, and the constant there."""
    m = len(pull)
    system = np.ones((m + 1, m + 1))
    system[:m, :m], system[m, m] = Q, 0.0
    size = max(np.abs(Q).max(initial=0.0), 1.0)
    system[m, :m] = system[:m, m] = size
    solution = np.linalg.lstsq(system, np.append(pull, 0.0), rcond=1e-15)[0]
    return solution[:m], float(solution[m] * size)


def _room(beta, step, low, high) -> tuple[float, int | None]:
    """The share of a step that the bounds allow, and the coefficient that meets its bound."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(
            step > 0, (high - beta) / step, np.where(step < 0, (low - beta) / step, np.inf)
        )
    if not len(shares) or shares.min() >= 1:
        return 1.0, None
    return float(shares.min()), int(shares.argmin())
