"""`max_time`: what fits do when their time is over."""

import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from mercer import (
    PCA,
    SVC,
    SVR,
    ConformalClassifier,
    ConformalRegressor,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRepair,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    SVCSearch,
    SVRSearch,
    kernels,
)

RNG = np.random.RandomState(0)
X = RNG.randn(120, 4)
Y = X @ [1.0, -1.0, 0.5, 0.0] + 0.1 * RNG.randn(120)
CLASSES = np.where(Y > 0, "yes", "no")
LARGE = RNG.randn(3000, 20)
LARGE_Y = np.sin(LARGE[:, 0]) + 0.1 * RNG.randn(3000)
LARGE_CLASSES = (LARGE_Y > 0).astype(int)
SOME, SOME_Y = LARGE[:400, :4], LARGE_Y[:400]
# Seconds that are ample for what takes milliseconds.
LIMIT = 3.0

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


@pytest.mark.parametrize("method", ["clip", "nearest"])
def test_a_repair_that_takes_too_long_says_so(method):
    K = rbf_kernel(LARGE[:300]) - 0.5
    timed = KernelRepair(method, max_time=1e-6)
    with pytest.raises(TimeoutError, match=r"fit of KernelRepair .*max_time=1e-06.*raise max_time"):
        timed.fit(K)
    assert not hasattr(timed, "n_features_in_")
    with pytest.raises(ValueError, match="max_time"):
        KernelRepair(method, max_time=-1).fit(K)
    np.testing.assert_array_equal(
        KernelRepair(method, max_time=1000.0).fit_transform(K),
        KernelRepair(method).fit_transform(K),
    )


@pytest.mark.parametrize(("estimator", "y"), NOTHING_YET, ids=name_of)
def test_without_a_result_a_timeout_says_what_to_do(estimator, y):
    timed = clone(estimator).set_params(max_time=1e-6)
    before = dict(vars(timed))
    with pytest.raises(TimeoutError, match=r"max_time=1e-06 seconds.*raise max_time") as raised:
        timed.fit(LARGE, y)
    assert type(raised.value) is TimeoutError
    assert type(timed).__name__ in str(raised.value)
    assert vars(timed) == before


class Waiting:
    """An RBF kernel that waits in one of its calls, so that a limit passes just then.

    Calls are counted: a fit whose kernel matrix is not stored calls it in every pass. What is done
    before takes milliseconds, so that only the wait decides when the limit passes.
    """

    def __init__(self, at, seconds, gamma=0.3):
        self.at, self.seconds, self.gamma, self.calls = at, seconds, gamma, 0

    def __call__(self, A, B):
        self.calls += 1
        if self.calls == self.at:
            time.sleep(self.seconds)
        return rbf_kernel(A, B, gamma=self.gamma)


def test_a_fit_ends_soon_after_its_limit():
    # The first of 78 tiles takes longer than the limit: no other is computed.
    kernel = Waiting(1, seconds=1.0)
    model = KernelPCA(n_components=3, kernel=kernels.block(kernel), max_time=0.5, n_jobs=1)
    with pytest.raises(TimeoutError):
        model.fit(LARGE)
    assert kernel.calls <= 1


def test_predictions_have_no_limit():
    model = KernelRidge(kernel="rbf", max_time=60).fit(X, Y)
    model.max_time = 1e-9
    assert np.isfinite(model.predict(LARGE[:, :4])).all()


def test_conjugate_gradients_keep_what_they_reached():
    # Nearly singular, so that it takes many passes; three tiles each are computed anew. The
    # preconditioner takes some 820 calls before.
    kernel = Waiting(850, seconds=LIMIT, gamma=0.02)
    model = KernelRidge(1e-9, kernel=kernels.block(kernel), solver="cg", max_iter=1000, tol=1e-15)
    model.set_params(memory_budget="1.5MB", n_jobs=1, max_time=LIMIT)
    with pytest.warns(ConvergenceWarning, match=r"residual .* the time limit passed"):
        model.fit(SOME, SOME_Y)
    report = model.report_
    assert report["storage"] == "tiled"
    assert not report["converged"]
    assert 5 < report["passes"] < 20
    assert 1e-15 < report["residual"] < 10
    left = SOME_Y - rbf_kernel(SOME, gamma=0.02) @ model.dual_coef_ - 1e-9 * model.dual_coef_
    assert np.linalg.norm(left) <= report["residual"] * np.linalg.norm(SOME_Y) * 1.01


