"""Sparse rows are the rows that they stand for, in every estimator."""

import numpy as np
import pytest
from kinds import ESTIMATORS, made, output_of, target_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import SVC, KernelPCA, KernelRidge

rng = np.random.default_rng(5)
X = rng.poisson(0.4, size=(60, 25)).astype(float)
X[::2, :5] += rng.poisson(2.0, size=(30, 5))
CLASSES = np.arange(60) % 2
NEW = rng.poisson(0.5, size=(20, 25)).astype(float)
every = pytest.mark.parametrize("name", list(ESTIMATORS))


@every
@pytest.mark.parametrize("kernel", ["rbf(gamma=0.05)", "chi2(gamma=0.1)", "normalize(linear)"])
def test_sparse_is_dense(name, kernel):
    params = {"kernel": kernel}
    dense = made(name, **params).fit(X, target_of(name, CLASSES))
    model = made(name, **params).fit(sparse.csr_array(X), target_of(name, CLASSES))
    expected = np.abs(output_of(dense, NEW))
    for new in (sparse.csr_array(NEW), NEW, sparse.coo_matrix(NEW), sparse.dok_array(NEW)):
        assert_allclose(np.abs(output_of(model, new)), expected, rtol=1e-5, atol=1e-6)
        assert_allclose(np.abs(output_of(dense, new)), expected, rtol=1e-5, atol=1e-6)
    assert model.n_features_in_ == 25
    with pytest.raises(ValueError, match="24 features"):
        output_of(model, sparse.csr_array(NEW[:, 1:]))


def test_indices_and_numbers_of_any_width():
    expected = mercer.pairwise_kernels(X, NEW, kernel="rbf", gamma=0.1)
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for left in (long, sparse.csc_array(X), sparse.csr_array(X.astype(int)), sparse.lil_array(X)):
        found = mercer.pairwise_kernels(left, NEW, kernel="rbf", gamma=0.1)
        assert found.dtype == np.float64
        assert_allclose(found, expected, rtol=1e-12)
    single = sparse.csr_array(X.astype(np.float32))
    found = mercer.pairwise_kernels(single, sparse.csr_array(NEW.astype(np.float32)), kernel="rbf")
    assert found.dtype == np.float32
    both = sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert_array_equal(mercer.pairwise_kernels(both), [[9.0, 0.0], [0.0, 9.0]])


def test_sparse_samples_are_never_written_out():
    # Written out, these would take 80 GB.
    wide = sparse.random_array((2000, 5_000_000), density=2e-6, rng=np.random.default_rng(0))
    wide = wide.tocsr()
    labels = np.arange(2000) % 2
    model = SVC(kernel="linear").fit(wide, labels)
    assert model.predict(wide).shape == (2000,)
    assert sparse.issparse(model.support_vectors_)
    assert KernelPCA(2, kernel="cosine").fit_transform(wide).shape == (2000, 2)


def test_what_a_model_keeps_and_writes(tmp_path):
    model = KernelRidge(kernel="rbf", gamma=0.1).fit(sparse.csr_array(X), X[:, 0])
    assert_array_equal(model.X_fit_.toarray(), X)
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert_array_equal(again.predict(sparse.csr_array(NEW)), model.predict(sparse.csr_array(NEW)))
    assert_array_equal(again.X_fit_.toarray(), X)


def test_linear_weights_of_sparse_samples():
    three = np.arange(60) % 3
    dense = SVC(kernel="linear", tol=1e-8).fit(X, three)
    model = SVC(kernel="linear", tol=1e-8).fit(sparse.csr_array(X), three)
    assert_allclose(model.coef_.toarray(), dense.coef_, atol=1e-6)
    assert_allclose(SVC().fit(sparse.csr_array(X), CLASSES).gamma_, SVC().fit(X, CLASSES).gamma_)


def test_searches_of_scikit_learn():
    csr = sparse.csr_array(X)
    assert cross_val_score(SVC(), csr, CLASSES, cv=3).shape == (3,)
    search = GridSearchCV(SVC(), {"C": [0.1, 1]}, cv=3, n_jobs=2).fit(csr, CLASSES)
    assert_array_equal(search.predict(csr), search.predict(X))


def test_bad_sparse_samples():
    bad = sparse.csr_array(X)
    bad.data[7] = np.nan
    row, column = np.argwhere(np.isnan(bad.toarray()))[0]
    for call in (SVC().fit, KernelRidge(kernel="rbf").fit):
        with pytest.raises(ValueError, match=f"NaN at row {row}, column {column}"):
            call(bad, CLASSES)
    negative = sparse.csr_array(X)
    negative.data[3] = -1.0
    for kernel in ("hellinger", "chi2(gamma=1)", "intersection", "jensen_shannon"):
        with pytest.raises(ValueError, match="need non-negative values: -1"):
            KernelPCA(kernel=kernel).fit(negative)
    with pytest.raises(ValueError, match="strings"):
        KernelPCA(kernel="spectrum(p=3)").fit(sparse.csr_array(X))


def test_maps_back_of_sparse_samples_go_to_dense_ones():
    model = KernelPCA(3, kernel="rbf", gamma=0.05, fit_inverse_transform=True)
    model.fit(sparse.csr_array(X))
    assert model.inverse_transform(model.transform(sparse.csr_array(NEW))).shape == NEW.shape


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_machines_of_small_sparse_sets_are_those_of_dense_ones(kernel):
    rows, three = np.round(X, 1), np.arange(60) % 3
    # A coarse tolerance leaves many machines that are good enough: both find the same one.
    dense = SVC(kernel=kernel, gamma=1.0).fit(rows, three)
    model = SVC(kernel=kernel, gamma=1.0).fit(sparse.csr_array(rows), three)
    assert_array_equal(model.support_, dense.support_)
    assert_array_equal(model.dual_coef_.toarray(), dense.dual_coef_)
