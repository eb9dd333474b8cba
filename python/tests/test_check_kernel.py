"""Is it a kernel? Answers, repairs, and the features of kernels."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import mercer
from mercer import SVC, KernelRepair, ParameterError, check_kernel, feature_map, pairwise_kernels

rng = np.random.default_rng(3)
X = rng.normal(size=(40, 3))
CLASSES = np.arange(40) % 2


def indefinite(n=40):
    A = rng.normal(size=(n, n))
    return A + A.T


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian", "poly(degree=3)", "cosine"])
def test_kernels_are_valid(kernel):
    check = check_kernel(kernel, X)
    assert check.is_valid
    assert check.verdict == "valid on these 40 samples, up to rounding"
    assert check.witness is None
    assert check.carriers is None
    assert check.asymmetry < 1e-14
    assert check.n_samples == check.n_examined == 40


def test_a_witness():
    check = check_kernel("sigmoid", X, gamma=1.0, coef0=-1.0)
    assert not check.is_valid
    K = pairwise_kernels(X, kernel="sigmoid", gamma=1.0, coef0=-1.0)
    values = np.linalg.eigvalsh(K)
    assert_allclose([check.smallest, check.largest], values[[0, -1]])
    assert_allclose(check.eigenvalues, values[::-1], atol=1e-10)
    assert_allclose(check.ratio, -values[0] / np.abs(values).max())
    assert_allclose(check.negative_share, -values[values < 0].sum() / np.abs(values).sum())
    a, rows = check.witness, check.carriers
    assert_allclose(a @ K[np.ix_(rows, rows)] @ a, check.witness_value)
    assert check.witness_value < 0
    assert "indefinite on these 40 samples" in str(check)
    assert f"at sample {rows[0]}" in str(check)
    assert check._repr_html_().startswith("<p><b>not a kernel")
    repaired = check.repair("clip")
    assert np.linalg.eigvalsh(repaired).min() > -1e-10


def test_matrices():
    K = indefinite()
    one, other = check_kernel("precomputed", K), check_kernel(K)
    assert one.verdict == other.verdict
    crooked = X @ X.T
    crooked[3, 5] += 1
    check = check_kernel("precomputed", crooked)
    assert not check.is_valid
    assert "k(3, 5) and k(5, 3) differ" in check.verdict or "k(5, 3)" in check.verdict
    with pytest.raises(ValueError, match="square"):
        check_kernel("precomputed", K[:, 1:])
    with pytest.raises(ValueError, match="NaN"):
        check_kernel("precomputed", np.full((2, 2), np.nan))


def test_functions_and_other_samples():
    def lopsided(a, b):
        return float(a[0])

    assert "not symmetric" in check_kernel(lopsided, X).verdict
    check = check_kernel("normalize(spectrum(p=2))", ["hello", "help", "yelp"])
    assert check.is_valid
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    assert check_kernel("column(a: rbf) * column(b: rbf)", frame).is_valid


def test_many_samples_are_thinned_out():
    many = rng.normal(size=(300, 2))
    check = check_kernel("sigmoid", many, gamma=1.0, coef0=-1.0, max_samples=50)
    assert (check.n_samples, check.n_examined) == (300, 50)
    assert "50 samples drawn at random from 300" in check.verdict
    K = pairwise_kernels(many, kernel="sigmoid", gamma=1.0, coef0=-1.0)
    a, rows = check.witness, check.carriers
    assert_allclose(a @ K[np.ix_(rows, rows)] @ a, check.witness_value)
    assert check_kernel("precomputed", K, max_samples=50).verdict == check.verdict


def test_wrong_questions():
    with pytest.raises(ParameterError, match="pass some as X"):
        check_kernel("rbf")
    with pytest.raises(ParameterError, match="max_samples"):
        check_kernel("rbf", X, max_samples=0)


@pytest.mark.parametrize("method", ["clip", "flip", "shift", "nearest"])
def test_repairs(method):
    K = indefinite()
    K[np.diag_indices(40)] = np.abs(K.diagonal()) + 1
    repair = KernelRepair(method)
    fixed = repair.fit_transform(K)
    assert np.linalg.eigvalsh(fixed).min() > -1e-8
    assert_array_equal(fixed, fixed.T)
    assert repair.converged_
    assert_allclose(repair.change_, np.linalg.norm(fixed - K) / np.linalg.norm(K))
    if method in ("clip", "flip"):
        assert_allclose(repair.transform(K), fixed, atol=1e-8)
        assert_allclose(repair.transform_diagonal(K, K.diagonal()), fixed.diagonal(), atol=1e-8)
    if method == "nearest":
        assert_allclose(fixed.diagonal(), K.diagonal())
    if method == "shift":
        assert_array_equal(repair.transform(K), K)
    again = pickle.loads(pickle.dumps(repair))
    assert_array_equal(again.transform(K[:5]), repair.transform(K[:5]))
    good = X @ X.T
    assert_allclose(KernelRepair(method).fit(good).transform(good), good, atol=1e-8)


def test_a_pipeline_slices_both_ways():
    K = pairwise_kernels(X, kernel="sigmoid", gamma=0.5, coef0=-0.5)
    pipeline = make_pipeline(KernelRepair(), SVC(kernel="precomputed"))
    assert pipeline.__sklearn_tags__().input_tags.pairwise
    assert cross_val_score(pipeline, K, CLASSES, cv=4, error_score="raise").shape == (4,)


def test_wrong_repairs():
    with pytest.raises(ParameterError, match="method"):
        KernelRepair("mend").fit(np.eye(2))
    with pytest.raises(ValueError, match="square"):
        KernelRepair().fit(np.ones((2, 3)))
    crooked = np.array([[1.0, 2.0], [0.0, 1.0]])
    assert_allclose(KernelRepair().fit_transform(crooked), np.ones((2, 2)), atol=1e-12)
    with pytest.raises(ValueError, match="3 features"):
        KernelRepair().fit(np.eye(2)).transform(np.ones((1, 3)))


@pytest.mark.parametrize(
    "kernel",
    [
        "linear",
        "poly(degree=3, gamma=0.5, coef0=2)",
        "hellinger",
        "normalize(poly(degree=2)) + 0.5*linear",
        "linear*hellinger",
        "cosine",
    ],
)
def test_inner_products_are_the_kernel(kernel):
    rows = np.abs(X)
    found = feature_map(kernel, rows)
    assert found.exact
    assert found.dimension == len(found.names) == found.features.shape[1]
    K = pairwise_kernels(rows, kernel=kernel)
    assert_allclose(found.features @ found.features.T, K, atol=1e-10)
    new = np.abs(rng.normal(size=(5, 3)))
    assert_allclose(
        found.transform(new) @ found.features.T, pairwise_kernels(new, rows, kernel=kernel)
    )
    again = pickle.loads(pickle.dumps(found))
    assert_array_equal(again.transform(new), found.transform(new))


@pytest.mark.parametrize("kernel", ["additive_chi2", "intersection", "jensen_shannon"])
def test_approximate_maps(kernel):
    rows = np.abs(X)
    found = feature_map(kernel, rows, n_sampled=6)
    assert not found.exact
    K = pairwise_kernels(rows, kernel=kernel)
    bound = found.worst_error * np.maximum(rows[:, None], rows).sum(axis=2)
    assert (np.abs(found.features @ found.features.T - K) <= bound + 1e-12).all()


def test_names_of_features():
    frame = pd.DataFrame({"age": [1.0, 2.0], "height": [3.0, 4.0]})
    found = feature_map("poly(degree=2)", frame)
    assert found.names == [
        "1",
        "√2·age",
        "√2·height",
        "age^2",
        "√2·age·height",
        "height^2",
    ]
    assert feature_map("column(height: linear)", frame).names == ["height"]


def test_features_of_texts():
    texts = ["banana", "ananas", "an apple", ""]
    for kernel in (
        "spectrum(p=2)",
        "normalize(substrings(p=3))",
        "2*spectrum(p=1) + spectrum(p=3)",
    ):
        found = feature_map(kernel, texts)
        assert found.exact
        assert found.features.shape == (4, found.dimension)
        K = pairwise_kernels(texts, kernel=kernel)
        assert_allclose((found.features @ found.features.T).toarray(), K, atol=1e-12)
        new = ["a new banana", "xyz"]
        cross = (found.transform(new) @ found.features.T).toarray()
        assert_allclose(cross, pairwise_kernels(new, texts, kernel=kernel), atol=1e-12)
        again = pickle.loads(pickle.dumps(found))
        assert_array_equal(again.transform(new).toarray(), found.transform(new).toarray())
    assert "an" in feature_map("spectrum(p=2)", texts).names


def test_no_map():
    with pytest.raises(ValueError, match="infinitely many"):
        feature_map("rbf", X)
    with pytest.raises(ValueError, match="name or spec"):
        feature_map(lambda a, b: 1.0, X)
    with pytest.raises(ValueError, match="need non-negative values"):
        feature_map("hellinger", X)
    assert mercer.feature_map("poly", X, degree=2).dimension == 10
