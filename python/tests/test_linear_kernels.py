"""Models with a linear kernel in the space of the samples: weights of features, and centres."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Ridge, RidgeClassifier

import mercer
from mercer import KernelKMeans, KernelRidge, KernelRidgeClassifier, KernelRidgeCV
from mercer.kernels import Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)) * [1.0, 2.0, 0.5, 1.0]
Y = X @ RNG.normal(size=(4, 3)) + 0.1 * RNG.normal(size=(60, 3)) + [5.0, 0.0, -2.0]
WEIGHTS = RNG.uniform(0.5, 2.0, 60)
CLASSES = np.digitize(X[:, 0], [-0.5, 0.5])
FORMS = {
    "dense": np.asarray,
    "fortran": np.asfortranarray,
    "sparse": sparse.csr_array,
    "matrix": sparse.csr_matrix,
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def blobs():
    groups = np.arange(60) % 3
    return X + 6 * np.eye(4)[groups], groups


@forms
@pytest.mark.parametrize("y", [Y[:, 0], Y, Y[:, :1]], ids=["flat", "several", "column"])
@pytest.mark.parametrize("intercept", [True, False])
def test_regression(form, y, intercept):
    ours = KernelRidge(0.3, kernel="linear", fit_intercept=intercept)
    ours.fit(form(X), y, sample_weight=WEIGHTS)
    theirs = Ridge(0.3, fit_intercept=intercept).fit(X, y, sample_weight=WEIGHTS)
    assert ours.coef_.shape == (4,) if y.ndim == 1 else (y.shape[1], 4)
    assert_allclose(ours.coef_, theirs.coef_.reshape(ours.coef_.shape), rtol=1e-8)
    assert_allclose(ours.predict(X), X @ ours.coef_.T + ours.intercept_, rtol=1e-9, atol=1e-9)
    assert not ours.coef_.flags.writeable


@forms
def test_classification(form):
    ours = KernelRidgeClassifier(0.3).fit(form(X), CLASSES)
    theirs = RidgeClassifier(0.3).fit(X, CLASSES)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
    two = KernelRidgeClassifier(0.3).fit(form(X), CLASSES == 1)
    assert two.coef_.shape == (1, 4)
    assert_allclose(
        two.coef_[0], RidgeClassifier(0.3).fit(X, CLASSES == 1).coef_.ravel(), rtol=1e-8
    )
    assert_allclose(two.decision_function(X), (X @ two.coef_.T)[:, 0] + two.intercept_, rtol=1e-9)


def test_a_search_that_chose_the_linear_kernel():
    model = KernelRidgeCV([0.1, 1.0, 10.0], kernel=["linear", "cosine"]).fit(X, Y[:, 0])
    assert model.kernel_ == "linear"
    assert_allclose(model.coef_, Ridge(model.alpha_).fit(X, Y[:, 0]).coef_, rtol=1e-8)


@pytest.mark.parametrize("offset", [1e5, 1e8])
def test_samples_far_from_the_origin(offset):
    near = KernelRidge(0.3, kernel="linear", fit_intercept=True).fit(X, Y[:, 0])
    far = KernelRidge(0.3, kernel="linear", fit_intercept=True).fit(X + offset, Y[:, 0])
    assert_allclose(far.coef_, near.coef_, rtol=1e-6 if offset > 1e6 else 1e-8)
    rows = blobs()[0]
    here, there = (KernelKMeans(3, kernel="linear").fit(rows + far) for far in (0.0, offset))
    assert_allclose(there.cluster_centers_ - offset, here.cluster_centers_, atol=1e-14 * offset)


@forms
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
def test_centres_are_means(form, weights):
    rows, _ = blobs()
    model = KernelKMeans(3, kernel=Linear(), n_init=5).fit(form(rows), sample_weight=weights)
    expected = np.zeros((3, 4))
    for cluster in range(3):
        total = 0.0
        for row, label, weight in zip(rows, model.labels_, WEIGHTS, strict=True):
            if label == cluster:
                weight = 1.0 if weights is None else weight
                expected[cluster] += weight * row
                total += weight
        expected[cluster] /= total
    assert_allclose(model.cluster_centers_, expected, rtol=1e-10, atol=1e-12)
    distances = np.linalg.norm(rows[:, None] - model.cluster_centers_, axis=2)
    assert_allclose(model.transform(form(rows)), distances, rtol=1e-9)
    assert not model.cluster_centers_.flags.writeable


def test_centres_as_scikit_learn_finds_them():
    rows, groups = blobs()
    ours = KernelKMeans(3, kernel="linear", init=groups).fit(rows)
    means = np.stack([rows[groups == group].mean(axis=0) for group in range(3)])
    theirs = KMeans(3, init=means, n_init=1).fit(rows)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)


def test_centres_of_equal_samples_and_in_single_precision():
    with pytest.warns(ConvergenceWarning):
        model = KernelKMeans(2, kernel="linear").fit(np.full((5, 2), 3.0))
    assert_allclose(model.cluster_centers_, np.full((2, 2), 3.0))
    rows = blobs()[0].astype(np.float32)
    model = KernelKMeans(3, kernel="linear", n_init=5).fit(rows)
    assert model.cluster_centers_.dtype == np.float32
    means = np.stack([rows[model.labels_ == group].mean(axis=0) for group in range(3)])
    assert_allclose(model.cluster_centers_, means, atol=1e-4)
    single = KernelRidge(kernel="linear").fit(rows, Y[:, 0].astype(np.float32))
    assert single.coef_.dtype == np.float32


def test_files_and_pickles_have_them(tmp_path):
    rows, groups = blobs()
    models = [
        (KernelRidge(0.3, kernel="linear", fit_intercept=True).fit(rows, Y), "coef_"),
        (KernelRidgeClassifier(0.3).fit(rows, groups), "coef_"),
        (KernelKMeans(3, kernel="linear").fit(rows, sample_weight=WEIGHTS), "cluster_centers_"),
    ]
    for model, name in models:
        model.save(tmp_path / "model.mercer")
        for again in (mercer.load(tmp_path / "model.mercer"), pickle.loads(pickle.dumps(model))):
            assert_array_equal(getattr(again, name), getattr(model, name))


def test_feature_selection():
    model = SelectFromModel(KernelRidge(0.3, kernel="linear"), threshold=-np.inf, max_features=1)
    assert model.fit(X, 10 * X[:, 1] + X[:, 2]).get_support().tolist() == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("kernel", ["rbf", "cosine", "2*linear", "linear + constant"])
def test_other_kernels_have_none(kernel):
    for model, name in (
        (KernelRidge(kernel=kernel).fit(X, Y), "coef_"),
        (KernelRidgeCV([1.0], kernel=kernel, gamma=None).fit(X, Y), "coef_"),
        (KernelRidgeClassifier(kernel=kernel).fit(X, CLASSES), "coef_"),
        (KernelKMeans(3, kernel=kernel).fit(X), "cluster_centers_"),
    ):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=f"{name} is only available when using a linear"):
            getattr(model, name)


def test_precomputed_and_unfitted_models_have_none():
    K = X @ X.T
    assert not hasattr(KernelRidge(kernel="precomputed").fit(K, Y), "coef_")
    assert not hasattr(KernelKMeans(3, kernel="precomputed").fit(K), "cluster_centers_")
    for model in (KernelRidge(kernel="linear"), KernelRidgeClassifier()):
        assert not hasattr(model, "coef_")
    assert not hasattr(KernelKMeans(kernel="linear"), "cluster_centers_")
