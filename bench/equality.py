"""The same machines as LIBSVM: ``bench/equality.py [--only PATTERN] [--write]``.

Fits every case with mercer and with scikit-learn, whose support vector machines are LIBSVM's, to a
tolerance of 1e-6, and compares dual objectives, constants and decisions; then to the usual
tolerance of 1e-3, and compares predictions. ``--write`` puts the table into
docs/libsvm-equality.md. A case that misses a target is told with which of the two is nearer to
the optimum.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn import svm as libsvm
from sklearn.exceptions import ConvergenceWarning

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import equality_measure as measure  # noqa: E402
from bench.equality_cases import CASES, Case, Data  # noqa: E402

TIGHT, USUAL = 1e-6, 1e-3
OBJECTIVE, DECISION = 1e-6, 1e-4
STEPS = 10_000_000
PAGE = ROOT / "docs" / "libsvm-equality.md"
MARKS = ("<!-- table -->\n", "<!-- end of table -->\n")
HEAD = (
    "| machine | case | objective | gap: mercer | gap: LIBSVM | rho | decisions | "
    "support vectors | predictions | far |\n|---|---|---|---|---|---|---|---|---|---|\n"
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
    return Result(
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


def predictions(case: Case, data: Data) -> tuple[int, int]:
    """Rows that fits to the usual tolerance predict differently, and those far from a boundary.

    The boundaries that count are those of the pairs of classes that the two decide differently.
    """
    pair = fits(case, data, USUAL)
    ours, theirs = (model.predict(data.T) for model in pair)
    mine, other = (measure.decisions(case, model, data.T) for model in pair)
    rows = np.flatnonzero(ours != theirs)
    turned = (mine[rows] > 0) != (other[rows] > 0)
    distance = np.where(turned, np.minimum(np.abs(mine[rows]), np.abs(other[rows])), 0)
    return len(rows), int((distance.max(axis=1, initial=0) > USUAL).sum())


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Support vector machines beside LIBSVM's.")
    parser.add_argument("--only", default="*", help="cases whose name matches")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args(argv)
    begun, lines = time.perf_counter(), []
    print(HEAD, end="")
    for case in CASES:
        if not fnmatch.fnmatch(case.name, arguments.only):
            continue
        start, data = time.perf_counter(), case.data()
        if data is None:
            lines.append(f"| {case.machine} | {case.name} | skipped: its data is not there |")
        else:
            lines.append(compare(case, data).row())
        print(lines[-1], f"{time.perf_counter() - start:.1f} s", flush=True)
    print(f"{time.perf_counter() - begun:.0f} seconds")
    if arguments.write:
        write(HEAD + "\n".join(lines) + "\n")
    return 0


def write(table: str) -> None:
    """Replace the table of the page."""
    before, rest = PAGE.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    PAGE.write_text(before + MARKS[0] + "\n" + table + "\n" + MARKS[1] + after)


if __name__ == "__main__":
    sys.exit(main())
