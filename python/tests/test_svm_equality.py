"""Support vector machines against scikit-learn's, which are LIBSVM's, at a small tolerance."""

import sys
from pathlib import Path

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import StandardScaler

import mercer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import equality, equality_measure
from bench.equality_truth import knows

RNG = np.random.default_rng(5)
CIRCLES = make_circles(150, noise=0.15, factor=0.4, random_state=1)
WINE = load_wine(return_X_y=True)
WINE = (StandardScaler().fit_transform(WINE[0]), WINE[1])
CURVE = RNG.uniform(-3, 3, size=(90, 2))
HEIGHT = np.sin(CURVE[:, 0]) + 0.3 * CURVE[:, 1] + 0.1 * RNG.normal(size=90)
KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "gamma": "auto"},
]
TASKS = {
    "SVC": [{"C": 0.3}, {"C": 20.0}],
    "NuSVC": [{"nu": 0.2}],
    "SVR": [{"C": 2.0, "epsilon": 0.05}, {"epsilon": 0.0}],
    "NuSVR": [{"nu": 0.3, "C": 3.0}],
    "OneClassSVM": [{"nu": 0.15}],
}
CASES = [(name, params) for name, several in TASKS.items() for params in several]


def made(name, params, tol=1e-6):
    return tuple(getattr(home, name)(**params, tol=tol) for home in (mercer, theirs))


def fitted(name, params, X, y, tol=1e-6):
    return [model.fit(X, y) for model in made(name, params, tol)]


def data(name):
    if name == "NuSVC":
        # Linearly separable classes: every solution has a margin.
        two = WINE[1] < 2
        return WINE[0][two], WINE[1][two]
    return (CURVE, HEIGHT) if name.endswith("SVR") else CIRCLES


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
@pytest.mark.parametrize(("name", "params"), CASES, ids=named)
def test_the_same_machine(name, params, kernel):
    X, y = data(name)
    ours, other = fitted(name, params | kernel, X, y)
    decide = "predict" if name.endswith("SVR") else "decision_function"
    expected = getattr(other, decide)(X)
    size = np.abs(expected).max()
    assert_allclose(getattr(ours, decide)(X), expected, atol=1e-4 * max(1, size))
    assert ours.fit_status_ == other.fit_status_ == 0
    assert ours.gamma_ == pytest.approx(other._gamma) or kernel["kernel"] == "linear"
    for attribute in ("support_", "n_support_", "dual_coef_", "intercept_", "support_vectors_"):
        assert getattr(ours, attribute).ndim == getattr(other, attribute).ndim
    assert ours.n_support_.dtype == ours.support_.dtype == np.int32
    assert ours.shape_fit_ == other.shape_fit_
    assert_array_equal(ours.support_vectors_, X[ours.support_])
    assert_allclose(ours.intercept_, other.intercept_, atol=1e-3 * max(1, size))
    problem = ours.report_["machine"]["problems"][0]
    assert problem["violation"] <= 1e-6
    assert problem["gap"] >= -1e-9 * max(1, abs(problem["objective"]))
    assert problem["support"] == len(ours.support_)


def dual(model, X, linear):
    """The dual objective of a binary machine by scikit-learn's coefficients."""
    beta, rows = model.dual_coef_[0], model.support_
    K = pairwise_kernels(X[rows], metric="rbf", gamma=model._gamma)
    return 0.5 * beta @ K @ beta + linear(beta, rows)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_dual_objective_of_classes(C):
    X, y = CIRCLES
    ours, other = fitted("SVC", {"C": C}, X, y)
    expected = dual(other, X, lambda beta, rows: -np.abs(beta).sum())
    problem = ours.report_["machine"]["problems"][0]
    assert problem["objective"] == pytest.approx(expected, rel=1e-6)
    assert 0 <= problem["gap"] + 1e-12 < 1e-3 * abs(expected)
    # Rows whose coefficient is far from 0 and from C are support vectors of both.
    weights = np.abs(other.dual_coef_[0])
    clear = other.support_[weights > 1e-4 * C]
    assert set(clear) <= set(ours.support_)
    weights = np.abs(ours.dual_coef_[0])
    assert set(ours.support_[weights > 1e-4 * C]) <= set(other.support_)