def test_k_means_keeps_the_best_so_far():
    # A start takes milliseconds, and all of them hours.
    model = KernelKMeans(n_clusters=5, kernel="rbf", n_init=10**8, max_time=2.0)
    with pytest.warns(ConvergenceWarning, match=r"of 100000000 starts"):
        model.fit(X)
    starts = model.report_["clusters"]["starts"]
    assert 1 <= starts < 10**8
    assert len(np.unique(model.labels_)) == 5
    # It is what so many starts give, unless the last of them was cut short and is the best.
    again = KernelKMeans(n_clusters=5, kernel="rbf", n_init=starts).fit(X)
    assert again.inertia_ <= model.inertia_ * (1 + 1e-9)


def test_k_means_of_one_start_says_that_it_did_not_converge():
    def fitted(at, **params):
        kernel = Waiting(at, seconds=LIMIT)
        model = KernelKMeans(8, kernel=kernels.block(kernel), init=np.arange(400) % 8, tol=0)
        return kernel, model.set_params(memory_budget="1MB", n_jobs=1, **params)

    kernel, two = fitted(at=0, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="raise the maximum number of iterations"):
        two.fit(SOME)
    assert two.report_["storage"] == "tiled"
    _, timed = fitted(at=kernel.calls, max_time=LIMIT)
    with pytest.warns(ConvergenceWarning, match="before the time limit"):
        timed.fit(SOME)
    assert timed.n_iter_ == 2
    assert not timed.report_["converged"]
    np.testing.assert_array_equal(timed.labels_, two.labels_)


def slow(a, b):
    """A kernel of which all values of 60 samples take at least a third of a second."""
    time.sleep(2e-4)
    return float(np.exp(-np.sum((a - b) ** 2)))


# Each takes milliseconds, and all of them minutes.
MANY = list(np.logspace(-3, 1, 20_000))


def test_ridge_searches_compare_the_kernels_that_were_scored():
    # A decomposition each, of some hundredths of a second.
    model = KernelRidgeCV(kernel="rbf", gamma=MANY[::20], store_cv_results=True, max_time=2.0)
    with pytest.warns(ConvergenceWarning, match=r"of 1000 kernels were compared .* max_time=2"):
        model.fit(SOME, SOME_Y)
    compared = set(model.cv_results_["param_kernel"])
    assert 1 <= len(compared) < 1000
    assert model.kernel_ in compared
    assert model.best_score_ == np.nanmax(model.cv_results_["mean_test_score"])


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
@pytest.mark.filterwarnings("ignore:the best .* of those compared:UserWarning")
def test_classifier_searches_compare_what_was_scored(scoring):
    search = SVCSearch([1.0], MANY, scoring=scoring, max_time=2.0)
    with pytest.warns(ConvergenceWarning, match=r"of 20000 combinations were scored .* max_time=2"):
        search.fit(X, CLASSES)
    mean = search.cv_results_["mean_test_score"]
    scored = ~np.isnan(mean)
    assert 0 < scored.sum() < 20_000
    assert search.best_score_ == np.nanmax(mean)
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1
    assert (search.cv_results_["rank_test_score"][~scored] > scored.sum()).all()


@pytest.mark.filterwarnings("ignore:the best .* of those compared:UserWarning")
def test_regression_searches_compare_what_was_scored():
    search = SVRSearch([1.0], [0.1], MANY, max_time=2.0)
    with pytest.warns(ConvergenceWarning, match="of 20000 combinations were scored"):
        search.fit(X, Y)
    mean = search.cv_results_["mean_test_score"]
    assert search.best_score_ == np.nanmax(mean)
    # Scores do not depend on the limit.
    best = {name: [value] for name, value in search.best_params_.items()}
    alone = SVRSearch(best["C"], best["epsilon"], best["gamma"]).fit(X, Y)
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
