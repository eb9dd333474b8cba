"""Searches by other scores than the accuracy, with groups, repeated folds and several kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import balanced_accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)

from mercer import SVC, SVCSearch

IRIS = load_iris(return_X_y=True)
MOONS = make_moons(150, noise=0.3, random_state=0)
CS, GAMMAS = [0.03, 1.0, 30.0], [0.02, 5.0]
GRID = {"C": CS, "gamma": GAMMAS}
RNG = np.random.default_rng(0)


def compared(data, *, groups=None, **params):
    """Our search and scikit-learn's, both fitted."""
    X, y = data
    ours = SVCSearch(CS, GAMMAS, tol=1e-7, **params).fit(X, y, groups=groups)
    other = GridSearchCV(theirs.SVC(tol=1e-7), GRID, **params).fit(X, y, groups=groups)
    return ours, other


def same(ours, other, X, atol=1e-9):
    for key, expected in other.cv_results_.items():
        if key.endswith("_test_score"):
            assert_allclose(ours.cv_results_[key], expected, atol=atol, err_msg=key)
    assert ours.best_params_ == other.best_params_
    assert ours.best_score_ == pytest.approx(other.best_score_)
    assert_array_equal(ours.predict(X), other.predict(X))


def half_right(estimator, X, y):
    return balanced_accuracy_score(y, estimator.predict(X)) / 2


@pytest.mark.parametrize(
    "scoring", ["balanced_accuracy", "f1_macro", "roc_auc", "average_precision", half_right]
)
def test_any_scorer_of_scikit_learn(scoring):
    ours, other = compared(MOONS, scoring=scoring)
    same(ours, other, MOONS[0])
    assert ours.score(*MOONS) == pytest.approx(other.score(*MOONS))


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro"])
def test_several_classes(scoring):
    same(*compared(IRIS, scoring=scoring), IRIS[0])


def test_accuracy_by_name_is_the_default():
    one, other = (SVCSearch(CS, GAMMAS, scoring=name).fit(*IRIS) for name in (None, "accuracy"))
    assert_array_equal(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])


