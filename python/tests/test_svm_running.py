"""Support vector machines that are stopped, continue, and report."""

import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM

X, y = make_moons(600, noise=0.3, random_state=0)
VALUES = np.sin(3 * X[:, 0]) + X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=600)
MACHINES = [SVC(C=50.0), NuSVC(nu=0.3), SVR(C=20.0), NuSVR(C=5.0), OneClassSVM(nu=0.2)]
every = pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)


def aim(model):
    return VALUES if isinstance(model, (SVR, NuSVR)) else y


def outputs(model, X):
    regression = isinstance(model, (SVR, NuSVR))
    return model.predict(X) if regression else model.decision_function(X)


@every
def test_a_limit_of_steps(model):
    model = type(model)(**model.get_params() | {"max_iter": 10})
    with pytest.warns(ConvergenceWarning, match=r"max_iter=10\).  Consider .* raise max_iter"):
        model.fit(X, aim(model))
    assert model.fit_status_ == 1
    assert np.max(model.n_iter_) <= 10
    assert model.report_["machine"]["problems"][0]["stop"] == "Iterations"
    assert np.isfinite(outputs(model, X)).all()


def test_a_limit_of_no_steps():
    with pytest.warns(ConvergenceWarning, match="max_iter=0"):
        model = SVC(max_iter=0).fit(X, y)
    assert model.fit_status_ == 1
    assert model.predict(X).shape == (600,)


def test_a_limit_of_time():
    many = np.random.default_rng(0).normal(size=(3000, 10))
    labels = np.random.default_rng(1).integers(0, 2, size=3000)
    # Labels at random, nearly without errors: this takes minutes.
    model = SVC(C=1e6, tol=1e-12, max_time=0.2)
    with pytest.warns(ConvergenceWarning, match=r"max_time=0.2"):
        model.fit(many, labels)
    assert model.fit_status_ == 1
    assert model.report_["machine"]["problems"][0]["stop"] == "Time"
    assert model.predict(many).shape == (3000,)


@every
def test_the_next_fit_goes_on(model):
    params = model.get_params() | {"tol": 1e-7}
    cold = type(model)(**params).fit(X, aim(model))
    half = int(np.max(cold.n_iter_)) // 2
    warm = type(model)(**params | {"warm_start": True, "max_iter": half})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warm.fit(X, aim(model))
    warm.set_params(max_iter=-1).fit(X, aim(model))
    assert warm.fit_status_ == 0
    expected = outputs(cold, X)
    assert_allclose(outputs(warm, X), expected, atol=1e-4 * max(1, np.abs(expected).max()))
    assert np.max(warm.n_iter_) < np.max(cold.n_iter_)
    again = warm.fit(X, aim(model))
    assert np.max(again.n_iter_) < np.max(cold.n_iter_)
    assert_allclose(outputs(again, X), expected, atol=1e-4 * max(1, np.abs(expected).max()))


def test_going_on_with_something_else():
    warm = SVC(warm_start=True, tol=1e-7).fit(X, y)
    for params, data, labels in (
        ({"C": 20.0}, X, y),
        ({"C": 0.1, "gamma": 2.0}, X, y),
        ({}, X, 1 - y),
        ({}, X[::2], y[::2]),
        ({}, X[::2], np.where(y, "b", "a")[::2]),
        ({}, X[::2], (X[::2, 0] > 0).astype(int) + y[::2]),
        ({}, X[:, :1], y),
        ({"precision": "f32"}, X, y),
    ):
        found = warm.set_params(**params).fit(data, labels).decision_function(data)
        cold = SVC(**warm.get_params() | {"warm_start": False}).fit(data, labels)
        assert_allclose(found, cold.decision_function(data), atol=2e-3)
        assert_array_equal(warm.classes_, cold.classes_)


def test_weights_when_going_on():
    weights = np.random.default_rng(0).uniform(0, 2, size=len(X)).round()
    warm = SVC(warm_start=True, tol=1e-7).fit(X, y).fit(X, y, weights)
    cold = SVC(tol=1e-7).fit(X, y, weights)
    assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-4)


