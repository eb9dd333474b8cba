"""Kernel and penalty chosen by cross-validation: against refits, formulas and scikit-learn."""

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.linear_model import RidgeCV
from sklearn.metrics import make_scorer, mean_absolute_error, r2_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit

from mercer import KernelRidge, KernelRidgeCV

RNG = np.random.default_rng(11)
X = RNG.normal(size=(60, 3))
Y = np.stack([np.sin(2 * X[:, 0]), X[:, 1] - X[:, 2] ** 2], axis=1)
Y += [0.05, 0.8] * RNG.normal(size=Y.shape)
y = Y[:, 0]
W = RNG.uniform(0.2, 3, size=len(X))
NEW = RNG.normal(size=(20, 3))
ALPHAS = [0.01, 0.1, 1.0, 10.0]
pytestmark = pytest.mark.filterwarnings("ignore:the best alpha is the smallest")


def left_out(alpha, kernel, target, weights, *, intercept):
    """The prediction of each sample by a fit without it."""
    found = np.empty_like(target)
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        model = KernelRidge(alpha, kernel=kernel, fit_intercept=intercept)
        model.fit(X[others], target[others], None if weights is None else weights[others])
        found[row] = model.predict(X[[row]])[0]
    return found


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weights", [None, W], ids=["equal", "weights"])
@pytest.mark.parametrize("given", [False, True], ids=["samples", "matrix"])
def test_leave_one_out_is_a_refit_for_each_sample(intercept, weights, given):
    kernel = "rbf(gamma=0.4)"
    params = {"fit_intercept": intercept, "store_cv_results": True}
    made = KernelRidgeCV(ALPHAS, kernel="precomputed" if given else kernel, **params)
    model = made.fit(rbf_kernel(X, gamma=0.4) if given else X, Y, weights)
    for place, alpha in enumerate(ALPHAS):
        predicted = left_out(alpha, kernel, Y, weights, intercept=intercept)
        errors = np.average((Y - predicted) ** 2, axis=0, weights=weights)
        results = model.cv_results_
        assert_allclose(results["target_test_scores"][place], -errors, rtol=1e-8)
        assert results["mean_test_score"][place] == pytest.approx(-errors.mean())
    assert model.best_score_ == results["mean_test_score"].max()
    assert model.alpha_ == ALPHAS[results["mean_test_score"].argmax()]
    assert model.best_score_std_ > 0
    if not given:
        best = KernelRidge(model.alpha_, kernel=kernel, fit_intercept=intercept)
        assert_array_equal(model.predict(NEW), best.fit(X, Y, weights).predict(NEW))


def test_samples_of_weight_zero_are_not_there():
    weights = np.where(np.arange(len(X)) % 5, W, 0)
    kept = weights > 0
    for cv in (None, "gcv"):
        with_all = KernelRidgeCV(ALPHAS, cv=cv, gamma=0.3).fit(X, y, weights)
        without = KernelRidgeCV(ALPHAS, cv=cv, gamma=0.3).fit(X[kept], y[kept], weights[kept])
        assert with_all.best_score_ == pytest.approx(without.best_score_, rel=1e-12)
        assert_allclose(with_all.predict(NEW), without.predict(NEW), atol=1e-10)


@pytest.mark.parametrize("intercept", [False, True])
def test_generalised_cross_validation(intercept):
    model = KernelRidgeCV(
        ALPHAS, gamma=0.4, cv="gcv", fit_intercept=intercept, store_cv_results=True
    ).fit(X, y)
    n, K = len(X), rbf_kernel(X, gamma=0.4)
    for place, alpha in enumerate(ALPHAS):
        G = np.linalg.inv(K + alpha * np.eye(n))
        if intercept:
            G -= np.outer(G.sum(1), G.sum(0)) / G.sum()
        rest = alpha * G
        expected = n * np.sum((rest @ y) ** 2) / np.trace(rest) ** 2
        assert model.cv_results_["mean_test_score"][place] == pytest.approx(-expected)
    assert np.isnan(model.best_score_std_)


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("cv", [4, KFold(3, shuffle=True, random_state=0), "splits"], ids=named)
@pytest.mark.parametrize("target", [y, Y], ids=["one", "two"])
def test_folds_equal_grid_search(scoring, cv, target):
    if cv == "splits":
        cv = list(ShuffleSplit(3, test_size=0.4, random_state=1).split(X))
    gammas = [0.1, 1.0]
    ours = KernelRidgeCV(
        ALPHAS, gamma=gammas, cv=cv, scoring=scoring, fit_intercept=False, store_cv_results=True
    ).fit(X, target)
    grid = {"gamma": gammas, "alpha": ALPHAS}
    theirs = GridSearchCV(Theirs(kernel="rbf"), grid, cv=cv, scoring=scoring).fit(X, target)
    scores = dict(
        zip(
            ((p["gamma"], p["alpha"]) for p in theirs.cv_results_["params"]),
            theirs.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    results = ours.cv_results_
    for params, score in zip(results["params"], results["mean_test_score"], strict=True):
        gamma = float(params["kernel"].removeprefix("rbf(gamma=").removesuffix(")"))
        assert score == pytest.approx(scores[gamma, params["alpha"]])
    assert (ours.gamma_, ours.alpha_) == tuple(theirs.best_params_.values())[::-1]
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert_array_equal(results["rank_test_score"].min(), 1)
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), atol=1e-8)


