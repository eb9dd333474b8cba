"""Kernel PCA against scikit-learn's and against the mathematics."""

import warnings

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from mercer import PCA, KernelPCA
from mercer.kernels import RBF, Linear, Poly


def rbf_row(a, b, gamma=0.4):
    return float(np.exp(-gamma * np.sum((a - b) ** 2)))


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly"},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 2.0},
    {"kernel": "poly", "degree": 2.5, "coef0": 100.0},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "cosine"},
    {"kernel": rbf_row},
]


def agree(ours, theirs, X, count):
    """The same eigenvalues, eigenvectors and components, signs and all."""
    ours.fit(X)
    theirs.fit(X)
    size = np.sqrt(theirs.eigenvalues_[0])
    assert_allclose(ours.eigenvalues_[:count], theirs.eigenvalues_[:count], rtol=1e-8)
    assert_allclose(ours.eigenvectors_[:, :count], theirs.eigenvectors_[:, :count], atol=1e-6)
    new = X[:30] * 1.01
    assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-6 * size)


@pytest.mark.parametrize("params", KERNELS, ids=named)
def test_equals_scikit_learn(X, params):
    count = 2 if X.shape[1] == 2 else 3
    agree(
        KernelPCA(count, **params),
        SklearnKernelPCA(count, eigen_solver="dense", **params),
        X,
        count,
    )


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized", "full", "krylov"])
def test_every_solver_finds_the_same(wine, solver):
    ours = KernelPCA(5, kernel="rbf", eigen_solver=solver)
    agree(ours, SklearnKernelPCA(5, kernel="rbf", eigen_solver="dense"), wine, 5)
    if solver != "auto":
        used = "full" if solver in ("dense", "full") else "krylov"
        assert ours.report_["solver"] == used


@pytest.mark.parametrize("name", ["laplacian", "chi2", "additive_chi2"])
def test_other_kernels_of_scikit_learn(iris, name):
    K = pairwise_kernels(iris, metric=name, **({} if name == "additive_chi2" else {"gamma": 0.25}))
    if name == "additive_chi2":
        # Ours is positive definite, Σ 2xy / (x + y): that of scikit-learn less what centring takes
        # away, and by half.
        K = K / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = KernelPCA(2, kernel=name).fit(iris)
    theirs = SklearnKernelPCA(2, kernel="precomputed", eigen_solver="dense").fit(K)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    assert_allclose(ours.transform(iris), theirs.transform(K), atol=1e-6)


def test_all_components(wine):
    ours = KernelPCA(kernel="rbf").fit(wine)
    theirs = SklearnKernelPCA(kernel="rbf").fit(wine)
    assert_allclose(ours.eigenvalues_[:100], theirs.eigenvalues_[:100], rtol=1e-8)
    assert_allclose(ours.explained_variance_ratio_.sum(), 1.0)
    assert ours.fit_transform(wine).shape == (len(wine), len(ours.eigenvalues_))


# A power that is no integer has no values on components, which may be negative.
@pytest.mark.parametrize("params", [p for p in KERNELS if p.get("degree") != 2.5], ids=named)
def test_inverse_transform_equals_scikit_learn(wine, params):
    params = {"n_components": 4, "fit_inverse_transform": True, **params}
    ours = KernelPCA(inverse_center=False, **params).fit(wine)
    theirs = SklearnKernelPCA(**params).fit(wine)
    scores = theirs.transform(wine[:20])
    size = np.abs(theirs.dual_coef_).max()
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5 * size)
    expected = theirs.inverse_transform(scores)
    assert_allclose(ours.inverse_transform(scores), expected, atol=1e-5 * np.abs(expected).max())
    assert_allclose(
        ours.X_transformed_fit_,
        theirs.X_transformed_fit_,
        atol=1e-6 * np.abs(theirs.X_transformed_fit_).max(),
    )
    assert_allclose(ours.X_fit_, theirs.X_fit_)


def test_function_with_parameters(iris):
    ours = KernelPCA(2, kernel=rbf_row, kernel_params={"gamma": 0.7}).fit(iris)
    named = KernelPCA(2, kernel="rbf", gamma=0.7).fit(iris)
    assert_allclose(ours.transform(iris[:9]), named.transform(iris[:9]), atol=1e-8)
    assert ours.kernel_ == "rbf_row"


