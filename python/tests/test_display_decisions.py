"""Displays of outliers, paths, boundaries and restored images show what estimators say."""

import warnings

import numpy as np
import pandas as pd
import pytest
from pictures import NAMES, grid, iris, moons, pixels
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, validation_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    PCA,
    SVC,
    SVR,
    BoundaryDisplay,
    DenoisingDisplay,
    KernelPCADetector,
    KernelRidgeClassifier,
    KernelRidgeCV,
    OneClassSVM,
    OutlierDisplay,
    PathDisplay,
    SVCSearch,
    pairwise_kernels,
    svc_path,
)

# Outliers


@pytest.mark.parametrize("model", [KernelPCADetector(5, gamma=0.5), OneClassSVM(nu=0.2)])
def test_scores_over_the_plane_and_threshold(model):
    X, _ = moons()
    model.fit(X)
    display = OutlierDisplay.from_estimator(model, X, grid_resolution=15)
    np.testing.assert_array_equal(display.values.ravel(), model.score_samples(grid(display)))
    np.testing.assert_array_equal(display.scores, model.score_samples(X))
    assert display.threshold == np.ravel(model.offset_)[0]
    np.testing.assert_array_equal(display.flagged_, model.score_samples(X) < model.offset_)
    again = OutlierDisplay.from_predictions(
        display.scores, display.threshold, points=X, first=display.first, second=display.second,
        values=display.values, names=display.names,
    )  # fmt: skip
    assert pixels(display) == pixels(again)


def test_samples_without_a_plane_are_shown_in_order():
    texts = OneClassSVM(kernel="spectrum(p=2)", nu=0.2).fit(NAMES)
    display = OutlierDisplay.from_estimator(texts, NAMES)
    assert display.values is None
    drawn = np.vstack([marks.get_offsets() for marks in display.ax_.collections[:2]])
    drawn = drawn[np.argsort(drawn[:, 0])]
    np.testing.assert_allclose(drawn[:, 1], np.sort(texts.score_samples(NAMES)))
    X, _ = moons()
    K = pairwise_kernels(X, kernel="rbf", gamma=0.5)
    given = KernelPCADetector(5, kernel="precomputed").fit(K)
    display = OutlierDisplay.from_estimator(given, K)
    direct = KernelPCADetector(5, gamma=0.5).fit(X)
    np.testing.assert_allclose(display.scores, direct.score_samples(X), atol=1e-10)


# Paths


def test_path_of_a_regression():
    X, y = moons()
    model = KernelRidgeCV([1e-3, 0.01, 0.1, 1.0], gamma=1.0, store_cv_results=True).fit(X, y)
    display = PathDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.mean, model.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(display.spread, model.cv_results_["std_test_score"])
    assert display.values[display.best_] == model.alpha_
    assert display.ax_.get_xscale() == "log"


def test_of_equally_good_penalties_the_chosen_one_is_marked():
    X, _ = moons()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the best penalty is the largest of the grid
        model = KernelRidgeCV([0.1, 1.0, 10.0], store_cv_results=True, gamma=1.0)
        model.fit(X, np.zeros(len(X)))
    assert set(model.cv_results_["rank_test_score"]) == {1}
    display = PathDisplay.from_estimator(model)
    assert display.values[display.best_[0]] == model.alpha_ == 10.0


