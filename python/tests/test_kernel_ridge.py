"""Kernel ridge regression: against scikit-learn, and by law."""

import pickle

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as GaussianRBF
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from mercer import KernelRidge
from mercer.kernels import RBF, Linear

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 4))
Y = np.stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] ** 2, X.sum(axis=1)], axis=1)
y = Y[:, 0] + 0.1 * RNG.normal(size=len(X))
W = RNG.uniform(0.2, 3, size=len(X))
NEW = RNG.normal(size=(30, 4))
KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "degree": 2, "coef0": 0.5},
    {"kernel": "poly", "degree": 2.5, "coef0": 30.0, "gamma": 0.1},
    {"kernel": "laplacian", "gamma": 0.3},
    {"kernel": "cosine"},
    {"kernel": "chi2", "gamma": 0.5},
    {"kernel": lambda a, b, scale=1.0: scale * float(np.dot(a, b)), "kernel_params": {"scale": 2}},
]


def positive(params, samples):
    return np.abs(samples) if params["kernel"] == "chi2" else samples


@pytest.mark.parametrize("params", KERNELS, ids=named)
@pytest.mark.parametrize("alpha", [1, 0.05])
@pytest.mark.parametrize("weighted", [None, 2.0, W], ids=["equal", "scalar", "weights"])
def test_equals_scikit_learn(params, alpha, weighted):
    given, new = positive(params, X), positive(params, NEW)
    for target in (y, Y, y[:, None]):
        ours = KernelRidge(alpha, **params).fit(given, target, weighted)
        theirs = Theirs(alpha, **params).fit(given, target, weighted)
        assert ours.dual_coef_.shape == theirs.dual_coef_.shape
        scale = np.abs(theirs.dual_coef_).max()
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-7 * scale)
        assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-7)
        assert ours.score(given, target) == pytest.approx(theirs.score(given, target))


@pytest.mark.parametrize("solver", ["auto", "cholesky", "eigen", "cg"])
@pytest.mark.parametrize("alpha", [0.3, [0.1, 1.0, 10.0], np.array([2.0, 2.0, 2.0])], ids=named)
def test_solvers_agree(solver, alpha):
    theirs = Theirs(alpha, kernel="rbf").fit(X, Y, W)
    ours = KernelRidge(alpha, kernel="rbf", solver=solver).fit(X, Y, W)
    assert ours.report_["solver"] == solver or solver == "auto"
    assert ours.report_["converged"]
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-7)
    K = rbf_kernel(X, gamma=0.25)
    given = KernelRidge(alpha, kernel="precomputed", solver=solver).fit(K, Y, W)
    assert_allclose(given.dual_coef_, theirs.dual_coef_, atol=1e-7)
    assert_allclose(given.predict(K), theirs.predict(X), atol=1e-7)


def test_linear_kernel_is_ridge_regression():
    for intercept in (False, True):
        linear = Ridge(0.7, fit_intercept=intercept).fit(X, Y, W)
        kernel = KernelRidge(0.7, fit_intercept=intercept).fit(X, Y, W)
        assert_allclose(kernel.predict(NEW), linear.predict(NEW), atol=1e-9)
        assert_allclose(X.T @ kernel.dual_coef_, linear.coef_.T, atol=1e-9)
        assert_allclose(kernel.intercept_, linear.intercept_, atol=1e-9)
    one = KernelRidge(0.7, fit_intercept=True).fit(X, y)
    assert isinstance(one.intercept_, float)
    assert KernelRidge().fit(X, y).intercept_ == 0.0


@pytest.mark.parametrize("intercept", [False, True])
def test_weights_are_repetitions(intercept):
    counts = RNG.integers(0, 4, size=len(X))
    made = KernelRidge(0.5, kernel="rbf", fit_intercept=intercept)
    weighted = clone(made).fit(X, y, counts)
    repeated = clone(made).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert_allclose(weighted.predict(NEW), repeated.predict(NEW), atol=1e-9)
    without = clone(made).fit(X[counts > 0], y[counts > 0], counts[counts > 0])
    assert_allclose(weighted.predict(NEW), without.predict(NEW), atol=1e-12)
    assert_array_equal(weighted.dual_coef_[counts == 0], 0)
    deviations = [m.predict(NEW, return_std=True)[1] for m in (weighted, repeated, without)]
    assert_allclose(deviations[0], deviations[1], atol=1e-7)
    assert_array_equal(deviations[0], deviations[2])


def test_kernel_objects_and_specs():
    expected = Theirs(0.1, kernel="precomputed").fit(0.5 * rbf_kernel(X, gamma=0.3) + X @ X.T, y)
    K = 0.5 * rbf_kernel(NEW, X, gamma=0.3) + NEW @ X.T
    for kernel in ("0.5*rbf(gamma=0.3) + linear", 0.5 * RBF(gamma=0.3) + Linear()):
        model = KernelRidge(0.1, kernel=kernel).fit(X, y)
        assert_allclose(model.predict(NEW), expected.predict(K), atol=1e-9)
        assert model.kernel_ == "0.5*rbf(gamma=0.3) + linear"
    assert KernelRidge(kernel="rbf", gamma=0.3).fit(X, y).gamma_ == 0.3
    matern = KernelRidge(kernel="matern", kernel_params={"nu": 2.5, "length": 2.0}).fit(X, y)
    assert matern.kernel_.startswith("matern(")


