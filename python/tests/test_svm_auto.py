"""The choice among exact machines, landmarks and cells by estimates."""

import numpy as np
import pytest

from mercer import SVC, SVR, OneClassSVM, load


def ringnorm(n, seed=0):
    """Two normal classes in 20 dimensions with a smooth boundary."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 20))
    return np.where(y[:, None] == 0, 2 * X, X + 2 / np.sqrt(20)), y


def stripes(n, seed=0):
    """A square with a boundary that is fine everywhere."""
    X = np.random.default_rng(seed).uniform(size=(n, 2))
    return X, ((X[:, 0] * 15).astype(int) + (X[:, 1] * 15).astype(int)) % 2


def test_few_rows_are_exact_and_say_so():
    X, y = stripes(500)
    model = SVC(gamma=50.0, approximation="auto").fit(X, y)
    exact = SVC(gamma=50.0).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), exact.decision_function(X))
    choice = model.report_["machine"]["choice"]
    assert choice["chosen"] == "exact"
    assert "too few" in choice["reason"]
    assert "choice" not in exact.report_["machine"]


def test_estimates_come_first_and_stand_in_the_report(tmp_path):
    X, y = ringnorm(20_000)
    steps = []
    one = SVC(gamma=0.02, approximation="auto", n_jobs=1, progress=steps.append).fit(X, y)
    two = SVC(gamma=0.02, approximation="auto", n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.decision_function(X[:99]), two.decision_function(X[:99]))
    choice = one.report_["machine"]["choice"]
    modes = {mode["mode"]: mode for mode in choice["modes"]}
    assert set(modes) == {"exact", "landmarks=1000", "cells=2000"}
    assert choice["chosen"] in modes
    for mode in modes.values():
        assert mode["work"] > 0
        assert mode["seconds"] > 0
        assert mode["bytes"] > 0
        assert 0 <= mode["loss"] < 0.1
    # The same work is estimated whatever the clock says.
    others = {mode["mode"]: mode for mode in two.report_["machine"]["choice"]["modes"]}
    assert all(mode["work"] == others[name]["work"] for name, mode in modes.items())
    reported = [step.message for step in steps if step.stage == "estimates"]
    assert len(reported) == 1
    assert "is chosen" in reported[0]
    one.save(tmp_path / "auto.mercer")
    np.testing.assert_array_equal(
        load(tmp_path / "auto.mercer").decision_function(X[:99]), one.decision_function(X[:99])
    )


def test_what_is_less_accurate_is_known():
    X, y = stripes(20_000)
    model = SVC(gamma=400.0, C=10, approximation="auto").fit(X, y)
    modes = {mode["mode"]: mode for mode in model.report_["machine"]["choice"]["modes"]}
    assert modes["exact"]["is_accurate"]
    assert modes["cells=2000"]["is_accurate"]
    assert modes["cells=2000"]["work"] < modes["exact"]["work"]
    new, truth = stripes(2000, seed=1)
    assert model.score(new, truth) > 0.95


def test_regressions_and_one_class():
    X, _ = stripes(18_000)
    values = np.sin(6 * X[:, 0]) + X[:, 1]
    model = SVR(gamma=10.0, C=10, epsilon=0.05, approximation="auto").fit(X, values)
    assert model.score(X[:2000], values[:2000]) > 0.98
    assert len(model.report_["machine"]["choice"]["modes"]) == 3
    usual = OneClassSVM(nu=0.1, gamma=10.0, approximation="auto").fit(X)
    assert abs(np.mean(usual.predict(X) == -1) - 0.1) < 0.03


def test_refusals():
    X, y = stripes(200)
    for wrong in ({"landmarks": 10}, {"cells": 50}, {"warm_start": True}):
        with pytest.raises(ValueError, match="approximation"):
            SVC(approximation="auto", **wrong).fit(X, y)
    with pytest.raises(ValueError, match="approximation"):
        SVC(approximation="fast").fit(X, y)
    with pytest.raises(ValueError, match="precomputed"):
        SVC(approximation="auto", kernel="precomputed").fit(X @ X.T, y)
