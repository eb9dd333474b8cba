"""Searches over penalties on landmarks, by law and by refits."""

import numpy as np
import pytest

import mercer
from mercer import KernelRidge, KernelRidgeCV

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = np.sin(X[:, 0]) + 0.1 * X[:, 1] ** 2 + 0.1 * RNG.normal(size=300)
NEW = RNG.normal(size=(40, 3))
ALPHAS = [0.01, 0.1, 1.0, 10.0]


@pytest.mark.parametrize("cv", [None, "gcv", 3])
def test_all_samples_as_landmarks_are_the_exact_search(cv):
    exact = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=[0.2, 1.0], cv=cv, store_cv_results=True)
    low = KernelRidgeCV(**exact.get_params()).set_params(landmarks=300)
    exact.fit(X[:120], Y[:120])
    low.fit(X[:120], Y[:120])
    np.testing.assert_allclose(
        low.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], rtol=1e-5
    )
    assert low.alpha_ == pytest.approx(exact.alpha_, rel=1e-9)
    np.testing.assert_allclose(low.predict(NEW), exact.predict(NEW), atol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_is_a_fit_without_each_row(fit_intercept):
    options = {"kernel": "rbf", "gamma": 0.3, "fit_intercept": fit_intercept}
    options |= {"landmarks": X[200:230]}
    points, targets = X[:60], Y[:60]
    weights = RNG.uniform(0.5, 2.0, 60)
    search = KernelRidgeCV(ALPHAS, store_cv_results=True, **options)
    search.fit(points, targets, sample_weight=weights)
    for place, alpha in enumerate(ALPHAS):
        errors = np.empty(60)
        for row in range(60):
            kept = np.arange(60) != row
            model = KernelRidge(alpha, **options)
            model.fit(points[kept], targets[kept], sample_weight=weights[kept])
            errors[row] = targets[row] - model.predict(points[[row]])[0]
        expected = -np.average(errors**2, weights=weights)
        assert search.cv_results_["mean_test_score"][place] == pytest.approx(expected, rel=1e-8)


def test_a_scorer_sees_the_same_predictions_as_the_squared_error():
    options = {"kernel": "rbf", "gamma": 0.3, "landmarks": 40, "store_cv_results": True}
    plain = KernelRidgeCV(ALPHAS, **options).fit(X, Y)
    scored = KernelRidgeCV(ALPHAS, scoring="neg_mean_squared_error", **options).fit(X, Y)
    np.testing.assert_allclose(
        scored.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-10
    )
    assert KernelRidgeCV(scoring="r2", **options).fit(X, Y).best_score_ > 0.9


def test_targets_with_penalties_of_their_own():
    both = np.column_stack([Y, 100 * RNG.normal(size=300)])
    model = KernelRidgeCV(kernel="rbf", gamma=0.3, landmarks=40, alpha_per_target=True)
    model.fit(X, both)
    for j in range(2):
        alone = KernelRidgeCV(kernel="rbf", gamma=0.3, landmarks=40).fit(X, both[:, j])
        assert model.alpha_[j] == pytest.approx(alone.alpha_, rel=1e-9)
        np.testing.assert_allclose(model.predict(NEW)[:, j], alone.predict(NEW), atol=1e-7)


def test_threads_files_and_report(tmp_path):
    model = KernelRidgeCV(kernel="rbf", gamma=0.3, landmarks=50, n_jobs=1).fit(X, Y)
    again = KernelRidgeCV(kernel="rbf", gamma=0.3, landmarks=50, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(model.dual_coef_, again.dual_coef_)
    assert model.best_score_ == again.best_score_
    fitted = KernelRidge(model.alpha_, kernel="rbf", gamma=0.3, fit_intercept=True, landmarks=50)
    np.testing.assert_array_equal(fitted.fit(X, Y).dual_coef_, model.dual_coef_)
    facts = model.report_["landmarks"]
    assert len(model.landmarks_) == facts["landmarks"] == 50
    assert facts["full_system"]["rows"] == 256
    assert 0 < facts["full_system"]["residual"] < 1
    assert 0 <= facts["full_system"]["gap"] < 1
    model.save(tmp_path / "model.mercer")
    read = mercer.load(tmp_path / "model.mercer")
    assert isinstance(read, KernelRidgeCV)
    assert read.landmarks == 50
    assert read.report_ == model.report_
    np.testing.assert_array_equal(read.predict(NEW), model.predict(NEW))


def test_many_landmarks_use_single_precision_and_say_how_good_it_is():
    points = RNG.normal(size=(2000, 3))
    targets = np.sin(points[:, 0])
    model = KernelRidgeCV([1.0, 10.0], kernel="laplacian", gamma=0.5, landmarks=260)
    facts = model.fit(points, targets).report_["landmarks"]
    assert 0 < facts["left_out_error"] <= 1e-5


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"landmarks": 0}, "an integer of at least 1, 'auto', samples, or None"),
        ({"landmarks": 5, "kernel": "precomputed"}, "set landmarks=None"),
        ({"landmarks": 5, "alphas": [0.0]}, "alphas"),
    ],
)
def test_bad_parameters(params, message):
    model = KernelRidgeCV(kernel="rbf").set_params(**params)
    data = X[:20] if params.get("kernel") != "precomputed" else X[:20] @ X[:20].T
    with pytest.raises(ValueError, match=message):
        model.fit(data, Y[:20])
