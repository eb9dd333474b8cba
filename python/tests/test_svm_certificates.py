"""What support vector machines certify is true, wherever the samples are."""

import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel

from mercer import SVC, SVR, NuSVR, OneClassSVM, SVCSearch, load, svc_path

SETS = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
}
DIABETES = load_diabetes(return_X_y=True)
RNG = np.random.default_rng(7)
X = RNG.normal(size=(200, 3))
y = (X @ [1.0, -2.0, 0.5] + 0.4 * RNG.normal(size=200) > 0).astype(int)


def problem(model, place=0):
    return model.report_["machine"]["problems"][place]


@pytest.fixture(autouse=True)
def _notes_aside():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)
        warnings.filterwarnings("error", category=ConvergenceWarning)
        yield


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_offset_costs_no_accuracy(name, kernel, dtype):
    samples, classes = SETS[name]
    offset = 1e4 if dtype == np.float64 else 1e3
    here = SVC(kernel=kernel).fit(samples, classes)
    moved = (samples + offset).astype(dtype)
    there = SVC(kernel=kernel).fit(moved, classes)
    assert there.score(moved, classes) >= here.score(samples, classes) - 0.011
    if dtype == np.float64:
        for a, b in zip(
            here.report_["machine"]["problems"], there.report_["machine"]["problems"], strict=True
        ):
            assert b["objective"] == pytest.approx(a["objective"], rel=2e-3)


@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_values_are_learned_at_an_offset(offset):
    samples, values = DIABETES
    scale = 100.0
    here = SVR(kernel="linear", C=10).fit(scale * samples, values)
    there = SVR(kernel="linear", C=10).fit(scale * samples + offset, values)
    ours = there.score(scale * samples + offset, values)
    assert ours == pytest.approx(here.score(scale * samples, values), abs=0.01)


def test_a_fit_far_from_the_origin_ends_and_is_right():
    moved = X + 1e8
    model = SVC(kernel="linear").fit(moved, y)
    assert model.fit_status_ == 0
    assert model.score(moved, y) >= SVC(kernel="linear").fit(X, y).score(X, y) - 0.011


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
def test_the_report_is_that_of_the_true_kernel(C):
    moved = X + 1e4
    model = SVC(kernel="linear", C=C, tol=1e-6).fit(moved, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    sign = 2 * y - 1
    # Samples around their mean have the same dual problem.
    K = linear_kernel(moved - moved.mean(axis=0))
    f = K @ beta
    found = problem(model)
    assert found["objective"] == pytest.approx(0.5 * beta @ f - beta @ sign, rel=1e-9)
    up = np.where(sign > 0, beta < C, beta < 0)
    down = np.where(sign > 0, beta > 0, beta > -C)
    violation = max(0.0, (f - sign)[down].max() - (f - sign)[up].min())
    assert found["violation"] == pytest.approx(violation, abs=1e-3 * 1e-6 + found["rounding"])
    assert found["violation"] <= 1e-6
    assert found["stop"] == "Converged"
    assert found["certified_rows"] == found["rows"] == 200
    assert found["precision"] == "f64"
    assert found["support"] == len(model.support_) == np.count_nonzero(beta)
    assert found["bounded"] == np.count_nonzero(np.abs(beta) == C)


def test_what_cannot_be_reached_is_said():
    with pytest.warns(ConvergenceWarning, match=r"rounding of kernel values limits.*scale the"):
        model = SVC(kernel="poly", gamma=1.0, degree=3).fit(X + 1e7, y)
    assert problem(model)["stop"] == "Stalled"
    assert model.fit_status_ == 1
    assert not model.report_["converged"]
    assert problem(model)["rounding"] > 1e-3


def test_a_tolerance_beyond_rounding_comes_to_an_end():
    with pytest.warns(ConvergenceWarning, match="no more progress"):
        model = SVC(C=1e6, gamma=0.1, tol=1e-14).fit(X, y)
    assert problem(model)["stop"] == "Stalled"


def test_a_hard_margin_is_that_of_a_large_price():
    apart = X + 3 * y[:, None]
    hard = SVC(kernel="rbf", gamma=0.5, C=np.inf, tol=1e-6).fit(apart, y)
    assert hard.fit_status_ == 0
    assert problem(hard)["gap"] is None
    theirs = sklearn.svm.SVC(kernel="rbf", gamma=0.5, C=np.inf, tol=1e-6).fit(apart, y)
    found = hard.decision_function(apart)
    assert np.allclose(found, theirs.decision_function(apart), atol=1e-3)
    assert hard.score(apart, y) == 1.0


def test_a_hard_margin_is_kept_in_files(tmp_path):
    hard = SVC(gamma=0.5, C=np.inf).fit(X + 3 * y[:, None], y)
    hard.save(tmp_path / "hard.mercer")
    again = load(tmp_path / "hard.mercer")
    assert again.get_params()["C"] == np.inf
    assert again.report_ == hard.report_


def test_the_tube_of_nu_svr_is_told_and_kept(tmp_path):
    samples, values = DIABETES
    model = NuSVR(nu=0.3, C=100.0, tol=1e-5).fit(samples, values)
    width = model.epsilon_
    free = np.abs(model.dual_coef_[0]) < 100.0
    errors = np.abs(model.predict(samples) - values)[model.support_]
    assert np.allclose(errors[free], width, atol=1e-3)
    assert np.all(errors > width - 1e-3)
    model.save(tmp_path / "tube.mercer")
    assert load(tmp_path / "tube.mercer").epsilon_ == width
    assert not hasattr(NuSVR(), "epsilon_")


def test_searches_paths_and_probabilities_see_no_offset():
    moved = X + 1e4
    a, b = (
        SVCSearch(Cs=[0.1, 1.0], kernel="linear", cv=3).fit(samples, y) for samples in (X, moved)
    )
    assert a.best_score_ == pytest.approx(b.best_score_, abs=0.02)
    for c, d in zip(
        svc_path(X, y, [0.1, 1.0], kernel="linear"),
        svc_path(moved, y, [0.1, 1.0], kernel="linear"),
        strict=True,
    ):
        assert d.report_["storage"] == "whole matrix in double precision"
        assert c.score(X, y) == pytest.approx(d.score(moved, y), abs=0.011)
    here = SVC(kernel="linear", probability=True).fit(X, y).predict_proba(X)
    there = SVC(kernel="linear", probability=True).fit(moved, y).predict_proba(moved)
    assert np.abs(here - there).max() < 0.02


def test_one_class_knows_where_the_origin_is():
    # Its coefficients do not sum up to 0, so an offset is part of the problem.
    for kernel in ("linear", "rbf"):
        moved = X + 50.0
        ours = OneClassSVM(kernel=kernel, nu=0.2, tol=1e-6).fit(moved)
        theirs = sklearn.svm.OneClassSVM(kernel=kernel, nu=0.2, tol=1e-6).fit(moved)
        a, b = ours.decision_function(moved), theirs.decision_function(moved)
        assert np.allclose(a, b, atol=1e-3 * np.abs(b).max())
