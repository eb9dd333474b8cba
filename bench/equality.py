"""The same machines as LIBSVM: ``bench/equality.py [--only PATTERN] [--write]``.

Fits every case with mercer and with scikit-learn, whose support vector machines are LIBSVM's, to a
tolerance of 1e-6, and compares dual objectives, constants and decisions; then to the usual
tolerance of 1e-3, and compares predictions. ``--write`` puts the table into
docs/libsvm-equality.md. A case that misses a target is told with which of the two is nearer to
the optimum, which an active-set method finds in float64.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn import svm as libsvm
from sklearn.exceptions import ConvergenceWarning

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import equality_measure as measure  # noqa: E402
from bench import page  # noqa: E402
from bench.equality_cases import CASES, Case, Data  # noqa: E402
from bench.equality_truth import knows, refined  # noqa: E402

TIGHT, USUAL = 1e-6, 1e-3
OBJECTIVE, DECISION = 1e-6, 1e-4
STEPS = 10_000_000
PAGE = page.DOCS / "libsvm-equality.md"
HEAD = (
    "| machine | case | objective | gap: mercer | gap: LIBSVM | rho | decisions | "
    "support vectors | predictions | far |\n|---|---|---|---|---|---|---|---|---|---|\n"
)
MISSED = (
    "| machine | case | missed | objective: mercer | objective: LIBSVM | decisions: mercer | "
    "decisions: LIBSVM |\n|---|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True)
class Result:
    """What two fits of a case differ by; ours first in pairs."""

    case: Case
    objective: float  # relative; negative where mercer's is lower, which is better
    gaps: tuple[float, float]  # relative to the objective, of the worst problem
    rho: float
    decision: float
    size: float  # the largest decision
    support: tuple[int, int]
    differing: int | None  # None for regressions
    far: int | None
    converged: tuple[bool, bool]
    errors: list[tuple[float, float]] | None = None  # of objective and decisions, if looked into

    def missed(self) -> list[str]:
        """The targets that are not met."""
        limits = {
            "objective": abs(self.objective) <= OBJECTIVE,
            "rho": self.rho <= DECISION * max(1.0, self.size),
            "decisions": self.decision <= DECISION * max(1.0, self.size),
            "predictions": not self.far,
        }
        return [name for name, met in limits.items() if not met]

    def row(self) -> str:
        """A line of the table."""
        shown = ("–", "–") if self.differing is None else (self.differing, self.far)
        cells = [
            self.case.machine,
            self.case.name + (" *" if self.missed() else ""),
            f"{self.objective:+.0e}" if self.objective else "0",
            *(
                f"{gap:.0e}" + ("" if ok else " (stopped)")
                for gap, ok in zip(self.gaps, self.converged, strict=True)
            ),
            f"{self.rho:.0e}",
            f"{self.decision:.0e}",
            f"{self.support[0]} / {self.support[1]}",
            *map(str, shown),
        ]
        return "| " + " | ".join(cells) + " |"

    def why(self) -> str:
        """A line on how far a case that misses a target is from the optimum."""
        numbers = ["–"] * 4
        if self.errors is not None:
            (a, b), (c, d) = self.errors
            numbers = [f"{value:.1e}" for value in (a, c, b, d)]
        cells = [self.case.machine, self.case.name, ", ".join(self.missed()), *numbers]
        return "| " + " | ".join(cells) + " |"


def fits(case: Case, data: Data, tol: float) -> list:
    """Both machines, ours first."""
    import mercer

    params = {"tol": tol, "max_iter": STEPS} | case.params
    if case.machine in ("SVC", "NuSVC"):
        params |= {"decision_function_shape": "ovo"}
    with warnings.catch_warnings():
        # A machine that stops at the limit of steps is marked; one for unscaled rows is meant.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return [
            getattr(home, case.machine)(**params).fit(data.X, data.y, sample_weight=data.weights)
            for home in (mercer, libsvm)
        ]


def compare(case: Case, data: Data) -> Result:
    """Fit a case to both tolerances, and measure."""
    ours, theirs = pair = fits(case, data, TIGHT)
    K = measure.kernel(case.params, theirs._gamma, data.X, data.X)
    solved = [
        [measure.solved(case, part, K) for part in measure.parts(case, data, model)]
        for model in pair
    ]
    objectives, gaps = np.moveaxis(np.array(solved), 2, 0)  # 2 × problems each
    sizes = np.abs(objectives[1])
    apart = (objectives[0] - objectives[1]) / sizes
    mine, other = (measure.decisions(case, model, data.T) for model in pair)
    differing, far = (None, None) if case.machine.endswith("SVR") else predictions(case, data)
    result = Result(
        case,
        float(apart[np.abs(apart).argmax()]),
        tuple((gaps / sizes).max(axis=1).tolist()),
        float(np.abs(ours.intercept_ - theirs.intercept_).max()),
        float(np.abs(mine - other).max()),
        float(np.abs(other).max()),
        (len(ours.support_), len(theirs.support_)),
        differing,
        far,
        tuple(model.fit_status_ == 0 for model in pair),
    )
    if not result.missed() or not knows(case) or len(solved[0]) > 1:
        return result
    return replace(result, errors=[errors(case, data, model, K) for model in pair])


def errors(case: Case, data: Data, model, K: np.ndarray) -> tuple[float, float]:
    """How far a machine is from the optimum: its objective, relative, and its decisions."""
    part = measure.parts(case, data, model)[0]
    best, _ = refined(case, part, K)
    (found, _), (least, gap) = (measure.solved(case, one, K) for one in (part, best))
    if gap > 1e-8 * abs(least):
        raise AssertionError(f"{case.name}: the optimum was not found, the gap is {gap:.1e}")
    off = K[np.ix_(part.rows, part.rows)] @ (part.beta - best.beta) + part.b - best.b
    return (found - least) / abs(least), float(np.abs(off).max())


def predictions(case: Case, data: Data) -> tuple[int, int]:
    """Rows that fits to the usual tolerance predict differently, and those far from a boundary.

    The boundaries that count are those of the pairs of classes that the two decide differently.
    """
    pair = fits(case, data, USUAL)
    ours, theirs = (model.predict(data.T) for model in pair)
    mine, other = (measure.decisions(case, model, data.T) for model in pair)
    rows = np.flatnonzero(ours != theirs)
    turned = (mine[rows] > 0) != (other[rows] > 0)
    distance = np.where(turned, np.maximum(np.abs(mine[rows]), np.abs(other[rows])), 0)
    return len(rows), int((distance.max(axis=1, initial=0) > USUAL).sum())


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Support vector machines beside LIBSVM's.")
    parser.add_argument("--only", default="*", help="cases whose name matches")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args(argv)
    begun, lines, missed = time.perf_counter(), [], []
    print(HEAD, end="")
    for case in CASES:
        if not fnmatch.fnmatch(case.name, arguments.only):
            continue
        data = case.data()
        if data is None:
            lines.append(f"| {case.machine} | {case.name} | skipped: its data is not there |")
        else:
            result = compare(case, data)
            lines.append(result.row())
            missed += [result.why()] if result.missed() else []
        print(lines[-1], flush=True)
    print("\n".join(["", MISSED + "\n".join(missed), "", f"{time.perf_counter() - begun:.0f} s"]))
    if arguments.write:
        tables = [HEAD + "\n".join(lines), MISSED + "\n".join(missed)]
        page.fill(PAGE, [one + "\n" for one in tables])
    return 0


if __name__ == "__main__":
    sys.exit(main())
