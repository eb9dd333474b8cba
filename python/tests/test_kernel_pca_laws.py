"""Laws of kernel PCA, PCA and the detector on real data, with scikit-learn as the yardstick."""

import warnings

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.neighbors import KNeighborsClassifier

from mercer import PCA, KernelPCA, KernelPCADetector

SETS = {
    "iris": load_iris,
    "wine": load_wine,
    "digits": load_digits,
    "breast_cancer": load_breast_cancer,
    "diabetes": load_diabetes,
}
KERNELS = ("linear", "poly", "rbf", "cosine", "sigmoid")


def rows(name, dtype=float, offset=0.0, most=400):
    """The first samples of a data set, moved by an offset."""
    return (SETS[name]().data[:most] + offset).astype(dtype)


def disagreement(scores, transformed):
    """How far two matrices of scores of the same rows differ, component by component."""
    size = np.linalg.norm(scores.astype(float), axis=0)
    apart = np.linalg.norm(scores.astype(float) - transformed.astype(float), axis=0)
    return apart / np.where(size > 0, size, 1.0)


def largest_value(X, kernel):
    """The largest kernel value of a sample with itself."""
    return np.abs(np.diag(pairwise_kernels(X.astype(float), metric=kernel))).max()


def quietly(fit, *arguments):
    """A call whose notes do not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*arguments)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", SETS)
def test_transform_is_fit_transform(name, kernel, dtype):
    for offset in (0.0, 100.0):
        X = rows(name, dtype, offset)
        model = KernelPCA(10, kernel=kernel)
        scores = quietly(model.fit_transform, X)
        apart = disagreement(scores, model.transform(X))
        values = model.eigenvalues_.astype(float)
        alive = values > 0
        unit = np.finfo(dtype).eps + model.report_["residual"]
        # Kernel values with an offset carry roundings of their own size.
        size = max(values[0], largest_value(X, kernel))
        allowed = 100 * unit * size / np.where(alive, values, 1.0)
        assert (apart[alive] <= allowed[alive]).all(), (offset, apart / allowed)
        assert (apart[~alive] == 0).all()
        assert np.abs(model.eigenvectors_.sum(axis=0)).max(initial=0) < 50 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", SETS)
def test_transform_is_at_least_as_good_as_scikit_learn(name, kernel, dtype):
    X = rows(name, dtype)
    ours = KernelPCA(6, kernel=kernel)
    theirs = SklearnKernelPCA(6, kernel=kernel, eigen_solver="dense")
    our_scores, their_scores = quietly(ours.fit_transform, X), quietly(theirs.fit_transform, X)
    if not (ours.eigenvalues_ > 0).any():
        pytest.skip("all kernel values are equal")
    alive = (ours.eigenvalues_ > 0) & (theirs.eigenvalues_ > 0)
    ours_apart = disagreement(our_scores, ours.transform(X))[alive]
    theirs_apart = disagreement(their_scores, theirs.transform(X))[alive]
    values = ours.eigenvalues_[alive].astype(float)
    floor = (20 * np.finfo(dtype).eps + 2 * ours.report_["residual"]) * values[0] / values
    assert (ours_apart <= np.maximum(4 * theirs_apart, floor)).all(), (ours_apart, theirs_apart)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_precomputed_matrix_follows_the_law_too(kernel, dtype):
    for name, offset in (("wine", 0.0), ("iris", 0.0), ("iris", 1000.0)):
        X = rows(name, dtype, offset)
        K = pairwise_kernels(X, metric=kernel).astype(dtype)
        model = KernelPCA(4, kernel="precomputed")
        scores = quietly(model.fit_transform, K)
        apart = disagreement(scores, model.transform(K))
        values = model.eigenvalues_.astype(float)
        alive = values > 0
        allowed = 100 * np.finfo(dtype).eps * values[0] / np.where(alive, values, 1.0)
        assert (apart[alive] <= allowed[alive]).all(), (name, apart, allowed)


@pytest.mark.parametrize(
    ("name", "kernel", "count"),
    [("wine", "poly", 4), ("iris", "poly", 15), ("iris", "linear", 15)],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_classifier_finds_the_same_with_transform(name, kernel, count, dtype):
    X, y = rows(name, dtype), SETS[name]().target
    model = KernelPCA(count, kernel=kernel)
    scores = quietly(model.fit_transform, X)
    classifier = KNeighborsClassifier(1).fit(scores, y)
    assert classifier.score(scores, y) == 1.0
    assert classifier.score(model.transform(X), y) > 0.99
    theirs = SklearnKernelPCA(count, kernel=kernel).fit(X)
    size = max(theirs.eigenvalues_[0], 1e-300)
    assert np.allclose(model.eigenvalues_ / size, theirs.eigenvalues_ / size, atol=2e-5)


def test_components_beyond_the_rank_are_zero():
    X = np.random.default_rng(2).normal(size=(150, 3)) + 100
    model = KernelPCA(6, kernel="linear").fit(X)
    assert model.report_["notes"] == ["3 of 6 components have zero variance: their scores are 0"]
    assert (model.eigenvalues_[3:] == 0).all()
    assert (model.transform(X)[:, 3:] == 0).all()
    exact = SklearnPCA(3, svd_solver="full").fit(X)
    assert np.allclose(model.eigenvalues_[:3], exact.singular_values_**2, rtol=1e-12)
    apart = np.abs(np.abs(model.transform(X)[:, :3]) - np.abs(exact.transform(X)))
    assert apart.max() < 1e-11


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_components_than_the_rank(solver, dtype):
    rng = np.random.default_rng(0)
    for rank in (1, 3, 5):
        X = rng.normal(size=(300, rank)).astype(dtype)
        for count in (rank, rank + 1, 50, 200, 299):
            model = quietly(KernelPCA(count, kernel="linear", eigen_solver=solver).fit, X)
            assert (model.eigenvalues_ > 0).sum() == rank
            assert np.isfinite(model.transform(X)).all()
        for share in (0.9, 0.999):
            model = quietly(KernelPCA(share, kernel="linear", eigen_solver=solver).fit, X)
            assert 1 <= model.eigenvalues_.shape[0] <= rank
    X = rng.normal(size=(2500, 3)).astype(dtype)
    model = quietly(KernelPCA(200, kernel="linear", eigen_solver=solver).fit, X)
    assert (model.eigenvalues_ > 0).sum() == 3


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pca_of_low_rank_by_every_solver(solver, dtype):
    rng = np.random.default_rng(1)
    for rank in (1, 3, 5):
        X = (rng.normal(size=(200, rank)) @ rng.normal(size=(rank, 40)) + 5).astype(dtype)
        for count in (rank, rank + 1, 20, 39):
            model = quietly(PCA(count, svd_solver=solver, random_state=0).fit, X)
            share = model.explained_variance_ / model.explained_variance_[0]
            assert (share[:rank] > 1e-4).all()
            assert (share[rank:] < 1e-10).all()
            square = model.components_ @ model.components_.T
            assert np.abs(square - np.eye(count)).max() < 1e-5


@pytest.mark.parametrize("shape", [(40, 300), (300, 40)])
@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pca_agrees_with_a_decomposition_in_double(shape, solver, offset, dtype):
    rng = np.random.default_rng(3)
    scale = 0.7 ** np.arange(shape[1])
    X = rng.normal(size=shape) * scale @ rng.normal(size=(shape[1], shape[1])) + offset
    X = X.astype(dtype)
    count = 20
    exact = SklearnPCA(count, svd_solver="full").fit(X.astype(float))
    model = quietly(PCA(count, svd_solver=solver, random_state=0).fit, X)
    ratio = model.explained_variance_ / exact.explained_variance_
    assert np.abs(ratio - 1).max() < 1e-4, ratio
    along = np.abs((model.components_ * exact.components_).sum(axis=1))
    assert (1 - along).max() < 1e-4, along


def exact_residuals(X, kernel, count):
    """k̄(x, x) − Σ f², as the rest of the spectrum, so that nothing cancels."""
    K = pairwise_kernels(X.astype(float), metric=kernel).astype(np.longdouble)
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(K.astype(float))
    values, vectors = values[::-1][count:], vectors[:, ::-1][:, count:]
    return (vectors**2 * np.maximum(values, 0)).sum(axis=1)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["wine", "iris", "breast_cancer"])
def test_detector_scores_are_the_exact_ones_or_it_is_said(name, kernel, dtype):
    for count in (2, 4):
        X = rows(name, dtype)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = KernelPCADetector(count, kernel=kernel).fit(X)
        if any("below rounding" in str(warning.message) for warning in said):
            continue
        exact = exact_residuals(X, kernel, count)
        close = np.allclose(-model.training_scores_, exact, rtol=1e-5)
        assert close or spearmanr(-model.training_scores_, exact).statistic > 0.99
        assert (model.training_scores_ == 0).mean() < 0.02
        assert np.allclose(model.score_samples(X), model.training_scores_, rtol=1e-6, atol=0)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_the_detector_on_wine_in_single_precision(kernel):
    X = rows("wine", np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelPCADetector(4, kernel=kernel).fit(X)
    assert model.report_["precision"] == "f64"
    assert spearmanr(-model.training_scores_, exact_residuals(X, kernel, 4)).statistic > 0.99


def test_a_detector_that_explains_everything_says_so():
    X = rows("iris", np.float32)
    with pytest.warns(UserWarning, match="150 of 150 training samples is below rounding"):
        KernelPCADetector(4, kernel="linear").fit(X)


def test_the_report_of_kernel_pca_field_by_field():
    X = rows("breast_cancer")
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = KernelPCA(5, kernel="rbf", eigen_solver="arpack", tol=1e-4).fit(X)
    report = model.report_
    K = pairwise_kernels(X, metric="rbf")
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    v, eta = model.eigenvectors_, model.eigenvalues_
    residual = np.linalg.norm(K @ v - v * eta, axis=0).max() / eta[0]
    assert report["residual"] == pytest.approx(residual, rel=0.01)
    assert report["converged"] is True
    assert report["residual"] <= 1e-4
    assert (report["solver"], report["storage"], report["precision"]) == ("krylov", "packed", "f64")
    assert 2 <= report["passes"] <= 30
    assert "400 × 400" in report["reason"]
    assert report["notes"] == []
    assert 0 < report["seconds"] < 60
    assert model.explained_variance_ratio_ == pytest.approx(eta / np.trace(K), rel=1e-9)
    with pytest.warns(UserWarning, match="did not converge"):
        stopped = KernelPCA(5, kernel="rbf", eigen_solver="arpack", tol=1e-13, max_iter=1).fit(X)
    assert stopped.report_["converged"] is False
