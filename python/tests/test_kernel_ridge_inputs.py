"""Kernel ridge regression: what may come in, in which form, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from mercer import KernelRidge, ParameterError

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 4))
Y = np.stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] ** 2, X.sum(axis=1)], axis=1)
y = Y[:, 0] + 0.1 * RNG.normal(size=len(X))
W = RNG.uniform(0.2, 3, size=len(X))
NEW = RNG.normal(size=(30, 4))


@pytest.mark.parametrize("precision", ["auto", "f32", "mixed", "f64"])
def test_number_types(precision):
    expected = KernelRidge(0.5, kernel="rbf").fit(X, y).predict(NEW)
    for dtype in ("f4", "f8"):
        model = KernelRidge(0.5, kernel="rbf", precision=precision).fit(X.astype(dtype), y)
        result = {"auto": dtype, "f32": "f4", "mixed": "f8", "f64": "f8"}[precision]
        found, std = model.predict(NEW.astype(dtype), return_std=True)
        assert found.dtype == std.dtype == np.dtype(result)
        assert model.dual_coef_.dtype == np.float64
        assert_allclose(found, expected, atol=1e-4)
    given = KernelRidge(0.5, kernel="precomputed", precision=precision)
    K = rbf_kernel(X, gamma=0.25)
    assert_allclose(given.fit(K, y).predict(rbf_kernel(NEW, X, gamma=0.25)), expected, atol=1e-4)
    function = KernelRidge(0.5, kernel="chi2", gamma=0.1, precision=precision)
    assert function.fit(np.abs(X), y).predict(np.abs(NEW)).shape == (30,)


def test_forms_of_input():
    expected = KernelRidge(kernel="rbf").fit(X, y).predict(NEW)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = KernelRidge(kernel="rbf").fit(frame, pd.Series(y))
    assert model.feature_names_in_.tolist() == list("abcd")
    assert_array_equal(model.predict(pd.DataFrame(NEW, columns=list("abcd"))), expected)
    assert KernelRidge().fit(frame, pd.DataFrame(Y)).predict(frame).shape == Y.shape
    for form in (np.asfortranarray, sparse.csr_array, sparse.coo_array, lambda a: a.tolist()):
        found = KernelRidge(kernel="rbf").fit(form(X), y.tolist()).predict(form(NEW))
        assert_allclose(found, expected, rtol=1e-12)
    frozen = X.copy()
    frozen.setflags(write=False)
    assert_array_equal(KernelRidge(kernel="rbf").fit(frozen, y).X_fit_, X)
    whole = KernelRidge().fit(X, (10 * y).astype(int), np.ones(len(X), dtype=int))
    assert whole.predict(X).dtype == np.float64
    with pytest.raises(AttributeError, match="precomputed"):
        _ = KernelRidge(kernel="precomputed").fit(X @ X.T, y).X_fit_


def spoiled(values, row, value):
    found = values.astype(float).copy()
    found[row] = value
    return found


@pytest.mark.parametrize(
    ("params", "fit", "word"),
    [
        ({}, {"y": y[:-1]}, "inconsistent numbers of samples"),
        ({}, {"y": None}, "requires y"),
        ({}, {"y": spoiled(y, 3, np.nan)}, "row 3 is NaN"),
        ({}, {"y": spoiled(Y, (5, 2), np.inf)}, r"row 5 is inf \(column 2"),
        ({}, {"y": ["a"] * len(X)}, "could not convert"),
        ({}, {"y": Y[:, :, None]}, "dim 3"),
        ({}, {"X": spoiled(X, (2, 1), np.nan)}, "NaN at row 2, column 1"),
        ({}, {"X": X[:, 0]}, "2D array"),
        ({"kernel": "precomputed"}, {}, "square"),
        ({"kernel": np.dot}, {"X": spoiled(X, (2, 1), np.nan)}, "NaN at row 2, column 1"),
        ({"alpha": -1.0}, {}, "alpha"),
        ({"alpha": np.nan}, {}, "alpha"),
        ({"alpha": "small"}, {}, "alpha"),
        ({"alpha": None}, {}, "alpha"),
        ({"alpha": []}, {}, "alpha"),
        ({"alpha": [1.0, -2.0]}, {"y": Y[:, :2]}, "alpha"),
        ({"alpha": [1.0, 2.0]}, {"y": Y}, "2 penalties for 3 targets"),
        ({}, {"sample_weight": -W}, "must not be negative, but that of row 0"),
        ({}, {"sample_weight": 0 * W}, "all weights are zero"),
        ({}, {"sample_weight": 0.0}, "all weights are zero"),
        ({}, {"sample_weight": -1.0}, "must not be negative"),
        ({}, {"sample_weight": spoiled(W, 4, np.nan)}, "row 4 is NaN"),
        ({}, {"sample_weight": W[:-1]}, r"shape \(119,\)"),
        ({}, {"sample_weight": W[:, None]}, r"shape \(120, 1\)"),
        ({"kernel": "rbf", "gamma": -1.0}, {}, "gamma"),
        ({"kernel": "rbff"}, {}, "did you mean 'rbf'"),
        ({"kernel": ["rbf"]}, {}, "kernel"),
        ({"degree": -1}, {}, "degree"),
        ({"solver": "lu"}, {}, "solver"),
        ({"tol": 0}, {}, "tol"),
        ({"max_iter": 0}, {}, "max_iter"),
        ({"fit_intercept": "yes"}, {}, "fit_intercept"),
        ({"warm_start": 1}, {}, "warm_start"),
        ({"precision": "f16"}, {}, "precision"),
        ({"memory_budget": "plenty"}, {}, "memory_budget"),
        ({"progress": "yes"}, {}, "progress"),
        ({"n_jobs": 0}, {}, "n_jobs"),
    ],
)
def test_refusals_leave_the_estimator_as_it_was(params, fit, word):
    model = KernelRidge(0.5).fit(X, y)
    before, state = model.predict(NEW), dict(vars(model))
    asked = {"X": X, "y": y} | fit
    wrong = model.set_params(**params)
    with pytest.raises(ValueError, match=word):
        wrong.fit(**asked)
    changed = {name for name in state if vars(model)[name] is not state[name]}
    assert changed <= set(params)
    assert set(vars(model)) == set(state)
    model.set_params(**{name: state[name] for name in params})
    assert_array_equal(model.predict(NEW), before)


def test_errors_are_of_both_kinds():
    with pytest.raises(ParameterError, match="alpha"):
        KernelRidge(-1).fit(X, y)
    with pytest.raises(TypeError, match="alpha"):
        KernelRidge("x").fit(X, y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4"):
        KernelRidge().fit(X, y).predict(NEW[:, :3])
    with pytest.warns(UserWarning, match="singular"):
        model = KernelRidge(0).fit(X, y)
    with pytest.raises(ValueError, match="not positive definite with alpha = 0"):
        model.predict(NEW, return_std=True)


def test_an_interrupted_fit_leaves_the_estimator_as_it_was():
    many = np.random.default_rng(0).normal(size=(3000, 3))

    def stop(step):
        raise KeyboardInterrupt

    model = KernelRidge(0.5).fit(X, y)
    before = model.predict(NEW)
    model.set_params(progress=stop, kernel="rbf")
    with pytest.raises(KeyboardInterrupt):
        model.fit(many, many[:, 0])
    model.set_params(progress=False)
    assert model.n_features_in_ == 4
    assert_array_equal(model.predict(NEW), before)
    fresh = KernelRidge(kernel="rbf", progress=stop)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(many, many[:, 0])
    assert not hasattr(fresh, "n_features_in_")
    assert not hasattr(fresh, "dual_coef_")
