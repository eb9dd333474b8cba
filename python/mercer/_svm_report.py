"""What a fit of a support vector machine tells: early stops, other notes, and its lines."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

# The note that the warning below says in the words of the estimator's parameters.
_STOPPED = "the solver stopped before the optimum"
_NO_MARGIN = "the solver found no margin"


def problems_of(report: dict) -> list[dict]:
    """Return what is known of each pair of classes, or of the one problem there is."""
    return (report.get("machine") or {"problems": []})["problems"]


def tell_stops(estimator, stacklevel: int = 4) -> None:
    """Warn of a solver that stopped early, and of what else a user should know.

    `stacklevel` is how far up the user's own line is, as for ``warnings.warn`` here.
    """
    report = estimator.report_
    for note in report["notes"]:
        if note.startswith(_NO_MARGIN) or "no more progress" in note or "finite C" in note:
            warnings.warn(note, ConvergenceWarning, stacklevel=stacklevel)
        elif not note.startswith(_STOPPED):
            warnings.warn(note, UserWarning, stacklevel=stacklevel)
    problems = problems_of(report)
    worst = max((p["violation"] for p in problems if p["stop"] != "Converged"), default=None)
    stops = {problem["stop"] for problem in problems}
    for stop, name in (("Iterations", "max_iter"), ("Time", "max_time")):
        if stop in stops:
            limit = getattr(estimator, name)
            # The first two sentences are scikit-learn's, to the letter.
            warnings.warn(
                f"Solver terminated early ({name}={limit}).  Consider pre-processing your data "
                "with StandardScaler or MinMaxScaler. The optimality conditions are violated by "
                f"{worst:.1e}, and tol is {estimator.tol:g}: raise {name}, or set warm_start=True "
                "and fit again to go on from here.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )


def show(report: dict) -> None:
    """Print a line for each problem, as `verbose` asks."""
    for problem in problems_of(report):
        gap = "" if problem["gap"] is None else f"duality gap {problem['gap']:.2e}, "
        print(
            f"{problem['iterations']} steps, objective {problem['objective']:.6f}, "
            f"{gap}violation {problem['violation']:.2e}, "
            f"{problem['support']} support vectors, {problem['bounded']} of them at their bound"
        )
