"""`max_time`: what fits do when their time is over."""

import contextlib
import time
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer import (
    PCA,
    SVC,
    SVR,
    ConformalClassifier,
    ConformalRegressor,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    SVCSearch,
    SVRSearch,
    pairwise_kernels,
)

RNG = np.random.RandomState(0)
X = RNG.randn(120, 4)
Y = X @ [1.0, -1.0, 0.5, 0.0] + 0.1 * RNG.randn(120)
CLASSES = np.where(Y > 0, "yes", "no")
LARGE = RNG.randn(3000, 20)
LARGE_Y = np.sin(LARGE[:, 0]) + 0.1 * RNG.randn(3000)
LARGE_CLASSES = (LARGE_Y > 0).astype(int)

# Each estimator with the target that it learns.
LIMITED = [
    (PCA(), None),
    (KernelPCA(n_components=2, kernel="rbf"), None),
    (KernelPCADetector(n_components=2), None),
    (KernelKMeans(n_clusters=3), None),
    (KernelRidge(kernel="rbf"), Y),
    (KernelRidgeCV(), Y),
    (KernelRidgeClassifier(kernel="rbf"), CLASSES),
    (SVCSearch(Cs=[1, 10], gammas=[0.1, 1]), CLASSES),
    (SVRSearch(Cs=[1, 10], epsilons=[0.1], gammas=[0.1, 1]), Y),
    (ConformalRegressor(SVR()), Y),
    (ConformalClassifier(SVC()), CLASSES),
]


def name_of(case):
    return type(case).__name__


@pytest.mark.parametrize(("estimator", "y"), LIMITED, ids=name_of)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_limit_that_suffices_changes_nothing(estimator, y):
    assert estimator.get_params()["max_time"] is None
    method = "transform" if isinstance(estimator, (PCA, KernelPCA)) else "predict"
    free = clone(estimator).fit(X, y)
    timed = clone(estimator).set_params(max_time=1000.0).fit(X, y)
    np.testing.assert_array_equal(getattr(timed, method)(X), getattr(free, method)(X))


@pytest.mark.parametrize(("estimator", "y"), LIMITED, ids=name_of)
@pytest.mark.parametrize("limit", [0, -1.0, "1", np.nan])
def test_a_limit_is_a_positive_number(estimator, y, limit):
    with pytest.raises(ValueError, match="max_time"):
        clone(estimator).set_params(max_time=limit).fit(X, y)


NOTHING_YET = [
    (PCA(), None),
    (KernelPCA(n_components=2, kernel="rbf"), None),
    (KernelPCA(n_components=2, kernel="rbf", eigen_solver="full"), None),
    (KernelPCADetector(n_components=2), None),
    (KernelKMeans(n_clusters=3), None),
    (KernelRidge(kernel="rbf", solver="cholesky"), LARGE_Y),
    (KernelRidge(kernel="rbf", solver="eigen"), LARGE_Y),
    (KernelRidge(kernel="rbf", solver="cg"), LARGE_Y),
    (KernelRidgeClassifier(kernel="rbf"), LARGE_CLASSES),
    (KernelRidgeCV(), LARGE_Y),
    (SVCSearch(), LARGE_CLASSES),
    (SVRSearch(), LARGE_Y),
    (ConformalRegressor(SVR()), LARGE_Y),
    (ConformalClassifier(SVC()), LARGE_CLASSES),
]


@pytest.mark.parametrize(("estimator", "y"), NOTHING_YET, ids=name_of)
def test_without_a_result_a_timeout_says_what_to_do(estimator, y):
    timed = clone(estimator).set_params(max_time=1e-6)
    before = dict(vars(timed))
    with pytest.raises(TimeoutError, match=r"max_time=1e-06 seconds.*raise max_time") as raised:
        timed.fit(LARGE, y)
    assert type(raised.value) is TimeoutError
    assert type(timed).__name__ in str(raised.value)
    assert vars(timed) == before


def test_a_fit_ends_soon_after_its_limit():
    model = KernelPCA(n_components=500, kernel="rbf", eigen_solver="full", max_time=0.3, n_jobs=1)
    start = time.perf_counter()
    with pytest.raises(TimeoutError):
        model.fit(LARGE)
    assert time.perf_counter() - start < 5


def test_predictions_have_no_limit():
    model = KernelRidge(kernel="rbf", max_time=60).fit(X, Y)
    model.max_time = 1e-9
    assert np.isfinite(model.predict(LARGE[:, :4])).all()


