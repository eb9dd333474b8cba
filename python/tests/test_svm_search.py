"""Support vector machines along C, and with C and gamma chosen by folds."""

import pickle

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold

from mercer import SVC, SVCSearch, svc_path

IRIS = load_iris(return_X_y=True)
MOONS = make_moons(200, noise=0.3, random_state=0)
CS = [0.03, 1.0, 30.0]
GAMMAS = [0.02, 0.3, 5.0]
W = np.random.default_rng(0).uniform(0.2, 2, size=200)


@pytest.mark.parametrize("data", [IRIS, MOONS], ids=["iris", "moons"])
@pytest.mark.parametrize(
    "params", [{}, {"kernel": "linear"}, {"class_weight": {1: 3.0}}], ids=named
)
def test_a_path_is_separate_fits(data, params):
    X, y = data
    models = svc_path(X, y, CS, tol=1e-7, **params)
    assert [model.C for model in models] == CS
    for model in models:
        alone = SVC(C=model.C, tol=1e-7, **params).fit(X, y)
        assert type(model) is SVC
        assert model.get_params() == alone.get_params()
        assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-4)
        assert set(vars(model)) == set(vars(alone))
        one, other = (m.report_["machine"]["problems"] for m in (model, alone))
        for mine, its in zip(one, other, strict=True):
            assert mine["objective"] == pytest.approx(its["objective"], rel=1e-6)


def test_paths_of_all_kinds():
    X, y = MOONS
    K = rbf_kernel(X, gamma=0.5)
    expected = [model.decision_function(X) for model in svc_path(X, y, CS, gamma=0.5, tol=1e-7)]
    for kernel, data in (
        ("precomputed", K),
        (lambda A, B: rbf_kernel(A, B, gamma=0.5), X),
    ):
        for model, values in zip(
            svc_path(data, y, CS, kernel=kernel, tol=1e-7), expected, strict=True
        ):
            assert_allclose(model.decision_function(data), values, atol=1e-4)
    weighed = svc_path(X, y, [2.0], sample_weight=W, tol=1e-7, probability=True)[0]
    alone = SVC(C=2.0, tol=1e-7, probability=True).fit(X, y, W)
    assert_allclose(weighed.decision_function(X), alone.decision_function(X), atol=1e-4)
    assert_allclose(weighed.predict_proba(X), alone.predict_proba(X), atol=1e-3)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        svc_path(X, y, [1.0], max_iter=3)


@pytest.mark.parametrize("wrong", [[], [1.0, -1.0], 1.0, "many", [np.nan], None], ids=named)
def test_prices_that_are_none(wrong):
    with pytest.raises(ValueError, match="Cs"):
        svc_path(*IRIS, wrong)
    if wrong is not None:
        with pytest.raises(ValueError, match="Cs"):
            SVCSearch(wrong).fit(*IRIS)


def test_parameters_of_a_path():
    with pytest.raises(TypeError, match="C"):
        svc_path(*IRIS, CS, C=1.0)
    with pytest.raises(TypeError, match="colour"):
        svc_path(*IRIS, CS, colour="red")
    with pytest.raises(ValueError, match="tol"):
        svc_path(*IRIS, CS, tol=-1)


@pytest.mark.parametrize("data", [IRIS, MOONS], ids=["iris", "moons"])
@pytest.mark.parametrize(
    "cv", [5, StratifiedKFold(3, shuffle=True, random_state=0), "splits"], ids=named
)
def test_a_search_is_a_grid_search(data, cv):
    X, y = data
    if cv == "splits":
        cv = list(ShuffleSplit(4, test_size=0.3, random_state=1).split(X))
    ours = SVCSearch(CS, GAMMAS, cv=cv, tol=1e-6).fit(X, y)
    grid = {"C": CS, "gamma": GAMMAS}
    other = GridSearchCV(theirs.SVC(tol=1e-6), grid, cv=cv).fit(X, y)
    results, expected = ours.cv_results_, other.cv_results_
    assert results["params"] == expected["params"]
    for key in results:
        if key.endswith("_score") and not key.startswith("rank"):
            assert_allclose(results[key], expected[key], atol=1e-12, err_msg=key)
        elif key.startswith(("param_", "rank")):
            assert_array_equal(results[key], expected[key])
            assert type(results[key]) is type(expected[key])
            assert results[key].dtype == expected[key].dtype
    assert set(expected) - set(results) == {
        "mean_fit_time",
        "std_fit_time",
        "mean_score_time",
        "std_score_time",
    }
    assert ours.best_params_ == other.best_params_
    assert ours.best_score_ == pytest.approx(other.best_score_)
    assert ours.best_index_ == other.best_index_
    assert ours.n_splits_ == other.n_splits_
    assert type(ours.best_estimator_) is SVC
    assert_array_equal(ours.predict(X), other.predict(X))
    assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-3)
    assert ours.score(X, y) == other.score(X, y)


