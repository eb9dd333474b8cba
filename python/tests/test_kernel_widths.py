"""Kernels with a width or a period for each column."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.gaussian_process import kernels as peers
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, KernelPCA, KernelRidge
from mercer.kernels import RBF, Laplacian, Matern, Periodic, RationalQuadratic, from_spec

X = np.random.default_rng(0).normal(size=(40, 3))
LENGTHS = [0.5, 2.0, 10.0]


@pytest.mark.parametrize(
    ("ours", "peer"),
    [
        (RBF(sigma=LENGTHS), peers.RBF(LENGTHS)),
        (RBF(gamma=np.array([2.0, 0.125, 0.005])), peers.RBF(LENGTHS)),
        (Matern(0.5, length=LENGTHS), peers.Matern(LENGTHS, nu=0.5)),
        (Matern(2.5, length=tuple(LENGTHS)), peers.Matern(LENGTHS, nu=2.5)),
    ],
)
def test_as_in_scikit_learn(ours, peer):
    assert_allclose(ours(X), peer(X), atol=1e-13)


def test_periodic_is_a_product_over_columns():
    alone = [peers.ExpSineSquared(0.7, period)(X[:, [j]]) for j, period in enumerate((3, 4, 5))]
    assert_allclose(Periodic([3, 4, 5], length=0.7)(X), np.prod(alone, axis=0), atol=1e-13)
    one = X[:, :1]
    assert_allclose(Periodic(3, length=0.7)(one), peers.ExpSineSquared(0.7, 3)(one), atol=1e-13)
    assert_allclose(Periodic(3)(one), Periodic(3)(one, one + 3e6), atol=1e-9)


def test_lists_are_parameters_like_any_other():
    k = 2 * RBF(gamma=[0.1, 2, 0]) + Laplacian(gamma=(1.0, 2, 3))
    assert repr(k) == "2*rbf(gamma=[0.1, 2, 0]) + laplacian(gamma=[1, 2, 3])"
    for twin in (from_spec(repr(k)), pickle.loads(pickle.dumps(k)), copy.deepcopy(k), clone(k)):
        assert twin == k
    assert from_spec(repr(k)).get_params()["right__gamma"] == [1, 2, 3]
    k.set_params(right__gamma=[3, 2, 1])
    assert repr(k).endswith("laplacian(gamma=[3, 2, 1])")
    assert RBF(gamma=[1, 2]) != RBF(gamma=[2, 1])


def test_models_save_and_load(tmp_path):
    y = np.sin(3 * X[:, 0]) + 0.1 * X[:, 1]
    for kernel in (RBF(gamma=[2, 0.1, 0]), "matern(length=[0.5, 2, 9])*periodic(period=[5, 6, 7])"):
        model = KernelRidge(alpha=1e-3, kernel=kernel).fit(X, y)
        model.save(tmp_path / "model.mercer")
        loaded = mercer.load(tmp_path / "model.mercer")
        assert_array_equal(loaded.predict(X), model.predict(X))
    # The columns that count are found: their widths are those of the function.
    right = KernelRidge(alpha=1e-3, kernel=RBF(gamma=[2, 0.1, 0])).fit(X[:30], y[:30])
    wrong = KernelRidge(alpha=1e-3, kernel=RBF(gamma=[0, 0.1, 2])).fit(X[:30], y[:30])
    assert right.score(X[30:], y[30:]) > 0.9 > wrong.score(X[30:], y[30:])


def test_sparse_rows_and_pipelines():
    kernel = RBF(gamma=[0.3, 2, 0])
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) < 0.8, 0, X))
    assert_allclose(
        mercer.pairwise_kernels(sparse, kernel=kernel),
        mercer.pairwise_kernels(sparse.toarray(), kernel=kernel),
        atol=1e-14,
    )
    labels = X[:, 0] > 0
    found = make_pipeline(StandardScaler(), SVC(kernel=kernel)).fit(X, labels)
    assert found.score(X, labels) > 0.8
    scores = KernelPCA(2, kernel=kernel, n_jobs=1).fit_transform(X)
    assert_array_equal(scores, KernelPCA(2, kernel=kernel, n_jobs=2).fit_transform(X))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RBF(gamma=[1, -1]), "gamma must be a number of at least 0, not -1"),
        (lambda: RBF(gamma=[]), "expected a number"),
        (lambda: RBF(gamma=["scale"]), "expected a number"),
        (lambda: mercer.kernels.Poly(gamma=[1, 2]), "one value for all columns, not a list"),
        (
            lambda: RBF(gamma=[1, 2])(X),
            "gamma of rbf has 2 numbers, but the samples have 3",
        ),
        (lambda: SVC(kernel=RBF(gamma=[1, 2])).fit(X, X[:, 0] > 0), "the samples have 3 columns"),
        (lambda: Periodic()(scipy.sparse.csr_array(X)), "periodic is for dense rows"),
        (lambda: RationalQuadratic(length=[1, 0, 1]), "length must be a positive number, not 0"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()
