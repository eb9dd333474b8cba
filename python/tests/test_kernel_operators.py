"""Operators of kernels: what they print, what they compute, and what they refuse."""

import copy
import pickle

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import KernelRidge, kernels
from mercer.kernels import RBF, Constant, Linear, Poly, Spec, Spectrum, columns

X = np.random.default_rng(0).normal(size=(9, 3))
K = RBF(gamma=0.5)
MADE = [
    (K + 1, "rbf(gamma=0.5) + constant", lambda k: k + 1),
    (1 + K, "constant + rbf(gamma=0.5)", lambda k: k + 1),
    (K + 2.5, "rbf(gamma=0.5) + 2.5*constant", lambda k: k + 2.5),
    (np.float32(2.5) + K, "2.5*constant + rbf(gamma=0.5)", lambda k: k + 2.5),
    (K + 0, "rbf(gamma=0.5)", lambda k: k),
    (K**1, "rbf(gamma=0.5)", lambda k: k),
    (K**2, "rbf(gamma=0.5)*rbf(gamma=0.5)", lambda k: k**2),
    (K ** np.int64(3), "rbf(gamma=0.5)*rbf(gamma=0.5)*rbf(gamma=0.5)", lambda k: k**3),
    (K / 4, "0.25*rbf(gamma=0.5)", lambda k: k / 4),
    (2 * K, "2*rbf(gamma=0.5)", lambda k: 2 * k),
    (K * 2, "2*rbf(gamma=0.5)", lambda k: 2 * k),
    (sum([K, Linear(), Linear()]), "rbf(gamma=0.5) + linear + linear", lambda k: k + 2 * X @ X.T),
    (K + "linear", "rbf(gamma=0.5) + linear", lambda k: k + X @ X.T),
    ("linear" + K, "linear + rbf(gamma=0.5)", lambda k: k + X @ X.T),
    (K * "linear", "rbf(gamma=0.5)*linear", lambda k: k * (X @ X.T)),
    ("linear" * K, "linear*rbf(gamma=0.5)", lambda k: k * (X @ X.T)),
    (
        (K + 1) ** 2 / 2,
        "0.5*(rbf(gamma=0.5) + constant)*(rbf(gamma=0.5) + constant)",
        lambda k: (k + 1) ** 2 / 2,
    ),
]


