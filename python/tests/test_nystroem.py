"""Nyström features: the approximation that scikit-learn's have, for every kind of samples."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import kernel_approximation as theirs
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import (
    kernel_metrics,
    laplacian_kernel,
    polynomial_kernel,
    rbf_kernel,
)
from sklearn.pipeline import make_pipeline

import mercer
from mercer import Nystroem, pairwise_kernels
from mercer.kernels import RBF, Laplacian

pytestmark = pytest.mark.filterwarnings("ignore:.*landmarks depend linearly")
rng = np.random.default_rng(4)
X = rng.normal(size=(300, 4))
NEW = rng.normal(size=(40, 4))
TEXTS = [f"{'ab' * (i % 7)}{'cde' * (i % 5)}x" for i in range(80)]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"gamma": 0.3},
        {"kernel": "laplacian", "gamma": 0.2},
        {"kernel": "poly", "degree": 2, "coef0": 2},
        {"kernel": "poly"},
        {"kernel": "cosine"},
        {"kernel": "linear"},
    ],
)
def test_inner_products_are_those_of_scikit_learn_for_the_same_landmarks(params):
    reference = theirs.Nystroem(**params, n_components=30, random_state=0).fit(X)
    model = Nystroem(**params, n_components=reference.components_).fit(X)
    ours, expected = model.transform(NEW), reference.transform(NEW)
    np.testing.assert_allclose(ours @ ours.T, expected @ expected.T, atol=1e-8)
    back = pairwise_kernels(NEW, model.components_, kernel=model.kernel_) @ model.normalization_.T
    np.testing.assert_allclose(back, ours, atol=1e-9)


def test_defaults_are_those_of_scikit_learn():
    ours, expected = Nystroem().get_params(), theirs.Nystroem().get_params()
    assert {name: ours[name] for name in expected} == expected


def test_all_samples_as_landmarks_give_the_kernel_itself():
    for kernel, exact in [
        (RBF(gamma=0.2), rbf_kernel(X, gamma=0.2)),
        (0.5 * Laplacian(gamma=0.3), 0.5 * laplacian_kernel(X, gamma=0.3)),
    ]:
        Z = Nystroem(kernel, n_components=len(X)).fit_transform(X)
        np.testing.assert_allclose(Z @ Z.T, exact, atol=1e-7)


def test_the_error_is_that_of_the_matrix():
    model = Nystroem(gamma=0.2, n_components=25, random_state=3)
    Z = model.fit_transform(X)
    left = np.trace(rbf_kernel(X, gamma=0.2) - Z @ Z.T)
    assert model.error_["residual_trace"] == pytest.approx(left, rel=1e-9)
    assert model.error_["trace"] == pytest.approx(len(X))
    assert model.error_["residual_share"] == pytest.approx(left / len(X))
    rows = model.landmark_residual(X)
    np.testing.assert_allclose(rows, 1 - (Z**2).sum(axis=1), atol=1e-10)
    assert rows.min() >= 0


def test_both_ways_to_fit_are_the_same():
    model = Nystroem(gamma=0.2, n_components=25)
    once = model.fit_transform(X)
    again = clone(model).fit(X)
    np.testing.assert_array_equal(once, again.transform(X))
    assert model.error_ == again.error_
    assert model.report_["landmarks"] == again.report_["landmarks"]
    assert model.get_feature_names_out()[0] == "nystroem0"
    assert once.shape == (300, 25)
    threads = clone(model).set_params(n_jobs=2).fit_transform(X)
    np.testing.assert_array_equal(once, threads)
    blocks = list(again.transform_blocks([X[:100], X[100:]]))
    np.testing.assert_allclose(np.vstack(blocks), once, atol=1e-12)


def test_pivots_leave_less_than_a_uniform_choice():
    rows = np.vstack([0.1 * rng.normal(size=(900, 3)), 4 * rng.normal(size=(40, 3))])
    share = {
        method: Nystroem(gamma=0.2, n_components=40, landmark_method=method).fit(rows).error_
        for method in ("pivoted_cholesky", "uniform")
    }
    assert share["pivoted_cholesky"]["residual_share"] < 0.7 * share["uniform"]["residual_share"]


def test_as_many_as_a_tolerance_takes():
    model = Nystroem(gamma=0.05, n_components="auto", landmark_tol=0.02).fit(X)
    assert 1 < model.n_components_ < 200
    assert model.error_["residual_share"] <= 0.02


def test_single_precision_stays_single():
    model = Nystroem(gamma=0.2, n_components=40)
    Z = model.fit_transform(X.astype(np.float32))
    assert Z.dtype == np.float32
    assert model.transform(NEW).dtype == np.float32
    wide = Nystroem(gamma=0.2, n_components=model.components_).fit(X).transform(X)
    np.testing.assert_allclose(Z @ Z.T, wide @ wide.T, atol=1e-4)
    mixed = Nystroem(gamma=0.2, n_components=40, precision="mixed").fit_transform(X)
    assert mixed.dtype == np.float64
    np.testing.assert_allclose(mixed @ mixed.T, wide @ wide.T, atol=0.1)


def test_samples_of_every_kind():
    Z = Nystroem("normalize(spectrum(p=2))", n_components=80).fit_transform(TEXTS)
    exact = pairwise_kernels(TEXTS, kernel="normalize(spectrum(p=2))")
    assert Z.shape[1] < 40
    np.testing.assert_allclose(Z @ Z.T, exact, atol=1e-6)
    rows = sparse.random(100, 30, density=0.1, random_state=0, format="csr")
    ours = Nystroem(gamma=0.2, n_components=20).fit(rows)
    dense = Nystroem(gamma=0.2, n_components=ours.components_.toarray()).fit(rows.toarray())
    np.testing.assert_allclose(ours.transform(rows), dense.transform(rows.toarray()), atol=1e-9)
    counts = abs(X)
    Z = Nystroem("chi2", gamma=0.5, n_components=300).fit_transform(counts)
    np.testing.assert_allclose(Z @ Z.T, kernel_metrics()["chi2"](counts, gamma=0.5), atol=1e-6)
    table = pd.DataFrame({"name": TEXTS, "size": np.arange(80.0)})
    kernel = "columns(name: spectrum(p=2)) + columns(size: rbf(gamma=0.01))"
    Z = Nystroem(kernel, n_components=80).fit_transform(table)
    np.testing.assert_allclose(Z @ Z.T, pairwise_kernels(table, kernel=kernel), atol=1e-5)


def test_a_function_of_two_samples():
    def overlap(a, b, power=1):
        return (1.0 + a @ b) ** power

    model = Nystroem(overlap, kernel_params={"power": 2}, n_components=15).fit(X)
    Z = model.transform(X)
    exact = polynomial_kernel(X, degree=2, gamma=1, coef0=1)
    np.testing.assert_allclose(Z @ Z.T, exact, atol=1e-6 * exact.max())
    with pytest.raises(ValueError, match="Don't pass gamma, coef0 or degree to Nystroem"):
        Nystroem(overlap, gamma=1.0).fit(X)
    with pytest.raises(ValueError, match="cannot hold"):
        model.save("never")


def test_dependent_landmarks_are_left_out_with_a_warning():
    with pytest.warns(UserWarning, match="2 of 5 landmarks depend linearly"):
        model = Nystroem(gamma=0.2, n_components=X[[0, 1, 2, 0, 1]]).fit(X)
    assert model.n_components_ == 3
    assert model.transform(NEW).shape == (40, 3)
    with pytest.warns(UserWarning, match="n_components > n_samples"):
        Nystroem(gamma=0.2, n_components=400).fit(X)


def test_files_and_pickles_change_no_bit(tmp_path):
    model = Nystroem(gamma=0.2, n_components=20, fit_inverse_transform=True, alpha=0.1).fit(X)
    model.save(tmp_path / "model.mercer")
    read = mercer.load(tmp_path / "model.mercer")
    assert isinstance(read, Nystroem)
    assert read.get_params() == model.get_params()
    for again in (read, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.transform(NEW), model.transform(NEW))
        np.testing.assert_array_equal(
            again.inverse_transform(again.transform(NEW)),
            model.inverse_transform(model.transform(NEW)),
        )
        assert again.error_ == model.error_
        np.testing.assert_array_equal(again.normalization_, model.normalization_)
    own = Nystroem(gamma=0.2, n_components=X[:10]).fit(X)
    own.save(tmp_path / "own.mercer")
    read = mercer.load(tmp_path / "own.mercer")
    np.testing.assert_array_equal(read.transform(NEW), own.transform(NEW))


def test_the_inverse_map_is_ridge_regression_on_the_features():
    model = Nystroem(gamma=0.05, n_components=60, fit_inverse_transform=True, alpha=0.01).fit(X)
    Z = model.transform(X)
    back = model.inverse_transform(Z)
    np.testing.assert_allclose(back, Ridge(0.01).fit(Z, X).predict(Z), atol=1e-6)
    assert np.abs(back - X).mean() < 0.2
    near = Nystroem(gamma=0.05, n_components=60).fit(X)
    found = near.inverse_transform(near.transform(X[:5]), method="fixed_point")
    assert np.abs(found - X[:5]).max() < 0.5
    with pytest.raises(mercer.ParameterError, match="function"):
        Nystroem(lambda a, b: a @ b, fit_inverse_transform=True).fit(X)


def test_rows_in_another_order_with_the_same_landmarks():
    model = Nystroem(gamma=0.2, n_components=X[:20]).fit(X)
    other = clone(model).fit(X[rng.permutation(len(X))])
    np.testing.assert_array_equal(other.transform(NEW), model.transform(NEW))
    assert other.error_ == pytest.approx(model.error_)


def test_in_a_pipeline_features_and_ridge_are_ridge_on_landmarks():
    y = np.sin(X[:, 0])
    pipeline = make_pipeline(
        Nystroem(gamma=0.2, n_components=X[:50]), Ridge(0.1, fit_intercept=False)
    )
    low = mercer.KernelRidge(0.1, kernel="rbf", gamma=0.2, landmarks=X[:50]).fit(X, y)
    np.testing.assert_allclose(pipeline.fit(X, y).predict(NEW), low.predict(NEW), atol=1e-7)
    frame = Nystroem(gamma=0.2, n_components=3).set_output(transform="pandas").fit_transform(X)
    assert list(frame.columns) == ["nystroem0", "nystroem1", "nystroem2"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": None}, "n_components"),
        ({"n_components": "many"}, "n_components"),
        ({"n_components": 2.5}, "n_components"),
        ({"landmark_method": "best"}, "landmark_method"),
        ({"landmark_tol": 0, "n_components": "auto"}, "landmark_tol"),
        ({"alpha": -1}, "alpha"),
        ({"precision": "f16"}, "precision"),
        ({"kernel": "precomputed"}, "precomputed"),
        ({"kernel": "unheard_of"}, "unheard_of"),
    ],
)
def test_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        Nystroem(**params).fit(X)


def test_memory_beside_the_result_is_a_block(monkeypatch):
    from mercer import _nystroem

    model = Nystroem(gamma=0.2, n_components=20).fit(X)
    whole = model.transform(X)
    monkeypatch.setattr(_nystroem, "_ROWS", 64)
    np.testing.assert_allclose(model.transform(X), whole, atol=1e-12)
    np.testing.assert_allclose(model.transform(sparse.csr_array(X)), whole, atol=1e-9)
