"""Weighted kernel k-means is spectral clustering by normalised cuts.

With affinities A, degrees d = A 1, D = diag(d), the kernel K = σ D⁻¹ + D⁻¹ A D⁻¹ and the weights d,
the objective of any k clusters is Σ_i d_i K_ii − k (1 + σ) + the normalised cut between them.
"""

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from mercer import KernelKMeans

SIGMA = 1.0


def problem(A, sigma=SIGMA):
    degrees = A.sum(axis=1)
    return sigma * np.diag(1 / degrees) + A / np.outer(degrees, degrees), degrees


def normalised_cut(A, labels):
    degrees = A.sum(axis=1)
    inside = labels[:, None] == np.unique(labels)
    return sum(A[np.ix_(mine, ~mine)].sum() / degrees[mine].sum() for mine in inside.T)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_the_objective_is_the_normalised_cut(k, sigma):
    rng = np.random.default_rng(k)
    A = rng.uniform(0.1, 1, size=(40, 40))
    A = A + A.T
    K, degrees = problem(A, sigma)
    constant = degrees @ np.diag(K) - k * (1 + sigma)
    start = np.arange(40) % k
    model = KernelKMeans(k, kernel="precomputed", init=start, tol=0)
    model.fit(K, sample_weight=degrees)
    objectives = model.report_["clusters"]["objectives"]
    assert objectives[0] == pytest.approx(constant + normalised_cut(A, start))
    assert model.inertia_ == pytest.approx(constant + normalised_cut(A, model.labels_))
    assert normalised_cut(A, model.labels_) <= normalised_cut(A, start) + 1e-12
    scored = model.score(K, sample_weight=degrees, diagonal=np.diag(K))
    assert -scored == pytest.approx(model.inertia_)


SHAPES = {
    "blobs": (make_blobs(150, centers=4, cluster_std=0.6, random_state=3)[0], 4, 0.5),
    "moons": (make_moons(200, noise=0.03, random_state=0)[0], 2, 60.0),
    "rings": (make_circles(200, noise=0.03, factor=0.3, random_state=0)[0], 2, 30.0),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_clusters_are_those_of_spectral_clustering(name):
    X, k, gamma = SHAPES[name]
    A = rbf_kernel(X, gamma=gamma)
    theirs = SpectralClustering(k, affinity="precomputed", random_state=0).fit_predict(A)
    K, degrees = problem(A)
    ours = KernelKMeans(k, kernel="precomputed", init="spectral").fit(K, sample_weight=degrees)
    assert adjusted_rand_score(ours.labels_, theirs) == 1
    assert normalised_cut(A, ours.labels_) == pytest.approx(normalised_cut(A, theirs))