def test_the_usual_score_is_the_squared_error():
    for cv in (None, 5):
        for weights in (None, W):
            plain = KernelRidgeCV(ALPHAS, cv=cv, store_cv_results=True).fit(X, y, weights)
            scored = KernelRidgeCV(
                ALPHAS, cv=cv, scoring="neg_mean_squared_error", store_cv_results=True
            ).fit(X, y, weights)
            assert_allclose(
                plain.cv_results_["mean_test_score"], scored.cv_results_["mean_test_score"]
            )
            assert plain.kernel_ == scored.kernel_
            assert_array_equal(plain.predict(NEW), scored.predict(NEW))


def test_scorers_see_all_predictions_at_once():
    predicted = left_out(1.0, "rbf(gamma=0.4)", y, None, intercept=True)
    for scoring, expected in {
        "r2": r2_score(y, predicted),
        make_scorer(mean_absolute_error, greater_is_better=False): -mean_absolute_error(
            y, predicted
        ),
        (lambda estimator, X, y: -np.abs(estimator.predict(X) - y).max()): -np.abs(
            y - predicted
        ).max(),
    }.items():
        model = KernelRidgeCV([1.0], gamma=0.4, scoring=scoring).fit(X, y)
        assert model.best_score_ == pytest.approx(expected)
        assert np.isnan(model.best_score_std_)


def test_what_a_scorer_raises_is_raised():
    calls = []

    def scoring(estimator, X, y):
        calls.append(len(X))
        raise RuntimeError("no taste")

    model = KernelRidgeCV(gamma=0.4).fit(X, y)
    before = model.predict(NEW)
    with pytest.raises(RuntimeError, match="no taste"):
        model.set_params(scoring=scoring).fit(X[:, :2], y)
    assert calls == [60]
    assert_array_equal(model.predict(NEW), before)
    with pytest.raises(ValueError, match=r"no combination .* finite score"):
        KernelRidgeCV(scoring=lambda *_: np.nan).fit(X, y)
    with pytest.raises(ValueError, match="'good'"):
        KernelRidgeCV(scoring=lambda *_: "good").fit(X, y)


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "r2"])
def test_a_penalty_for_each_target(scoring):
    params = {"gamma": 0.4, "scoring": scoring}
    model = KernelRidgeCV(ALPHAS, alpha_per_target=True, **params).fit(X, Y)
    own = [KernelRidgeCV(ALPHAS, **params).fit(X, Y[:, j]) for j in range(2)]
    assert_array_equal(model.alpha_, [m.alpha_ for m in own])
    assert model.alpha_[0] != model.alpha_[1]
    assert model.best_score_ == pytest.approx(np.mean([m.best_score_ for m in own]))
    expected = np.stack([m.predict(NEW) for m in own], axis=1)
    assert_allclose(model.predict(NEW), expected, atol=1e-9)
    assert model.predict(NEW, return_std=True)[1].shape == (20, 2)
    assert KernelRidgeCV(ALPHAS, alpha_per_target=True, **params).fit(X, y).alpha_ in ALPHAS


def test_linear_kernel_is_ridge_cv():
    # Of like size, because RidgeCV adds the errors of targets up as they are.
    scaled = Y / Y.std(axis=0)
    theirs = RidgeCV(ALPHAS, store_cv_results=True).fit(X, scaled)
    ours = KernelRidgeCV(ALPHAS, kernel="linear").fit(X, scaled)
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), atol=1e-9)


def test_no_target_outweighs_the_others():
    grid = {"alphas": np.logspace(-6, 3, 30), "kernel": ["rbf(gamma=0.05)", "rbf(gamma=2)"]}
    plain = KernelRidgeCV(**grid).fit(X, Y)
    turned = KernelRidgeCV(**grid).fit(X, Y * [1e6, 1.0])
    assert (turned.alpha_, turned.kernel_) == (plain.alpha_, plain.kernel_)


def test_it_is_sensible_without_any_parameter():
    many = np.random.default_rng(1).uniform(-3, 3, size=(200, 1))
    target = np.sinc(many[:, 0]) * 100 + 1000
    noisy = target + np.random.default_rng(2).normal(size=200)
    model = KernelRidgeCV().fit(many, noisy)
    assert np.sqrt(np.mean((model.predict(many) - target) ** 2)) < 0.5
    assert -1.5 < model.best_score_ < -0.7
    params = model.best_params_
    assert params == {"alpha": model.alpha_, "kernel": model.kernel_}
    best = KernelRidge(fit_intercept=True, **params).fit(many, noisy)
    assert_array_equal(best.predict(many), model.predict(many))
    mean, std = model.predict(many, return_std=True)
    assert_array_equal(mean, model.predict(many))
    assert np.isfinite(std).all()
    assert not hasattr(model, "cv_results_")
    constant = KernelRidgeCV().fit(X, np.full(len(X), 2.0))
    assert_allclose(constant.predict(NEW), 2.0, atol=1e-9)
    assert constant.best_score_ == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "kernels",
    [
        ["columns(a, b: rbf)", "columns(c, d: rbf)"],
        ["columns(a, b: rbf) + column(c: linear)", "column(c: laplacian)"],
    ],
)
def test_kernels_on_different_columns_are_compared(kernels):
    rng = np.random.RandomState(0)
    table = {name: rng.randn(80) for name in "abcd"}
    y = np.sin(2 * table["c"])
    model = KernelRidgeCV(kernel=kernels).fit(table, y)
    assert "(c" in model.kernel_
    alone = KernelRidgeCV(kernel=kernels[1]).fit(table, y)
    np.testing.assert_allclose(model.predict(table), alone.predict(table), atol=1e-9)
    # Columns that the best kernel does not read are not needed.
    part = {name: table[name] for name in "cd"}
    np.testing.assert_array_equal(model.predict(part), model.predict(table))
