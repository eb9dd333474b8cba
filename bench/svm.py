"""Support vector machines: the contestants and the checks of their rows.

scikit-learn-intelex is the fastest known rival on most sets. Where it is installed (``make bench``
installs it), it takes part; where it is not, scikit-learn stands alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from bench.problem import Contestant, Problem, Verdict

CACHE = 2000  # megabytes, for every contestant
TOL = 1e-3
# At this tolerance two solvers stop at different points near the optimum.
DECISION = 0.03
DIFFERING = 2e-3  # share of rows whose class may differ
SCORE = 5e-3
LOOKED_AT = 300  # rows whose decisions are compared
COSTS = 2.0 ** np.arange(-5, 11, 2)
GAMMAS = 2.0 ** np.arange(-11, 5, 2)


def _options(problem: Problem, kind: str) -> dict[str, Any]:
    options: dict[str, Any] = {"gamma": problem.gamma, "tol": TOL, "cache_size": CACHE}
    if kind == "OneClassSVM":
        return {**options, "nu": problem.nu}
    return {**options, "C": problem.cost}


def _maker(library: str, kind: str) -> Callable[[Problem], Any]:
    def make(problem: Problem) -> Any:
        module = importlib.import_module(library)
        return getattr(module, kind)(**_options(problem, kind))

    return make


def _fit(make: Callable[[Problem], Any]) -> Callable[[Problem, Any], Any]:
    def run(problem: Problem, _: Any) -> Any:
        model = make(problem)
        return model.fit(problem.X) if problem.y is None else model.fit(problem.X, problem.y)

    return run


def _libraries(kind: str, *, slow: bool) -> dict[str, str]:
    """Rivals by name, the reference of the check first. scikit-learn is left out where ``slow``."""
    plain = {"scikit-learn": "sklearn.svm"}
    if importlib.util.find_spec("sklearnex") is None or kind == "OneClassSVM":
        return plain
    intelex = {"scikit-learn-intelex": "sklearnex.svm"}
    return intelex if slow else {**plain, **intelex}


def fits(kind: str = "SVC", *, slow: bool = False) -> Any:
    """One fit. ``slow`` names sets on which scikit-learn takes ten times as long as intelex."""

    def contestants(problem: Problem) -> list[Contestant]:
        ours = Contestant("mercer", _fit(_maker("mercer", kind)), ours=True)
        rivals = _libraries(kind, slow=slow).items()
        return [ours, *(Contestant(name, _fit(_maker(lib, kind))) for name, lib in rivals)]

    return contestants


def predicts(*, slow: bool = False) -> Any:
    """Classes of new rows; each contestant's own fit is prepared outside the timing."""

    def classes(problem: Problem, model: Any) -> Any:
        return model.predict(problem.Y)

    def prepare(make: Callable[[Problem], Any]) -> Callable[[Problem], Any]:
        return lambda problem: _fit(make)(problem, None)

    def contestants(problem: Problem) -> list[Contestant]:
        ours = Contestant("mercer", classes, prepare(_maker("mercer", "SVC")), ours=True)
        rivals = _libraries("SVC", slow=slow).items()
        return [
            ours,
            *(Contestant(name, classes, prepare(_maker(lib, "SVC"))) for name, lib in rivals),
        ]

    return contestants


def _decisions(model: Any, rows: np.ndarray) -> np.ndarray:
    if not hasattr(model, "decision_function"):
        return np.asarray(model.predict(rows))
    if getattr(model, "decision_function_shape", None) == "ovr":
        # Pairs: what was fitted, before it is folded into one number per class.
        model.decision_function_shape = "ovo"
        try:
            return np.asarray(model.decision_function(rows))
        finally:
            model.decision_function_shape = "ovr"
    return np.asarray(model.decision_function(rows))


def check_fit(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Decisions on some training rows, as a share of their largest, and differing classes."""
    rows = problem.X[:: max(1, problem.n // LOOKED_AT)]
    expected = outputs[reference or next(iter(outputs))]
    wanted, classes = _decisions(expected, rows), expected.predict(rows)
    verdicts = {}
    for name, model in outputs.items():
        found = _decisions(model, rows)
        worst = float(np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max()))
        measured, limits = {"decisions": worst}, {"decisions": DECISION}
        if problem.y is not None and hasattr(model, "classes_"):
            measured["classes"] = float(np.mean(model.predict(rows) != classes))
            limits["classes"] = 1.0 / len(rows)
        verdicts[name] = Verdict(measured, limits)
    return verdicts


def check_predict(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Classes against the reference's."""
    expected = outputs[reference or next(iter(outputs))]
    return {
        name: Verdict(
            {"differing classes": float(np.mean(found != expected))},
            {"differing classes": DIFFERING},
        )
        for name, found in outputs.items()
    }


def search(problem: Problem) -> list[Contestant]:
    """The whole grid and the fit with the best of it."""

    def ours(problem: Problem, _: Any) -> Any:
        import mercer

        model = mercer.SVCSearch(COSTS, GAMMAS, cv=StratifiedKFold(5))
        return model.fit(problem.X, problem.y)

    def rival(problem: Problem, _: Any) -> GridSearchCV:
        grid = {"C": COSTS, "gamma": GAMMAS}
        return GridSearchCV(
            sklearn.svm.SVC(cache_size=CACHE), grid, cv=StratifiedKFold(5), n_jobs=2
        ).fit(problem.X, problem.y)

    return [
        Contestant("mercer", ours, ours=True),
        Contestant("scikit-learn GridSearchCV, n_jobs=2", rival),
    ]


def check_search(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """The mean score at every point of the grid."""

    def by_point(results: Mapping[str, Any]) -> dict[tuple[float, float], float]:
        points = zip(results["params"], results["mean_test_score"], strict=True)
        return {(float(p["C"]), float(p["gamma"])): float(score) for p, score in points}

    expected = by_point(outputs[reference or next(iter(outputs))].cv_results_)
    verdicts = {}
    for name, output in outputs.items():
        found = by_point(output.cv_results_)
        worst = max(abs(found[point] - score) for point, score in expected.items())
        verdicts[name] = Verdict({"scores": worst}, {"scores": SCORE})
    return verdicts
