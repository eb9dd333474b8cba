"""Outliers of published sets: ``bench/outliers.py [--only SET] [--write]``.

The table has the area under the ROC curve: the chance that an outlier gets a higher score than
another sample. Sets are standardised; every method is fitted to the whole set, without its labels,
and scores the same samples. ``--write`` puts the table into docs/outlier-aucs.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import euclidean_distances

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.data import _standardise, folder  # noqa: E402

PAGE = page.DOCS / "outlier-aucs.md"
SEEDS = range(5)
WIDE = 0.1  # of the median rule's gamma: a kernel about three times as wide
MEDIAN_ROWS = 2000  # the first rows of a permutation, whose median distance gives the width
ALL_COMPONENTS_UP_TO = 4000  # rows; PyOD's default decomposes the whole matrix

Score = Callable[[np.ndarray], "float | np.ndarray"]  # samples n × d -> n scores, large = outlier

# One-class SVM, areas that others found: PyOD's table (10 trials, 60 % learned from, 40 % scored),
# and LIBSVM with nu = 0.5 and gamma = 1 / d on the whole standardised set.
PYOD_TABLE = {
    "cardio": 0.9348, "ionosphere": 0.8419, "letter": 0.6118, "pima": 0.6215, "vowels": 0.7802,
}  # fmt: skip
LIBSVM = {
    "cardio": 0.9352, "ionosphere": 0.8510, "letter": 0.5978, "pima": 0.6237, "vowels": 0.7784,
    "thyroid": 0.9586,
}  # fmt: skip


def median_gamma(X: np.ndarray) -> float:
    """1 / median squared distance, of 2,000 samples where there are more."""
    rows = np.random.RandomState(0).permutation(len(X))[:MEDIAN_ROWS]
    squares = euclidean_distances(X[rows], squared=True)
    return 1.0 / float(np.median(squares[np.triu_indices_from(squares, 1)]))


def detector(criterion: str, share: float | None = None) -> Score:
    """mercer's kernel PCA, with 20 components; gamma is 1 / d, or a share of the median rule's."""

    def scores(X: np.ndarray) -> np.ndarray:
        import mercer

        gamma = None if share is None else share * median_gamma(X)
        return -mercer.KernelPCADetector(criterion=criterion, gamma=gamma).fit(X).training_scores_

    return scores


def one_class(X: np.ndarray) -> np.ndarray:
    """mercer's one-class SVM."""
    import mercer

    model = mercer.OneClassSVM(nu=0.5, gamma=1.0 / X.shape[1]).fit(X)
    return -np.asarray(model.decision_function(X)).ravel()


def pyod(**options: object) -> Score:
    """PyOD's kernel PCA, which scores by reconstruction; None where it would take minutes."""

    def scores(X: np.ndarray) -> np.ndarray | None:
        if not options and len(X) > ALL_COMPONENTS_UP_TO:
            return None
        if importlib.util.find_spec("pyod") is None:
            return None
        from pyod.models.kpca import KPCA

        return KPCA(random_state=0, **options).fit(X).decision_scores_

    return scores


def forest(seed: int) -> Score:
    """scikit-learn's isolation forest."""
    return lambda X: -IsolationForest(random_state=seed).fit(X).score_samples(X)


def area(score: Score) -> Callable[[str, np.ndarray, np.ndarray], float | None]:
    """The area that a method reaches; None where it has no scores."""

    def measure(name: str, X: np.ndarray, y: np.ndarray) -> float | None:
        found = score(X)
        return None if found is None else float(roc_auc_score(y, found))

    return measure


def mean_of_forests(name: str, X: np.ndarray, y: np.ndarray) -> float:
    """The mean area over the seeds."""
    return float(np.mean([area(forest(seed))(name, X, y) for seed in SEEDS]))


METHODS = {
    "reconstruction, γ = 1 / d": area(detector("reconstruction")),
    "projections, γ = 1 / d": area(detector("projections")),
    "reconstruction, median width": area(detector("reconstruction", 1.0)),
    "projections, median width": area(detector("projections", 1.0)),
    "reconstruction, wide": area(detector("reconstruction", WIDE)),
    "projections, wide": area(detector("projections", WIDE)),
    "one-class SVM": area(one_class),
    "LIBSVM's one-class SVM": lambda name, X, y: LIBSVM.get(name),
    "PyOD's one-class SVM, 60/40": lambda name, X, y: PYOD_TABLE.get(name),
    "PyOD KPCA, 20 components": area(pyod(n_components=20, eigen_solver="arpack")),
    "PyOD KPCA, all components": area(pyod()),
    "isolation forest": mean_of_forests,
}


def column(name: str, X: np.ndarray, y: np.ndarray) -> list[str]:
    """A set's share of the table: its size and the area of each method, the largest in bold."""
    found = [measure(name, X, y) for measure in METHODS.values()]
    most = max(value for value in found if value is not None)
    cells = ["–" if value is None else f"{value:.4f}" for value in found]
    cells = [f"**{cell}**" if cell == f"{most:.4f}" else cell for cell in cells]
    return [name, f"{len(X):,} × {X.shape[1]}", f"{int(y.sum())}", *cells]


def stored(only: str | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The sets by name, standardised, or the one asked for."""
    with np.load(folder() / "outliers.npz") as archive:
        names = [name[:-2] for name in archive.files if name.endswith("_X")]
        return {
            name: (_standardise(archive[name + "_X"].astype(float)), archive[name + "_y"].ravel())
            for name in names
            if only in (None, name)
        }


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Outliers of published sets.")
    parser.add_argument("--only", metavar="SET", help="one set")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args(argv)
    if not (folder() / "outliers.npz").is_file():
        print("skipped: outliers.npz is not in the data folder")
        return 0
    begun, columns = time.perf_counter(), [["", "samples", "outliers", *METHODS]]
    for name, (X, y) in stored(arguments.only).items():
        columns.append(column(name, X, y))
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    head, *rows = zip(*columns, strict=True)
    table = page.table(head, rows)
    print(table)
    if arguments.write:
        page.fill(PAGE, [table])
    return 0


if __name__ == "__main__":
    sys.exit(main())
