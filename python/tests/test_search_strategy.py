"""Successive halving, refinement and the ends of grids in searches over support vector machines."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score

from mercer import SVC, PathDisplay, SVCSearch, SVRSearch, pairwise_kernels

X, Y = make_moons(1200, noise=0.25, random_state=0)
WAVE = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * np.random.RandomState(0).randn(1200)
CS, GAMMAS = 2.0 ** np.arange(-3, 9, 2), 4.0 ** np.arange(-3, 3)

pytestmark = pytest.mark.filterwarnings("ignore:the best .* of those compared:UserWarning")


def halved(**params):
    return SVCSearch(CS, GAMMAS, strategy="halving", **params)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_halving_scores_a_third_on_three_times_as_many_samples(scoring):
    search = halved(scoring=scoring).fit(X, Y)
    rounds, rows = search.cv_results_["iter"], search.cv_results_["n_resources"]
    counts, sizes = [], []
    for number in np.unique(rounds):
        counts.append(int((rounds == number).sum()))
        sizes.append(int(rows[rounds == number][0]))
    assert counts == [36, 12, 4]
    assert sizes[-1] == 1200
    assert np.allclose(sizes[:-1], [1200 / 9, 1200 / 3], atol=12)
    assert rows[search.best_index_] == 1200
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1


def test_the_last_round_has_the_scores_of_a_grid():
    search = halved().fit(X, Y)
    whole = SVCSearch(CS, GAMMAS).fit(X, Y)
    scores = dict(zip(map(str, whole.cv_results_["params"]), range(36), strict=True))
    last = search.cv_results_["n_resources"] == 1200
    for index in np.flatnonzero(last):
        same = scores[str(search.cv_results_["params"][index])]
        assert (
            search.cv_results_["mean_test_score"][index]
            == whole.cv_results_["mean_test_score"][same]
        )
    assert search.best_score_ >= whole.best_score_ - 0.01
    model = SVC(**search.best_params_).fit(X, Y)
    np.testing.assert_array_equal(search.predict(X), model.predict(X))


def test_halving_is_repeatable_by_its_seed():
    one, other = (halved(random_state=3).fit(X, Y).cv_results_ for _ in range(2))
    np.testing.assert_array_equal(one["mean_test_score"], other["mean_test_score"])
    third = halved(random_state=4).fit(X, Y).cv_results_
    first = one["iter"] == 0
    assert (one["mean_test_score"][first] != third["mean_test_score"][first]).any()


def test_rare_classes_are_in_every_part():
    X, y = make_classification(1500, weights=[0.97], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the best")
        search = halved(scoring="balanced_accuracy").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_halving_of_few_samples_says_that_it_is_a_grid():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="has one round"):
        search = SVCSearch([1, 10], [0.1, 1], strategy="halving").fit(X[::2], y[::2])
    whole = SVCSearch([1, 10], [0.1, 1]).fit(X[::2], y[::2])
    assert search.best_params_ == whole.best_params_
    assert "iter" not in search.cv_results_


def test_halving_takes_matrices_frames_groups_and_weights():
    cv = GroupKFold(5)
    groups, weights = np.arange(1200) % 17, np.random.RandomState(0).rand(1200) + 0.1
    plain = halved(cv=cv).fit(X, Y, weights, groups=groups)
    framed = halved(cv=cv).fit(pd.DataFrame(X, columns=["a", "b"]), Y, weights, groups=groups)
    assert plain.best_params_ == framed.best_params_
    K = pairwise_kernels(X, kernel="rbf", gamma=1.0)
    given = SVCSearch(CS, kernel="precomputed", strategy="halving").fit(K, Y)
    direct = SVCSearch(CS, [1.0], strategy="halving").fit(X, Y)
    np.testing.assert_allclose(
        given.cv_results_["mean_test_score"], direct.cv_results_["mean_test_score"], atol=2e-3
    )


def test_refinement_halves_the_step_around_the_best():
    coarse = SVCSearch(CS, GAMMAS).fit(X, Y)
    fine = SVCSearch(CS, GAMMAS, refine=2).fit(X, Y)
    rounds = fine.cv_results_["iter"]
    first = [one for one, number in zip(fine.cv_results_["params"], rounds, strict=True) if number]
    assert {number for number in rounds} == {0, 1, 2}
    best = coarse.best_params_
    expected = [best["C"] * factor for factor in (0.5, 1, 2)]
    assert sorted({one["C"] for one in first[:8]}) == pytest.approx(expected)
    assert fine.best_score_ >= coarse.best_score_
    scores = cross_val_score(SVC(**fine.best_params_), X, Y, cv=StratifiedKFold(5))
    assert fine.best_score_ == pytest.approx(scores.mean(), abs=2e-3)


def test_refinement_leaves_single_values_and_rules_alone():
    search = SVCSearch([1, 4, 16], ["scale"], refine=1).fit(X, Y)
    assert {one["gamma"] for one in search.cv_results_["params"]} == {"scale"}
    search = SVRSearch([1, 4], [0.0, 0.1], [1.0], refine=1).fit(X[:300], WAVE[:300])
    assert {one["gamma"] for one in search.cv_results_["params"]} == {1.0}


def test_kernels_of_a_list_are_refined_and_halved():
    search = SVCSearch([0.1, 1, 10], kernel=["linear", "rbf"], strategy="halving", refine=1)
    search.fit(X, Y)
    assert search.best_params_["kernel"] == "rbf"
    refined = search.cv_results_["iter"] == search.cv_results_["iter"].max()
    kernels = {one["kernel"] for one in np.array(search.cv_results_["params"])[refined]}
    assert kernels == {"rbf"}


def test_regressions_are_halved_and_refined():
    search = SVRSearch(gammas=GAMMAS, strategy="halving", refine=1, cv=3)
    again = clone(search).fit(X, WAVE)
    search.fit(X, WAVE)
    assert search.best_params_ == again.best_params_
    rows = search.cv_results_["n_resources"]
    assert rows[0] < rows[-1] == 1200
    assert search.score(X, WAVE) > 0.9


@pytest.mark.parametrize(
    ("params", "match"), [({"strategy": "random"}, "strategy"), ({"refine": -1}, "refine")]
)
@pytest.mark.parametrize("search", [SVCSearch, SVRSearch])
def test_wrong_parameters_are_refused(search, params, match):
    with pytest.raises(ValueError, match=match):
        search(**params).fit(X[:50], Y[:50])


def test_a_limit_ends_halving_with_the_best_so_far():
    # Each combination takes milliseconds on the fewest rows, and all of them minutes.
    gammas = np.logspace(-3, 1, 20_000)
    params = {"strategy": "halving", "scoring": "balanced_accuracy", "max_time": 5.0}
    search = SVCSearch([1.0], gammas, **params)
    with pytest.warns(ConvergenceWarning, match="the best was scored on"):
        search.fit(X, Y)
    assert np.isfinite(search.best_score_)


class TestEdges:
    pytestmark = pytest.mark.filterwarnings("default")

    @pytest.mark.parametrize(
        ("params", "match"),
        [
            (([1e-3, 1.0], [0.05]), r"best C is the largest of those compared, 1: larger"),
            (([1.0], [1e-3, 1e-2]), r"best gamma is the largest of those compared, 0\.01: larger"),
            (([1.0], [3.0, 300.0]), r"best gamma is the smallest of those compared, 3: smaller"),
        ],
    )
    def test_an_end_is_reported_of_two_values_too(self, params, match):
        with pytest.warns(UserWarning, match=match):
            SVCSearch(*params).fit(X, Y)

    def test_epsilon(self):
        with pytest.warns(UserWarning, match=r"best epsilon is the smallest .* set epsilons"):
            SVRSearch([1.0, 4.0, 16.0], [0.5, 1.0], [1.0]).fit(X, WAVE)
        with warnings.catch_warnings(record=True) as reported:
            warnings.simplefilter("always")
            SVRSearch([4.0], [0.0, 1.0], [1.0]).fit(X, WAVE)
        assert not [one for one in reported if "epsilon" in str(one.message)], (
            "there is nothing below"
        )

    def test_nothing_is_said_inside_or_where_scores_are_flat(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            SVCSearch([1.0], [0.1, 1.0, 300.0]).fit(X, Y)
            # Separable classes: every large C is the same.
            far = X + 10 * Y[:, None]
            SVCSearch([1e3, 1e4, 1e5], [0.1]).fit(far, Y)


def test_rounds_are_drawn_with_their_last_scores():
    search = halved().fit(X, Y)
    display = PathDisplay.from_estimator(search)
    assert display.mean.shape == (6, 6)
    assert display.score_name == "accuracy in the last round"
    C, gamma = display.values[display.best_[0]], display.second_values[display.best_[1]]
    assert (C, gamma) == (search.best_params_["C"], search.best_params_["gamma"])
    assert display.mean[display.best_] == search.best_score_
    fine = PathDisplay.from_estimator(SVCSearch(CS, GAMMAS, refine=1).fit(X, Y))
    assert fine.score_name == "accuracy"
    assert np.isfinite(fine.mean).sum() == 44
