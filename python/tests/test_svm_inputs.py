"""What support vector machines refuse, and in which words."""

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, ParameterError

X, y = load_iris(return_X_y=True)
VALUES = np.sin(X[:, 0]) + X[:, 1]
K = rbf_kernel(X)
MACHINES = [SVC(), NuSVC(nu=0.1), SVR(), NuSVR(), OneClassSVM()]
every = pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)


def aim(model):
    return VALUES if isinstance(model, (SVR, NuSVR)) else y


def spoiled(values, place, value):
    found = np.array(values, dtype=float)
    found[place] = value
    return found


@pytest.mark.parametrize(
    ("params", "fit", "word"),
    [
        ({}, {"y": np.zeros(150)}, r"greater than one; got 1 class, 0\.0"),
        ({}, {"y": ["a"] * 150}, "greater than one; got 1 class, 'a'"),
        ({}, {"y": VALUES}, "Unknown label type: continuous"),
        ({}, {"y": ["a", 1] * 75}, "mixes strings and other values"),
        ({}, {"y": np.array(["a", 1] * 75, dtype=object)}, "mixes strings|Unknown label type"),
        ({}, {"y": np.array([None, 1] * 75, dtype=object)}, "NaN at row 0"),
        ({}, {"y": spoiled(y, 3, np.nan)}, "NaN"),
        ({}, {"y": y[:-1]}, "inconsistent numbers of samples"),
        ({}, {"y": None}, "requires y"),
        ({}, {"y": np.stack([y, y], axis=1)}, "1d array"),
        ({}, {"X": spoiled(X, (2, 1), np.nan)}, "NaN at row 2, column 1"),
        ({}, {"X": spoiled(X, (2, 1), np.inf)}, "infinity at row 2, column 1"),
        ({}, {"X": X[:, 0]}, "2D array"),
        ({}, {"X": X[:0], "y": y[:0]}, "0 sample"),
        ({"kernel": "precomputed"}, {}, "square matrix. Input is a 150x4"),
        ({"kernel": "precomputed"}, {"X": spoiled(K, (5, 6), np.nan)}, "NaN at row 5, column 6"),
        ({"kernel": "rbff"}, {}, "did you mean 'rbf'"),
        ({"kernel": 3}, {}, "kernel"),
        ({"kernel": "rbf(gamma=1)", "gamma": 0.1}, {}, "already sets gamma"),
        ({"gamma": -1.0}, {}, "gamma"),
        ({"gamma": "wide"}, {}, "gamma"),
        ({"degree": -1}, {}, "degree"),
        ({"coef0": "x"}, {}, "coef0"),
        ({"C": 0}, {}, "'C' parameter of SVC must be a positive number"),
        ({"C": -1.0}, {}, "C"),
        ({"C": np.nan}, {}, "C"),
        ({"C": "much"}, {}, "C"),
        ({"tol": 0}, {}, "tol"),
        ({"cache_size": 0}, {}, "cache_size"),
        ({"max_iter": -2}, {}, "max_iter"),
        ({"max_iter": 1.5}, {}, "max_iter"),
        ({"max_time": 0}, {}, "max_time"),
        ({"shrinking": 1}, {}, "shrinking"),
        ({"probability": "yes"}, {}, "probability"),
        ({"calibration": "platt"}, {}, "calibration"),
        ({"break_ties": None}, {}, "break_ties"),
        ({"decision_function_shape": "ovx"}, {}, "decision_function_shape"),
        ({"warm_start": 1}, {}, "warm_start"),
        ({"verbose": -1}, {}, "verbose"),
        ({"random_state": "x", "probability": True}, {}, "x"),
        ({"precision": "f16"}, {}, "precision"),
        ({"memory_budget": "plenty"}, {}, "memory_budget"),
        ({"progress": "yes"}, {}, "progress"),
        ({"n_jobs": 0}, {}, "n_jobs"),
    ],
)
def test_refusals_leave_the_estimator_as_it_was(params, fit, word):
    model = SVC().fit(X, y)
    before, state = model.predict(X), dict(vars(model))
    with pytest.raises(ValueError, match=word):
        model.set_params(**params).fit(**{"X": X, "y": y} | fit)
    changed = {name for name in state if vars(model)[name] is not state[name]}
    assert changed <= set(params)
    assert set(vars(model)) == set(state)
    model.set_params(**{name: state[name] for name in params})
    assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    ("model", "word"),
    [
        (NuSVC(nu=0), "nu"),
        (NuSVC(nu=1.5), "'nu' parameter of NuSVC must be a positive number of at most 1"),
        (NuSVR(nu=0), "nu"),
        (NuSVR(C=0), "C"),
        (OneClassSVM(nu=2), "nu"),
        (SVR(epsilon=-0.1), "epsilon"),
        (SVR(C=-1), "C"),
    ],
    ids=named,
)
def test_parameters_of_the_others(model, word):
    with pytest.raises(ParameterError, match=word):
        model.fit(X, aim(model))


