"""The kernels of support vector machines: given matrices, functions, specs, and names."""

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel, rbf_kernel

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.kernels import RBF, Linear

X, y = load_iris(return_X_y=True)
NEW = np.random.default_rng(2).uniform(0, 8, size=(70, 4))
VALUES = np.sin(X[:, 0]) + X[:, 1]
MACHINES = [SVC(C=2.0), NuSVC(nu=0.1), SVR(C=2.0), NuSVR(), OneClassSVM(nu=0.2)]
every = pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)


def fitted(model, X, **params):
    aim = VALUES if isinstance(model, (SVR, NuSVR)) else y
    return type(model)(**model.get_params() | {"tol": 1e-8} | params).fit(X, aim)


def outputs(model, X):
    regression = isinstance(model, (SVR, NuSVR))
    return model.predict(X) if regression else model.decision_function(X)


def rbf(A, B):
    return rbf_kernel(A, B, gamma=0.3)


@every
def test_a_given_matrix_is_the_kernel_itself(model):
    direct = fitted(model, X, kernel="rbf", gamma=0.3)
    given = fitted(model, rbf(X, X), kernel="precomputed")
    assert_allclose(outputs(given, rbf(NEW, X)), outputs(direct, NEW), atol=1e-5)
    assert given.kernel_ == "precomputed"
    assert given.support_vectors_.shape == (0, 0)
    assert given.n_features_in_ == len(X)
    assert_array_equal(np.sort(given.support_), np.sort(direct.support_))


@every
def test_a_function_is_the_kernel_itself(model):
    shapes = []

    def function(A, B):
        shapes.append((len(A), len(B)))
        return rbf(A, B)

    made = fitted(model, X, kernel=function)
    assert sum(rows * columns for rows, columns in shapes) <= len(X) ** 2
    shapes.clear()
    direct = fitted(model, X, kernel="rbf", gamma=0.3)
    assert_allclose(outputs(made, NEW), outputs(direct, NEW), atol=1e-5)
    assert sum(rows * columns for rows, columns in shapes) == len(NEW) * len(made.support_)
    assert made.support_vectors_.shape == (0, 0)
    assert made.kernel_ == "function"
    with pytest.raises(AttributeError, match="linear"):
        _ = made.coef_


@pytest.mark.parametrize(
    ("kernel", "matrix"),
    [
        (0.5 * RBF(gamma=0.3) + Linear(), lambda A, B: 0.5 * rbf(A, B) + A @ B.T),
        ("0.5*rbf(gamma=0.3) + linear", lambda A, B: 0.5 * rbf(A, B) + A @ B.T),
        ("laplacian", lambda A, B: laplacian_kernel(A, B, gamma=1 / (4 * X.var()))),
        ("chi2", lambda A, B: chi2_kernel(A, B, gamma=1 / (4 * X.var()))),
        ("cosine", None),
        ("matern(nu=2.5, length=3)", None),
    ],
    ids=named,
)
def test_kernels_of_the_library(kernel, matrix):
    model = SVC(kernel=kernel, tol=1e-8).fit(X, y)
    if matrix is None:

        def matrix(A, B):
            return mercer.pairwise_kernels(A, B, kernel=kernel)

    peer = theirs.SVC(kernel=matrix, tol=1e-8).fit(X, y)
    assert_allclose(model.decision_function(NEW), peer.decision_function(NEW), atol=1e-4)


@pytest.mark.parametrize(
    "params",
    [
        {"gamma": 0},
        {"gamma": 0.0, "kernel": "poly", "coef0": 1.0},
        {"kernel": "poly", "degree": 0},
        {"kernel": "poly", "degree": 0, "gamma": "auto"},
        {"kernel": "sigmoid", "gamma": 0, "coef0": 0.5},
        {"kernel": "poly", "degree": 3, "coef0": -0.1, "gamma": 0.1},
        {"kernel": "sigmoid", "gamma": 0.01, "coef0": -1.0},
    ],
    ids=named,
)
def test_the_ends_of_parameters_are_those_of_scikit_learn(params):
    ours, other = (kind(**params, tol=1e-7).fit(X, y) for kind in (SVC, theirs.SVC))
    assert_allclose(ours.decision_function(NEW), other.decision_function(NEW), atol=1e-3)


def test_gamma():
    assert SVC().fit(X, y).gamma_ == pytest.approx(1 / (4 * X.var()))
    assert SVC(gamma="auto").fit(X, y).gamma_ == 0.25
    assert SVC(gamma=2).fit(X, y).gamma_ == 2
    assert SVC(kernel="chi2", gamma=0.5).fit(X, y).gamma_ == 0.5
    constant = np.ones((10, 2))
    assert SVC().fit(constant, np.arange(10) % 2).gamma_ == 1.0
    assert SVC(kernel="laplacian").fit(constant, np.arange(10) % 2).gamma_ == 1.0
    assert SVC(kernel="rbf(gamma=0.5)").fit(X, y).kernel_ == "rbf(gamma=0.5)"


def test_a_function_may_take_anything():
    texts = ["A A", "A", "B", "B B", "A B B", "A A A"]
    labels = [1, 1, 2, 2, 2, 1]

    def count(A, B):
        return np.array([[sum(a.count(c) * b.count(c) for c in "AB") for b in B] for a in A])

    ours = SVC(kernel=count, tol=1e-8).fit(texts, labels)
    other = theirs.SVC(kernel=count, tol=1e-8).fit(texts, labels)
    assert_array_equal(ours.predict(texts), other.predict(texts))
    assert_allclose(
        ours.decision_function(["A B", "B A A"]),
        other.decision_function(["A B", "B A A"]),
        atol=1e-6,
    )
    assert ours.shape_fit_ == other.shape_fit_ == (6,)
    assert not hasattr(ours, "n_features_in_")
    assert ours.set_params(kernel=rbf).fit(X, y).n_features_in_ == 4


def test_functions_that_go_wrong():
    def broken(A, B):
        raise RuntimeError("no such kernel")

    with pytest.raises(RuntimeError, match="no such kernel"):
        SVC(kernel=broken).fit(X, y)
    for wrong in (
        lambda A, B: np.ones(len(A)),
        lambda A, B: np.ones((len(A), len(B) + 1)),
        lambda A, B: np.full((len(A), len(B)), "x"),
        lambda A, B: 1.0,
    ):
        with pytest.raises(ValueError, match="must return numbers of shape"):
            SVC(kernel=wrong).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        SVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)
    with pytest.raises(ValueError, match="symmetric"):
        SVC(kernel=lambda A, B: rbf(A, B) + np.arange(len(B))).fit(X, y)
