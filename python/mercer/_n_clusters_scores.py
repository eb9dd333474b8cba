"""Three criteria for the number of clusters of kernel k-means, from kernel matrices.

Each takes the kernel matrix K of n samples and the numbers of clusters k, and returns a score and
its standard error for each of them. ``cluster(K, k, seed)`` returns a fitted kernel k-means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from sklearn.metrics import adjusted_rand_score

from mercer._kernel_kmeans import KernelKMeans

Cluster: TypeAlias = Callable[[np.ndarray, int, int], KernelKMeans]
Scores: TypeAlias = tuple[np.ndarray, np.ndarray]

# The fraction of the samples in each of the two subsamples whose clusters are compared.
FRACTION = 0.8


def distances(K: np.ndarray) -> np.ndarray:
    """Return ‖φ(x_i) − φ(x_j)‖ of all pairs from their kernel values."""
    diagonal = np.diagonal(K)
    squares = diagonal[:, None] + diagonal - 2 * K
    return np.sqrt(np.maximum(squares, 0, out=squares), out=squares)


def silhouette(D: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean of (b − a) / max(a, b) over samples with pairwise distances D.

    a is the mean distance to the other samples of the same cluster, b the smallest mean distance to
    the samples of another one. A sample that is alone in its cluster counts as 0.
    """
    _, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes)
    if len(counts) == 1:
        return 0.0
    rows = np.arange(len(codes))
    sums = D @ np.eye(len(counts))[codes]
    own = sums[rows, codes] / np.maximum(counts[codes] - 1, 1)
    means = sums / counts
    means[rows, codes] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(own, nearest)
    values = np.divide(nearest - own, larger, out=np.zeros_like(own), where=larger > 0)
    return float(np.where(counts[codes] > 1, values, 0.0).mean())


def silhouettes(K: np.ndarray, ks: Sequence[int], cluster: Cluster, seed: int) -> Scores:
    """Return the silhouette of each number of clusters, without standard errors."""
    D = distances(K)
    found = [silhouette(D, cluster(K, k, seed).labels_) for k in ks]
    return np.array(found), np.full(len(ks), np.nan)


def gaps(
    K: np.ndarray, references: Iterator[np.ndarray], ks: Sequence[int], cluster: Cluster, seed: int
) -> Scores:
    """Return the gap statistic: how far log inertia is below its mean on references.

    `references` are kernel matrices of samples without clusters. The standard error is that of
    Tibshirani, Walther and Hastie (2001), sd·√(1 + 1/B) for B references.
    """
    theirs = np.array([_log_inertias(other, ks, cluster, seed) for other in references])
    error = theirs.std(axis=0) * np.sqrt(1 + 1 / len(theirs))
    return theirs.mean(axis=0) - _log_inertias(K, ks, cluster, seed), error


def _log_inertias(K: np.ndarray, ks: Sequence[int], cluster: Cluster, seed: int) -> np.ndarray:
    inertias = np.array([cluster(K, k, seed).inertia_ for k in ks])
    # Clusters of equal samples have an inertia of 0.
    return np.log(np.maximum(inertias, np.finfo(np.float64).tiny))


def stabilities(
    K: np.ndarray, pairs: list[tuple], ks: Sequence[int], cluster: Cluster, seed: int
) -> Scores:
    """Return the mean adjusted Rand index of clusters of two subsamples on what both have.

    `pairs` are the rows of both, sorted.
    """
    found = np.array([[_agreement(K, pair, k, cluster, seed) for pair in pairs] for k in ks])
    return found.mean(axis=1), found.std(axis=1) / np.sqrt(len(pairs))


def _agreement(K: np.ndarray, pair: tuple, k: int, cluster: Cluster, seed: int) -> float:
    labels = [cluster(K[np.ix_(rows, rows)], k, seed).labels_ for rows in pair]
    _, *places = np.intersect1d(*pair, assume_unique=True, return_indices=True)
    first, second = (found[place] for found, place in zip(labels, places, strict=True))
    return float(adjusted_rand_score(first, second))


def subsamples(n: int, draws: int, rng: np.random.Generator) -> list[tuple]:
    """Return pairs of subsamples of n rows."""
    size = max(2, round(FRACTION * n))
    return [
        tuple(np.sort(rng.choice(n, size, replace=False)) for _ in range(2)) for _ in range(draws)
    ]


def uniform_in_box(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return as many samples, uniform in the box of X along its principal axes."""
    mean = X.mean(axis=0)
    axes = np.linalg.svd(X - mean, full_matrices=False)[2]
    scores = (X - mean) @ axes.T
    drawn = rng.uniform(scores.min(axis=0), scores.max(axis=0), size=scores.shape)
    return drawn @ axes + mean
