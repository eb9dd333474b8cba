"""Support vector machines on cells: laws, files, probabilities, refusals."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

import mercer
from mercer import SVC, SVR, NuSVR, OneClassSVM, SVCSearch

X, Y = make_moons(1200, noise=0.15, random_state=0)
THREE = np.where(X[:, 0] > 1.0, 2, Y)
VALUES = np.sin(2 * X[:, 0]) + X[:, 1]
NEW, TRUTH = make_moons(400, noise=0.15, random_state=1)
KERNEL = {"kernel": "rbf", "gamma": 2.0}
MACHINES = [
    (SVC(**KERNEL), Y),
    (SVC(**KERNEL), THREE),
    (SVR(**KERNEL), VALUES),
    (NuSVR(nu=0.3, **KERNEL), VALUES),
    (OneClassSVM(nu=0.1, **KERNEL), None),
]
IDS = ["SVC", "three classes", "SVR", "NuSVR", "OneClassSVM"]


def decided(machine, rows):
    return getattr(machine, "decision_function", machine.predict)(rows)


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
def test_one_cell_is_the_exact_machine(machine, y):
    exact = clone(machine).fit(X, y)
    one = clone(machine).set_params(cells=len(X)).fit(X, y)
    np.testing.assert_array_equal(decided(one, NEW), decided(exact, NEW))
    np.testing.assert_array_equal(one.support_, exact.support_)
    np.testing.assert_array_equal(one.dual_coef_, exact.dual_coef_)


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
def test_threads_files_and_pickles_change_no_bit(machine, y, tmp_path):
    one = clone(machine).set_params(cells=200, n_jobs=1).fit(X, y)
    two = clone(machine).set_params(cells=200, n_jobs=2).fit(X, y)
    want = decided(one, NEW)
    np.testing.assert_array_equal(decided(two, NEW), want)
    one.save(tmp_path / "machine.mercer")
    loaded = mercer.load(tmp_path / "machine.mercer")
    np.testing.assert_array_equal(decided(loaded, NEW), want)
    assert (loaded.cells, loaded.cell_overlap) == (200, 0.25)
    np.testing.assert_array_equal(decided(pickle.loads(pickle.dumps(one)), NEW), want)
    # A row alone is decided as among others.
    np.testing.assert_allclose(decided(one, NEW[:1]), want[:1], rtol=1e-12)


def test_cells_are_nearly_as_accurate_and_say_what_they_are():
    exact, cells = SVC(**KERNEL).fit(X, Y), SVC(**KERNEL, cells=150).fit(X, Y)
    assert cells.score(NEW, TRUTH) > exact.score(NEW, TRUTH) - 0.015
    assert cells.report_["storage"] == "cells"
    assert cells.report_["converged"]
    assert cells.n_support_.sum() == len(cells.support_)
    with pytest.raises(AttributeError, match="rows support_"):
        cells.support_vectors_  # noqa: B018
    regression = SVR(**KERNEL, C=10, cells=150).fit(X, VALUES)
    assert regression.score(X, VALUES) > 0.98


def test_texts_probabilities_and_searches():
    words = ["".join("ab"[int(bit)] for bit in f"{i:09b}") for i in range(400)]
    classes = ["aab" in word for word in words]
    assert SVC(kernel="spectrum", cells=100).fit(words, classes).score(words, classes) > 0.9
    model = SVC(**KERNEL, cells=150).fit(X[:800], Y[:800])
    model.calibrate(X[800:], Y[800:], cv="prefit")
    shares = model.predict_proba(NEW)
    assert np.mean(shares.argmax(axis=1) == TRUTH) > 0.95
    search = SVCSearch([1, 10], [0.5, 2.0], cv=3, cells=150).fit(X, Y)
    assert search.best_score_ > 0.97
    assert search.best_estimator_.report_["storage"] == "cells"


def test_equal_rows_stay_together():
    rows, y = np.repeat(X[:30], 40, axis=0), np.repeat(Y[:30], 40)
    assert SVC(**KERNEL, C=10, cells=20).fit(rows, y).score(rows, y) > 0.95


def test_refusals_say_what_to_do():
    for wrong in [
        {"cells": 3},
        {"cells": 50, "landmarks": 10},
        {"cells": 50, "warm_start": True},
        {"cells": 50, "cell_overlap": -1},
    ]:
        with pytest.raises(ValueError, match="cell"):
            SVC(**wrong).fit(X, Y)
    with pytest.raises(ValueError, match="precomputed"):
        SVC(cells=50, kernel="precomputed").fit(X @ X.T, Y)
    model = SVC(cells=50).fit(X, Y)
    with pytest.raises(ValueError, match="cells"):
        model.to_libsvm("unused.model")
    with pytest.raises(ValueError, match="not fitted on"):
        model.calibrate(X, Y)
