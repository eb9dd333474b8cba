"""Transformers to approximate features of kernels: RBFSampler and its kin."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import kernel_approximation as theirs
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import additive_chi2_kernel, polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline

import mercer
from mercer import (
    AdditiveChi2Sampler,
    ParameterError,
    PolynomialCountSketch,
    RBFSampler,
    pairwise_kernels,
)

rng = np.random.default_rng(3)
X = rng.normal(size=(60, 6))
H = np.abs(rng.normal(size=(40, 5))) * (rng.random(size=(40, 5)) > 0.3)
SAMPLERS = {
    "rbf": (RBFSampler(gamma=0.1, n_components=31, random_state=1), X),
    "independent": (RBFSampler(gamma=0.1, features="independent", random_state=1), X),
    "laplacian": (RBFSampler(gamma=0.1, n_components=20, kernel="laplacian"), X),
    "sketch": (PolynomialCountSketch(degree=3, coef0=0.5, n_components=40), X),
    "chi2": (AdditiveChi2Sampler(sample_steps=3), H),
}
each = pytest.mark.parametrize(("sampler", "rows"), SAMPLERS.values(), ids=SAMPLERS)


def rms(features, kernel):
    """The root mean square error over pairs of different samples."""
    apart = (features @ features.T - kernel)[np.triu_indices(len(kernel), 1)]
    return np.sqrt(np.mean(apart**2))


def mean_error(make, rows, kernel, seeds=10):
    errors = [rms(make(seed).fit_transform(rows), kernel) ** 2 for seed in range(seeds)]
    return np.sqrt(np.mean(errors))


@pytest.mark.parametrize("features", ["auto", "orthogonal", "independent"])
def test_rbf_errors_are_at_most_those_of_scikit_learn(features):
    kernel = rbf_kernel(X, gamma=0.1)
    expected = mean_error(
        lambda seed: theirs.RBFSampler(gamma=0.1, n_components=60, random_state=seed), X, kernel
    )
    found = mean_error(
        lambda seed: RBFSampler(gamma=0.1, n_components=60, random_state=seed, features=features),
        X,
        kernel,
    )
    # Of the same distribution, or better.
    most = 1.15 if features == "independent" else 0.8
    assert found < most * expected


def test_sketch_errors_are_like_those_of_scikit_learn():
    params = {"gamma": 0.3, "degree": 2, "coef0": 1.0, "n_components": 80}
    kernel = polynomial_kernel(X, gamma=0.3, degree=2, coef0=1.0)
    expected, found = (
        mean_error(lambda seed, kind=kind: kind(random_state=seed, **params), X, kernel)
        for kind in (theirs.PolynomialCountSketch, PolynomialCountSketch)
    )
    assert found < 1.15 * expected


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize("interval", [None, 0.37])
def test_chi2_features_are_those_of_scikit_learn(steps, interval):
    params = {"sample_steps": steps, "sample_interval": interval}
    if interval is None and steps > 3:
        for kind in (theirs.AdditiveChi2Sampler, AdditiveChi2Sampler):
            with pytest.raises(ValueError, match="you need to provide sample_interval"):
                kind(**params).fit(H)
        return
    expected = theirs.AdditiveChi2Sampler(**params).fit(H)
    found = AdditiveChi2Sampler(**params).fit(H)
    assert_allclose(found.transform(H), expected.transform(H), rtol=1e-13, atol=1e-15)
    assert_array_equal(found.get_feature_names_out(), expected.get_feature_names_out())
    rows = sparse.csr_array(H)
    ours, other = found.transform(rows), expected.transform(rows)
    assert sparse.issparse(ours)
    assert type(ours) is type(other.tocsr())
    assert_allclose(ours.toarray(), other.toarray(), rtol=1e-13, atol=1e-15)
    single = found.transform(H.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, found.transform(H), rtol=1e-5, atol=1e-6)


def test_chi2_needs_no_fit_and_has_a_bound():
    sampler = AdditiveChi2Sampler(sample_steps=3)
    before = sampler.transform(H)
    assert_array_equal(before, sampler.fit(H).transform(H))
    # scikit-learn's kernel is -Σ (x - y)² / (x + y), which is 2k(x, y) - Σ x - Σ y.
    sums = H.sum(axis=1)
    kernel = 0.5 * (additive_chi2_kernel(H) + sums + sums[:, None])
    larger = np.maximum(H[:, None], H).sum(axis=2)
    assert np.all(np.abs(before @ before.T - kernel) <= sampler.worst_error_ * larger + 1e-12)
    assert 0 < sampler.error_["mean"] <= sampler.error_["rms"] <= sampler.error_["max"]


@pytest.mark.parametrize(
    ("kernel", "exact"),
    [
        ("laplacian", "laplacian(gamma=0.1)"),
        ("matern", f"matern(length={np.sqrt(5)})"),
        ("rational_quadratic", f"rational_quadratic(length={np.sqrt(5)})"),
        ("matern(nu=2.5, length=3)", "matern(nu=2.5, length=3)"),
        (mercer.kernels.RBF(sigma=2.0), "rbf(sigma=2)"),
    ],
)
def test_other_kernels(kernel, exact):
    gamma = {"gamma": 0.1} if isinstance(kernel, str) and "(" not in kernel else {}
    sampler = RBFSampler(kernel=kernel, n_components=4000, **gamma).fit(X)
    found = sampler.transform(X)
    assert rms(found, pairwise_kernels(X, kernel=exact)) < 0.025
    assert_allclose((found**2).sum(axis=1), 1)


def test_features_are_what_the_attributes_say():
    for features, count in (("auto", 7), ("independent", 10)):
        sampler = RBFSampler(gamma=0.2, n_components=count, features=features).fit(X)
        angles = X @ sampler.random_weights_ + sampler.random_offset_
        assert_allclose(sampler.transform(X), np.sqrt(2 / count) * np.cos(angles), atol=1e-14)
        assert sampler.random_weights_.shape == (6, count)
        assert sampler.n_components_ == count
    sketch = PolynomialCountSketch(gamma=0.5, degree=2, coef0=2.0, n_components=30).fit(X)
    other = theirs.PolynomialCountSketch(gamma=0.5, degree=2, coef0=2.0, n_components=30).fit(X)
    other.indexHash_, other.bitHash_ = sketch.indexHash_, sketch.bitHash_
    assert_allclose(sketch.transform(X), other.transform(X), atol=1e-12)


def test_scale_is_that_of_scikit_learn():
    for rows in (X * 3 + 1, np.ones((5, 2))):
        variance = rows.var()
        gamma = 1.0 / (rows.shape[1] * variance) if variance else 1.0
        named = RBFSampler(gamma="scale", random_state=4).fit(rows)
        number = RBFSampler(gamma=gamma, random_state=4).fit(rows)
        assert_allclose(named.random_weights_, number.random_weights_, rtol=1e-12)
        single = RBFSampler(gamma="scale", random_state=4).fit(sparse.csr_array(rows))
        assert_allclose(single.random_weights_, number.random_weights_, rtol=1e-10)


def test_a_number_of_features_for_an_error():
    rows = rng.normal(size=(500, 5))
    counts = {}
    for tol in (0.1, 0.05, 0.02):
        sampler = RBFSampler(gamma=0.1, n_components="auto", tol=tol).fit(rows)
        counts[tol] = sampler.n_components_
        assert sampler.error_["rms"] < 1.3 * tol
        assert sampler.transform(rows[:3]).shape == (3, counts[tol])
        names = sampler.get_feature_names_out()
        assert len(names) == counts[tol]
        assert names[0] == "rbfsampler0"
    assert counts[0.1] < counts[0.05] < counts[0.02]
    with pytest.raises(ValueError, match="more than the limit"):
        RBFSampler(n_components="auto", tol=1e-6).fit(rows)


def test_the_error_is_measured():
    sampler = RBFSampler(gamma=0.1, n_components=50).fit(X)
    assert_allclose(
        sampler.error_["rms"], rms(sampler.transform(X), rbf_kernel(X, gamma=0.1)), rtol=0.2
    )
    assert sampler.error_["pairs"] == 1000
    assert sampler.kernel_ == "rbf(gamma=0.1)"
    assert RBFSampler().fit(X[:1]).error_ is None


@each
def test_threads_blocks_and_kinds_of_rows_do_not_matter(sampler, rows):
    rows = np.tile(rows, (20, 1))
    fitted = sampler.fit(rows)
    expected = fitted.transform(rows)
    for threads in (1, 2, 3):
        assert_array_equal(fitted.set_params(n_jobs=threads).transform(rows), expected)
    fitted.set_params(n_jobs=None)
    assert_allclose(fitted.transform(np.asfortranarray(rows)), expected, atol=1e-12)
    found = fitted.transform(sparse.csr_matrix(rows))
    found = found.toarray() if sparse.issparse(found) else found
    assert_allclose(found, expected, atol=1e-12)
    blocks = list(fitted.transform_blocks(iter(np.array_split(rows, 7))))
    assert len(blocks) == 7
    assert_allclose(np.concatenate(blocks), expected, atol=1e-12)
    single = fitted.transform(rows.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, expected, atol=2e-5 * np.abs(expected).max())


@each
def test_the_same_seed_gives_the_same_features(sampler, rows):
    again = type(sampler)(**sampler.get_params()).fit(rows)
    expected = sampler.fit(rows).transform(rows)
    assert_array_equal(again.transform(rows), expected)
    if "random_state" in sampler.get_params():
        other = type(sampler)(**sampler.get_params()).set_params(random_state=77).fit(rows)
        assert np.abs(other.transform(rows) - expected).max() > 0.01


@each
def test_pickles_and_files(sampler, rows, tmp_path):
    expected = sampler.fit(rows).transform(rows)
    copies = [pickle.loads(pickle.dumps(sampler))]
    sampler.save(tmp_path / "map.mercer")
    copies.append(mercer.load(tmp_path / "map.mercer"))
    for copy in copies:
        assert type(copy) is type(sampler)
        assert copy.error_ == sampler.error_
        assert copy.get_params() == sampler.get_params()
        assert_array_equal(copy.transform(rows), expected)
        assert_array_equal(copy.get_feature_names_out(), sampler.get_feature_names_out())


@each
def test_frames_and_names(sampler, rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=[f"c{i}" for i in range(rows.shape[1])])
    fitted = type(sampler)(**sampler.get_params()).fit(frame).set_output(transform="pandas")
    found = fitted.transform(frame)
    assert list(found.columns) == list(fitted.get_feature_names_out())
    assert_allclose(found.to_numpy(), sampler.fit(rows).transform(rows))
    assert all(type(sampler).__name__.lower() in name for name in found.columns)


@each
def test_partial_fit_is_a_fit_on_the_first_block(sampler, rows):
    fitted = type(sampler)(**sampler.get_params()).partial_fit(rows).partial_fit(rows[:3] * 2)
    assert_array_equal(fitted.transform(rows), sampler.fit(rows).transform(rows))
    with pytest.raises(ValueError, match="features"):
        fitted.partial_fit(rows[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        fitted.partial_fit(rows * np.nan)


def test_a_linear_model_on_features_learns_what_is_not_linear():
    y = (np.linalg.norm(X, axis=1) > 2.3).astype(int)
    plain = RidgeClassifier().fit(X, y).score(X, y)
    pipeline = make_pipeline(RBFSampler(gamma=0.1, n_components=200), RidgeClassifier(1e-3))
    assert pipeline.fit(X, y).score(X, y) > max(0.95, plain)


@pytest.mark.parametrize(
    ("params", "part"),
    [
        ({"gamma": -1}, "'scale' or a number"),
        ({"gamma": "auto"}, "'scale' or a number"),
        ({"n_components": 0}, "positive integer"),
        ({"n_components": 2.5}, "positive integer"),
        ({"features": "sobol"}, "'orthogonal'"),
        ({"tol": 0}, "positive"),
        ({"kernel": 3}, "a name, a spec or a Kernel"),
        ({"kernel": "linear"}, "Fourier"),
        ({"kernel": "laplacian", "features": "orthogonal"}, "independent"),
        ({"kernel": "matern(length=2)", "gamma": 2.0}, "set it in"),
        ({"kernel": "matern", "gamma": 0}, "positive"),
    ],
)
def test_wrong_parameters_of_the_rbf_sampler(params, part):
    with pytest.raises(ValueError, match=part):
        RBFSampler(**params).fit(X)


def test_wrong_parameters_of_the_others():
    for params in ({"degree": 0}, {"gamma": -1}, {"n_components": 0}, {"coef0": -1.0}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            PolynomialCountSketch(**params).fit(X)
    for params in ({"sample_steps": 0}, {"sample_interval": -1.0}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            AdditiveChi2Sampler(**params).fit(H)
    with pytest.raises(ValueError, match="Negative values"):
        AdditiveChi2Sampler().fit(-H)
    with pytest.raises(ValueError, match="Negative values"):
        AdditiveChi2Sampler().fit(H).transform(sparse.csr_array(-H))


@each
def test_wrong_rows(sampler, rows):
    fitted = sampler.fit(rows)
    wrong = rows.copy()
    wrong[3, 1] = np.nan
    for call in (fitted.transform, type(sampler)(**sampler.get_params()).fit):
        with pytest.raises(ValueError, match="row 3, column 1"):
            call(wrong)
    with pytest.raises(ValueError, match="features"):
        fitted.transform(rows[:, :2])


def test_angles_that_overflow_are_refused():
    with pytest.raises(ValueError, match="scale the columns down"):
        RBFSampler(gamma=1.0).fit(X).transform(np.full((2, 6), 1e308))
    # Large angles are right nevertheless.
    large = X * 1e9
    sampler = RBFSampler(gamma=1.0, n_components=10).fit(X)
    angles = large @ sampler.random_weights_ + sampler.random_offset_
    exact = np.sqrt(2 / 10) * np.cos(angles)
    assert_allclose(sampler.transform(large), exact, atol=1e-5)
