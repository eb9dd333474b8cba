"""Probabilities of support vector machines."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from mercer import SVC, NuSVC

X, y = load_iris(return_X_y=True)
BLOBS, FOUR = make_blobs(300, centers=4, cluster_std=3.0, random_state=3)
NEW = np.random.default_rng(0).uniform(-15, 15, size=(1000, 2))


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("kind", [SVC, NuSVC], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("classes", [2, 4])
def test_the_most_probable_class_is_the_predicted_one(calibration, kind, classes):
    made = kind(probability=True, calibration=calibration)
    if kind is NuSVC:
        made.set_params(nu=0.5)
    model = made.fit(BLOBS, FOUR % classes)
    found = model.predict_proba(NEW)
    assert found.shape == (1000, classes)
    assert found.dtype == np.float64
    assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (found >= 0).all()
    assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(NEW))
    assert_array_equal(model.predict_log_proba(NEW), np.log(found))


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_probabilities_rise_with_decisions(calibration):
    model = SVC(probability=True, calibration=calibration).fit(BLOBS, FOUR % 2)
    decisions = model.decision_function(NEW)
    order = np.argsort(decisions)
    second = model.predict_proba(NEW)[order, 1]
    # At the boundary itself, the predicted class is given a lead of this size.
    assert (np.diff(second) >= -1e-6).all()
    assert ((second > 0.5) == (decisions[order] > 0)).all()


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_probabilities_repeat(calibration):
    made = [
        SVC(probability=True, calibration=calibration, n_jobs=jobs).fit(BLOBS, FOUR)
        for jobs in (1, 1, 2)
    ]
    one, *others = (model.predict_proba(NEW) for model in made)
    for other in others:
        assert_array_equal(one, other)
    plain = SVC().fit(BLOBS, FOUR)
    assert_array_equal(plain.decision_function(NEW), made[0].decision_function(NEW))
    plain.calibrate(BLOBS, FOUR, method=calibration)
    assert_array_equal(plain.predict_proba(NEW), one)
    assert_array_equal(pickle.loads(pickle.dumps(plain)).predict_proba(NEW), one)


def test_they_are_probabilities():
    data, target = load_breast_cancer(return_X_y=True)
    data = StandardScaler().fit_transform(data)
    learn, judge, known, truth = train_test_split(data, target, random_state=0)
    for calibration in ("sigmoid", "isotonic"):
        model = SVC(probability=True, calibration=calibration).fit(learn, known)
        assert log_loss(truth, model.predict_proba(judge)) < 0.15


def test_when_there_are_probabilities():
    model = SVC()
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"predict_proba"):
        _ = model.predict_proba
    assert hasattr(SVC(probability=True), "predict_proba")
    with pytest.raises(NotFittedError):
        SVC(probability=True).predict_proba(X)
    model.fit(X, y)
    assert not hasattr(model, "predict_log_proba")
    model.set_params(probability=True)
    with pytest.raises(NotFittedError, match="probability=False"):
        model.predict_proba(X)
    model.set_params(probability=False).calibrate(X, y, cv=3)
    assert model.predict_proba(X).shape == (150, 3)
    model.fit(X, y)
    assert not hasattr(model, "predict_proba")


def test_given_matrices_and_functions():
    def rbf(A, B):
        return rbf_kernel(A, B, gamma=0.1)

    direct = SVC(gamma=0.1, probability=True, tol=1e-8).fit(BLOBS, FOUR)
    K = rbf(BLOBS, BLOBS)
    given = SVC(kernel="precomputed", probability=True, tol=1e-8).fit(K, FOUR)
    function = SVC(kernel=rbf, probability=True, tol=1e-8).fit(BLOBS, FOUR)
    expected = direct.predict_proba(NEW)
    assert_allclose(given.predict_proba(rbf(NEW, BLOBS)), expected, atol=1e-4)
    assert_allclose(function.predict_proba(NEW), expected, atol=1e-4)
    later = SVC(kernel=rbf, tol=1e-8).fit(BLOBS, FOUR).calibrate(BLOBS, FOUR)
    assert_array_equal(later.predict_proba(NEW), function.predict_proba(NEW))
    later = SVC(kernel="precomputed", tol=1e-8).fit(K, FOUR).calibrate(K, FOUR)
    assert_array_equal(later.predict_proba(K), given.predict_proba(K))


def test_weights_count():
    weights = np.random.default_rng(1).uniform(0.1, 4, size=len(BLOBS))
    weighed = SVC(probability=True).fit(BLOBS, FOUR, weights)
    later = SVC().fit(BLOBS, FOUR, weights).calibrate(BLOBS, FOUR, sample_weight=weights)
    assert_array_equal(weighed.predict_proba(NEW), later.predict_proba(NEW))
    plain = SVC(probability=True).fit(BLOBS, FOUR)
    assert np.abs(weighed.predict_proba(NEW) - plain.predict_proba(NEW)).max() > 1e-3


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"method": "platt"}, "method"),
        ({"cv": 1}, "cv"),
        ({"cv": None}, "cv"),
        ({"X": X[:-1], "y": y[:-1]}, "fitted on 150 samples"),
        ({"y": y + 1}, r"fitted with the classes \[0, 1, 2\]"),
        ({"y": None}, "requires y"),
        ({"X": X[:, :3]}, "3 features"),
    ],
)
def test_refusals(asked, word):
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match=word):
        model.calibrate(**{"X": X, "y": y} | asked)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(NotFittedError):
        SVC().calibrate(X, y)


def test_few_samples_of_a_class():
    few = np.concatenate([np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:20]])
    model = SVC(probability=True).fit(X[few], y[few])
    assert np.isfinite(model.predict_proba(X)).all()