def test_kernels_that_differ_in_one_number_are_a_second_parameter():
    X, y = moons()
    model = KernelRidgeCV([1e-3, 0.01, 0.1, 1.0], gamma=[0.1, 1.0, 9.0], store_cv_results=True).fit(
        X, y
    )
    display = PathDisplay.from_estimator(model)
    assert (display.name, display.second_name) == ("alpha", "gamma")
    np.testing.assert_allclose(display.second_values, [0.1, 1.0, 9.0])
    for place, (alpha, kernel) in enumerate(
        zip(model.cv_results_["param_alpha"], model.cv_results_["param_kernel"], strict=True)
    ):
        i = list(display.values).index(alpha)
        gammas = [f"rbf(gamma={gamma:g})" for gamma in display.second_values]
        j = gammas.index(kernel)
        assert display.mean[i, j] == model.cv_results_["mean_test_score"][place]
    other = KernelRidgeCV(
        [1e-6, 1e-3, 0.1, 1.0], kernel=["rbf(gamma=1)", "linear"], store_cv_results=True
    )
    display = PathDisplay.from_estimator(other.fit(X, y))
    assert display.second_name == "kernel"
    assert list(display.second_values) == ["rbf(gamma=1)", "linear"]


def test_paths_of_searches_are_the_same_for_both_libraries():
    X, y = moons()
    values = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0, 10.0]}
    ours = PathDisplay.from_estimator(SVCSearch(values["C"], values["gamma"]).fit(X, y))
    theirs = PathDisplay.from_estimator(GridSearchCV(SVC(), values, cv=5).fit(X, y))
    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-12)
    np.testing.assert_allclose(ours.spread, theirs.spread, atol=1e-12)
    assert ours.best_ == theirs.best_
    search = GridSearchCV(SVC(), values | {"degree": [2, 3]}, cv=3).fit(X, y)
    part = PathDisplay.from_estimator(search, params="C")
    at = (search.cv_results_["param_gamma"] == search.best_params_["gamma"]) & (
        search.cv_results_["param_degree"] == search.best_params_["degree"]
    )
    np.testing.assert_array_equal(part.mean, search.cv_results_["mean_test_score"][at])
    assert part.values[part.best_[0]] == search.best_params_["C"]


def test_path_of_models_and_of_a_validation_curve():
    X, y = moons()
    models = svc_path(X[:60], y[:60], [10.0, 0.1, 1.0], gamma=1.0)
    display = PathDisplay.from_estimator(models, X[60:], y[60:])
    np.testing.assert_array_equal(display.values, [0.1, 1.0, 10.0])
    expected = [model.score(X[60:], y[60:]) for model in (models[1], models[2], models[0])]
    np.testing.assert_array_equal(display.mean, expected)
    gammas = np.logspace(-2, 1, 5)
    _, scores = validation_curve(SVC(), X, y, param_name="gamma", param_range=gammas, cv=4)
    display = PathDisplay.from_predictions(gammas, scores, name="gamma", score_name="accuracy")
    np.testing.assert_allclose(display.mean, scores.mean(axis=1))
    np.testing.assert_allclose(display.spread, scores.std(axis=1))
    assert display.best_ == (int(scores.mean(axis=1).argmax()),)


# Boundaries


def test_boundary_of_two_classes():
    X, y = moons()
    model = SVC(gamma=1.0).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=25)
    rows = grid(display)
    np.testing.assert_array_equal(display.decision.ravel(), model.decision_function(rows))
    np.testing.assert_array_equal(display.regions.ravel(), model.predict(rows))
    np.testing.assert_array_equal(display.support, X[model.support_])
    again = BoundaryDisplay.from_predictions(
        display.first, display.second, model.predict(rows).reshape(25, 25),
        decision=display.decision, points=X, y=y, support=display.support, margin_lines=True,
        names=display.names,
    )  # fmt: skip
    assert pixels(display) == pixels(again)


def test_boundary_of_several_classes_of_a_pipeline():
    X, y = iris()
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    columns = ("petal length (cm)", "petal width (cm)")
    display = BoundaryDisplay.from_estimator(model, X, y, columns=columns, grid_resolution=12)
    rows = np.tile(np.median(X, axis=0), (144, 1))
    rows[:, 2:] = grid(display)
    names = model.predict(pd.DataFrame(rows, columns=X.columns))
    assert [display.classes[code] for code in display.regions.ravel()] == names.tolist()
    np.testing.assert_array_equal(display.support, X.to_numpy()[model[-1].support_][:, 2:])
    with pytest.warns(UserWarning, match="not what the pipeline was fitted on"):
        other = BoundaryDisplay.from_estimator(model, X[::-1], columns=columns, grid_resolution=5)
    assert other.support is None