def test_the_dual_objective_of_values():
    ours, other = fitted("SVR", {"C": 5.0, "epsilon": 0.05}, CURVE, HEIGHT)
    expected = dual(
        other,
        CURVE,
        lambda beta, rows: 0.05 * np.abs(beta).sum() - beta @ HEIGHT[rows],
    )
    assert ours.report_["machine"]["problems"][0]["objective"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_several_classes(name, kernel):
    X, y = WINE
    params = {"nu": 0.2} if name == "NuSVC" else {"C": 0.5}
    ours, other = fitted(name, params | kernel, X, y)
    assert_array_equal(ours.classes_, other.classes_)
    assert_array_equal(ours.predict(X), other.predict(X))
    for model in (ours, other):
        model.set_params(decision_function_shape="ovo")
    expected = other.decision_function(X)
    size = max(1, np.abs(expected).max())
    assert_allclose(ours.decision_function(X), expected, atol=1e-4 * size)
    assert ours.dual_coef_.shape[0] == 2
    assert ours.n_support_.sum() == len(ours.support_)
    assert ours.n_iter_.shape == other.n_iter_.shape == (3,)
    assert ours.n_iter_.dtype == np.int32
    if kernel["kernel"] == "linear":
        assert_allclose(ours.coef_, other.coef_, atol=1e-4)
        assert not ours.coef_.flags.writeable
    else:
        with pytest.raises(AttributeError, match="linear"):
            _ = ours.coef_


PUBLISHED = {case.machine + ", " + case.name: case for case in equality.CASES}


def rows(case):
    data = case.data()
    if data is None:
        pytest.skip("the data sets are not there: set MERCER_DATA to their folder")
    return data


@pytest.mark.parametrize("name", [name for name, case in PUBLISHED.items() if case.cheap])
def test_a_case_of_the_published_comparison(name):
    result = equality.compare(PUBLISHED[name], rows(PUBLISHED[name]))
    assert result.converged == (True, True)
    assert result.missed() == []


@pytest.mark.parametrize(
    "name", ["SVC, cancer", "SVC, cancer, linear", "SVC, cancer, C 1e6", "SVR, diabetes"]
)
def test_the_optimum_itself(name):
    """Found in float64 by another method, and certified by a gap of 1e-8."""
    case, data = PUBLISHED[name], rows(PUBLISHED[name])
    ours, other = equality.fits(case, data, 1e-6)
    K = equality_measure.kernel(case.params, other._gamma, data.X, data.X)
    assert knows(case)
    objective, decision = equality.errors(case, data, ours, K)
    assert -1e-12 < objective < 1e-9
    assert decision < 1e-4
    reported = ours.report_["machine"]["problems"][0]["objective"]
    (part,) = equality_measure.parts(case, data, ours)
    assert reported == pytest.approx(equality_measure.solved(case, part, K)[0], rel=1e-5)


def test_a_kernel_that_is_none_may_have_several_solutions():
    """Both machines are in balance, but need not be at the same place."""
    case = PUBLISHED["SVC, cancer, sigmoid"]
    assert not knows(case)
    result = equality.compare(case, rows(case))
    assert result.converged == (True, True)
    assert max(result.gaps) < 1e-6


def test_weights_of_features():
    for name, y in (("SVC", CIRCLES[1]), ("SVR", CIRCLES[0][:, 0] * 2), ("OneClassSVM", None)):
        ours, other = fitted(name, {"kernel": "linear"}, CIRCLES[0], y)
        assert ours.coef_.shape == other.coef_.shape
        assert_allclose(ours.coef_, other.coef_, atol=1e-4)


def test_the_usual_tolerance_and_parameters():
    X, y = load_iris(return_X_y=True)
    ours, other = mercer.SVC().fit(X, y), theirs.SVC().fit(X, y)
    assert_array_equal(ours.predict(X), other.predict(X))
    assert_allclose(ours.decision_function(X), other.decision_function(X), atol=5e-3)
    assert len(ours.support_) == pytest.approx(len(other.support_), abs=3)


def test_outliers():
    X = CIRCLES[0]
    ours, other = fitted("OneClassSVM", {"nu": 0.1, "gamma": 2.0}, X, None)
    assert_array_equal(ours.offset_, -ours.intercept_)
    assert ours.offset_.shape == other.offset_.shape
    assert_allclose(ours.score_samples(X), other.score_samples(X), atol=1e-4)
    clear = np.abs(other.decision_function(X)) > 1e-3
    assert_array_equal(ours.predict(X)[clear], other.predict(X)[clear])
    assert_array_equal(ours.fit_predict(X), ours.predict(X))


def test_parameters_are_those_of_scikit_learn():
    import inspect

    for name in TASKS:
        ours, other = (inspect.signature(getattr(home, name)) for home in (mercer, theirs))
        own = list(ours.parameters.values())
        for mine, peer in zip(own, other.parameters.values(), strict=False):
            assert (mine.name, mine.kind) == (peer.name, peer.kind)
            if peer.name != "cache_size":
                assert mine.default == peer.default
        extra = [parameter.name for parameter in own[len(other.parameters) :]]
        assert extra[-6:] == [
            "warm_start",
            "max_time",
            "precision",
            "memory_budget",
            "progress",
            "n_jobs",
        ]
