"""Kernel ridge regression on published splits: ``bench/splits.py [--only SET] [--splits N]``.

For every split: kernel width and penalty are chosen by exact leave-one-out on at most 2,000 rows
of the training part, the model is fitted exactly on all of it, and evaluated on the test part. The
table sets the mean root mean squared error beside figures of others; where a figure was made with
fixed parameters, those are run too.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.data import folder

SEARCH_ROWS = 2000


@dataclass(frozen=True)
class Published:
    """A set with its splits, what others report, and fixed parameters where one of them has any."""

    file: str
    references: str
    fixed: tuple[float, float] | None = None  # gamma, alpha


SETS = {
    "concrete": Published(
        "concrete.npz", "MC dropout 4.93 ± 0.14 / 4.82 ± 0.16, PBP 5.67; fixed 5.413", (0.1, 0.01)
    ),
    "energy": Published(
        "energy.npz", "MC dropout 1.08 ± 0.03 / 0.54 ± 0.06; fixed 0.498", (0.1, 1e-4)
    ),
    "kin8nm": Published("kin8nm.npz", "MC dropout 0.09 / 0.08, PBP 0.098, VI 0.099, BP 0.091"),
    "protein": Published("protein.npz", "MC dropout 4.27 ± 0.02, PBP 4.73"),
}


def standardised(train: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both parts in units of the training part's mean and standard deviation."""
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (train - mean) / spread, (other - mean) / spread


def error(X: np.ndarray, y: np.ndarray, test: np.ndarray, fixed: tuple[float, float] | None):
    """The root mean squared error on one split, and the parameters used."""
    import mercer

    train = np.setdiff1d(np.arange(len(X)), test)
    A, B = standardised(X[train], X[test])
    target, _ = standardised(y[train], y[test])
    if fixed is None:
        rows = np.random.RandomState(0).permutation(len(A))[:SEARCH_ROWS]
        search = mercer.KernelRidgeCV(fit_intercept=False).fit(A[rows], target[rows])
        fixed = (search.gamma_, search.alpha_)
    gamma, alpha = fixed
    model = mercer.KernelRidge(alpha, kernel="rbf", gamma=gamma, tol=1e-8).fit(A, target)
    predicted = y[train].mean() + y[train].std() * model.predict(B)
    return float(np.sqrt(np.mean((predicted - y[test]) ** 2))), fixed


def run(name: str, splits: int | None, *, fixed: bool) -> str:
    """One line of the table."""
    entry = SETS[name]
    with np.load(folder() / entry.file) as archive:
        X, y = archive["X"].astype(np.float64), archive["y"].astype(np.float64)
        tests = archive["test_idx"][:splits]
    start = time.perf_counter()
    found = [error(X, y, test, entry.fixed if fixed else None) for test in tests]
    errors = np.array([one for one, _ in found])
    gammas, alphas = np.array([parameters for _, parameters in found]).T
    spread = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else float("nan")
    how = "fixed" if fixed else "chosen"
    return (
        f"{name:9} {how:7} {len(errors):3} {errors.mean():9.4f} ± {spread:.4f}  "
        f"gamma {np.median(gammas):.3g}, alpha {np.median(alphas):.2g}  "
        f"{time.perf_counter() - start:6.0f} s  {entry.references}"
    )


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Kernel ridge regression on published splits.")
    parser.add_argument("--only", choices=SETS, help="one set")
    parser.add_argument("--splits", type=int, help="the first so many splits of each set")
    arguments = parser.parse_args(argv)
    print("set       how     splits  RMSE ± s.e., median parameters, seconds, others")
    for name in [arguments.only] if arguments.only else SETS:
        if not (folder() / SETS[name].file).is_file():
            print(f"{name}: skipped, {SETS[name].file} is not in the data folder")
            continue
        for fixed in (False, True) if SETS[name].fixed else (False,):
            print(run(name, arguments.splits, fixed=fixed), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
