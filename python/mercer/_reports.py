"""What a fit reports: warnings, and the lines that `verbose` prints."""

from __future__ import annotations

import os
import sys
import warnings

import sklearn
from sklearn.exceptions import ConvergenceWarning

_PACKAGES = tuple(os.path.join(os.path.dirname(path), "") for path in (__file__, sklearn.__file__))
# Components of zero variance are noted in the report; as in scikit-learn, without a warning.
_NO_WARNING = "zero_variance"
_NOT_CONVERGED = ("not_converged", "stalled", "no_margin", "stopped_early")
# Notes that the warning of an early stop repeats in terms of the estimator's parameters.
_STOPPED = "stopped_early"


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the caller's program, outside of this package and scikit-learn."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGES):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


# What was said before the work began, and need not be said again after it.
_said: set[str] = set()


def warn_ahead(message: str) -> None:
    """Warn before work that takes long, while there is still a choice."""
    _said.add(message)
    warn(message)


def warn_of_notes(report: dict, category: type[Warning] | None = None) -> None:
    """Warn of what the report says a user should know."""
    for note, code in notes_of(report):
        if note in _said:
            _said.discard(note)
        elif code != _NO_WARNING:
            warn(note, category or (ConvergenceWarning if code in _NOT_CONVERGED else UserWarning))


def notes_of(report: dict) -> list[tuple[str, str]]:
    """Return the notes of a report, each with its code."""
    notes = report["notes"]
    return list(zip(notes, report.get("note_codes", ["other"] * len(notes)), strict=True))


def problems_of(report: dict) -> list[dict]:
    """Return the facts on each pair of classes of an SVM, or on its only problem."""
    return (report.get("machine") or {"problems": []})["problems"]


def warn_of_stops(estimator) -> None:
    """Warn of an SVM solver that stopped early, and of the other notes of its report."""
    report = estimator.report_
    for note, code in notes_of(report):
        if code != _STOPPED:
            warn(note, ConvergenceWarning if code in _NOT_CONVERGED else UserWarning)
    problems = problems_of(report)
    worst = max((p["violation"] for p in problems if p["stop"] != "Converged"), default=None)
    stops = {problem["stop"] for problem in problems}
    for stop, name in (("Iterations", "max_iter"), ("Time", "max_time")):
        if stop in stops:
            limit = getattr(estimator, name)
            # The first two sentences are scikit-learn's, to the letter.
            warn(
                f"Solver terminated early ({name}={limit}).  Consider pre-processing your data "
                "with StandardScaler or MinMaxScaler. The optimality conditions are violated by "
                f"{worst:.1e}, and tol is {estimator.tol:g}: raise {name}, or set warm_start=True "
                "and fit again to continue from here.",
                ConvergenceWarning,
            )


def print_problems(report: dict) -> None:
    """Print a line for each problem of an SVM, as `verbose` asks."""
    for problem in problems_of(report):
        gap = "" if problem["gap"] is None else f"duality gap {problem['gap']:.2e}, "
        print(
            f"{problem['iterations']} steps, objective {problem['objective']:.6f}, "
            f"{gap}violation {problem['violation']:.2e}, "
            f"{problem['support']} support vectors, {problem['bounded']} of them at the bound"
        )