def test_conjugate_gradients_keep_what_they_reached():
    # Nearly singular, so that it takes many passes.
    model = KernelRidge(alpha=1e-9, kernel="rbf", gamma=0.02, solver="cg", max_iter=100_000)
    model.set_params(max_time=1.5, tol=1e-15)
    with pytest.warns(ConvergenceWarning, match=r"residual .* the time limit passed"):
        model.fit(LARGE, LARGE_Y)
    report = model.report_
    assert not report["converged"]
    assert 1e-15 < report["residual"] < 1
    K = np.exp(-0.02 * ((LARGE[:200, None] - LARGE) ** 2).sum(-1))
    left = LARGE_Y[:200] - K @ model.dual_coef_ - 1e-9 * model.dual_coef_[:200]
    assert np.linalg.norm(left) <= report["residual"] * np.linalg.norm(LARGE_Y) * 1.01


def test_k_means_keeps_the_best_so_far():
    model = KernelKMeans(n_clusters=30, kernel="rbf", n_init=100_000, max_time=2.0)
    with pytest.warns(ConvergenceWarning, match=r"of 100000 starts"):
        model.fit(LARGE)
    starts = model.report_["clusters"]["starts"]
    assert 1 <= starts < 100_000
    assert len(np.unique(model.labels_)) == 30
    # It is what so many starts give, unless the last of them was cut short and is the best.
    again = KernelKMeans(n_clusters=30, kernel="rbf", n_init=starts).fit(LARGE)
    assert again.inertia_ <= model.inertia_ * (1 + 1e-9)


def test_k_means_of_one_start_says_that_it_did_not_converge():
    model = KernelKMeans(n_clusters=300, kernel="precomputed", n_init=1)
    K = pairwise_kernels(LARGE, kernel="rbf")
    free = clone(model).fit(K)
    for share in np.tile([0.5, 0.7, 0.3, 0.9], 5):  # times vary from fit to fit
        model.max_time = share * free.report_["seconds"]
        with warnings.catch_warnings(record=True) as told, contextlib.suppress(TimeoutError):
            warnings.simplefilter("always")
            model.fit(K)
        if told:
            break
    assert told[0].category is ConvergenceWarning
    assert "before the time limit" in str(told[0].message)
    assert model.n_iter_ < free.n_iter_
    assert not model.report_["converged"]
    assert len(model.labels_) == len(LARGE)


def slow(a, b):
    """A kernel of which all values of 60 samples take a second or so."""
    time.sleep(2e-4)
    return float(np.exp(-np.sum((a - b) ** 2)))


def test_ridge_searches_compare_the_kernels_that_were_scored():
    gammas = list(np.logspace(-3, 1, 60))
    model = KernelRidgeCV(kernel="rbf", gamma=gammas, store_cv_results=True, max_time=3.0)
    with pytest.warns(ConvergenceWarning, match=r"of 60 kernels were compared within max_time=3"):
        model.fit(LARGE[:1500], LARGE_Y[:1500])
    compared = set(model.cv_results_["param_kernel"])
    assert 1 <= len(compared) < 60
    assert model.kernel_ in compared
    assert model.best_score_ == np.nanmax(model.cv_results_["mean_test_score"])


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_classifier_searches_compare_what_was_scored(scoring):
    Cs, gammas = np.logspace(-2, 3, 10), np.logspace(-3, 1, 40)
    search = SVCSearch(Cs, gammas, scoring=scoring, max_time=3.0)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"of 400 combinations were scored .* max_time=3"):
        search.fit(LARGE[:1200], LARGE_CLASSES[:1200])
    assert time.perf_counter() - start < 20
    mean = search.cv_results_["mean_test_score"]
    scored = ~np.isnan(mean)
    assert 0 < scored.sum() < 400
    assert search.best_score_ == np.nanmax(mean)
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1
    assert (search.cv_results_["rank_test_score"][~scored] > scored.sum()).all()


def test_regression_searches_compare_what_was_scored():
    gammas = np.logspace(-3, 1, 60)
    search = SVRSearch(gammas=gammas, max_time=3.0)
    with pytest.warns(ConvergenceWarning, match="combinations were scored"):
        search.fit(LARGE[:800], LARGE_Y[:800])
    mean = search.cv_results_["mean_test_score"]
    assert search.best_score_ == np.nanmax(mean)
    # Scores do not depend on the limit.
    best = {name: [value] for name, value in search.best_params_.items()}
    alone = SVRSearch(best["C"], best["epsilon"], best["gamma"]).fit(LARGE[:800], LARGE_Y[:800])
    assert alone.best_score_ == pytest.approx(search.best_score_, abs=1e-3)


def test_folds_of_conformal_intervals_are_all_or_none():
    model = ConformalRegressor(KernelRidge(kernel=slow), method="cv+", cv=5, max_time=0.5)
    with pytest.raises(TimeoutError, match=r"\d of 5 folds were fitted; raise max_time"):
        model.fit(X[:60], Y[:60])


def test_user_errors_are_not_taken_for_the_limit():
    def failing(a, b):
        raise TimeoutError("of a server")

    with pytest.raises(TimeoutError, match="of a server"):
        KernelRidge(kernel=failing, max_time=60).fit(X, Y)
