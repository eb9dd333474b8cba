"""Weights of samples and of classes in support vector machines."""

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.datasets import load_iris

import mercer
from mercer import SVC, SVR, NuSVC, OneClassSVM

X, y = load_iris(return_X_y=True)
RNG = np.random.default_rng(1)
W = RNG.uniform(0.1, 3, size=len(X))
VALUES = np.sin(X[:, 0]) + X[:, 1]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("SVC", {"C": 0.7}),
        ("NuSVC", {"nu": 0.2}),
        ("SVR", {"C": 2.0}),
        ("NuSVR", {"nu": 0.3}),
        ("OneClassSVM", {"nu": 0.3}),
    ],
)
def test_weights_as_in_scikit_learn(name, params):
    aim = VALUES if name.endswith("SVR") else y
    ours, other = (
        getattr(home, name)(**params, tol=1e-7).fit(X, aim, W) for home in (mercer, theirs)
    )
    decide = "predict" if name.endswith("SVR") else "decision_function"
    assert_allclose(getattr(ours, decide)(X), getattr(other, decide)(X), atol=1e-4)


@pytest.mark.parametrize("kind", [SVC, SVR, OneClassSVM], ids=lambda kind: kind.__name__)
def test_a_weight_of_zero_is_as_if_the_sample_were_not_there(kind):
    aim = VALUES if kind is SVR else y
    kept = np.arange(len(X)) % 4 > 0
    decide = "predict" if kind is SVR else "decision_function"
    weighed = kind(gamma=0.5, tol=1e-8).fit(X, aim, np.where(kept, W, 0))
    without = kind(gamma=0.5, tol=1e-8).fit(X[kept], aim[kept], W[kept])
    assert_allclose(getattr(weighed, decide)(X), getattr(without, decide)(X), atol=1e-6)
    assert kept[weighed.support_].all()
    assert weighed.shape_fit_ == X.shape


@pytest.mark.parametrize("kind", [SVC, SVR], ids=lambda kind: kind.__name__)
def test_a_weight_of_two_is_as_if_the_sample_were_there_twice(kind):
    aim = VALUES if kind is SVR else y
    times = 1 + np.arange(len(X)) % 3
    decide = "predict" if kind is SVR else "decision_function"
    weighed = kind(gamma=0.5, tol=1e-9).fit(X, aim, times)
    repeated = kind(gamma=0.5, tol=1e-9).fit(np.repeat(X, times, 0), np.repeat(aim, times))
    assert_allclose(getattr(weighed, decide)(X), getattr(repeated, decide)(X), atol=1e-6)


def test_one_number_for_all():
    twice = SVC(C=1.0, tol=1e-8).fit(X, y, 2.0)
    assert_allclose(
        twice.decision_function(X), SVC(C=2.0, tol=1e-8).fit(X, y).decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize("weight", [{0: 2.0, 2: 0.3}, "balanced", None], ids=named)
@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
def test_weights_of_classes(weight, name):
    kept = np.arange(len(X)) >= 25
    params = {"class_weight": weight, "tol": 1e-7}
    params |= {"nu": 0.1} if name == "NuSVC" else {}
    ours, other = (
        getattr(home, name)(**params).fit(X[kept], y[kept], W[kept]) for home in (mercer, theirs)
    )
    assert_allclose(ours.class_weight_, other.class_weight_)
    assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)


def test_weights_of_named_classes():
    names = np.array(["a", "b", "c"])[y]
    model = SVC(class_weight={"b": 3.0}).fit(X, names)
    assert_array_equal(model.class_weight_, [1.0, 3.0, 1.0])


@pytest.mark.parametrize("kind", [SVC, NuSVC], ids=lambda kind: kind.__name__)
def test_weights_that_leave_nothing_of_a_class(kind):
    names = np.array(["a", "b", "c"])[y]
    model = kind(nu=0.1) if kind is NuSVC else kind()
    with pytest.raises(ValueError, match="no sample of class 'b' has a positive weight"):
        model.fit(X, names, np.where(y == 1, 0, W))
    with pytest.raises(ValueError, match="no sample of class 'a', 'c' has a positive weight"):
        model.fit(X, names, y == 1)
    with pytest.raises(ValueError, match="no sample of class 'c' has a positive weight"):
        model.set_params(class_weight={"c": 0}).fit(X, names)


@pytest.mark.parametrize("kind", [SVC, SVR, OneClassSVM], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    ("weights", "word"),
    [
        (-W, "negative"),
        (np.where(np.arange(len(X)) == 4, np.nan, W), "row 4"),
        (W[:-1], r"shape \(149,\)"),
        (0 * W, "zero|weight 0"),
    ],
    ids=["negative", "NaN", "short", "zero"],
)
def test_refusals(kind, weights, word):
    with pytest.raises(ValueError, match=word):
        kind().fit(X, VALUES if kind is SVR else y, weights)


@pytest.mark.parametrize("weight", ["even", [1, 2, 3], {0: -1.0}, {0: np.nan}], ids=named)
def test_refusals_of_class_weights(weight):
    with pytest.raises(ValueError, match="class_weight"):
        SVC(class_weight=weight).fit(X, y)
