"""PCA against scikit-learn's and against the mathematics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.decomposition import PCA as SklearnPCA

from mercer import PCA

ATTRIBUTES = [
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
    "n_components_",
    "n_samples_",
    "n_features_in_",
]


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("count", [1, 2, 0.8])
def test_equals_scikit_learn(X, count, whiten):
    ours = PCA(count, whiten=whiten).fit(X)
    theirs = SklearnPCA(count, whiten=whiten, svd_solver="full").fit(X)
    for name in ATTRIBUTES:
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-7)
    scores = theirs.transform(X)
    assert_allclose(ours.transform(X), scores, atol=1e-6)
    assert_allclose(PCA(count, whiten=whiten).fit_transform(X), scores, atol=1e-6)
    assert_allclose(ours.inverse_transform(scores), theirs.inverse_transform(scores), atol=1e-6)


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
def test_every_solver_finds_the_same(X, solver):
    ours = PCA(2 if X.shape[1] > 2 else 1, svd_solver=solver).fit(X)
    theirs = SklearnPCA(ours.n_components, svd_solver="full").fit(X)
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-8)
    assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-6)
    assert_allclose(ours.components_, theirs.components_, atol=1e-6)


def test_counts(wine):
    assert PCA().fit(wine).n_components_ == 13
    assert PCA(svd_solver="arpack").fit(wine).n_components_ == 12
    with pytest.raises(ValueError, match="strictly less"):
        PCA(13, svd_solver="arpack").fit(wine)
    with pytest.raises(ValueError, match="cannot be a string"):
        PCA("mle", svd_solver="randomized").fit(wine)
    for wrong in (14, -1, 1.0, 1.5, "most", True, np.nan):
        with pytest.raises(ValueError, match="n_components"):
            PCA(wrong).fit(wine)


def test_maximum_likelihood_count(wine):
    rng = np.random.default_rng(0)
    tables = [wine, wine[:, :5], rng.normal(size=(400, 20)) * ([5] * 7 + [1] * 13)]
    for X in tables:
        ours, theirs = PCA("mle").fit(X), SklearnPCA("mle", svd_solver="full").fit(X)
        assert ours.n_components_ == theirs.n_components_
        assert_allclose(ours.noise_variance_, theirs.noise_variance_)
    with pytest.raises(ValueError, match="n_samples >= n_features"):
        PCA("mle").fit(wine[:5])


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("count", [2, 5, None])
def test_probabilistic_model(wine, count, whiten):
    ours, theirs = PCA(count, whiten=whiten).fit(wine), SklearnPCA(count, whiten=whiten).fit(wine)
    assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
    assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-7)
    assert_allclose(ours.score_samples(wine), theirs.score_samples(wine), rtol=1e-7)
    assert_allclose(ours.score(wine), theirs.score(wine))


def test_eckart_young(wine):
    model = PCA(4).fit(wine)
    again = model.inverse_transform(model.transform(wine))
    error = ((wine - again) ** 2).sum(1).mean()
    left_out = PCA().fit(wine).explained_variance_[4:].sum() * (len(wine) - 1) / len(wine)
    assert_allclose(error, left_out)


def test_sparse_as_in_scikit_learn(wine):
    rows = sparse.csr_array(np.where(np.abs(wine) < 1, 0, wine))
    ours, plain = PCA(3, svd_solver="arpack").fit(rows), PCA(3).fit(rows.toarray())
    assert_allclose(ours.explained_variance_, plain.explained_variance_, rtol=1e-8)
    assert_allclose(ours.transform(rows), plain.transform(rows.toarray()), atol=1e-6)
    with pytest.raises(TypeError, match="sparse"):
        PCA(3, svd_solver="full").fit(rows)
    with pytest.raises(MemoryError, match="budget"):
        PCA(3, memory_budget="1kB").fit(rows)