LONG = """
    import sys, warnings
    import numpy as np
    from mercer import {name}
    X = np.random.default_rng(0).normal(size=(6000, 20))
    y = {aim}
    def tell(step):
        reported.append(step.stage)
        if reported.count("support vectors") == 3:  # the first is before any work
            print("working", flush=True)
    reported, model = [], {made}
    try:
        model.set_params(progress=tell).fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        assert model.fit_status_ == 1
        assert model.predict(X[:9]).shape == (9,)
        assert model.report_["machine"]["problems"][-1]["stop"] == "Interrupted"
        warnings.simplefilter("ignore")
        steps = np.max(model.n_iter_)
        assert steps > 0
        model.set_params(max_iter=5, warm_start=True).fit(X, y)
        assert len(model.support_) > 100
        sys.exit(7)
"""
CLASSES = "np.random.default_rng(1).integers(0, 2, size=6000)"


@pytest.mark.parametrize(
    ("made", "aim"),
    [
        ("SVC(C=1e9, tol=1e-14)", CLASSES),
        ("SVC(C=1e9, tol=1e-14, probability=True)", CLASSES),
        ("SVR(C=1e9, tol=1e-14, epsilon=0)", "np.random.default_rng(1).normal(size=6000)"),
    ],
    ids=["SVC", "probability", "SVR"],
)
def test_an_interrupted_fit_keeps_what_it_has(made, aim):
    code = textwrap.dedent(LONG).format(name=made.split("(")[0], made=made, aim=aim)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "working\n"
        began = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        # It ends within a second; a busy machine may need longer, and the whole takes minutes.
        assert time.perf_counter() - began < 30
        assert child.wait(timeout=60) == 7


def test_progress_calls_a_function():
    steps = []
    many = np.random.default_rng(0).normal(size=(2000, 5))
    labels = np.random.default_rng(1).integers(0, 2, size=2000)
    model = SVC(C=100.0, progress=steps.append, max_iter=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(many, labels)
    assert steps
    assert all(isinstance(step, mercer.Step) for step in steps)

    def stop(step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.set_params(progress=stop).fit(many, labels)


def test_verbose_prints_a_line_for_each_problem(capfd):
    SVC(verbose=True).fit(X, y)
    shown = capfd.readouterr()
    assert len(shown.out.splitlines()) == 1
    assert "support vectors" in shown.out
    SVC(verbose=1).fit(X, y + (X[:, 0] > 0))
    assert len(capfd.readouterr().out.splitlines()) == 3
    SVC().fit(X, y)
    assert capfd.readouterr().out == ""


def test_the_report():
    model = SVC().fit(X, y)
    machine = model.report_["machine"]
    problem = machine["problems"][0]
    assert problem["stop"] == "Converged"
    assert problem["support"] == len(model.support_) == model.n_support_.sum()
    assert 0 < problem["bounded"] < problem["support"]
    assert problem["violation"] <= 1e-3
    assert problem["iterations"] == model.n_iter_[0]
    assert 0 <= machine["columns_at_hand"] <= machine["columns_used"]
    assert model.report_["seconds"] > 0
    assert model.report_["precision"] == "f64"


@every
def test_threads_and_budgets_do_not_change_a_bit(model):
    one, two, tight = (
        type(model)(**model.get_params() | params).fit(X, aim(model))
        for params in ({"n_jobs": 1}, {"n_jobs": 2}, {"memory_budget": "1GB"})
    )
    assert_array_equal(outputs(one, X), outputs(two, X))
    assert_array_equal(outputs(one, X), outputs(tight, X))


def test_a_small_cache_gives_the_same_machine():
    small = SVC(cache_size=0.05, tol=1e-7).fit(X, y)
    assert_allclose(
        small.decision_function(X), SVC(tol=1e-7).fit(X, y).decision_function(X), atol=1e-5
    )
    slow = SVC(shrinking=False, tol=1e-7).fit(X, y)
    assert_allclose(slow.decision_function(X), small.decision_function(X), atol=1e-5)


def test_a_function_within_the_budget():
    def linear(A, B):
        return A @ B.T

    tight = SVC(kernel=linear, memory_budget=2**20, tol=1e-7).fit(X, y)
    roomy = SVC(kernel=linear, tol=1e-7).fit(X, y)
    assert tight.report_["storage"] != roomy.report_["storage"]
    assert_allclose(tight.decision_function(X), roomy.decision_function(X), atol=1e-4)


def test_classes_without_a_margin():
    labels = np.random.default_rng(0).integers(0, 2, size=600)
    with pytest.warns(ConvergenceWarning, match="found no margin .* raise nu"):
        model = NuSVC(nu=0.1, kernel="linear").fit(X, labels)
    assert model.fit_status_ == 1
    assert model.report_["machine"]["problems"][0]["stop"] == "NoMargin"
    assert_allclose(model.decision_function(X), 0, atol=1e-6)
