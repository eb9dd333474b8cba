"""Kernel k-means on what is empty, equal, few, wrong or saved."""

import pickle

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import mercer
from mercer import KernelKMeans
from mercer.kernels import RBF

X, Y = make_blobs(60, 3, centers=3, cluster_std=0.5, random_state=4)


def test_one_cluster():
    model = KernelKMeans(1, kernel="linear").fit(X)
    assert_array_equal(model.labels_, 0)
    assert model.inertia_ == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    assert_allclose(model.transform(X)[:, 0], np.linalg.norm(X - X.mean(axis=0), axis=1))


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral"])
def test_as_many_clusters_as_samples(init):
    some = X[:12]
    model = KernelKMeans(12, gamma=1.0, init=init).fit(some)
    assert_array_equal(np.sort(model.labels_), np.arange(12))
    assert model.inertia_ == pytest.approx(0, abs=1e-9)
    assert_array_equal(model.predict(some), model.labels_)


def test_more_clusters_than_samples():
    with pytest.raises(ValueError, match="n_samples=60 should be >= n_clusters=61"):
        KernelKMeans(61).fit(X)
    weights = np.zeros(60)
    weights[:4] = 1
    with pytest.raises(ValueError, match="4 samples of positive weight"):
        KernelKMeans(5).fit(X, sample_weight=weights)


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral", np.arange(20) % 3], ids=named)
def test_equal_samples(init):
    same = np.ones((20, 2))
    with pytest.warns(ConvergenceWarning, match="1 of 3 clusters"):
        model = KernelKMeans(3, init=init).fit(same)
    assert_array_equal(model.labels_, model.labels_[0])
    assert model.inertia_ == pytest.approx(0, abs=1e-12)
    assert sorted(model.cluster_sizes_) == [0, 0, 20]
    assert_array_equal(model.predict(same), model.labels_)
    assert_allclose(model.transform(same), 0, atol=1e-6)


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral"])
def test_duplicates(init):
    three = np.repeat(X[[0, 1, 2]], 5, axis=0)
    model = KernelKMeans(3, init=init, gamma=5.0).fit(three)
    assert_array_equal(model.cluster_sizes_, 5)
    assert model.inertia_ == pytest.approx(0, abs=1e-9)
    with pytest.warns(ConvergenceWarning, match="3 of 4 clusters"):
        model = KernelKMeans(4, init=init, gamma=5.0).fit(three)
    assert sorted(model.cluster_sizes_) == [0, 5, 5, 5]
    assert_array_equal(model.predict(three), model.labels_)


def test_clusters_without_samples_are_filled():
    model = KernelKMeans(4, gamma=0.1, init=np.zeros(len(X), dtype=int), tol=0).fit(X)
    assert model.report_["clusters"]["reseeded"] >= 3
    assert model.cluster_sizes_.min() > 0
    objectives = np.array(model.report_["clusters"]["objectives"])
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()


def test_samples_of_no_weight_are_as_if_they_were_not_there():
    weights = np.ones(len(X))
    weights[::7] = 0
    model = KernelKMeans(3, gamma=0.1, init=Y).fit(X, sample_weight=weights)
    less = KernelKMeans(3, gamma=0.1, init=Y[weights > 0]).fit(X[weights > 0])
    assert model.inertia_ == pytest.approx(less.inertia_)
    assert_allclose(model.transform(X), less.transform(X), atol=1e-7)
    assert_array_equal(model.labels_, less.predict(X))


def test_too_few_rounds_warn():
    start = np.arange(len(X)) % 3
    with pytest.warns(ConvergenceWarning, match="after 1 round"):
        model = KernelKMeans(3, gamma=0.1, init=start, max_iter=1, tol=0).fit(X)
    assert model.n_iter_ == 1
    assert not model.report_["converged"]


def test_beginnings_that_are_refused():
    for wrong, said in [
        ("kmeans", "one of 'k-means\\+\\+', 'random', 'spectral'"),
        (X[:3], "centres are points in feature space"),
        (Y[:-1], r"array of 60 integers.* shape \(59,\)"),
        (Y.astype(float), "Got float64"),
        (Y.astype(bool), "Got bool"),
        (["a"] * 60, "array of 60 integers"),
        ([[1], [1, 2]], "array of 60 integers"),
        (lambda X, k, random_state: X[:k], "array of 60 integers"),
        (None, "array of 60 integers"),
        (Y + 1, "to cluster 3, but with n_clusters=3 clusters are numbered from 0 to 2"),
        (Y - 1, "to cluster -1"),
    ]:
        with pytest.raises(ValueError, match=said):
            KernelKMeans(3, init=wrong).fit(X)
    assert_array_equal(KernelKMeans(3, init=Y.tolist()).fit(X).labels_, Y)
    assert_array_equal(KernelKMeans(3, init=Y.astype("u1")).fit(X).labels_, Y)


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "n_clusters": [0, 2.0, "3", None],
        "n_init": [0, "some", 1.5, None],
        "max_iter": [0, 10.0, None],
        "tol": [-1.0, np.nan, "0"],
        "gamma": [-1.0, "wide"],
        "precision": ["f16"],
        "kernel": [3, "rbff"],
        "n_jobs": [0],
        "memory_budget": ["much"],
    }.items(),
)
def test_parameters_that_are_refused(name, values):
    for value in values:
        with pytest.raises(ValueError, match=name if name != "kernel" else "kernel|unknown|rbff"):
            KernelKMeans(3).set_params(**{name: value}).fit(X)


