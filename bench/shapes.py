"""Clusters of known shapes: ``bench/shapes.py [--only SET] [--write]``.

The table has the adjusted Rand index, 1 for the clusters that the set was made with, of k-means and
spectral clustering of scikit-learn, and of kernel k-means. The width of the RBF kernel follows from
the distances between samples alone, by one rule for all sets: twice the median distance to the
second nearest neighbour. One column has the median of all distances instead. A second table shows
other multiples, and what a rule that picks the multiple by a gap between eigenvalues would make of
them. ``--write`` puts the tables into docs/clustering-shapes.md.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import linalg
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.data import folder  # noqa: E402
from bench.outliers import median_gamma  # noqa: E402

PAGE = page.DOCS / "clustering-shapes.md"
NEIGHBOUR = 2
FACTOR = 2.0
FACTORS = (1.0, 1.4, 2.0, 2.8, 4.0)
STARTS = 10

Method = Callable[[np.ndarray, int, float], np.ndarray]  # samples n × d, clusters, gamma -> labels


def gamma_of(X: np.ndarray, factor: float = FACTOR) -> float:
    """1 / width², the width a multiple of the median distance to the second neighbour."""
    distances, _ = NearestNeighbors(n_neighbors=NEIGHBOUR).fit(X).kneighbors()
    return float((factor * np.median(distances[:, -1])) ** -2)


def k_means(X: np.ndarray, k: int, gamma: float) -> np.ndarray:
    """scikit-learn's k-means."""
    return KMeans(k, n_init=STARTS, random_state=0).fit_predict(X)


def spectral(**options: object) -> Method:
    """scikit-learn's spectral clustering."""

    def labels(X: np.ndarray, k: int, gamma: float) -> np.ndarray:
        return SpectralClustering(k, gamma=gamma, random_state=0, **options).fit_predict(X)

    return labels


def kernel_k_means(**options: object) -> Method:
    """mercer's kernel k-means with the RBF kernel."""

    def labels(X: np.ndarray, k: int, gamma: float) -> np.ndarray:
        import mercer

        return mercer.KernelKMeans(k, gamma=gamma, random_state=0, **options).fit_predict(X)

    return labels


def wide_kernel_k_means(X: np.ndarray, k: int, gamma: float) -> np.ndarray:
    """The same with the width that is usual elsewhere: the median distance between samples."""
    return kernel_k_means(n_init=STARTS)(X, k, median_gamma(X))


def normalised_cut(X: np.ndarray, k: int, gamma: float) -> np.ndarray:
    """Kernel k-means whose inertia is the normalised cut, up to a constant.

    The kernel is D⁻¹AD⁻¹ and the weights are D, the sums of the rows of A. It needs no multiple of
    D⁻¹ to be positive definite, as A is an RBF kernel already.
    """
    import mercer

    A = mercer.pairwise_kernels(X, kernel=f"rbf(gamma={gamma!r})")
    degrees = A.sum(axis=1)
    model = mercer.KernelKMeans(k, kernel="precomputed", init="spectral", random_state=0)
    return model.fit_predict(A / np.outer(degrees, degrees), sample_weight=degrees)


METHODS: dict[str, Method] = {
    "k-means": k_means,
    "spectral, RBF": spectral(),
    "spectral, neighbours": spectral(affinity="nearest_neighbors"),
    "kernel k-means": kernel_k_means(n_init=STARTS),
    "kernel k-means, spectral start": kernel_k_means(init="spectral"),
    "kernel k-means, median width": wide_kernel_k_means,
    "weighted = normalised cut": normalised_cut,
}


def eigengap(X: np.ndarray, k: int, gamma: float) -> float:
    """The gap after eigenvalue k of D^-½AD^-½, as a share of what the next one lacks to 1."""
    A = rbf_kernel(X, gamma=gamma)
    roots = np.sqrt(A.sum(axis=1))
    ends = [len(X) - k - 1, len(X) - k]
    lower, upper = linalg.eigvalsh(A / np.outer(roots, roots), subset_by_index=ends)
    return (upper - lower) / max(1.0 - lower, 1e-9)


def score(method: Method, X: np.ndarray, y: np.ndarray, gamma: float) -> float:
    """The adjusted Rand index of a method."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of graphs that are not connected, which is the point
        return adjusted_rand_score(y, method(X, len(np.unique(y)), gamma))


def by_factor(X: np.ndarray, y: np.ndarray) -> list[float]:
    """Indices of the normalised cut for each multiple, and for the one of the largest gap."""
    gammas = [gamma_of(X, factor) for factor in FACTORS]
    found = [score(normalised_cut, X, y, gamma) for gamma in gammas]
    gaps = [eigengap(X, len(np.unique(y)), gamma) for gamma in gammas]
    return [*found, found[int(np.argmax(gaps))]]


def misplaced(X: np.ndarray, y: np.ndarray) -> float:
    """The share of samples most of whose ten nearest neighbours have another label."""
    _, near = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()
    return float(np.mean((y[near] == y[:, None]).mean(axis=1) < 0.5))


def stored(only: str | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The sets by name, or the one asked for."""
    with np.load(folder() / "shapes.npz") as archive:
        names = [name[:-2] for name in archive.files if name.endswith("_X")]
        chosen = [name for name in names if only in (None, name)]
        return {name: (archive[name + "_X"].astype(float), archive[name + "_y"]) for name in chosen}


def text(value: float) -> str:
    """An index with two digits; 1 means that all clusters are as they were made."""
    return "1" if value == 1.0 else f"{min(value, 0.99) + 0.0:.2f}".replace("-0.00", "0.00")


def lines(name: str, X: np.ndarray, y: np.ndarray) -> tuple[list, list]:
    """A row of each table, with numbers not yet as text."""
    about = [name, f"{len(X):,} × {X.shape[1]}", str(len(np.unique(y)))]
    gamma = gamma_of(X)
    first = [*about, f"{misplaced(X, y):.1%}"]
    first += [score(method, X, y, gamma) for method in METHODS.values()]
    return first, [name, *by_factor(X, y)]


def finished(head: list[str], rows: list[list]) -> str:
    """A table with a last row of means."""
    numbers = [[v for v in row if isinstance(v, float)] for row in rows]
    blanks = [""] * (len(rows[0]) - len(numbers[0]) - 1)
    cells = [[text(v) if isinstance(v, float) else v for v in row] for row in rows]
    cells.append(["mean", *blanks, *(f"{mean:.2f}" for mean in np.mean(numbers, axis=0))])
    return page.table(head, cells)


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Clusters of known shapes.")
    parser.add_argument("--only", metavar="SET", help="one set")
    parser.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.name}")
    arguments = parser.parse_args(argv)
    if not (folder() / "shapes.npz").is_file():
        print("skipped: shapes.npz is not in the data folder")
        return 0
    begun, rows = time.perf_counter(), []
    for name, (X, y) in stored(arguments.only).items():
        rows.append(lines(name, X, y))
        shown = " ".join(text(v) if isinstance(v, float) else v for v in rows[-1][0])
        print(f"{shown}, {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    first = finished(["set", "samples", "clusters", "misplaced", *METHODS], [a for a, _ in rows])
    heads = ["set", *(f"{factor:g} ×" for factor in FACTORS), "largest gap"]
    second = finished(heads, [b for _, b in rows])
    print(first, second, sep="\n")
    if arguments.write:
        page.fill(PAGE, [first, second])
    return 0


if __name__ == "__main__":
    sys.exit(main())
