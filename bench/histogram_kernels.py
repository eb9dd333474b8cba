"""Kernels of histograms on published sets: ``bench/histogram_kernels.py [--only SET] [--write]``.

Support vector machines with each kernel, C chosen by cross-validation of the training samples.
``--write`` puts the tables into docs/histogram-kernels.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import evaluate, page  # noqa: E402
from bench.data import folder, stored  # noqa: E402
from bench.histograms import counts_of  # noqa: E402

PAGE = page.DOCS / "histogram-kernels.md"
COSTS = (1.0, 10.0, 100.0)
SPLITS = range(5)
A_CLASS = 100  # training images of a class of scene15
WIDTH_ROWS = 300  # of leaves100, whose mean distance gives the reference's width

Split = tuple[np.ndarray, np.ndarray]  # places of training and test samples

# Kernels by name; those of the second group are exp(-γ · distance), with γ = 1 / mean distance.
ADDITIVE = {
    "linear": "linear",
    "Hellinger": "hellinger",
    "intersection": "intersection",
    "additive χ²": "additive_chi2",
    "Jensen–Shannon": "jensen_shannon",
}
EXPONENTIAL = {"RBF": "rbf(gamma=1)", "exponential χ²": "chi2(gamma=1)"}
REFERENCE = "reference: exponential χ², scikit-learn"
AS_REFERENCE = "exponential χ², as the reference"


def of_mean_width(K: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """exp(-distance / mean distance of these rows), from the matrix of exp(-distance)."""
    return K ** (-1.0 / np.log(K[np.ix_(rows, rows)]).mean())


class Views:
    """Several histograms of the same samples, and the matrices of one kernel on each."""

    def __init__(self, views: dict[str, np.ndarray | scipy.sparse.csr_matrix], spec: str) -> None:
        self.plain = {name: evaluate.matrix(X, spec) for name, X in views.items()}
        self.exponential = spec in EXPONENTIAL.values()

    def at(self, train: np.ndarray, rows: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Matrices by column of the table; widths come from ``rows``, or the training samples."""
        rows = train if rows is None else rows
        ready = {
            name: evaluate.even(of_mean_width(K, rows) if self.exponential else K, train)
            for name, K in self.plain.items()
        }
        if len(ready) > 1:
            each = list(ready.values())
            ready["sum"] = sum(each) / len(each)
            ready["product"] = np.prod(each, axis=0)
        return ready


def scene_splits(y: np.ndarray) -> Iterator[Split]:
    """100 random images of each class to learn from, the others to test on."""
    for seed in SPLITS:
        rng = np.random.RandomState(seed)
        chosen = [rng.permutation(np.flatnonzero(y == c))[:A_CLASS] for c in np.unique(y)]
        train = np.concatenate(chosen)
        yield train, np.setdiff1d(np.arange(len(y)), train)


def leaf_splits(y: np.ndarray) -> Iterator[Split]:
    """Four folds."""
    yield from StratifiedKFold(4, shuffle=True, random_state=0).split(y, y)


def _row(name: str, scores: dict[str, list[float]]) -> list[str]:
    return [name, *(evaluate.percent(found) for found in scores.values())]


def rows_of(
    views: dict[str, np.ndarray], y: np.ndarray, splits: list[Split], name: str, spec: str
) -> list[str]:
    """A kernel's row: mean accuracy over the splits for each view, their sum and product."""
    matrices = Views(views, spec)
    scores: dict[str, list[float]] = {}
    for train, test in splits:
        for view, K in matrices.at(train).items():
            found = evaluate.evaluate(K, y, train, test, COSTS).accuracy
            scores.setdefault(view, []).append(found)
    return _row(name, scores)


def as_reference(
    views: dict[str, np.ndarray], y: np.ndarray, splits: list[Split], cost: float,
    rows: np.ndarray | None,
) -> list[str]:  # fmt: skip
    """exp(-D / mean D) with the C, the splits and the width of the reference."""
    matrices = Views(views, "chi2(gamma=1)")
    scores: dict[str, list[float]] = {}
    for train, test in splits:
        for view, K in matrices.at(train, rows).items():
            found = evaluate.fixed(K, y, train, test, cost).accuracy
            scores.setdefault(view, []).append(found)
    means = [f"{100 * np.mean(found):.1f}" for found in scores.values()]
    return [AS_REFERENCE, *means]


def _all_kernels(
    views: dict[str, np.ndarray], y: np.ndarray, splits: list[Split]
) -> list[list[str]]:
    rows = []
    for name, spec in {**ADDITIVE, **EXPONENTIAL}.items():
        begun = time.perf_counter()
        rows.append(rows_of(views, y, splits, name, spec))
        print(f"  {name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    return rows


def scene15() -> str:
    """Photographs of 15 kinds of scene, three histograms each."""
    names = ("hist20", "hist59", "hist40")
    views = {name: stored("scene15.npz", name).astype(float) for name in names}
    y = stored("scene15.npz", "y")
    splits = list(scene_splits(y))
    rows = _all_kernels(views, y, splits)
    rows.append(as_reference(views, y, splits[:1], 10.0, None))
    rows.append([REFERENCE, "61.1", "71.1", "51.7", "–", "74.3"])
    return page.table(["", *names, "sum", "product"], rows)


def leaves100() -> str:
    """Leaves of 100 species, histograms of margin and texture."""
    names = {"view0": "margin", "view2": "texture"}
    views = {word: stored("leaves100.npz", name).astype(float) for name, word in names.items()}
    y = stored("leaves100.npz", "y")
    splits = list(leaf_splits(y))
    rows = _all_kernels(views, y, splits)
    rows.append(as_reference(views, y, splits, 100.0, np.arange(WIDTH_ROWS)))
    rows.append([REFERENCE, "88.2", "88.8", "–", "–"])
    return page.table(["", *views, "sum", "product"], rows)


def reuters() -> str:
    """News by topic: counts of words as shares of a text, and as they are."""
    parts = [counts_of(part) for part in ("train", "test")]
    counts = scipy.sparse.vstack(parts).tocsr()
    y = np.concatenate([stored("reuters_r8_counts.npz", f"y_{p}") for p in ("train", "test")])
    split = (np.arange(parts[0].shape[0]), np.arange(parts[0].shape[0], len(y)))
    shares = scipy.sparse.diags(1.0 / counts.sum(axis=1).A1) @ counts
    rows = _all_kernels({"accuracy": shares.tocsr()}, y, [split])
    rows.append(["reference: linear SVM (Cardoso-Cachopo 2007)", "96.98"])
    rows.append(["reference: tf-idf, linear SVM", "97.44"])
    return page.table(["", "accuracy"], rows)


SETS: dict[str, tuple[str, Callable[[], str]]] = {
    "scene15": ("scene15.npz", scene15),
    "leaves100": ("leaves100.npz", leaves100),
    "reuters": ("reuters_r8_counts.npz", reuters),
}


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    return page.script("Kernels of histograms on published sets.", PAGE, SETS, folder(), argv)


if __name__ == "__main__":
    sys.exit(main())