def test_starts_without_effect_warn():
    for init in (Y, "spectral"):
        with pytest.warns(UserWarning, match="n_init=5 has no effect"):
            KernelKMeans(3, gamma=0.1, init=init, n_init=5).fit(X)


def test_samples_that_are_refused():
    wrong = X.copy()
    wrong[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN at row 7, column 1"):
        KernelKMeans(3).fit(wrong)
    model = KernelKMeans(3).fit(X)
    for method in (model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="NaN at row 7, column 1"):
            method(wrong)
        with pytest.raises(ValueError, match="features"):
            method(X[:, :2])
    for weights in (-np.ones(60), np.full(60, np.nan), np.zeros(60), np.ones(3)):
        with pytest.raises(ValueError, match="weight"):
            KernelKMeans(3).fit(X, sample_weight=weights)
    for weights in (-np.ones(60), np.full(60, np.inf), np.ones(3)):
        with pytest.raises(
            ValueError,
            match="sample_weight must ",
        ):
            model.score(X, sample_weight=weights)
    with pytest.raises(NotFittedError):
        KernelKMeans().predict(X)
    assert_array_equal(KernelKMeans(3).fit(sparse.csr_array(X)).labels_, model.labels_)


def test_a_fit_that_fails_leaves_the_estimator_as_it_was():
    model = KernelKMeans(3).fit(X)
    labels = model.labels_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((30, 2), np.nan))
    assert model.labels_ is labels
    assert model.n_features_in_ == 3


def test_given_matrices_that_are_refused():
    K = X @ X.T
    model = KernelKMeans(3, kernel="precomputed").fit(K)
    for method in (model.transform, model.score):
        with pytest.raises(ValueError, match="diagonal="):
            method(K)
        with pytest.raises(ValueError, match="each of the 60 samples"):
            method(K, diagonal=np.ones(3))
        with pytest.raises(ValueError, match="NaN"):
            method(K, diagonal=np.full(60, np.nan))
    with pytest.raises(ValueError, match="not precomputed"):
        KernelKMeans(3).fit(X).transform(X, diagonal=np.ones(60))
    with pytest.raises(ValueError, match="square"):
        KernelKMeans(3, kernel="precomputed").fit(X)
    with pytest.warns(UserWarning, match="not symmetric"):
        KernelKMeans(3, kernel="precomputed").fit(np.triu(K))


@pytest.mark.parametrize(
    "model",
    [
        KernelKMeans(3, gamma=0.1),
        KernelKMeans(2, kernel=0.5 * RBF(sigma=2), init="random", n_init=3, random_state=4),
        KernelKMeans(4, kernel="linear", precision="mixed", max_iter=50, tol=0),
        KernelKMeans(3, kernel="poly", degree=2, init="spectral"),
        KernelKMeans(3, kernel="precomputed"),
    ],
    ids=named,
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_files_and_pickles(tmp_path, model, dtype):
    given = (X @ X.T if model.kernel == "precomputed" else X).astype(dtype)
    more = {"diagonal": np.diagonal(given)} if model.kernel == "precomputed" else {}
    model = clone(model).fit(given, sample_weight=1 + np.arange(60) % 3)
    model.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert str(loaded.get_params(deep=False)) == str(model.get_params(deep=False))
    for again in (loaded, pickle.loads(pickle.dumps(model))):
        assert type(again) is KernelKMeans
        assert_array_equal(again.labels_, model.labels_)
        assert_array_equal(again.cluster_sizes_, model.cluster_sizes_)
        assert (again.inertia_, again.n_iter_) == (model.inertia_, model.n_iter_)
        assert again.report_ == model.report_
        assert_array_equal(again.predict(given), model.predict(given))
        distances = again.transform(given, **more)
        assert distances.dtype == model.transform(given, **more).dtype
        assert_array_equal(distances, model.transform(given, **more))
    names = {name for name in vars(model) if name.endswith("_")}
    assert names == {name for name in vars(loaded) if name.endswith("_")}
    loaded.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == (tmp_path / "m.mercer").read_bytes()


def test_files_without_the_first_labels(tmp_path):
    model = KernelKMeans(3, gamma=0.1, init=Y).fit(X)
    model.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.init == "k-means++"
    assert_array_equal(loaded.labels_, model.labels_)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.init, Y)
    with pytest.raises(ValueError, match="pickle"):
        KernelKMeans(3, kernel=np.dot).fit(X).save(tmp_path / "m.mercer")


def test_clusters_of_no_samples_survive_a_file(tmp_path):
    with pytest.warns(ConvergenceWarning):
        model = KernelKMeans(3).fit(np.ones((5, 2)))
    model.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert_array_equal(loaded.transform(X[:, :2]), model.transform(X[:, :2]))
