"""Samples far from the origin: regressions against exact arithmetic."""

import warnings

import exact
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeCV

from mercer import KernelRidge, KernelRidgeClassifier, KernelRidgeCV

N, D = 8, 2
RNG = np.random.default_rng(5)
# Multiples of 1/64, which are exact at every offset here.
NEAR = np.round(RNG.normal(size=(N + 3, D)) * 64) / 64
Y = NEAR @ [1.0, -2.0] + 0.3 * RNG.normal(size=N + 3)
SCALES = {"equal": [1.0, 1.0], "unscaled": [1.0, 1024.0]}
CASES = [
    *(("float64", kernel, offset) for kernel in ("linear", "poly") for offset in (1e4, 1e6, 1e8)),
    *(("float32", kernel, offset) for kernel in ("linear", "poly") for offset in (1e3, 1e4)),
]
TOLERANCE = {"float64": 1e-7, "float32": 2e-3}


def problem(dtype, offset, scales):
    """Samples, new samples and targets, of which fractions know every digit."""
    X = (NEAR * SCALES[scales] + offset).astype(dtype)
    return X[:N], X[N:], Y[:N]


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize(("dtype", "kernel", "offset"), CASES)
def test_leave_one_out_and_predictions_are_those_of_exact_arithmetic(dtype, kernel, offset, scales):
    X, new, y = problem(dtype, offset, scales)
    rows, targets = exact.exact(X), [exact.Fraction(v) for v in y]
    gamma = 0.5
    matrix = exact.gram(kernel, rows, rows, gamma)
    size = float(exact.spread(matrix))
    alphas = [size * share for share in (1e-2, 1, 1e2)]
    kernels = {"kernel": kernel, "gamma": gamma}
    cv = KernelRidgeCV(alphas, store_cv_results=True, **kernels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        cv.fit(X, y)
    for alpha, score in zip(alphas, cv.cv_results_["mean_test_score"], strict=True):
        want = float(exact.left_out_error(matrix, targets, alpha, intercept=True))
        assert -score == pytest.approx(want, rel=TOLERANCE[dtype]), alpha
    for solver in ("cholesky", "eigen", "cg"):
        model = KernelRidge(alphas[0], fit_intercept=True, solver=solver, **kernels).fit(X, y)
        found = exact.ridge(matrix, targets, alphas[0], intercept=True)
        values = exact.gram(kernel, exact.exact(new), rows, gamma)
        want = [float(v) for v in exact.predictions(values, *found)]
        tolerance = 10 * TOLERANCE[dtype] * np.abs(y).max()
        assert_allclose(model.predict(new), want, atol=tolerance, rtol=0)
        coef = [float(c) for c in found[0]]
        assert_allclose(model.dual_coef_, coef, atol=TOLERANCE[dtype] * np.abs(coef).max())
        assert abs(model.dual_coef_.sum()) <= 1e-13 * np.abs(model.dual_coef_).sum()


@pytest.mark.parametrize("offset", [0.0, 1e2, 1e5, 1e7])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_linear_search_is_as_good_as_ridge_regression_wherever_samples_lie(dtype, offset):
    if dtype == "float32" and offset > 1e4:
        offset /= 1e3
    rng = np.random.default_rng(0)
    near = np.round(rng.normal(size=(200, 3)) * 64) / 64
    y = near @ [1.0, 2.0, -1.0] + 0.1 * rng.normal(size=200) + 5
    X = (near + offset).astype(dtype)
    model = KernelRidgeCV(kernel="linear").fit(X, y)
    theirs = RidgeCV(np.geomspace(1e-4, 1e4, 60)).fit(near, y)
    assert model.score(X, y) == pytest.approx(theirs.score(near, y), abs=1e-4)
    close = KernelRidgeCV(kernel="linear").fit(near.astype(dtype), y)
    assert model.best_score_ == pytest.approx(close.best_score_, rel=1e-3)
    if dtype == "float64":
        assert model.alpha_ == pytest.approx(close.alpha_, rel=1e-3)


@pytest.mark.parametrize("cv", [None, "gcv", 4])
@pytest.mark.parametrize("kernel", ["poly", "rbf", "laplacian", "linear + rbf"])
def test_a_search_far_away_has_the_scores_of_high_precision(cv, kernel):
    rng = np.random.default_rng(1)
    near = np.round(rng.normal(size=(60, 2)) * 64) / 64
    y = np.sin(near[:, 0]) + 0.1 * rng.normal(size=60)
    far = near + 4096.0
    made = KernelRidgeCV(kernel=kernel, cv=cv, store_cv_results=True, precision="f64")
    single = KernelRidgeCV(kernel=kernel, cv=cv, store_cv_results=True, precision="f32")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        double, single = made.fit(far, y), single.fit(far, y)
    # Whatever single precision cannot distinguish is not in its grid.
    assert single.best_score_ == pytest.approx(double.best_score_, rel=0.05)
    assert single.score(far, y) == pytest.approx(double.score(far, y), abs=0.02)
    if kernel != "poly" and "linear" not in kernel:
        here = KernelRidgeCV(kernel=kernel, cv=cv, store_cv_results=True).fit(near, y)
        there = double.cv_results_["mean_test_score"]
        assert_allclose(there, here.cv_results_["mean_test_score"], rtol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_standard_deviations_keep_their_digits_far_away(kernel):
    rng = np.random.default_rng(2)
    near = np.round(rng.normal(size=(13, 2)) * 64) / 64
    y = near[:, 0] + 0.1 * rng.normal(size=13)
    far = near + 2.0**20
    params = {"kernel": kernel, "gamma": 0.5, "degree": 2, "fit_intercept": True}
    if kernel == "rbf":
        here = KernelRidge(0.1, **params).fit(near[:10], y[:10])
        want, deviation = here.predict(near[10:], return_std=True)
        alpha = 0.1
    else:
        rows, new = exact.exact(far[:10]), exact.exact(far[10:])
        matrix = exact.gram(kernel, rows, rows, 0.5, degree=2)
        alpha = 0.1 * float(exact.spread(matrix))
        targets = [exact.Fraction(v) for v in y[:10]]
        values = exact.gram(kernel, new, rows, 0.5, degree=2)
        found = exact.ridge(matrix, targets, alpha, intercept=True)
        want = [float(v) for v in exact.predictions(values, *found)]
        own = [exact.gram(kernel, [x], [x], 0.5, degree=2)[0][0] for x in new]
        deviation = [exact.deviation(matrix, alpha, v, o) for v, o in zip(values, own, strict=True)]
    model = KernelRidge(alpha, **params).fit(far[:10], y[:10])
    mean, std = model.predict(far[10:], return_std=True)
    assert_allclose(mean, want, atol=1e-7)
    assert_allclose(std, deviation, rtol=1e-7)


def test_classes_far_away_are_those_near_by():
    rng = np.random.default_rng(3)
    near = np.round(rng.normal(size=(80, 2)) * 64) / 64
    y = (near[:, 0] + near[:, 1] > 0).astype(int)
    for dtype, offset in (("float64", 1e6), ("float32", 4096.0)):
        far = KernelRidgeClassifier(0.1, kernel="linear").fit((near + offset).astype(dtype), y)
        here = KernelRidgeClassifier(0.1, kernel="linear").fit(near.astype(dtype), y)
        want = here.decision_function(near.astype(dtype))
        found = far.decision_function((near + offset).astype(dtype))
        assert_allclose(found, want, atol=1e-3 if dtype == "float32" else 1e-7)


def test_the_ends_of_the_grid_are_told_once():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, 2.0]  # no noise: the less penalty, the better
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = KernelRidgeCV(kernel="linear").fit(X, y)
    said = [str(w.message) for w in caught]
    assert said == model.report_["notes"]
    assert len([s for s in said if "the best alpha is the smallest of the grid" in s]) == 1
    noise = np.random.default_rng(2).normal(size=(60, 3))
    with pytest.warns(UserWarning, match="largest of the grid"):
        KernelRidgeCV(kernel="linear").fit(noise[:, :2], noise[:, 2])
    wave = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=60)
    with pytest.warns(UserWarning, match=r"the best gamma is the smallest of those compared, 1\.0"):
        KernelRidgeCV(gamma=[50.0, 20.0, 1.0]).fit(X, wave)
    with pytest.warns(UserWarning, match=r"the best gamma is the largest of those compared"):
        KernelRidgeCV(gamma=[1e-4, 1e-3, 1e-2]).fit(X, wave)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KernelRidgeCV(gamma=[0.01, 0.5, 50.0]).fit(X, wave)
    assert not [w for w in caught if "gamma" in str(w.message)]


@pytest.mark.parametrize(
    "params",
    [
        {"alphas": [1e-3], "gamma": [0.5]},
        {"alphas": 1e-3, "gamma": 0.5},
        {"alphas": [1e-3], "kernel": "linear", "gamma": None},
        {"alphas": [1e-4, 1e-1, 1e3], "gamma": [0.01, 0.5, 50.0]},
    ],
    ids=str,
)
def test_a_single_value_and_one_within_the_grid_have_no_warning(params):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelRidgeCV(**params).fit(X, y)