@pytest.mark.parametrize(("kernel", "text", "values"), MADE, ids=named)
def test_operators(kernel, text, values):
    assert repr(kernel) == text
    assert_allclose(kernel(X), values(K(X)), rtol=1e-12)
    assert Spec(text) == kernel == kernels.from_spec(text)
    for twin in (clone(kernel), copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert twin == kernel
        assert twin is not kernel
    assert clone(kernel).set_params(**kernel.get_params()) == kernel


def test_the_operands_stay_as_they_are():
    one, two = RBF(gamma=1.0), Linear()
    made = (one + two) * one + 3
    assert (repr(one), repr(two)) == ("rbf(gamma=1)", "linear")
    assert repr(made) == "(rbf(gamma=1) + linear)*rbf(gamma=1) + 3*constant"


@pytest.mark.parametrize("make", [lambda k: k + k, lambda k: k * k, lambda k: k**2])
def test_equal_parts_have_parameters_of_their_own(make):
    both = make(RBF(gamma=1.0))
    both.set_params(left__gamma=2.0)
    assert both.get_params()["right__gamma"] == 1.0


def test_functions_stay_the_same_in_powers():
    class Overlap:
        def __call__(self, a, b):
            return float(a @ b)

    k = kernels.pair(Overlap(), name="overlap")
    assert_allclose((k**2 + 1)(X), (X @ X.T) ** 2 + 1)


def test_constants_on_columns():
    table = {"age": [31.0, 64.0, 33.0], "town": ["Ulm", "Bern", "Ulm"]}
    k = columns("town", Spectrum(2)) + columns("age", RBF(sigma=10))
    assert repr(k + 2).endswith(" + 2*columns(age: constant)")
    assert_allclose((k + 2)(table), k(table) + 2)


def test_an_added_number_is_a_penalised_intercept():
    y = 5 + X[:, 0]
    plain = KernelRidge(1e-8, kernel=Linear()).fit(X, y)
    assert abs(plain.predict(np.zeros((1, 3)))[0]) < 1e-6
    assert_allclose(KernelRidge(1e-8, kernel=Linear() + 1).fit(X, y).predict(X), y, rtol=1e-6)


def test_a_grid_search_reaches_the_constant(tmp_path):
    y = 5 + X[:, 0]
    model = KernelRidge(1e-3, kernel=Linear() + 2)
    search = GridSearchCV(model, {"kernel__right__factor": [1e-6, 10.0]}, cv=3).fit(X, y)
    assert search.best_estimator_.kernel_ == "linear + 10*constant"
    search.best_estimator_.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert again.kernel == Linear() + 10 == again.get_params()["kernel"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: K - 1, r"rbf\(gamma=0.5\) - 1 is not a kernel: differences"),
        (lambda: 1 - K, r"1 - rbf\(gamma=0.5\) is not a kernel: differences"),
        (lambda: K - Linear(), "is not a kernel: differences"),
        (lambda: -K, "is not a kernel: differences"),
        (lambda: K + -1, r"\+ -1 is not a kernel: an added number must be positive"),
        (lambda: -1.5 + K, "an added number must be positive"),
        (lambda: K + np.nan, "an added number must be positive"),
        (lambda: K * 0, "a scale must be a positive number"),
        (lambda: -2 * K, "a scale must be a positive number"),
        (lambda: K / 0, "divide by a positive number"),
        (lambda: K / -2, "divide by a positive number"),
        (lambda: K / Linear(), "can only be divided by a positive number, not by linear"),
        (lambda: 2 / K, "a kernel cannot be a divisor"),
        (lambda: K**0.5, "the exponent must be an integer of at least 1"),
        (lambda: K**0, "the exponent must be an integer of at least 1"),
        (lambda: K**-1, "the exponent must be an integer of at least 1"),
        (lambda: K**33, "the exponent must be at most 32"),
        (lambda: Spectrum(3) + 1, "this one compares strings; fit an intercept instead"),
        (lambda: columns("town", Spectrum(3)) + 1, "this one compares strings"),
        (lambda: K + True, "unsupported operand"),
        (lambda: K + {1}, "unsupported operand"),
        (lambda: K + np.ones(3), "does not support"),
        (lambda: K * None, "unsupported operand"),
        (lambda: K ** "2", "unsupported operand"),
    ],
)
def test_what_is_no_kernel_is_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_a_wrong_text_points_at_the_character():
    with pytest.raises(ValueError, match="unknown kernel 'rbff'"):
        K + "rbff"


def test_names_of_parameters_are_suggested():
    k = 2 * RBF(gamma=1.0) + Linear()
    with pytest.raises(ValueError, match="'gamma': did you mean 'left__kernel__gamma'"):
        k.set_params(gamma=1.0)
    with pytest.raises(ValueError, match="no parameter 'speed'; it has left, right"):
        k.set_params(speed=1.0)


def test_a_refused_parameter_changes_nothing():
    k = RBF(gamma=1.0) + Poly(2)
    for wrong in (
        {"left": "linear"},
        {"right__degree": [2]},
        {"left__gamma": -1.0},
        {"left__gamma": 3.0, "right__degree": -1},
        {"left__gamma": 3.0, "right__speed": 1},
    ):
        with pytest.raises((TypeError, ValueError)):
            k.set_params(**wrong)
        assert repr(k) == "rbf(gamma=1) + poly(degree=2)"
    # One way to give a width takes the place of another, in any order.
    k.set_params(left__sigma=2.0, left__gamma=None)
    assert repr(k) == "rbf(sigma=2) + poly(degree=2)"


def test_the_largest_power():
    assert_allclose((K**32)(X), RBF(gamma=16.0)(X), rtol=1e-10)
    assert kernels.from_spec((K**32).spec) == K**32


def test_constant_alone():
    assert Constant() + 1 == Spec("constant + constant")
