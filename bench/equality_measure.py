"""What is measured of two fitted machines: each as the same numpy code sees it, in float64.

A machine of several classes is one problem for each pair. Of each problem: the dual objective,
which is minimised, from the coefficients alone, and the duality gap, which bounds how far that
objective is from the best there is. Bounds and sums of coefficients are checked, so of two
objectives the lower one is the better one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist

from bench.equality_cases import Case, Data

# What rounding may leave of the constraints, relative to the largest bound.
SLACK = 1e-9


@dataclass(frozen=True)
class Part:
    """One problem: rows that take part, coefficients and bounds of each, constant, and aims."""

    rows: np.ndarray
    beta: np.ndarray
    bounds: np.ndarray
    b: float
    aims: np.ndarray | None


def kernel(params: dict, gamma: float, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The kernel matrix of A (n × d) and B (m × d), by the formulas."""
    name, coef0 = params.get("kernel", "rbf"), params.get("coef0", 0.0)
    if name == "rbf":
        return np.exp(-gamma * cdist(A, B, "sqeuclidean"))
    products = A @ B.T
    if name == "linear":
        return products
    inner = gamma * products + coef0
    return np.tanh(inner) if name == "sigmoid" else inner ** params.get("degree", 3)


def support_rows(model, data: Data) -> np.ndarray:
    """The rows of X that are support vectors; scikit-learn counts rows of positive weight only."""
    if data.weights is None or type(model).__module__.startswith("mercer"):
        return model.support_
    return np.flatnonzero(data.weights > 0)[model.support_]


def parts(case: Case, data: Data, model) -> list[Part]:
    """The problems of a fitted machine."""
    n = len(data.X)
    weights = np.ones(n) if data.weights is None else data.weights
    cost = case.params.get("C", 1.0) if case.machine in ("SVC", "SVR", "NuSVR") else 1.0
    support = support_rows(model, data)
    if case.machine not in ("SVC", "NuSVC"):
        beta = np.zeros(n)
        beta[support] = model.dual_coef_[0]
        return [Part(np.arange(n), beta, cost * weights, float(model.intercept_[0]), data.y)]
    return [
        _pair(data, model, support, cost * weights, place, pair)
        for place, pair in enumerate(combinations(range(len(model.classes_)), 2))
    ]


def _pair(data: Data, model, support, bounds, place: int, pair: tuple[int, int]) -> Part:
    """The problem of two classes; of two in all, the second is the positive one."""
    i, j = pair
    classes = np.searchsorted(model.classes_, data.y)
    beta, own = np.zeros(len(data.X)), classes[support]
    beta[support[own == i]] = model.dual_coef_[j - 1, own == i]
    beta[support[own == j]] = model.dual_coef_[i, own == j]
    rows = np.flatnonzero((classes == i) | (classes == j))
    signs = np.where(classes == i, 1.0, -1.0) * (-1 if len(model.classes_) == 2 else 1)
    bounds = bounds * np.asarray(model.class_weight_)[classes]
    return Part(rows, beta[rows], bounds[rows], float(model.intercept_[place]), signs[rows])


def solved(case: Case, part: Part, K: np.ndarray) -> tuple[float, float]:
    """The dual objective of a problem and its duality gap."""
    live = np.flatnonzero(part.beta)
    f = K[np.ix_(part.rows, part.rows[live])] @ part.beta[live]
    half = 0.5 * float(part.beta @ f)
    dual, primal = _WAYS[case.machine](case.params, part, f, half)
    return dual, primal + dual


def _svc(params: dict, part: Part, f, half: float) -> tuple[float, float]:
    _feasible(part, part.bounds)
    slack = np.maximum(0, 1 - part.aims * (f + part.b))
    return half - np.abs(part.beta).sum(), half + float(part.bounds @ slack)


def _nu_svc(params: dict, part: Part, f, half: float) -> tuple[float, float]:
    """Coefficients are stored divided by the margin r, as those of a machine of cost 1 / r."""
    r = params.get("nu", 0.5) * part.bounds.sum() / np.abs(part.beta).sum()
    _feasible(part, part.bounds / r)
    slack = np.maximum(0, 1 - part.aims * (f + part.b))
    dual, primal = half - np.abs(part.beta).sum(), half + float(part.bounds @ slack) / r
    return half * r * r, (primal + dual) * r * r - half * r * r


def _svr(params: dict, part: Part, f, half: float) -> tuple[float, float]:
    _feasible(part, part.bounds)
    width = params.get("epsilon", 0.1)
    slack = np.maximum(0, np.abs(part.aims - f - part.b) - width)
    dual = half + width * np.abs(part.beta).sum() - float(part.aims @ part.beta)
    return dual, half + float(part.bounds @ slack)


def _nu_svr(params: dict, part: Part, f, half: float) -> tuple[float, float]:
    """The tube's width is the best there is for this function, as neither library tells it."""
    _feasible(part, part.bounds)
    errors = np.abs(part.aims - f - part.b)
    nu, cost = params.get("nu", 0.5), part.bounds[0]
    width = np.sort(errors)[::-1][min(int(nu * len(errors)), len(errors) - 1)]
    cost = cost * (nu * len(errors) * width + np.maximum(0, errors - width).sum())
    return half - float(part.aims @ part.beta), half + cost


def _one_class(params: dict, part: Part, f, half: float) -> tuple[float, float]:
    total = params.get("nu", 0.5) * part.bounds.sum()
    _feasible(part, part.bounds, total)
    slack = np.maximum(0, -part.b - f)
    return half, half + total * part.b + float(part.bounds @ slack)


def _feasible(part: Part, bounds: np.ndarray, total: float = 0.0) -> None:
    """Refuse coefficients beyond their bounds, or with another sum than they must have."""
    beyond = np.max(np.abs(part.beta) - bounds)
    missed = abs(part.beta.sum() - total)
    if max(beyond, missed / np.sqrt(len(bounds))) > SLACK * max(bounds.max(), 1.0):
        raise AssertionError(f"constraints are missed by {beyond:.1e} and {missed:.1e}")


_WAYS = {
    "SVC": _svc,
    "NuSVC": _nu_svc,
    "SVR": _svr,
    "NuSVR": _nu_svr,
    "OneClassSVM": _one_class,
}


def decisions(case: Case, model, T: np.ndarray) -> np.ndarray:
    """The decisions of the rows of T, for each pair of classes; of regressions the values."""
    if case.machine in ("SVR", "NuSVR"):
        return model.predict(T)[:, None]
    found = np.asarray(model.decision_function(T))
    return found[:, None] if found.ndim == 1 else found