def test_searches_over_pipelines_show_what_they_chose():
    X, y = moons()
    values = {"svc__C": [1.0, 10.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), values, cv=3).fit(X, y)
    display = BoundaryDisplay.from_estimator(search, X, y, grid_resolution=5)
    np.testing.assert_array_equal(display.support, X[search.best_estimator_[-1].support_])
    assert PathDisplay.from_estimator(search).name == "svc__C"


def test_sparse_rows_have_a_plane():
    X, y = moons()
    rows = sparse.csr_array(X)
    display = BoundaryDisplay.from_estimator(SVC().fit(rows, y), rows, y, grid_resolution=5)
    np.testing.assert_array_equal(display.points, X)


def test_values_that_are_no_numbers_are_compared_as_text():
    X, y = moons()
    values = [
        {"kernel": ["linear"], "C": [1, 10]},
        {"kernel": ["rbf"], "C": [1, 10], "gamma": [0.1, 1.0]},
    ]
    search = GridSearchCV(SVC(), values, cv=3).fit(X, y)
    display = PathDisplay.from_estimator(search, params=("C", "kernel"))
    assert search.best_params_["kernel"] == "rbf"
    assert list(display.second_values) == ["linear", "rbf"]
    assert np.isfinite(display.mean).all()
    weights = {"C": [1, 10], "class_weight": [{0: 1}, {0: 2}]}
    display = PathDisplay.from_estimator(GridSearchCV(SVC(), weights, cv=3).fit(X, y))
    assert list(display.second_values) == ["{0: 1}", "{0: 2}"]


@pytest.mark.parametrize("model", [KernelRidgeClassifier(kernel="rbf"), OneClassSVM(nu=0.2)])
def test_boundary_of_others(model):
    X, y = moons()
    model.fit(X, y)
    ridge = isinstance(model, KernelRidgeClassifier)
    display = BoundaryDisplay.from_estimator(model, X, y if ridge else None, grid_resolution=9)
    expected = model.decision_function(grid(display))
    np.testing.assert_array_equal(display.decision.ravel(), expected)
    assert (display.support is None) == ridge
    assert not display.margin_lines
    if not ridge:
        assert display.classes == ["unusual", "usual"]


def test_tube_of_a_regression():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(50, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=50)
    model = SVR(epsilon=0.3, gamma=0.5).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    np.testing.assert_array_equal(display.decision, model.predict(display.first[:, None]))
    assert display.epsilon == 0.3
    expected = np.c_[X[model.support_, 0], y[model.support_]]
    np.testing.assert_array_equal(display.support, expected)
    outside = np.abs(y - model.predict(X)) > 0.3 + 1e-3
    assert set(np.flatnonzero(outside)) <= set(model.support_)


# Denoising


def test_denoising_tells_the_errors():
    X = load_digits().data
    noisy = X[:20] + np.random.default_rng(0).normal(size=(20, 64))
    model = PCA(10).fit(X)
    display = DenoisingDisplay.from_estimator(model, noisy, clean=X[:20], n_images=3)
    back = model.inverse_transform(model.transform(noisy))
    assert display.errors == {
        "noisy": np.mean((noisy - X[:20]) ** 2),
        "PCA": np.mean((back - X[:20]) ** 2),
    }
    assert list(display.rows) == ["clean", "noisy", "PCA"]
    assert display.rows["PCA"].shape == (20, 8, 8)
    assert len(display.ax_.images) == 9
    again = DenoisingDisplay.from_predictions({"PCA": back}, noisy, clean=X[:20], n_images=3)
    assert pixels(display) == pixels(again)