def test_own_inverse_kernel_and_centre(wine):
    X = wine + 5
    params = {"n_components": 2, "fit_inverse_transform": True, "alpha": 1e-6}
    centred = KernelPCA(inverse_center=True, inverse_kernel="linear", **params).fit(X)
    by_default = KernelPCA(**params).fit(X)
    plain = KernelPCA(inverse_center=False, **params).fit(X)
    pca = PCA(2).fit(X)
    again = pca.inverse_transform(pca.transform(X))
    for model in (centred, by_default):
        assert_allclose(model.inverse_transform(model.transform(X)), again, atol=1e-5)
        assert_allclose(model.inverse_transform(np.zeros((1, 2))), [X.mean(axis=0)], rtol=1e-12)
    assert np.abs(plain.inverse_transform(plain.transform(X)) - again).max() > 1
    with pytest.raises(ValueError, match="fit_inverse_transform is False"):
        KernelPCA(inverse_kernel="linear").fit(X)


def test_precomputed_equals_the_kernel(wine):
    K = rbf_kernel(wine, gamma=0.1)
    given = KernelPCA(3, kernel="precomputed").fit(K)
    named = KernelPCA(3, kernel="rbf", gamma=0.1).fit(wine)
    theirs = SklearnKernelPCA(3, kernel="precomputed", eigen_solver="dense").fit(K)
    assert_allclose(given.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    assert_allclose(given.transform(K[:7]), named.transform(wine[:7]), atol=1e-6)
    assert_allclose(given.transform(K[:7]), theirs.transform(K[:7]), atol=1e-6)
    assert given.kernel_ == "precomputed"
    assert not hasattr(given, "X_fit_")
    for wrong in (K[:, :5], K[:5]):
        with pytest.raises(ValueError, match="square"):
            KernelPCA(kernel="precomputed").fit(wrong)
    with pytest.raises(ValueError, match="precomputed"):
        KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(K)


def test_worked_example():
    X = np.array([[1.0, 1.0], [2.0, 4.0], [-1.0, 1.0], [-2.0, 4.0]])
    model = KernelPCA(kernel="poly", degree=2, gamma=1.0, coef0=1.0)
    scores = model.fit_transform(X)
    assert_allclose(model.eigenvalues_, [277.927517, 252.0, 2.072483], atol=1e-6)
    pair = [[1.72801191, 7.93725393, 1.00696319], [11.66094908, 7.93725393, 0.14921979]]
    assert_allclose(np.abs(scores), pair + pair, atol=1e-7)
    assert_allclose(model.transform(X), scores, atol=1e-10)
    opposite = np.sign(scores[0]) != np.sign(scores[2])
    assert opposite.tolist() == [True, False, True]


def test_linear_kernel_is_pca(wine):
    kernel, plain = KernelPCA(4), PCA(4)
    ours, expected = kernel.fit_transform(wine), plain.fit_transform(wine)
    assert_allclose(np.abs(ours), np.abs(expected), atol=1e-7)
    assert_allclose(kernel.explained_variance_ratio_, plain.explained_variance_ratio_)


def test_without_centring(wine):
    K = rbf_kernel(wine, gamma=0.1)
    model = KernelPCA(3, kernel="rbf", gamma=0.1, center=False).fit(wine)
    values, vectors = np.linalg.eigh(K)
    values, vectors = values[::-1][:3], vectors[:, ::-1][:, :3]
    assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    expected = np.abs(vectors * np.sqrt(values))
    assert_allclose(np.abs(model.transform(wine)), expected, atol=1e-6)


def test_share_of_the_variance(wine):
    model = KernelPCA(0.6, kernel="rbf").fit(wine)
    assert model.explained_variance_ratio_.sum() >= 0.6
    assert model.explained_variance_ratio_[:-1].sum() < 0.6


def test_more_components_than_samples_means_all(iris):
    params = {"n_components": 10_000, "kernel": "rbf", "gamma": 5.0}
    assert KernelPCA(**params).fit(iris[:20]).transform(iris).shape == (150, 20)
    trimmed = KernelPCA(remove_zero_eig=True, **params).fit(iris[:20])
    assert trimmed.transform(iris).shape[1] < 20


@pytest.mark.parametrize(
    ("params", "kernel", "gamma"),
    [
        ({"kernel": "rbf"}, "rbf(gamma=0.25)", 0.25),
        ({"kernel": "rbf", "gamma": "auto"}, "rbf(gamma=0.25)", 0.25),
        ({"kernel": "gaussian", "gamma": 2}, "rbf(gamma=2)", 2.0),
        ({"kernel": "rbf", "kernel_params": {"sigma": 1}}, "rbf(sigma=1)", 0.5),
        ({"kernel": "matern", "kernel_params": {"nu": 2.5}}, "matern(nu=2.5, length=1)", 0.25),
        ({"kernel": "2*linear + rbf(gamma=1)"}, "2*linear + rbf(gamma=1)", 0.25),
        ({"kernel": 2 * Linear()}, "2*linear", 0.25),
        ({"kernel": RBF(width=2)}, "rbf(width=2)", 0.25),
    ],
    ids=named,
)
def test_kernel_and_gamma_are_told(iris, params, kernel, gamma):
    model = KernelPCA(2, **params).fit(iris)
    assert model.kernel_ == kernel
    assert model.gamma_ == gamma


def test_rules_for_gamma(iris):
    scale = KernelPCA(2, kernel="rbf", gamma="scale").fit(iris)
    assert_allclose(scale.gamma_, 1 / (4 * iris.var()))
    median = KernelPCA(2, kernel="rbf", gamma="median").fit(iris)
    distances = np.sqrt(((iris[:, None] - iris[None]) ** 2).sum(-1))[np.triu_indices(150, 1)]
    assert_allclose(median.gamma_, 0.5 / np.median(distances) ** 2)


@pytest.mark.parametrize("kernel", ["rbf(gamma=1)", Poly(2)])
@pytest.mark.parametrize("extra", [{"gamma": 0.1}, {"degree": 2}, {"kernel_params": {"nu": 1}}])
def test_a_spec_says_its_own_parameters(iris, kernel, extra):
    if isinstance(kernel, Poly) and "gamma" in extra:
        assert "gamma=0.1" in KernelPCA(kernel=kernel, **extra).fit(iris).kernel_
        return
    with pytest.raises(ValueError, match=r"combined with the spec|conflicts with|no effect on"):
        KernelPCA(kernel=kernel, **extra).fit(iris)


def test_reconstruction_error(wine):
    model = KernelPCA(3, kernel="rbf", gamma=0.1).fit(wine)
    K = rbf_kernel(wine, gamma=0.1)
    J = np.eye(len(K)) - 1 / len(K)
    centred = J @ K @ J
    expected = np.diag(centred) - (model.transform(wine) ** 2).sum(1)
    assert_allclose(model.reconstruction_error(wine), expected, atol=1e-9)
    left = (1 - model.explained_variance_ratio_.sum()) * np.trace(centred)
    assert_allclose(expected.sum(), left)
    with pytest.raises(ValueError, match="precomputed kernel"):
        KernelPCA(kernel="precomputed").fit(K).reconstruction_error(K)


def test_indefinite_kernels_warn(wine):
    with pytest.warns(UserWarning, match="indefinite"):
        KernelPCA(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(wine)


def test_unconverged_fits_warn(wine):
    model = KernelPCA(20, kernel="rbf", eigen_solver="krylov", max_iter=2, tol=1e-14)
    with pytest.warns(ConvergenceWarning, match="residual"):
        model.fit(wine)
    assert not model.report_["converged"]


def test_report(wine):
    report = KernelPCA(2, kernel="rbf").fit(wine).report_
    assert report["storage"] == "packed"
    assert report["precision"] == "f64"
    assert report["residual"] < 1e-8
    assert "budget" in report["reason"]


def test_inverse_transform_needs_to_be_asked_for(iris):
    model = KernelPCA(2).fit(iris)
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        model.inverse_transform(model.transform(iris))
    with pytest.raises(AttributeError, match="no inverse map"):
        _ = model.dual_coef_
