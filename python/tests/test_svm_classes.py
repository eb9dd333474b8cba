"""Support vector machines of several classes: shapes of decisions, ties, labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.datasets import load_iris

from mercer import SVC, NuSVC

X, y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
MANY = RNG.normal(size=(120, 2))
FIVE = np.floor((np.arctan2(MANY[:, 1], MANY[:, 0]) + np.pi) / (2 * np.pi / 5)).astype(int)
GRID = RNG.uniform(-4, 4, size=(500, 2))


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("kind", ["SVC", "NuSVC"])
def test_shapes_of_decisions(shape, kind):
    params = {"decision_function_shape": shape, "tol": 1e-7}
    ours = {"SVC": SVC, "NuSVC": NuSVC}[kind](**params)
    if kind == "NuSVC":
        ours.set_params(nu=0.1)
        params["nu"] = 0.1
    other = getattr(theirs, kind)(**params).fit(MANY, FIVE)
    found = ours.fit(MANY, FIVE).decision_function(GRID)
    assert found.shape == (500, 5 if shape == "ovr" else 10)
    assert found.dtype == np.float64
    assert_allclose(found, other.decision_function(GRID), atol=1e-4)
    two = FIVE < 3
    assert ours.fit(MANY, two).decision_function(GRID).shape == (500,)


def test_votes_and_ties():
    ours = SVC(tol=1e-8).fit(MANY, FIVE)
    other = theirs.SVC(tol=1e-8).fit(MANY, FIVE)
    assert_array_equal(ours.predict(GRID), other.predict(GRID))
    for model in (ours, other):
        model.set_params(break_ties=True)
    broken = ours.predict(GRID)
    assert_array_equal(broken, other.predict(GRID))
    assert_array_equal(broken, ours.decision_function(GRID).argmax(axis=1))
    ours.set_params(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="break_ties must be False when decision_function_shape"):
        ours.predict(GRID)


def test_a_binary_decision_is_positive_for_the_second_class():
    two = y[y < 2]
    model = SVC().fit(X[y < 2], two)
    assert_array_equal(model.decision_function(X[y < 2]) > 0, two == 1)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array([-3, 0, 7]),
        np.array([0.5, 1.0, 2.0]) * 2,
        np.array(["b", "a", "ü"], dtype=object),
        np.array([3, 1, 2], dtype=np.uint8),
    ],
    ids=["texts", "integers", "floats", "objects", "small"],
)
def test_labels(names):
    labels = names[y]
    model = SVC().fit(X, labels)
    assert_array_equal(model.classes_, np.unique(names))
    assert model.predict(X).dtype == labels.dtype
    assert model.score(X, labels) > 0.95
    assert SVC().fit(X, labels.tolist()).score(X, labels) > 0.95


def test_truth_values():
    model = SVC().fit(X, y == 1)
    assert model.predict(X).dtype == bool
    assert model.score(X, y == 1) > 0.9


def test_the_order_of_rows_does_not_matter():
    order = RNG.permutation(len(X))
    one = SVC(tol=1e-8).fit(X, y).decision_function(X)
    other = SVC(tol=1e-8).fit(X[order], y[order]).decision_function(X)
    assert_allclose(one, other, atol=1e-5)