def test_a_share_that_cannot_be():
    few = np.r_[0:5, 50:100]
    with pytest.raises(ValueError, match="nu"):
        NuSVC(nu=0.9).fit(X[few], y[few])
    assert NuSVC(nu=2 * 5 / 55).fit(X[few], y[few]).fit_status_ == 0


@pytest.mark.parametrize("model", [SVR(), NuSVR()], ids=lambda model: type(model).__name__)
def test_targets(model):
    for wrong, word in (
        (None, "requires y"),
        (VALUES[:-1], "inconsistent"),
        (spoiled(VALUES, 3, np.nan), "row 3 .* is NaN"),
        (spoiled(VALUES, 3, np.inf), "row 3 .* is inf"),
        (np.stack([VALUES, VALUES], axis=1), "1d array"),
        (["a"] * 150, "could not convert"),
    ):
        with pytest.raises(ValueError, match=word):
            model.fit(X, wrong)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model.fit(X, VALUES[:, None])


@every
def test_new_samples(model):
    fresh = type(model)(**model.get_params())
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    for name in ("dual_coef_", "support_vectors_", "coef_", "support_", "n_support_"):
        assert not hasattr(fresh, name)
    fresh.fit(X, aim(model))
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4"):
        fresh.predict(X[:, :3])
    with pytest.raises(ValueError, match="NaN at row 7, column 0"):
        fresh.predict(spoiled(X, (7, 0), np.nan))
    given = type(model)(**model.get_params() | {"kernel": "precomputed"}).fit(K, aim(model))
    with pytest.raises(ValueError, match="X has 149 features"):
        given.predict(K[:, :-1])
    with pytest.raises(ValueError, match="NaN at row 7, column 0"):
        given.predict(spoiled(K, (7, 0), np.nan))


def test_rounding_is_no_asymmetry():
    rough = K * (1 + 1e-15 * np.random.default_rng(0).normal(size=K.shape))
    assert SVC(kernel="precomputed").fit(rough, y).fit_status_ == 0
    assert SVC(kernel="precomputed").fit(rough.astype("f4"), y).fit_status_ == 0


def test_nothing_to_support():
    flat = SVR().fit(X, np.full(150, 3.0))
    assert len(flat.support_) == 0
    assert flat.support_vectors_.shape == (0, 4)
    assert_array_equal(flat.predict(X), 3.0)
    for kernel, data in (("precomputed", K), (rbf_kernel, X)):
        flat = SVR(kernel=kernel).fit(data, np.full(150, 3.0))
        assert_array_equal(flat.predict(data), 3.0)
    assert SVR(kernel="linear").fit(X, np.full(150, 3.0)).coef_.tolist() == [[0.0] * 4]


def test_identical_samples():
    same = np.ones((20, 3))
    model = SVC().fit(same, np.arange(20) % 2)
    assert np.isfinite(model.decision_function(same)).all()
    assert np.isfinite(OneClassSVM().fit(same).decision_function(same)).all()


def test_one_sample_of_each_class():
    model = SVC().fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    assert model.predict([[0.0, 0.9]]).tolist() == ["a"]
    assert OneClassSVM().fit([[0.0, 1.0]]).fit_status_ == 0
    assert SVR().fit([[0.0, 1.0]], [2.0]).predict([[5.0, 5.0]]).tolist() == [2.0]


def test_large_numbers():
    model = SVC(tol=1e-6).fit(X * 1e50, y)
    expected = SVC(tol=1e-6).fit(X, y).decision_function(X)
    assert_allclose(model.decision_function(X * 1e50), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="range of f32"):
        SVC(precision="f32").fit(X * 1e50, y)