@pytest.mark.parametrize("weighted", [None, W], ids=["equal", "weights"])
@pytest.mark.parametrize("alpha", [0.5, 1e-4])
def test_standard_deviations_are_the_gaussian_process(weighted, alpha):
    noise = alpha if weighted is None else alpha / weighted
    process = GaussianProcessRegressor(GaussianRBF(1.5), alpha=noise, optimizer=None).fit(X, y)
    mean, std = process.predict(NEW, return_std=True)
    model = KernelRidge(alpha, kernel=RBF(sigma=1.5)).fit(X, y, weighted)
    predicted, deviations = model.predict(NEW, return_std=True)
    assert_allclose(predicted, mean, atol=1e-7)
    assert_allclose(deviations, std, atol=1e-7)
    kept = model._posterior
    assert_array_equal(model.predict(NEW, return_std=True)[1], deviations)
    assert model._posterior is kept
    assert pickle.loads(pickle.dumps(model))._posterior is None
    assert model.fit(X, y)._posterior is None


def test_standard_deviations_of_several_targets():
    alphas = [0.1, 1.0, 0.1]
    model = KernelRidge(alphas, kernel="rbf").fit(X, Y)
    deviations = model.predict(NEW, return_std=True)[1]
    assert deviations.shape == (30, 3)
    for column, alpha in enumerate(alphas):
        own = KernelRidge(alpha, kernel="rbf").fit(X, y)
        assert_allclose(deviations[:, column], own.predict(NEW, return_std=True)[1], atol=1e-9)


def test_standard_deviations_of_functions():
    ours = KernelRidge(0.1, kernel="rbf", gamma=0.3).fit(X, y).predict(NEW, return_std=True)
    function = KernelRidge(0.1, kernel=lambda a, b: np.exp(-0.3 * ((a - b) ** 2).sum())).fit(X, y)
    for found, expected in zip(function.predict(NEW, return_std=True), ours, strict=True):
        assert_allclose(found, expected, atol=1e-8)
    given = KernelRidge(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="return_std"):
        given.predict(X @ X.T, return_std=True)


def test_warm_start_needs_fewer_passes():
    many = np.random.default_rng(0).normal(size=(900, 3))
    target = np.sin(many).sum(axis=1)
    params = {"kernel": "rbf", "gamma": 0.5, "solver": "cg", "tol": 1e-9}
    cold = KernelRidge(0.011, **params).fit(many, target)
    warm = KernelRidge(0.01, warm_start=True, **params).fit(many, target)
    warm.set_params(alpha=0.011).fit(many, target)
    assert warm.n_iter_ == warm.report_["passes"] < cold.report_["passes"]
    assert_allclose(warm.predict(many), cold.predict(many), atol=1e-7)
    other = warm.fit(many[:500], target[:500])
    assert_allclose(
        other.predict(many),
        KernelRidge(0.011, **params).fit(many[:500], target[:500]).predict(many),
        atol=1e-9,
    )


def test_without_penalty_the_shortest_of_the_best():
    """Twice the same rows with other targets: a singular matrix, and no exact solution."""
    twice, target = np.tile(X[:40], (2, 1)), np.concatenate([y[:40], y[40:80]])
    with pytest.warns(UserWarning, match=r"singular, effective rank 4 of 80") as reported:
        model = KernelRidge(0).fit(twice, target)
    assert "alpha" in str(reported[0].message)
    assert reported[0].filename == __file__
    expected = np.linalg.lstsq(twice @ twice.T, target, rcond=1e-10)[0]
    assert_allclose(model.dual_coef_, expected, atol=1e-9)
    system = model.report_["system"]
    assert system["effective_rank"] == 4
    assert 0 < system["stable_alpha"] < 1e-3
    with pytest.warns(UserWarning, match=r"nearly singular: condition number \d"):
        KernelRidge(1e-14, kernel="rbf", gamma=1e-3).fit(X, y)


def test_not_converging_is_a_warning():
    from sklearn.exceptions import ConvergenceWarning

    many = np.random.default_rng(0).normal(size=(600, 2))
    model = KernelRidge(1e-9, kernel="rbf", gamma=30.0, solver="cg", max_iter=2)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model.fit(many, many[:, 0])
    assert not model.report_["converged"]


def test_a_constant_target():
    constant = np.full(len(X), 3.5)
    model = KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit(X, constant)
    assert model.intercept_ == pytest.approx(3.5, abs=1e-12)
    assert_allclose(model.dual_coef_, 0, atol=1e-12)
    assert_allclose(model.predict(NEW), 3.5, atol=1e-12)
    without = KernelRidge(0.1, kernel="rbf").fit(X, constant).predict(1e3 * NEW)
    assert_allclose(without, 0, atol=1e-12)


def test_threads_and_budgets_do_not_change_the_answer():
    many = np.random.default_rng(0).normal(size=(1500, 3))
    target = np.sin(many).sum(axis=1)
    params = {"alpha": 0.1, "kernel": "rbf", "fit_intercept": True}
    one, two = (KernelRidge(n_jobs=jobs, **params).fit(many, target) for jobs in (1, 2))
    assert_array_equal(one.dual_coef_, two.dual_coef_)
    small = KernelRidge(memory_budget="6MB", **params).fit(many, target)
    assert small.report_["storage"] != one.report_["storage"]
    assert_allclose(small.predict(many), one.predict(many), atol=1e-6)
