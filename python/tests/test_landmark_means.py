"""Kernel k-means on landmarks, means as landmarks, and what landmarks leave of single samples."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import (
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    choose_n_clusters,
)

X, Y = make_blobs(600, centers=5, n_features=3, random_state=0)
NEW = make_blobs(50, centers=5, n_features=3, random_state=0)[0]
OPTIONS = {"kernel": "rbf", "gamma": 0.1}


def _exact(labels: np.ndarray) -> float:
    """The sum of squared distances to the means of clusters, by the definition."""
    K = rbf_kernel(X, gamma=0.1)
    found = 0.0
    for label in np.unique(labels):
        block = K[np.ix_(labels == label, labels == label)]
        found += np.trace(block) - block.sum() / len(block)
    return found


def test_all_samples_as_landmarks_are_exact():
    start = np.arange(600) % 5
    exact = KernelKMeans(5, init=start, **OPTIONS).fit(X)
    low = KernelKMeans(5, init=start, landmarks=X, **OPTIONS).fit(X)
    np.testing.assert_array_equal(low.labels_, exact.labels_)
    assert low.inertia_ == pytest.approx(exact.inertia_, rel=1e-6)
    np.testing.assert_allclose(low.transform(NEW), exact.transform(NEW), atol=1e-5)


@pytest.mark.parametrize("method", ["pivoted_cholesky", "uniform", "kmeans"])
def test_the_objective_lies_between_its_bounds(method):
    model = KernelKMeans(5, landmarks=40, landmark_method=method, **OPTIONS).fit(X)
    facts, landmarks = model.report_["clusters"], model.report_["landmarks"]
    assert (landmarks["landmarks"], landmarks["rows"], landmarks["method"]) == (40, 600, method)
    least = facts["low_rank_objective"]
    assert least <= _exact(model.labels_) * (1 + 1e-9)
    assert _exact(model.labels_) <= model.inertia_ * (1 + 1e-9)
    assert model.inertia_ - least == pytest.approx(landmarks["residual_trace"])
    assert model.inertia_ == pytest.approx(-model.score(X))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_score(model.labels_, Y) > 0.8
    assert model.landmarks_.shape == (40, 3)


def test_weights_threads_and_precision():
    weights = np.arange(600) % 3
    model = KernelKMeans(5, landmarks=X[:40], init=np.arange(600) % 5, **OPTIONS)
    model.fit(X, sample_weight=weights)
    rows = np.repeat(np.arange(600), weights)
    twice = KernelKMeans(**model.get_params()).set_params(init=rows % 5).fit(X[rows])
    assert twice.inertia_ == pytest.approx(model.inertia_)
    np.testing.assert_array_equal(twice.predict(X), model.predict(X))
    one = KernelKMeans(5, landmarks=40, n_jobs=1, precision="mixed", **OPTIONS).fit(X)
    two = KernelKMeans(5, landmarks=40, n_jobs=2, precision="mixed", **OPTIONS).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.inertia_ == two.inertia_


def test_strings_files_and_pickles(tmp_path):
    words = [word * (1 + i % 3) for i, word in enumerate(["ab", "cde", "fgh"] * 40)]
    model = KernelKMeans(3, kernel="spectrum", kernel_params={"p": 2}, landmarks="auto")
    model.fit(words)
    model.save(tmp_path / "means.mercer")
    again = mercer.load(tmp_path / "means.mercer")
    assert (again.landmarks, again.landmark_tol) == ("auto", 0.01)
    for other in (again, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(words), model.labels_)
        np.testing.assert_array_equal(other.labels_, model.labels_)
        assert other.report_ == model.report_
    with pytest.raises(ValueError, match="rows of numbers"):
        model.set_params(landmarks=5, landmark_method="kmeans").fit(words)


def test_means_are_landmarks_of_all_estimators():
    for model in (
        KernelPCA(2, landmarks=30, landmark_method="kmeans", **OPTIONS).fit(X),
        KernelRidge(landmarks=30, landmark_method="kmeans", **OPTIONS).fit(X, X[:, 0]),
        KernelPCADetector(2, landmarks=30, landmark_method="kmeans", **OPTIONS).fit(X),
    ):
        assert model.report_["landmarks"]["method"] == "kmeans"
        # Means are no rows of X.
        nearest = np.abs(model.landmarks_[:, None] - X).sum(axis=2).min(axis=1)
        assert (nearest > 0).mean() > 0.5
    with pytest.raises(ValueError, match="pivoted Cholesky"):
        KernelPCA(2, landmarks="auto", landmark_method="kmeans", **OPTIONS).fit(X)


def test_residuals_of_samples():
    K = rbf_kernel(X, gamma=0.1)
    for model in (
        KernelPCA(2, landmarks=30, **OPTIONS).fit(X),
        KernelKMeans(3, landmarks=30, **OPTIONS).fit(X),
        KernelRidge(landmarks=30, **OPTIONS).fit(X, X[:, 0]),
        KernelPCADetector(2, landmarks=30, **OPTIONS).fit(X),
    ):
        found = model.landmark_residual(X)
        Z = model.landmarks_
        C = rbf_kernel(X, Z, gamma=0.1)
        inverse = np.linalg.inv(rbf_kernel(Z, gamma=0.1))
        np.testing.assert_allclose(found, np.diag(K - C @ inverse @ C.T), atol=1e-8)
        assert found.sum() == pytest.approx(model.report_["landmarks"]["residual_trace"])
        assert model.landmark_residual([[1e3, 0.0, 0.0]]) == [1.0]
    with pytest.raises(AttributeError, match="without landmarks"):
        KernelPCA(2, **OPTIONS).fit(X).landmark_residual(X)


def test_bounds_of_eigenvalues_hold():
    exact = KernelPCA(4, **OPTIONS).fit(X)
    low = KernelPCA(4, landmarks=25, **OPTIONS).fit(X)
    facts = low.report_["landmarks"]
    bounds = np.array(facts["eigenvalue_bounds"])
    assert (bounds[:, 0] <= exact.eigenvalues_).all()
    assert (exact.eigenvalues_ <= bounds[:, 1]).all()
    least, most = facts["explained_bounds"]
    assert least <= exact.explained_variance_ratio_.sum() <= most


def test_what_cannot_be_done_is_refused():
    with pytest.raises(ValueError, match="takes no landmarks"):
        choose_n_clusters(X, gamma=0.1, landmarks=20)
    with pytest.raises(ValueError, match="set landmarks=None"):
        KernelKMeans(2, kernel="precomputed", landmarks=5).fit(rbf_kernel(X[:20]))
    with pytest.raises(MemoryError, match=r"at most \d+ landmarks"):
        KernelKMeans(2, memory_budget="16MiB", **OPTIONS).fit(np.tile(X, (300, 1)))
