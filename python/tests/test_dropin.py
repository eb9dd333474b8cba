"""Behaviour of scikit-learn's that programs rely on, beyond what its own tests look at."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import decomposition as other_components
from sklearn import svm as theirs
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import PCA, SVC, SVR, KernelPCA, KernelRidge, NuSVC, NuSVR, OneClassSVM, SVCSearch

X, y = load_iris(return_X_y=True)
X = np.where(X > 1, X, 0.0)
VALUES = np.sin(X[:, 0]) + X[:, 1]
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
CONTAINERS = [f"{name}_{kind}" for name in FORMATS for kind in ("array", "matrix")]
MACHINES = [SVC(), NuSVC(nu=0.1), SVR(), NuSVR(), OneClassSVM()]
every = pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)


def aim(model):
    return VALUES if isinstance(model, (SVR, NuSVR)) else y


def decided(model, rows):
    return getattr(model, "decision_function", model.predict)(rows)


@pytest.mark.parametrize("container", CONTAINERS)
def test_all_sparse_formats_are_the_same_samples(container):
    rows = getattr(sparse, container)(X)
    model, plain = SVC(tol=1e-8).fit(rows, y), SVC(tol=1e-8).fit(X, y)
    assert_allclose(model.decision_function(rows), plain.decision_function(X), atol=1e-6)
    assert_allclose(PCA(2).fit(rows).transform(rows), PCA(2).fit(X).transform(X), atol=1e-9)
    found = mercer.pairwise_kernels(rows, kernel="rbf", gamma=0.1)
    assert_allclose(found, rbf_kernel(X, gamma=0.1))


@every
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_models_of_sparse_samples_have_sparse_attributes(model, kernel, tmp_path):
    model = type(model)(**model.get_params() | {"kernel": kernel, "tol": 1e-6})
    rows = sparse.csr_array(X)
    peer = getattr(theirs, type(model).__name__)(kernel=kernel)
    if isinstance(model, NuSVC):
        peer.set_params(nu=0.1)
    peer.fit(rows, aim(model))
    model.fit(rows, aim(model)).save(tmp_path / "svm.mercer")
    again = mercer.load(tmp_path / "svm.mercer")
    names = ["support_vectors_", "dual_coef_"] + ["coef_"] * (kernel == "linear")
    for name in names:
        kinds = {type(getattr(one, name)) for one in (model, again, peer)}
        assert len(kinds) == 1
        assert kinds.pop() is sparse.csr_matrix
        assert getattr(model, name).shape[1] in (X.shape[1], len(model.support_))
    assert_array_equal(model.support_vectors_.toarray(), X[model.support_])
    dense = type(model)(**model.get_params()).fit(X, aim(model))
    assert not any(sparse.issparse(getattr(dense, name)) for name in names)
    if kernel == "linear":
        assert_allclose(model.coef_.toarray(), dense.coef_, atol=1e-3)
        with pytest.raises(ValueError, match="read-only"):
            model.coef_.data[0] = 1.0
        by_hand = X @ model.coef_.toarray().T + model.intercept_
        if not isinstance(model, (SVC, NuSVC)):
            assert_allclose(by_hand[:, 0], decided(model, X), atol=1e-6)


@every
def test_sparse_matrices_of_kernel_values_are_refused(model):
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        type(model)(kernel="precomputed").fit(sparse.csr_array(X @ X.T), aim(model))


@every
def test_weights_that_are_not_positive_drop_their_rows(model):
    counts = np.arange(len(X)) % 3 > 0
    weighed = type(model)(**model.get_params() | {"gamma": 0.5, "tol": 1e-8})
    weighed.fit(X, aim(model), np.where(counts, 1.0, -np.arange(len(X))))
    without = type(model)(**weighed.get_params()).fit(X[counts], aim(model)[counts])
    assert_allclose(decided(weighed, X), decided(without, X), atol=1e-6)
    for nothing in (0.0, -1.0):
        with pytest.raises(ValueError, match="all samples have zero or negative weights"):
            weighed.fit(X, aim(model), np.full(len(X), nothing))
    with pytest.raises(ValueError, match=r"must be finite, ... that of row 3 is NaN"):
        weighed.fit(X, aim(model), np.where(np.arange(len(X)) == 3, np.nan, 1.0))


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "laplacian"])
def test_a_gamma_of_zero_is_a_gamma(kernel, tmp_path):
    constant = KernelRidge(kernel=kernel, gamma=0, coef0=0.5).fit(X, VALUES)
    assert_allclose(np.ptp(constant.predict(X)), 0, atol=1e-9)
    model = SVC(kernel=kernel, gamma=0, coef0=0.5).fit(X, y)
    assert_array_equal(model.support_vectors_, X[model.support_])
    model.save(tmp_path / "model.mercer")
    assert mercer.load(tmp_path / "model.mercer").gamma == 0
    assert len(np.unique(model.predict(X))) == 1


def test_matrices_that_are_not_symmetric_are_used_with_a_warning():
    K = rbf_kernel(X)
    lopsided = K + np.triu(np.random.default_rng(0).normal(0, 1e-3, K.shape), 1)
    half = (lopsided + lopsided.T) / 2
    for kind, values in ((SVC, y), (SVR, VALUES), (KernelRidge, VALUES)):
        model = kind(kernel="precomputed")
        with pytest.warns(UserWarning, match="not symmetric.*transpose is used"):
            found = model.fit(lopsided, values).predict(K)
        assert_allclose(found, kind(kernel="precomputed").fit(half, values).predict(K))
    with pytest.warns(UserWarning, match="not symmetric"):
        model = KernelPCA(2, kernel="precomputed").fit(lopsided)
    assert_allclose(model.eigenvalues_, KernelPCA(2, kernel="precomputed").fit(half).eigenvalues_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC(kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack"])
def test_components_of_negative_eigenvalues_are_not_given(solver):
    K = rbf_kernel(X) - (X @ X.T) / 20
    with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
        KernelPCA(len(X), kernel="precomputed", eigen_solver=solver).fit(K)
    with pytest.warns(UserWarning, match="indefinite"):
        all_there_are = KernelPCA(kernel="precomputed", eigen_solver=solver).fit(K)
    assert all_there_are.eigenvalues_.min() > 0
    few = KernelPCA(2, kernel="precomputed", eigen_solver=solver)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert few.fit_transform(K).shape == (len(X), 2)


def test_no_component_at_all(tmp_path):
    ours, peer = PCA(0).fit(X), other_components.PCA(0).fit(X)
    assert ours.transform(X).shape == peer.transform(X).shape == (len(X), 0)
    assert ours.fit_transform(X[:, :1]).shape == (len(X), 0)
    assert_allclose(ours.fit(X).noise_variance_, peer.noise_variance_)
    assert_allclose(ours.get_covariance(), peer.get_covariance())
    assert_allclose(ours.score(X), peer.score(X))
    ours.save(tmp_path / "model.mercer")
    assert mercer.load(tmp_path / "model.mercer").transform(X).shape == (len(X), 0)
    assert PCA(0).fit(X[:3, :]).n_components_ == PCA(0).fit(X.T).n_components_ == 0


@pytest.mark.parametrize("shape", [(60, 5), (40, 8), (600, 80), (20, 700), (600, 40)])
@pytest.mark.parametrize("count", [None, 0, 3, 0.5])
def test_the_solver_is_named_as_scikit_learn_names_it(shape, count):
    rows = np.random.default_rng(0).normal(size=shape)
    ours, peer = (kind(count).fit(rows) for kind in (PCA, other_components.PCA))
    assert ours._fit_svd_solver == peer._fit_svd_solver


@pytest.mark.parametrize("kind", [SVC, NuSVC], ids=lambda kind: kind.__name__)
def test_probability_is_deprecated_where_it_is_given(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = kind().fit(X, y)
        assert not hasattr(model, "predict_proba")
        assert model.calibrate(X, y).predict_proba(X).shape == (len(X), 3)
    for given in (True, False):
        with pytest.warns(FutureWarning, match="`probability` parameter is deprecated") as seen:
            model = kind(probability=given).fit(X, y)
        assert seen[0].filename == __file__
        assert hasattr(model, "predict_proba") == given
    for name in ("probA_", "probB_"):
        with pytest.warns(FutureWarning, match=f"`{name}` was deprecated"):
            assert getattr(model, name).shape == (0,)
    with pytest.warns(FutureWarning), pytest.raises(AttributeError, match="more than one slope"):
        kind(probability=True).fit(X, y).probB_  # noqa: B018
    assert not hasattr(kind(), "probA_")


def test_probabilities_of_a_search_are_its_own():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVCSearch([1.0], [0.1], cv=2, probability=True).fit(X, y)
    assert model.predict_proba(X).shape == (len(X), 3)


@every
def test_an_early_stop_is_told_in_both_words(model):
    limited = type(model)(**model.get_params() | {"max_iter": 1, "kernel": "linear"})
    said = r"Solver terminated early \(max_iter=1\).  Consider pre-processing .* violated by"
    with pytest.warns(ConvergenceWarning, match=said):
        limited.fit(X, aim(model))


@pytest.mark.parametrize("kind", [SVC, SVR], ids=lambda kind: kind.__name__)
def test_an_infinite_price_allows_no_errors(kind, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 20))
    values = np.sign(rows[:, 0]) if kind is SVC else rows[:, 0]
    hard, large = (kind(C=c).fit(rows, values) for c in (np.inf, 1e10))
    assert_allclose(hard.predict(rows), large.predict(rows), atol=1e-6)
    hard.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.isinf(again.C)
    assert_array_equal(again.predict(rows), hard.predict(rows))
    for wrong in (-np.inf, np.nan, 0):
        with pytest.raises(ValueError, match="'C' parameter"):
            kind(C=wrong).fit(rows, values)
