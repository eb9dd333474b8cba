"""Support vector regression with C, epsilon and gamma chosen by folds, in units of y."""

import pickle

import numpy as np
import pandas as pd
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RepeatedKFold
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVR, PathDisplay, SVRSearch

X, Y = make_friedman1(90, noise=0.5, random_state=0)
CS, EPSILONS, GAMMAS = [0.3, 10.0], [0.05, 0.4], [0.2, 2.0]
SMALL = {"Cs": CS, "epsilons": EPSILONS, "gammas": GAMMAS, "cv": 3}


def naive(cv, scoring=None):
    """The same by scikit-learn alone."""
    machine = TransformedTargetRegressor(theirs.SVR(tol=1e-7), transformer=StandardScaler())
    grid = {"regressor__C": CS, "regressor__epsilon": EPSILONS, "regressor__gamma": GAMMAS}
    return GridSearchCV(machine, grid, cv=cv, scoring=scoring)


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
@pytest.mark.parametrize(
    "cv", [5, KFold(3, shuffle=True, random_state=0), RepeatedKFold(n_splits=3, random_state=1)]
)
@pytest.mark.parametrize("unit", [1.0, 1e4])
def test_a_search_is_a_grid_search_of_standardised_targets(cv, scoring, unit):
    y = unit * Y
    ours = SVRSearch(CS, EPSILONS, GAMMAS, cv=cv, scoring=scoring, tol=1e-7).fit(X, y)
    other = naive(cv, scoring).fit(X, y)
    for key, expected in other.cv_results_.items():
        if key.endswith("_score") and not key.startswith("rank"):
            scale = unit if scoring else 1.0
            assert_allclose(ours.cv_results_[key], expected, atol=1e-5 * scale, err_msg=key)
    params = {f"regressor__{name}": value for name, value in ours.best_params_.items()}
    assert params == other.best_params_
    assert ours.best_index_ == other.best_index_
    assert ours.n_splits_ == other.n_splits_
    assert_allclose(ours.predict(X), other.predict(X), atol=1e-4 * unit)
    assert ours.score(X, y) == pytest.approx(other.score(X, y), rel=1e-4)


def test_groups_go_to_the_splitter():
    groups = np.arange(len(X)) % 9
    ours = SVRSearch(CS, EPSILONS, GAMMAS, cv=GroupKFold(3), tol=1e-7).fit(X, Y, groups=groups)
    other = naive(GroupKFold(3)).fit(X, Y, groups=groups)
    mean = "mean_test_score"
    assert_allclose(ours.cv_results_[mean], other.cv_results_[mean], atol=1e-5)
    with pytest.raises(ValueError, match="groups"):
        SVRSearch(**SMALL | {"cv": GroupKFold(3)}).fit(X, Y)
    counted = SVRSearch(CS, EPSILONS, GAMMAS, cv=3, tol=1e-7).fit(X, Y, groups=groups)
    assert counted.best_params_ == ours.best_params_
    assert counted.best_score_ == ours.best_score_


def test_units_of_the_targets_change_nothing():
    one = SVRSearch(**SMALL, tol=1e-7).fit(X, Y)
    far = SVRSearch(**SMALL, tol=1e-7).fit(X, 1e5 * Y + 1e7)
    assert one.best_params_ == far.best_params_
    scores = (m.cv_results_["mean_test_score"] for m in (one, far))
    assert_allclose(*scores, atol=1e-5)
    assert_allclose(far.predict(X), 1e5 * one.predict(X) + 1e7, rtol=1e-6)
    assert pytest.approx(far.best_params_["C"] * far.y_scale_) == far.best_estimator_.C


def test_the_best_model_is_a_machine_with_a_file(tmp_path):
    search = SVRSearch(**SMALL).fit(X, Y)
    assert type(search.best_estimator_) is SVR
    search.best_estimator_.save(tmp_path / "best.mercer")
    again = mercer.load(tmp_path / "best.mercer")
    assert_array_equal(again.predict(X), search.predict(X))
    assert_array_equal(pickle.loads(pickle.dumps(search)).predict(X), search.predict(X))
    with pytest.raises(NotFittedError):
        clone(search).predict(X)


def test_it_is_sensible_without_any_parameter():
    features, y = load_diabetes(return_X_y=True)
    search = SVRSearch(cv=3, Cs=[0.5, 2.0], epsilons=[0.1]).fit(features, y)
    assert search.best_score_ > 0.45
    assert len(search.cv_results_["params"]) == 12
    assert len(SVRSearch(cv=2).fit(X[:30], Y[:30]).cv_results_["params"]) == 90


