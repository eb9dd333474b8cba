"""Gaussian process regression, beside scikit-learn's and by its formulas."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

import mercer
from mercer import GaussianProcessRegressor, ParameterError


def data(n=120, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 2
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.2 * rng.normal(size=n)


def fixed(**options):
    options = {"alpha": 0.1, "optimizer": None, "normalize_y": False} | options
    return GaussianProcessRegressor("1.5*rbf(sigma=1.3)", **options)


def theirs(alpha=0.1):
    kernel = ConstantKernel(1.5) * RBF(1.3)
    return Theirs(kernel, alpha=alpha, optimizer=None)


def test_fixed_parameters_give_what_scikit_learn_gives():
    X, y = data()
    new, _ = data(40, seed=1)
    ours, peer = fixed().fit(X, y), theirs().fit(X, y)
    for options in ({"return_std": True}, {"return_cov": True}):
        for a, b in zip(ours.predict(new, **options), peer.predict(new, **options), strict=True):
            assert np.allclose(a, b, atol=1e-9)
    assert np.isclose(ours.log_marginal_likelihood(), peer.log_marginal_likelihood_value_)


def test_noise_of_each_sample_and_weights():
    X, y = data()
    noise = np.random.default_rng(2).uniform(0.05, 1, len(X))
    ours, peer = fixed(alpha=noise).fit(X, y), theirs(noise).fit(X, y)
    assert np.allclose(ours.predict(X), peer.predict(X), atol=1e-9)
    weighted = fixed(alpha=0.1).fit(X, y, noise_weight=0.1 / noise)
    assert np.allclose(weighted.predict(X), ours.predict(X), atol=1e-9)
    assert np.isclose(ours.log_marginal_likelihood(), peer.log_marginal_likelihood_value_)


@pytest.mark.parametrize("ard", [False, True])
def test_the_optimum_is_that_of_scikit_learn(ard):
    X, y = data(200, 3)
    length = np.ones(3) if ard else 1.0
    kernel = ConstantKernel(1.0) * RBF(length) + WhiteKernel(0.1)
    peer = Theirs(kernel, n_restarts_optimizer=0, random_state=0).fit(X, y)
    ours = GaussianProcessRegressor("rbf(sigma=1)", ard=ard, normalize_y=False).fit(X, y)
    assert ours.log_marginal_likelihood_value_ > peer.log_marginal_likelihood_value_ - 1e-3
    assert np.isclose(ours.alpha_, peer.kernel_.k2.noise_level, rtol=0.01)
    assert np.allclose(ours.predict(X), peer.predict(X), atol=0.01)


def test_matern_too():
    X, y = data(150)
    peer = Theirs(ConstantKernel() * Matern(1.0, nu=2.5) + WhiteKernel(0.1)).fit(X, y)
    ours = GaussianProcessRegressor("matern(nu=2.5, length=1)", normalize_y=False).fit(X, y)
    assert ours.log_marginal_likelihood_value_ > peer.log_marginal_likelihood_value_ - 1e-3


def test_the_gradient_is_the_limit_of_differences():
    X, y = data(60)
    model = GaussianProcessRegressor("rbf(sigma=1) + 0.3*linear").fit(X, y)
    theta = np.log(list(model.parameters().values())) + 0.1
    value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    assert value < model.log_marginal_likelihood_value_
    for p, want in enumerate(gradient):
        step = np.eye(len(theta))[p] * 1e-5
        up, down = (model.log_marginal_likelihood(theta + s) for s in (step, -step))
        assert np.isclose((up - down) / 2e-5, want, atol=1e-5 * max(1, abs(want)))
    with pytest.raises(ValueError, match="expected 4"):
        model.log_marginal_likelihood([0.0])


def test_normalized_targets_change_the_units_alone():
    X, y = data(150)
    one = GaussianProcessRegressor("rbf(sigma=1)").fit(X, y)
    other = GaussianProcessRegressor("rbf(sigma=1)").fit(X, 100 * y + 7)
    assert np.allclose(100 * one.predict(X) + 7, other.predict(X), atol=0.5)
    assert np.isclose(other.alpha_, 1e4 * one.alpha_, rtol=0.01)


def test_several_targets_share_the_kernel():
    X, y = data()
    Y = np.stack([y, 2 * y - 1], axis=1)
    ours, peer = fixed().fit(X, Y), theirs().fit(X, Y)
    assert np.allclose(ours.predict(X), peer.predict(X), atol=1e-9)
    mean, std = ours.predict(X, return_std=True)
    assert mean.shape == std.shape == Y.shape
    assert ours.sample_y(X[:5], 3).shape == (5, 2, 3)


def test_draws_have_the_mean_and_the_covariance():
    X, y = data()
    new, _ = data(4, seed=3)
    model = fixed().fit(X, y)
    mean, cov = model.predict(new, return_cov=True)
    draws = model.sample_y(new, 20_000)
    assert np.allclose(draws.mean(axis=1), mean, atol=0.03)
    assert np.allclose(np.cov(draws), cov, atol=0.03)
    assert (draws == model.sample_y(new, 20_000)).all()


def test_intervals_hold_what_they_promise():
    X, y = data(400)
    new, truth = data(2000, seed=5)
    model = GaussianProcessRegressor().fit(X, y)
    low, high = model.predict_interval(new, level=0.9)
    assert 0.86 < np.mean((low <= truth) & (truth <= high)) < 0.94


def test_files_pickles_and_clones(tmp_path):
    X, y = data()
    model = GaussianProcessRegressor("rbf(sigma=1)").fit(X, y)
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert isinstance(again, GaussianProcessRegressor)
    for a, b in zip(
        again.predict(X, return_std=True), model.predict(X, return_std=True), strict=True
    ):
        assert (a == b).all()
    assert again.kernel_ == model.kernel_
    assert again.get_params() | {"bounds": tuple(again.bounds)} == model.get_params()
    with pytest.raises(AttributeError, match="no targets"):
        again.log_marginal_likelihood()
    copied = pickle.loads(pickle.dumps(model))
    assert (copied.predict(X) == model.predict(X)).all()
    assert copied.log_marginal_likelihood() == model.log_marginal_likelihood()
    assert (clone(model).fit(X, y).predict(X) == model.predict(X)).all()


def test_texts_have_processes():
    names = ["simpson bart", "simpson lisa", "simpson homer", "flanders ned", "flanders todd"]
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    kernel = "normalize(spectrum(p=3)) + 0.1*spectrum(p=1)"
    model = GaussianProcessRegressor(kernel, alpha=0.1).fit(names, y)
    assert model.predict(["simpson maggie"])[0] > model.predict(["flanders rod"])[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": "guess"}, "alpha"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": [0.1, 0.2]}, "one positive number for each"),
        ({"alpha": "learn", "optimizer": None}, "needs an optimizer"),
        ({"optimizer": "newton"}, "optimizer"),
        ({"bounds": (1, 0.5)}, "bounds"),
        ({"n_restarts_optimizer": -1}, "restarts"),
        ({"kernel": "precomputed"}, "precomputed"),
        ({"normalize_y": "yes"}, "normalize_y"),
    ],
)
def test_what_is_no_process_is_refused(options, message):
    X, y = data(30)
    with pytest.raises((ParameterError, ValueError), match=message):
        GaussianProcessRegressor(**options).fit(X, y)


def test_values_that_are_not_numbers_and_levels_are_refused():
    X, y = data(30)
    with pytest.raises(ValueError, match="NaN"):
        GaussianProcessRegressor().fit(X, np.where(y > 0, np.nan, y))
    model = fixed().fit(X, y)
    with pytest.raises(ParameterError, match="level"):
        model.predict_interval(X, level=1.0)
    with pytest.raises(ValueError, match="exclude"):
        model.predict(X, return_std=True, return_cov=True)
    with pytest.raises(MemoryError):
        GaussianProcessRegressor(memory_budget="100kB").fit(*data(300))


@pytest.mark.parametrize("kernel", ["rbf(sigma=[1, 3])", "matern(nu=2.5) + 0.1*linear"])
def test_gradients_of_the_mean_are_limits_of_differences(kernel):
    X, y = data()
    new, _ = data(70, seed=3)
    model = GaussianProcessRegressor(kernel).fit(X, np.stack([y, -2 * y], axis=1))
    found = model.predict_gradient(new)
    assert found.shape == (70, 2, 2)
    for column in range(2):
        step = np.eye(2)[column] * 1e-5
        want = (model.predict(new + step) - model.predict(new - step)) / 2e-5
        assert np.allclose(found[:, :, column], want, atol=1e-5)
    kinked = GaussianProcessRegressor("laplacian(gamma=1)").fit(X, y)
    with pytest.raises(ValueError, match="no gradient"):
        kinked.predict_gradient(new)