def test_fold_by_fold_is_what_the_shared_folds_are():
    X, y = MOONS
    shared = SVCSearch(CS, GAMMAS, tol=1e-7, class_weight={1: 2.0}).fit(X, y)
    alone = SVCSearch(
        CS,
        GAMMAS,
        tol=1e-7,
        class_weight={1: 2.0},
        scoring=lambda model, A, b: np.mean(model.predict(A) == b),
    ).fit(X, y)
    means = (m.cv_results_["mean_test_score"] for m in (shared, alone))
    assert_allclose(*means, atol=1e-12)
    assert_allclose(alone.decision_function(X), shared.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_groups_and_repeated_folds(scoring):
    groups = RNG.integers(0, 10, size=150)
    same(*compared(MOONS, scoring=scoring, cv=GroupKFold(4), groups=groups), MOONS[0])
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    ours, other = compared(MOONS, scoring=scoring, cv=repeated)
    assert ours.n_splits_ == 6
    same(ours, other, MOONS[0])
    with pytest.raises(ValueError, match="groups"):
        SVCSearch(CS, GAMMAS, cv=GroupKFold(4)).fit(*MOONS)


def test_a_number_of_folds_keeps_groups_together():
    groups = RNG.choice(["a", "b", "c", "d", "e", "f"], size=150)
    (X, y), splitter = MOONS, StratifiedGroupKFold(3)
    ours = SVCSearch(CS, GAMMAS, cv=3).fit(X, y, groups=groups)
    same(ours, SVCSearch(CS, GAMMAS, cv=splitter).fit(X, y, groups=groups), X)
    with pytest.raises(ValueError, match="groups has 2 different values, but cv=5 needs at least"):
        SVCSearch(CS, GAMMAS).fit(X, y, groups=groups > "c")


def test_probabilities_are_scored_if_they_are_computed():
    X, y = IRIS
    with pytest.raises(ValueError, match=r"scoring.*probability=True"):
        SVCSearch(CS, GAMMAS, scoring="neg_log_loss").fit(X, y)
    search = SVCSearch([1.0], GAMMAS, scoring="neg_log_loss", probability=True).fit(X, y)
    assert -0.3 < search.best_score_ < 0
    assert_array_equal(search.predict_proba(X).argmax(axis=1), search.predict(X))
    auc = SVCSearch([1.0], GAMMAS, scoring="roc_auc_ovr", probability=True).fit(X, y)
    assert auc.best_score_ > 0.95


def test_a_score_that_cannot_be_computed_says_why():
    with pytest.raises(ValueError, match="no combination could be scored"):
        SVCSearch([1.0], GAMMAS, scoring="roc_auc").fit(*IRIS)
    folds = [(np.r_[0:100], np.r_[100:150]), (np.r_[50:150], np.r_[0:50])]
    y = np.r_[np.arange(100) % 2, np.zeros(50, dtype=int)]
    with pytest.warns(UserWarning, match="not defined"):
        found = SVCSearch([1.0], [0.1], scoring="roc_auc", cv=folds).fit(MOONS[0], y)
    assert np.isnan(found.cv_results_["split0_test_score"]).all()


@pytest.mark.parametrize("few", [2, 1])
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_a_class_with_fewer_samples_than_folds(few, scoring):
    y = np.r_[np.zeros(50), np.ones(50), np.full(few, 2)].astype(int)
    X = RNG.normal(size=(len(y), 3))
    X[:, 0] += 1.5 * y
    with pytest.warns(UserWarning, match=f"only {few} members"):
        ours, other = compared((X, y), scoring=scoring)
    same(ours, other, X)
    assert ours.classes_.tolist() == [0, 1, 2]


def test_several_kernels():
    X, y = MOONS
    search = SVCSearch(CS, GAMMAS, kernel=["linear", "rbf", "laplacian"]).fit(X, y)
    results = search.cv_results_
    assert results["param_kernel"].tolist() == ["linear"] * 3 + ["rbf"] * 6 + ["laplacian"] * 6
    assert results["param_gamma"].mask.tolist() == [True] * 3 + [False] * 12
    for kernel in ("linear", "rbf", "laplacian"):
        gammas = None if kernel == "linear" else GAMMAS
        alone = SVCSearch(CS, gammas, kernel=kernel).fit(X, y)
        rows = results["param_kernel"] == kernel
        assert_array_equal(results["mean_test_score"][rows], alone.cv_results_["mean_test_score"])
    best = SVC(**search.best_params_).fit(X, y)
    assert_allclose(search.decision_function(X), best.decision_function(X), atol=5e-3)
    macro = SVCSearch(CS, GAMMAS, kernel=["linear", "rbf"], scoring="f1_macro").fit(X, y)
    assert len(macro.cv_results_["params"]) == 9


def test_kernels_that_cannot_be_compared():
    X, y = MOONS
    for kernel, word in (
        ([], "empty list"),
        (["rbf", "precomputed"], "precomputed"),
        (["linear", "cosine"], "gammas have no effect"),
    ):
        with pytest.raises(ValueError, match=word):
            SVCSearch(CS, GAMMAS, kernel=kernel).fit(X, y)


def test_a_precomputed_kernel_by_another_score():
    X, y = MOONS
    K = rbf_kernel(X, gamma=5.0)
    folds = StratifiedKFold(3)
    one = SVCSearch(CS, kernel="precomputed", scoring="roc_auc", cv=folds, tol=1e-7).fit(K, y)
    other = SVCSearch(CS, [5.0], scoring="roc_auc", cv=folds, tol=1e-7).fit(X, y)
    means = (m.cv_results_["mean_test_score"] for m in (one, other))
    assert_allclose(*means, atol=1e-9)


@pytest.mark.parametrize("scoring", [3, "accuracies", ["accuracy", "roc_auc"]])
def test_scorings_that_are_none(scoring):
    with pytest.raises(ValueError, match="scoring"):
        SVCSearch(CS, GAMMAS, scoring=scoring).fit(*IRIS)
