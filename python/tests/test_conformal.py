"""Prediction intervals and sets: exact leave-one-out, ranks, coverage on held-out samples."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, ShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    SVR,
    ConformalClassifier,
    ConformalRegressor,
    KernelRidge,
    KernelRidgeCV,
    ParameterError,
    scan,
)
from mercer._scan_part import is_held

DATA = Path(os.environ.get("MERCER_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
pytestmark = pytest.mark.filterwarnings("ignore:the best")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=40) + 5
NEW = RNG.normal(size=(15, 3))


def without(model, X, y, new):
    """Residuals and predictions for new samples by n fits, each without one sample."""
    residuals, predictions = [], []
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        one = clone(model).fit(X[rest], y[rest])
        residuals.append(abs(y[row] - one.predict(X[[row]])[0]))
        predictions.append(one.predict(new))
    return np.array(residuals), np.array(predictions).T


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "matern(nu=1.5, length=2)", "poly"])
def test_the_closed_form_is_n_fits(kernel, intercept):
    ridge = KernelRidge(0.3, kernel=kernel, fit_intercept=intercept, tol=1e-13)
    model = ConformalRegressor(ridge).fit(X, Y)
    assert model.method_ == "jackknife+"
    residuals, predictions = without(ridge, X, Y, NEW)
    assert_allclose(model.residuals_, residuals, rtol=1e-7, atol=1e-9)
    blocks = np.concatenate(list(model._centres(NEW)))
    assert_allclose(blocks, predictions, rtol=1e-7, atol=1e-9)
    refitted = ConformalRegressor(ridge, method="cv+", cv=len(X)).fit(X, Y)
    for ours, other in zip(
        model.predict_interval(NEW), refitted.predict_interval(NEW), strict=True
    ):
        assert_allclose(ours, other, rtol=1e-7)


def test_ends_are_the_ranks_of_barber_and_others():
    ridge = KernelRidge(0.3, kernel="rbf")
    residuals, predictions = without(ridge, X, Y, NEW)
    lower, upper = ConformalRegressor(ridge, coverage=0.8).fit(X, Y).predict_interval(NEW)
    for row in range(len(NEW)):
        low = np.sort(predictions[row] - residuals)
        high = np.sort(predictions[row] + residuals)
        # n = 40: the floor(0.2 · 41)th smallest, and the ceil(0.8 · 41)th smallest.
        assert lower[row] == pytest.approx(low[8 - 1])
        assert upper[row] == pytest.approx(high[33 - 1])


def test_a_pipeline_has_the_closed_form_of_its_last_step():
    pipe = make_pipeline(StandardScaler(), KernelRidgeCV())
    model = ConformalRegressor(pipe).fit(X, Y)
    assert model.method_ == "jackknife+"
    scaled = StandardScaler().fit(X)
    alone = ConformalRegressor(KernelRidgeCV()).fit(scaled.transform(X), Y)
    expected = alone.predict_interval(scaled.transform(NEW))
    for ours, other in zip(model.predict_interval(NEW), expected, strict=True):
        assert_allclose(ours, other, rtol=1e-9)


def test_samples_of_other_kinds():
    K, rows = rbf_kernel(X, gamma=0.3), rbf_kernel(NEW, X, gamma=0.3)
    for method in ("jackknife+", "cv+", "split"):
        direct = ConformalRegressor(KernelRidge(0.3, kernel="rbf", gamma=0.3), method=method)
        given = ConformalRegressor(KernelRidge(0.3, kernel="precomputed"), method=method)
        pairs = zip(
            direct.fit(X, Y).predict_interval(NEW),
            given.fit(K, Y).predict_interval(rows),
            strict=True,
        )
        for one, other in pairs:
            assert_allclose(one, other, rtol=1e-6)
        assert_allclose(direct.predict(NEW), given.predict(rows), rtol=1e-6)
    words = ["ab" * (1 + row % 5) for row in range(40)]
    lengths = np.array([len(word) for word in words]) + 0.1 * RNG.normal(size=40)
    texts = ConformalRegressor(KernelRidge(0.1, kernel="spectrum(p=2)")).fit(words, lengths)
    lower, upper = texts.predict_interval(words[:3])
    assert np.all(lower < upper)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    table = ConformalRegressor(SVR(), method="cv+").fit(frame, Y)
    assert list(table.feature_names_in_) == ["a", "b", "c"]
    assert len(table.predict_interval(frame)[0]) == 40


def test_regressors_without_a_closed_form_have_folds():
    for regressor in (SVR(C=10), LinearRegression(), TransformedTargetRegressor(KernelRidge())):
        assert ConformalRegressor(regressor).fit(X, Y).method_ == "cv+"
    one = ConformalRegressor(LinearRegression(), method="jackknife+").fit(X, Y)
    residuals, _ = without(LinearRegression(), X, Y, NEW)
    assert_allclose(one.residuals_, residuals)
    singular = ConformalRegressor(KernelRidge(0.0, kernel="linear"))
    with pytest.warns(UserWarning, match="singular|rank|dropped|directions"):
        assert singular.fit(X, Y).method_ == "cv+"


def test_another_coverage_without_another_fit():
    model = ConformalRegressor(KernelRidgeCV()).fit(X, Y)
    widths = [np.subtract(*model.predict_interval(NEW, c)[::-1]).mean() for c in (0.5, 0.8, 0.95)]
    assert widths == sorted(widths)
    again = ConformalRegressor(KernelRidgeCV(), coverage=0.8).fit(X, Y)
    assert_array_equal(again.predict_interval(NEW), model.predict_interval(NEW, 0.8))
    copied = pickle.loads(pickle.dumps(model))
    assert_array_equal(copied.predict_interval(NEW), model.predict_interval(NEW))


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"coverage": 1.0}, "coverage"),
        ({"coverage": "most"}, "coverage"),
        ({"method": "jackknife"}, "method"),
        ({"method": "cv+", "cv": 1}, "cv"),
        ({"method": "cv+", "cv": ShuffleSplit(3)}, "exactly one split"),
        ({"method": "split", "calibration_size": 1.5}, "calibration_size"),
        ({"coverage": 0.99}, "at least 99 calibration samples"),
    ],
)
def test_what_is_refused(params, word):
    model = ConformalRegressor(KernelRidge()).fit(X, Y)
    before = model.predict(NEW)
    with pytest.raises(ValueError, match=word):
        model.set_params(**params).fit(X[:, :2], Y)
    assert_array_equal(model.predict(NEW), before)


def test_targets_that_are_refused():
    with pytest.raises(ValueError, match="several columns"):
        ConformalRegressor(KernelRidge()).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="inconsistent"):
        ConformalRegressor(KernelRidge()).fit(X, Y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        ConformalRegressor(KernelRidge()).fit(X, None)
    for method in ("cv+", "split", "auto"):
        with pytest.raises(ValueError, match="square matrix"):
            ConformalRegressor(KernelRidge(kernel="precomputed"), method=method).fit(X, Y)


def real_table(name):
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    path = DATA / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    table = np.load(path)
    rows = RNG.permutation(len(table["y"]))[:500]
    return table["X"][rows].astype(float), table["y"][rows].astype(float)


@pytest.mark.parametrize("name", ["diabetes", "concrete", "energy"])
def test_coverage_of_held_out_samples(name):
    features, y = real_table(name)
    model = ConformalRegressor(make_pipeline(StandardScaler(), KernelRidgeCV()))
    covered = []
    for seed in range(5):
        train, test, y_train, y_test = train_test_split(
            features, y, test_size=0.3, random_state=seed
        )
        lower, upper = model.fit(train, y_train).predict_interval(test)
        covered.append(np.mean((lower <= y_test) & (y_test <= upper)))
    # Five splits of some 140 samples: the mean has a standard error of about 1.5 %.
    assert 0.85 < np.mean(covered) < 0.95


CLASSIFIERS = [
    make_pipeline(StandardScaler(), SVC()),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("method", ["cv+", "split"])
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=["decisions", "probabilities"])
def test_sets_cover_the_true_class(classifier, method, load):
    features, y = load(return_X_y=True)
    covered = []
    for seed in range(6):
        train, test, y_train, y_test = train_test_split(features, y, random_state=seed)
        model = ConformalClassifier(classifier, method=method).fit(train, y_train)
        sets = model.predict_set(test)
        assert sets.shape == (len(test), len(model.classes_))
        covered.append(sets[np.arange(len(test)), np.searchsorted(model.classes_, y_test)].mean())
    assert 0.84 < np.mean(covered) < 0.96


def test_sets_are_the_rule_of_romano_and_others():
    features, y = load_wine(return_X_y=True)
    y = np.array(["red", "white", "rosé"])[y]
    folds = KFold(4, shuffle=True, random_state=0)
    machine = make_pipeline(StandardScaler(), LogisticRegression())
    model = ConformalClassifier(machine, cv=folds, coverage=0.9).fit(features[:150], y[:150])
    new, count = features[150:], np.zeros((28, 3), dtype=int)
    for train, test in folds.split(features[:150]):
        one = clone(machine).fit(features[train], y[train])
        of_new = 1 - one.predict_proba(new)
        for row in test:
            truth = list(one.classes_).index(y[row])
            count += (1 - one.predict_proba(features[[row]])[0, truth]) < of_new
    assert_array_equal(model.predict_set(new), count < 0.9 * 151)
    smaller = model.predict_set(new, 0.5)
    assert not (smaller & ~model.predict_set(new)).any()


def test_classifiers_that_are_refused():
    features, y = load_wine(return_X_y=True)
    pairs = ConformalClassifier(make_pipeline(SVC(decision_function_shape="ovo")))
    for labels in (y, np.arange(len(y)) % 4):
        with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
            pairs.fit(features, labels)
    with pytest.raises(ValueError, match="no sample of class 9"):
        ConformalClassifier(SVC()).fit(features, np.r_[9, y[1:]])
    with pytest.raises(ValueError, match="method"):
        ConformalClassifier(SVC(), method="jackknife+").fit(features, y)


def test_the_kind_of_estimator_is_checked():
    rows, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    with pytest.raises(TypeError, match="SVC is a classifier: pass a regressor"):
        ConformalRegressor(SVC()).fit(rows, y)
    with pytest.raises(TypeError, match="SVR is a regressor: pass a classifier"):
        ConformalClassifier(SVR()).fit(rows, y)


def noisy(n, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-2, 2, size=(n, 2))
    return rows, np.sin(2 * rows[:, 0]) + rows[:, 1] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("regressor", [KernelRidge, KernelRidgeCV])
def test_intervals_of_rows_in_blocks_do_not_depend_on_the_blocks(regressor, tmp_path):
    """The rows that are held out are a rule of their numbers: the fit is that without them."""
    rows, y = noisy(6000)
    options = {"kernel": "rbf", "gamma": 0.5, "landmarks": 40}
    frame = pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "y": y})
    frame.to_parquet(tmp_path / "t.parquet")
    model = ConformalRegressor(regressor(**options), random_state=4)
    table = scan(tmp_path / "t.parquet", target="y")
    sources = [
        table,
        scan(tmp_path / "t.parquet", target="y", batch_rows=1000),
        lambda: ((rows[i : i + 777], y[i : i + 777]) for i in range(0, 6000, 777)),
    ]
    fitted = [clone(model).fit(source) for source in sources]
    assert {one.method_ for one in fitted} == {"split"}
    held = np.isin(y, y[is_held(0, 6000, 0.25, 4)])
    assert 1300 < held.sum() < 1700
    alone = regressor(**options).fit(rows[~held], y[~held])
    for one in fitted:
        assert_array_equal(one.residuals_, np.abs(y[held] - alone.predict(rows[held])))
    new, truth = noisy(4000, seed=1)
    lower, upper = fitted[0].predict_interval(new)
    assert 0.87 < np.mean((lower <= truth) & (truth <= upper)) < 0.93
    assert_array_equal(fitted[0].predict(new), alone.predict(new))
    results = fitted[0].predict_interval(scan([new[:1500], new[1500:]]))
    assert results.write(tmp_path / "ends.parquet") == 4000
    ends = pd.read_parquet(tmp_path / "ends.parquet")
    assert_array_equal(ends["lower"], lower)
    assert_array_equal(ends["upper"], upper)


def test_intervals_of_rows_in_blocks_refuse_what_they_cannot():
    rows, y = noisy(2000)
    ridge = KernelRidge(0.1, kernel="rbf", gamma=0.5, landmarks=20)
    with pytest.raises(ParameterError, match="use 'split'"):
        ConformalRegressor(ridge, method="cv+").fit(scan([(rows, y)]))
    with pytest.raises(ParameterError, match="targets come with the blocks"):
        ConformalRegressor(ridge).fit(scan(rows), y)
    with pytest.raises(ValueError, match="read only once"):
        ConformalRegressor(ridge).fit(iter([(rows, y)]))
    with pytest.raises(ValueError, match="fit one ConformalRegressor for each"):
        ConformalRegressor(ridge).fit(scan([(rows, np.column_stack([y, y]))]))
    with pytest.raises(ValueError, match="needs at least 9 calibration samples"):
        ConformalRegressor(ridge, calibration_size=1e-3).fit(scan([(rows, y)]))


def test_split_intervals_are_residuals_around_predictions():
    rows, y = noisy(400)
    model = ConformalRegressor(KernelRidge(0.1, gamma=0.5, kernel="rbf"), method="split")
    lower, upper = model.fit(rows, y).predict_interval(NEW[:, :2])
    width = np.sort(model.residuals_)[int(np.ceil(0.9 * 101)) - 1]
    predicted = model.predict(NEW[:, :2])
    assert_array_equal(lower, predicted - width)
    assert_array_equal(upper, predicted + width)