def test_several_kernels():
    search = SVRSearch(CS, [0.1], [0.2], kernel=["rbf", "linear", "laplacian"], cv=3).fit(X, Y)
    results = search.cv_results_
    assert results["param_kernel"].tolist() == ["rbf"] * 2 + ["linear"] * 2 + ["laplacian"] * 2
    assert results["param_gamma"].mask.tolist() == [False, False, True, True, False, False]
    for kernel in ("rbf", "linear", "laplacian"):
        gammas = None if kernel == "linear" else [0.2]
        alone = SVRSearch(CS, [0.1], gammas, kernel=kernel, cv=3).fit(X, Y)
        rows = results["param_kernel"] == kernel
        assert_array_equal(results["mean_test_score"][rows], alone.cv_results_["mean_test_score"])
    assert search.best_estimator_.kernel == search.best_params_["kernel"]


def test_samples_of_other_kinds():
    K = rbf_kernel(X, gamma=0.2)
    direct = SVRSearch(CS, EPSILONS, [0.2], cv=3, tol=1e-7).fit(X, Y)
    given = SVRSearch(CS, EPSILONS, kernel="precomputed", cv=3, tol=1e-7).fit(K, Y)
    assert_allclose(
        given.cv_results_["mean_test_score"], direct.cv_results_["mean_test_score"], atol=1e-5
    )
    words = ["a" * (1 + row % 7) + "b" for row in range(60)]
    lengths = np.array([len(word) for word in words], dtype=float)
    texts = SVRSearch([10.0], [0.01], kernel="spectrum(p=2)", cv=3).fit(words, lengths)
    assert texts.best_score_ > 0.95
    table = {"length": lengths, "word": words}
    mixed = "columns(length: linear) + column(word: spectrum(p=2))"
    for form in (table, pd.DataFrame(table)):
        assert SVRSearch([1.0], [0.01], kernel=mixed, cv=3).fit(form, lengths).best_score_ > 0.95


def test_a_constant_target():
    search = SVRSearch([1.0], [0.1], [0.2], cv=3).fit(X, np.full(len(X), 7.0))
    assert search.y_scale_ == 1.0
    assert_allclose(search.predict(X), 7.0, atol=0.11)


def test_weights_count_in_fits_and_in_the_spread():
    weights = np.where(np.arange(len(X)) < 45, 0.0, 1.0)
    weighed = SVRSearch([1.0], [0.1], [0.2], cv=KFold(3, shuffle=True, random_state=0), tol=1e-8)
    weighed.fit(X, Y, weights)
    half = SVRSearch([1.0], [0.1], [0.2], cv=3, tol=1e-8).fit(X[45:], Y[45:])
    assert weighed.y_scale_ == pytest.approx(half.y_scale_)
    assert_allclose(weighed.predict(X), half.predict(X), atol=1e-5)


def test_fits_that_stop_early_are_counted_once():
    with pytest.warns(ConvergenceWarning) as seen:
        SVRSearch(**SMALL, max_iter=1).fit(X, Y)
    assert sum("24 of 24 fits" in str(one.message) for one in seen) == 1
    assert sum(one.category is ConvergenceWarning for one in seen) == 2


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"Cs": [0]}, "Cs"),
        ({"epsilons": [-0.1]}, "epsilons"),
        ({"epsilons": []}, "epsilons"),
        ({"epsilons": "many"}, "epsilons"),
        ({"cv": 1}, "cv"),
        ({"scoring": 3}, "scoring"),
        ({"scoring": "r3"}, "scoring"),
        ({"kernel": []}, "empty list"),
        ({"kernel": ["rbf", "precomputed"]}, "precomputed"),
        ({"kernel": "linear"}, "gammas have no effect"),
        ({"tol": 0}, "tol"),
    ],
    ids=named,
)
def test_refusals_leave_the_search_as_it_was(params, word):
    model = SVRSearch(**SMALL).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=word):
        model.set_params(**params).fit(X[:50, :4], Y[:50])
    assert_array_equal(model.predict(X), before)


def test_targets_that_are_no_numbers_are_named_by_their_row():
    with pytest.raises(ValueError, match="NaN at row 61"):
        SVRSearch(**SMALL).fit(X, np.where(np.arange(90) == 61, np.nan, Y))


def test_pictures_name_the_score():
    three = SVRSearch([0.3, 1.0, 10.0], [0.1], GAMMAS, cv=3).fit(X, Y)
    assert PathDisplay.from_estimator(three).score_name == "R²"
    own = SVRSearch([0.3, 1.0, 10.0], [0.1], GAMMAS, cv=3, scoring=lambda m, A, b: m.score(A, b))
    assert PathDisplay.from_estimator(own.fit(X, Y)).score_name == "score"
