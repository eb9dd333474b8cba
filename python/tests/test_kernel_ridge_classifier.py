"""Classification by kernel ridge regression."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelRidge, KernelRidgeClassifier

IRIS, SPECIES = load_iris(return_X_y=True)
CELLS, HARMLESS = load_breast_cancer(return_X_y=True)
CELLS = StandardScaler().fit_transform(CELLS)[:200]
HARMLESS = HARMLESS[:200]
SETS = pytest.mark.parametrize(
    ("X", "y"), [(IRIS, SPECIES), (CELLS, HARMLESS)], ids=["three", "two"]
)


@SETS
@pytest.mark.parametrize(
    ("class_weight", "weighted"),
    # With weights of samples, scikit-learn balances classes by their counts all the same.
    [(None, False), (None, True), ({0: 3.0}, False), ({0: 3.0}, True), ("balanced", False)],
)
def test_linear_kernel_is_the_ridge_classifier(X, y, class_weight, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(X)) if weighted else None
    ours = KernelRidgeClassifier(2.0, class_weight=class_weight).fit(X, y, weights)
    theirs = RidgeClassifier(2.0, class_weight=class_weight).fit(X, y, weights)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.intercept_, np.squeeze(theirs.intercept_), atol=1e-8)
    assert ours.score(X, y) == theirs.score(X, y)


@SETS
def test_it_is_a_regression_on_signs(X, y):
    kinds = np.unique(y)
    signs = np.where(y[:, None] == kinds, 1.0, -1.0)
    signs = signs if len(kinds) > 2 else signs[:, 1]
    params = {"kernel": "rbf", "gamma": 0.1, "fit_intercept": True}
    classifier = KernelRidgeClassifier(0.3, **params).fit(X, y)
    regression = KernelRidge(0.3, **params).fit(X, signs)
    assert_array_equal(classifier.decision_function(X), regression.predict(X))
    assert_array_equal(classifier.dual_coef_, regression.dual_coef_)
    assert classifier.score(X, y) > 0.95


def test_balanced_weights_bring_classes_to_the_same_sum():
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 2, size=len(IRIS))
    sums = np.bincount(SPECIES, weights)
    balanced = weights * (weights.sum() / 3 / sums)[SPECIES]
    ours = KernelRidgeClassifier(kernel="rbf", class_weight="balanced").fit(IRIS, SPECIES, weights)
    plain = KernelRidgeClassifier(kernel="rbf").fit(IRIS, SPECIES, balanced)
    assert_allclose(ours.decision_function(IRIS), plain.decision_function(IRIS), atol=1e-10)


LABELS = {
    "int": SPECIES - 1,
    "small": SPECIES.astype(np.uint8),
    "bool": SPECIES == 2,
    "str": np.array(["setosa", "Übrige", "b c"])[SPECIES],
    "object": np.array(["x", "y", "z"], dtype=object)[SPECIES],
    "float": np.array([1.0, 2.0, 5.0])[SPECIES],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_keep_their_type_in_files(tmp_path, kind):
    labels = LABELS[kind]
    model = KernelRidgeClassifier(0.1, kernel="rbf", class_weight={labels[0]: 2.0})
    model.fit(IRIS, labels)
    model.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert type(loaded) is KernelRidgeClassifier
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.class_weight == model.class_weight
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        assert_array_equal(other.classes_, np.unique(labels))
        assert_array_equal(other.predict(IRIS), model.predict(IRIS))
        assert_array_equal(other.decision_function(IRIS), model.decision_function(IRIS))
    assert other.predict(IRIS).dtype == labels.dtype
    loaded.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == (tmp_path / "m.mercer").read_bytes()
    assert_array_equal(clone(loaded).fit(IRIS, labels).predict(IRIS), model.predict(IRIS))


def test_a_file_without_notes_has_names(tmp_path):
    """As the command line writes it: the classes are texts."""
    model = KernelRidgeClassifier(0.1, kernel="rbf").fit(IRIS, SPECIES)
    model._model.save(str(tmp_path / "m.mercer"))
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.classes_.tolist() == ["0", "1", "2"]
    assert loaded.alpha == 0.1
    assert_array_equal(loaded.predict(IRIS), model.predict(IRIS).astype(str))


def test_together_with_scikit_learn():
    grid = {"alpha": [0.01, 1.0], "gamma": [0.1, 1.0]}
    search = GridSearchCV(KernelRidgeClassifier(kernel="rbf"), grid, cv=3).fit(IRIS, SPECIES)
    assert search.best_score_ > 0.9
    K = rbf_kernel(IRIS, gamma=0.25)
    given = cross_val_score(KernelRidgeClassifier(kernel="precomputed"), K, SPECIES, cv=3)
    direct = cross_val_score(KernelRidgeClassifier(kernel="rbf"), IRIS, SPECIES, cv=3)
    assert_array_equal(given, direct)
    area = cross_val_score(KernelRidgeClassifier(), CELLS, HARMLESS, cv=3, scoring="roc_auc")
    assert area.min() > 0.9
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    model = KernelRidgeClassifier().fit(frame, pd.Series(SPECIES, name="kind"))
    assert model.feature_names_in_.tolist() == list("abcd")
    single = KernelRidgeClassifier(kernel="rbf").fit(IRIS.astype(np.float32), SPECIES)
    assert single.decision_function(IRIS.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("params", "labels", "word"),
    [
        ({}, np.zeros(150), "got 1 class"),
        ({}, SPECIES[:-1], "inconsistent"),
        ({}, None, "requires y"),
        ({}, np.linspace(0, 1, 150), "continuous"),
        ({}, np.c_[SPECIES, SPECIES], "must consist of 0 and 1, but has 2 at row 100, column 0"),
        ({}, np.c_[SPECIES, SPECIES].astype(str), "must consist of 0 and 1, but has 0 at row 0"),
        ({}, np.eye(3)[SPECIES][:-1], "inconsistent"),
        ({}, np.where(np.arange(150) == 3, np.nan, SPECIES), "NaN"),
        ({"class_weight": "fair"}, SPECIES, "class_weight"),
        ({"class_weight": [1, 2, 3]}, SPECIES, "class_weight"),
        ({"class_weight": {0: -1.0}}, SPECIES, "must not be negative"),
        ({"alpha": [1.0, 2.0]}, SPECIES, "2 penalties for 3 targets"),
        ({"alpha": -1}, SPECIES, "alpha"),
        ({"solver": "lu"}, SPECIES, "solver"),
    ],
)
def test_refusals_leave_the_estimator_as_it_was(params, labels, word):
    model = KernelRidgeClassifier().fit(IRIS, SPECIES)
    state = {name: value for name, value in vars(model).items() if name not in params}
    with pytest.raises(ValueError, match=word):
        model.set_params(**params).fit(IRIS, labels)
    assert {name: vars(model)[name] for name in state}.keys() == state.keys()
    assert all(vars(model)[name] is value for name, value in state.items())


def test_negative_weights_are_refused_beside_balanced_classes():
    weights = np.full(150, -1.0)
    with pytest.raises(ValueError, match="must not be negative"):
        KernelRidgeClassifier(class_weight="balanced").fit(IRIS, SPECIES, weights)
