"""Support vector machines on cells: laws, files, probabilities, refusals."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

import mercer
from mercer import SVC, SVR, NuSVR, OneClassSVM, SVCSearch, SVRSearch

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


def test_cells_choose_for_themselves(tmp_path):
    grid = {"Cs": [1, 10], "gammas": [0.5, 2.0], "cv": 3}
    search = SVCSearch(**grid, cells=200, per_cell=True).fit(X, Y)
    chosen, model = search.cell_params_, search.best_estimator_
    assert set(chosen["gamma"]) <= {0.5, 2.0}
    assert set(chosen["C"]) <= {1.0, 10.0}
    assert len(chosen["kernel"]) == len(chosen["C"]) >= len(X) / 200
    assert "of its own" in model.report_["reason"]
    # The table is that of the same choice for all cells; the score is that of the own ones.
    assert search.cv_results_["mean_test_score"].shape == (4,)
    assert search.best_params_ in search.cv_results_["params"]
    assert search.best_score_ >= search.cv_results_["mean_test_score"].max() - 0.01
    assert search.score(NEW, TRUTH) > 0.96
    model.save(tmp_path / "cells.mercer")
    loaded = mercer.load(tmp_path / "cells.mercer")
    np.testing.assert_array_equal(loaded.decision_function(NEW), model.decision_function(NEW))
    again = SVCSearch(**grid, cells=200, per_cell=True, n_jobs=1).fit(X, Y)
    np.testing.assert_array_equal(again.decision_function(NEW), search.decision_function(NEW))


def test_one_cell_chooses_as_the_search_on_all_rows():
    grid = {"Cs": [1, 10, 100], "gammas": [0.5, 2.0], "cv": 3}
    for y in (Y, THREE):
        plain = SVCSearch(**grid).fit(X, y)
        one = SVCSearch(**grid, cells=len(X), per_cell=True).fit(X, y)
        np.testing.assert_allclose(
            one.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], atol=1e-3
        )
        assert one.best_params_ == plain.best_params_
        assert one.cell_params_["C"].tolist() == [one.best_params_["C"]]


def test_gammas_come_from_the_cells():
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(900, 2)) * np.where(np.arange(900) % 2, 1.0, 50.0)[:, None]
    rows[::2] += 100.0
    y = (np.sin(rows[:, 0] * np.where(np.arange(900) % 2, 12.0, 0.24)) > 0).astype(int)
    search = SVCSearch(cells=250, per_cell=True, cell_overlap=0.0).fit(rows, y)
    gammas = search.cell_params_["gamma"]
    assert gammas.max() > 100 * gammas.min()
    np.testing.assert_array_equal(np.log2(gammas), np.round(np.log2(gammas)))
    assert search.best_score_ > 0.9


def test_regressions_and_their_cells_choose():
    search = SVRSearch(Cs=[1, 10], epsilons=[0.05, 0.2], cv=3, cells=300, per_cell=True)
    search.fit(X, 100 * VALUES)
    assert search.best_score_ > 0.95
    assert search.best_estimator_.epsilon == search.best_params_["epsilon"] * search.y_scale_
    assert search.cv_results_["mean_test_score"].shape == (2 * 2 * 6,)
    assert search.score(X, 100 * VALUES) > 0.95
    assert set(search.cell_params_["C"]) <= {search.y_scale_, 10 * search.y_scale_}


def test_cells_that_cannot_choose_are_refused():
    for wrong in [
        {"per_cell": True},
        {"per_cell": True, "cells": 100, "scoring": "f1"},
        {"per_cell": True, "cells": 100, "strategy": "halving"},
        {"per_cell": True, "cells": 100, "refine": 1},
        {"per_cell": True, "cells": 100, "kernel": ["rbf", "linear"]},
        {"per_cell": True, "cells": 100, "kernel": lambda a, b: a @ b.T},
    ]:
        with pytest.raises(ValueError, match="per_cell"):
            SVCSearch(**wrong, cv=2).fit(X, Y)


def test_a_cell_of_one_class_is_constant_and_told():
    rows = np.vstack([X, X[:, ::-1] + 100.0])
    y = np.concatenate([Y, np.zeros(len(X), dtype=int)])
    model = SVC(**KERNEL, cells=len(X), cell_overlap=0.0).fit(rows, y)
    assert "samples of a single class" in model.report_["reason"]
    far = X[:50, ::-1] + 100.0
    assert not model.predict(far).any()
    assert len(np.unique(model.decision_function(far))) == 1


@pytest.mark.parametrize("mode", [{}, {"landmarks": 40}, {"cells": 200}])
def test_any_number_of_rows_is_predicted_block_by_block(mode, tmp_path):
    rows = np.tile(NEW, (8, 1))
    np.save(tmp_path / "rows.npy", rows)
    for machine, y in MACHINES:
        model = clone(machine).set_params(**mode).fit(X, y)
        for call in ("predict", "decision_function"):
            if hasattr(model, call):
                whole, parts = (
                    getattr(model, call)(rows),
                    getattr(model, call)(mercer.scan(tmp_path / "rows.npy", batch_rows=1024)),
                )
                np.testing.assert_allclose(np.concatenate(list(parts)), whole, rtol=1e-12)
