"""Several labels per sample in classification by kernel ridge regression."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import KernelRidge, KernelRidgeClassifier

X, Y = make_multilabel_classification(120, 6, n_classes=4, random_state=0)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NEW = X[:30] + 0.1
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, 120)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_linear_kernel_is_the_ridge_classifier(weights, class_weight):
    params = {"class_weight": class_weight}
    ours = KernelRidgeClassifier(0.5, **params).fit(X, Y, sample_weight=weights)
    theirs = RidgeClassifier(0.5, **params).fit(X, Y, sample_weight=weights)
    assert_allclose(ours.decision_function(NEW), theirs.decision_function(NEW), atol=1e-8)
    assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
    assert ours.predict(NEW).dtype == theirs.predict(NEW).dtype
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-8)


def test_each_label_is_a_classifier_of_its_own():
    model = KernelRidgeClassifier(0.1, kernel="rbf", gamma=0.2).fit(X, Y)
    scores, labels = model.decision_function(NEW), model.predict(NEW)
    assert scores.shape == labels.shape == (30, 4)
    assert set(np.unique(labels)) <= {0, 1}
    for column in range(4):
        alone = KernelRidgeClassifier(0.1, kernel="rbf", gamma=0.2).fit(X, Y[:, column])
        assert_allclose(scores[:, column], alone.decision_function(NEW), atol=1e-8)
        assert_array_equal(labels[:, column], alone.predict(NEW))
    assert model.dual_coef_.shape == (120, 4)
    assert model.intercept_.shape == (4,)
    assert_array_equal(model.classes_, np.arange(4))


def test_the_score_is_subset_accuracy():
    model = KernelRidgeClassifier(0.1, kernel="rbf").fit(X, Y)
    whole = np.mean(
        [list(one) == list(other) for one, other in zip(model.predict(X), Y, strict=True)]
    )
    assert model.score(X, Y) == whole == accuracy_score(Y, model.predict(X))
    weighted = accuracy_score(Y, model.predict(X), sample_weight=WEIGHTS)
    assert model.score(X, Y, sample_weight=WEIGHTS) == weighted


def test_penalties_of_labels():
    each = KernelRidgeClassifier([0.1, 1.0, 10.0, 100.0], kernel="rbf").fit(X, Y)
    for column, alpha in enumerate((0.1, 1.0, 10.0, 100.0)):
        one = KernelRidge(alpha, kernel="rbf", fit_intercept=True).fit(X, 2.0 * Y[:, column] - 1)
        assert_allclose(each.decision_function(NEW)[:, column], one.predict(NEW), atol=1e-8)


@pytest.mark.parametrize(
    "form",
    [
        lambda y: y.astype(bool),
        lambda y: y.astype(np.uint8),
        lambda y: y.astype(float),
        lambda y: y.tolist(),
        lambda y: pd.DataFrame(y, columns=list("abcd")),
        sparse.csr_matrix,
        sparse.csr_array,
        np.asfortranarray,
    ],
    ids=["bool", "uint8", "float", "list", "frame", "matrix", "sparse", "fortran"],
)
def test_forms_of_indicators(form):
    expected = KernelRidgeClassifier(0.1, kernel="rbf").fit(X, Y).predict(NEW)
    assert_array_equal(
        KernelRidgeClassifier(0.1, kernel="rbf").fit(X, form(Y)).predict(NEW), expected
    )


def test_labels_that_all_samples_have_or_none():
    y = np.c_[Y, np.ones(120, dtype=int), np.zeros(120, dtype=int)]
    found = KernelRidgeClassifier(0.1, kernel="rbf").fit(X, y).predict(NEW)
    assert_array_equal(found[:, 4:], np.tile([1, 0], (30, 1)))


def test_samples_of_other_kinds():
    expected = KernelRidgeClassifier(0.1, kernel="linear").fit(X, Y).decision_function(NEW)
    given = KernelRidgeClassifier(0.1, kernel="precomputed").fit(X @ X.T, Y)
    assert_allclose(given.decision_function(NEW @ X.T), expected, atol=1e-8)
    sparse_rows = KernelRidgeClassifier(0.1).fit(sparse.csr_array(X), Y)
    assert_allclose(sparse_rows.decision_function(NEW), expected, atol=1e-8)


def test_searches_and_cross_validation():
    model = KernelRidgeClassifier(kernel="rbf", gamma=0.1)
    assert cross_val_score(model, X, Y, cv=3).shape == (3,)
    search = GridSearchCV(model, {"alpha": [1e-2, 1e3]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"alpha": 1e-2}


def test_an_estimator_is_fitted_anew():
    model = KernelRidgeClassifier(0.1, kernel="rbf").fit(X, Y)
    model.fit(X, Y[:, 0])
    assert model.predict(NEW).shape == model.decision_function(NEW).shape == (30,)
    assert model.fit(X, Y).predict(NEW).shape == (30, 4)


def test_files_and_pickles(tmp_path):
    params = {"kernel": "rbf", "class_weight": "balanced"}
    model = KernelRidgeClassifier(0.1, **params).fit(X, Y)
    model.save(tmp_path / "model.mercer")
    for again in (mercer.load(tmp_path / "model.mercer"), pickle.loads(pickle.dumps(model))):
        assert type(again) is KernelRidgeClassifier
        assert_array_equal(again.classes_, model.classes_)
        assert_array_equal(again.predict(NEW), model.predict(NEW))
        assert_array_equal(again.decision_function(NEW), model.decision_function(NEW))
        assert again.get_params() == model.get_params()
        assert_array_equal(clone(again).fit(X, Y).predict(NEW), model.predict(NEW))


@pytest.mark.parametrize("wrong", [{0: 2.0, 1: 1.0}, [{0: 1.0, 1: 2.0}] * 4, "fair"])
def test_weights_of_classes_that_are_refused(wrong):
    with pytest.raises(
        ValueError, match="must be 'balanced' or None for several labels per sample"
    ):
        KernelRidgeClassifier(class_weight=wrong).fit(X, Y)


def test_values_that_are_no_indicators():
    for value in (2, -1, 0.5, np.nan):
        y = Y.astype(float)
        y[7, 2] = value
        with pytest.raises(
            ValueError, match=r"must consist of 0 and 1, but has .* at row 7, column 2"
        ):
            KernelRidgeClassifier().fit(X, y)