def test_kernels_of_all_kinds():
    X, y = MOONS
    K = rbf_kernel(X, gamma=0.3)
    direct = SVCSearch(CS, [0.3], tol=1e-6).fit(X, y)
    for kernel, data in (
        ("precomputed", K),
        (lambda A, B: rbf_kernel(A, B, gamma=0.3), X),
        ("rbf(gamma=0.3)", X),
    ):
        model = SVCSearch(CS, kernel=kernel, tol=1e-6).fit(data, y)
        assert model.best_params_ == {"C": direct.best_params_["C"]}
        assert_allclose(model.cv_results_["mean_test_score"], direct.cv_results_["mean_test_score"])
        assert_array_equal(model.predict(data), direct.predict(X))
    positive = X - X.min()
    chi2 = SVCSearch(CS, GAMMAS, kernel="chi2").fit(positive, y)
    assert len(chi2.cv_results_["params"]) == 9
    best = SVC(kernel="chi2", **chi2.best_params_).fit(positive, y)
    assert_array_equal(chi2.predict(positive), best.predict(positive))
    linear = SVCSearch(CS, kernel="linear").fit(X, y)
    assert "param_gamma" not in linear.cv_results_


def test_it_is_sensible_without_any_parameter():
    X, y = MOONS
    model = SVCSearch().fit(X, y)
    assert model.best_score_ > 0.9
    params = model.best_params_
    assert set(params) == {"C", "gamma"}
    best = SVC(**params).fit(X, y)
    assert_allclose(model.decision_function(X), best.decision_function(X), atol=5e-3)
    assert not hasattr(model, "predict_proba")
    sure = SVCSearch(CS, GAMMAS, probability=True).fit(X, y)
    assert_array_equal(sure.predict_proba(X).argmax(axis=1), sure.predict(X))
    assert_array_equal(sure.predict_log_proba(X), np.log(sure.predict_proba(X)))
    again = pickle.loads(pickle.dumps(sure))
    assert_array_equal(again.predict_proba(X), sure.predict_proba(X))
    with pytest.raises(NotFittedError):
        clone(sure).predict(X)


def test_rules_among_gammas():
    X, y = MOONS
    model = SVCSearch([1.0], ["scale", 0.5, "auto"]).fit(X, y)
    assert model.cv_results_["param_gamma"].tolist() == ["scale", 0.5, "auto"]
    assert model.best_params_["gamma"] in ("scale", 0.5, "auto")


def test_weights_count_in_fits():
    X, y = MOONS
    weights = np.where(np.arange(200) < 100, 1e-6, 1.0)
    plain, weighed = SVCSearch(CS, GAMMAS).fit(X, y), SVCSearch(CS, GAMMAS).fit(X, y, weights)
    assert np.abs(plain.decision_function(X) - weighed.decision_function(X)).max() > 1e-2


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"cv": 1}, "cv"),
        ({"cv": "five"}, "cv"),
        ({"cv": None}, "cv"),
        ({"cv": 80}, "n_splits"),
        ({"gammas": []}, "gammas"),
        ({"gammas": 0.1}, "gammas"),
        ({"gammas": [-1.0]}, "gamma"),
        ({"kernel": "rbff"}, "did you mean 'rbf'"),
        ({"tol": 0}, "tol"),
    ],
    ids=named,
)
def test_refusals_leave_the_search_as_it_was(params, word):
    X, y = IRIS
    model = SVCSearch([1.0], [0.1]).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=word):
        model.set_params(**params).fit(X[:100], y[:100])
    assert model.n_features_in_ == 4
    assert_array_equal(model.predict(X), before)
