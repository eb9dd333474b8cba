"""How every estimator is run: progress to its end, interruption, limits; laws for all of them."""

import os
import signal
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from promises import CASES, EXPLICIT, KERNELS, SEARCHES, answers, fitted, make, new, samples, target
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import (
    PCA,
    SVC,
    KernelKMeans,
    KernelPCA,
    KernelRidge,
    KernelRidgeCV,
    SVCSearch,
    kernels,
)

pytestmark = pytest.mark.filterwarnings("ignore:the best alpha")
every = pytest.mark.parametrize("name", list(CASES))
LARGE = np.random.default_rng(0).normal(size=(1500, 4))


# So few samples are repaired before there is any progress, but for the method of many rounds.
TELLING = {"KernelRepair": {"method": "nearest"}}


@every
def test_every_stage_is_told_to_its_end(name):
    steps = []
    model = make(name, progress=steps.append, **TELLING.get(name, {}))
    model.fit(samples(name), *target(name))
    assert steps
    whole(steps)
    for method in answers(fitted(name), new(name)):
        steps.clear()
        getattr(model, method)(new(name))
        whole(steps)


WAYS = {
    "kernel PCA by products": KernelPCA(3, kernel="rbf", eigen_solver="krylov"),
    "kernel PCA, tiles anew": KernelPCA(3, kernel="rbf", memory_budget="12MB"),
    "kernel PCA, all eigenpairs": KernelPCA(kernel="rbf", eigen_solver="dense"),
    "kernel PCA, a share of the variance": KernelPCA(0.5, kernel="rbf"),
    "kernel PCA that stops early": KernelPCA(9, kernel="rbf", eigen_solver="krylov", max_iter=2),
    "PCA by products": PCA(3, svd_solver="arpack"),
    "regression by products": KernelRidge(0.01, kernel="rbf", solver="cg"),
    "regression by Cholesky": KernelRidge(0.01, kernel="rbf", solver="cholesky"),
    "search by leaving out": KernelRidgeCV(),
    "search by folds": KernelRidgeCV([0.1, 1.0], kernel="rbf", gamma=0.2, cv=3),
    "a machine": SVC(C=100.0),
    "a machine that stops early": SVC(C=100.0, max_iter=50),
    "probabilities": SVC(probability=True),
    "search of a machine": SVCSearch([1.0, 10.0], cv=3),
    "k-means": KernelKMeans(5, n_init=3),
    "k-means from the spectrum": KernelKMeans(5, init="spectral"),
}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.filterwarnings("ignore")
def test_every_way_is_told_to_its_end(way):
    steps = []
    model = clone(WAYS[way]).set_params(progress=steps.append)
    y = np.digitize(LARGE[:600, 0], [-0.4, 0.4])
    model.fit(LARGE[:600], y)
    assert steps
    whole(steps)


def test_bars_end_at_a_hundred_percent(capfd):
    KernelPCA(3, kernel="rbf", eigen_solver="krylov", progress=True).fit(LARGE).transform(LARGE)
    lines = capfd.readouterr().err.replace("\r", "\n").split("\n")
    last = {}
    for line in filter(None, lines):
        stage, _, share = line.partition(":")
        last[stage] = share
    assert set(last) >= {"kernel matrix", "eigenvectors", "scores"}
    assert all("100.0%" in share for share in last.values()), last


def whole(steps):
    """A stage ends at its total, before another begins or the work is done."""
    assert all(isinstance(step, mercer.Step) for step in steps)
    for step, after in pairwise(steps):
        if after.stage != step.stage:
            assert step.done >= step.total, steps
    assert not steps or steps[-1].done >= steps[-1].total, steps


@every
def test_progress_changes_nothing(name):
    model = make(name, progress=lambda step: None).fit(samples(name), *target(name))
    found, expected = answers(model, new(name)), answers(fitted(name), new(name))
    for key, value in expected.items():
        assert_array_equal(found[key], value, err_msg=key)


def slow(A, B):
    time.sleep(0.05)
    return rbf_kernel(A, B, gamma=0.2)


def endless(name):
    """A fit that takes seconds, as a function without arguments."""
    if name == "PCA":
        rows = np.random.default_rng(0).normal(size=(20_000, 600))
        return lambda: make(name, n_components=None, svd_solver="full").fit(rows)
    if name == "KernelRepair":
        K = samples(name, LARGE)
        return lambda: make(name, method="nearest").fit(K)
    if name == "AdditiveChi2Sampler":
        rows = abs(np.random.default_rng(0).normal(size=(100, 40_000)))
        return lambda: make(name, sample_steps=3).fit(rows)
    if name in EXPLICIT:
        return lambda: make(name, n_components=1_000_000).fit(LARGE)
    params = {"kernel": kernels.block(slow), "gamma": "scale"}
    params = {key: value for key, value in params.items() if key in make(name).get_params()}
    usual = {"gamma": type(make(name))().get_params().get("gamma"), "cv": 3, "init": "random"}
    params |= {key: value for key, value in usual.items() if key in make(name).get_params()}
    if name in SEARCHES:
        params["gammas"] = None
    y = {"classes": np.digitize(LARGE[:, 0], [-0.4, 0.4]), "values": LARGE[:, 0]}
    aims = () if CASES[name].target is None else (y[CASES[name].target],)
    return lambda: make(name, **params).fit(LARGE, *aims)


@every
def test_ctrl_c_stops_a_fit(name):
    seconds = interrupted(endless(name))
    assert seconds is not None, "the fit ended before it was interrupted"
    # It ends within a second; a busy machine may need longer.
    assert seconds < 20


def interrupted(fit, after=0.1):
    """Seconds that a fit goes on after Ctrl-C; None if it ended before."""
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.perf_counter()
    timer.start()
    try:
        fit()
    except KeyboardInterrupt:
        return time.perf_counter() - began - after
    finally:
        timer.cancel()
        timer.join()
    return None


@every
def test_what_a_listener_raises_ends_the_fit(name):
    class EnoughError(Exception):
        pass

    def listener(step):
        raise EnoughError

    with pytest.raises(EnoughError):
        make(name, progress=listener, **TELLING.get(name, {})).fit(samples(name), *target(name))


@pytest.mark.parametrize("name", KERNELS)
def test_a_budget_that_is_too_small_is_refused_with_bytes(name):
    with pytest.raises(MemoryError, match=r"budget is 1 bytes?|budget is 1 B|1 byte"):
        make(name, memory_budget=1).fit(samples(name), *target(name))
