"""The best model for a table: nested folds, baselines, time, interruption, and an honest report."""

import os
import pickle
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris, make_circles
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

import mercer
from mercer import AutoKernel, TableEncoder, _auto_setup
from mercer._auto_candidates import TunedKernel
from mercer._auto_compare import Comparison

RNG = np.random.default_rng(0)
FAST = {"time_budget": 200, "cv": 3}


@pytest.fixture(scope="module")
def circles():
    X, y = make_circles(120, noise=0.1, factor=0.4, random_state=0)
    names = np.where(y == 1, "inner", "outer")
    return X, names, AutoKernel(**FAST).fit(X, names)


@pytest.fixture(scope="module")
def waves():
    n = 90
    table = pd.DataFrame({"t": RNG.uniform(0, 6, n), "town": RNG.choice(["Ulm", "Bern"], n)})
    y = np.sin(2 * table["t"].to_numpy()) + (table["town"] == "Ulm") + 0.05 * RNG.normal(size=n)
    table.loc[5, "t"] = np.nan
    return table, y.to_numpy(), AutoKernel(**FAST).fit(table, y)


def test_kernels_win_where_lines_cannot(circles):
    X, y, auto = circles
    scores = {row["model"]: row["score"] for row in auto.leaderboard_}
    assert auto.best_score_ == max(scores.values()) > 0.95
    assert scores["logistic regression"] < 0.7
    assert scores["majority class"] == pytest.approx(0.5, abs=0.05)
    assert len(auto.leaderboard_) == 13
    assert sum(row["baseline"] for row in auto.leaderboard_) == 3
    assert auto.task_ == "classification"
    assert auto.classes_.tolist() == ["inner", "outer"]
    assert is_classifier(auto)
    assert auto.score(X, y) > 0.95
    assert isinstance(auto.best_estimator_, Pipeline)


def test_tables_of_several_types(waves):
    table, y, auto = waves
    assert auto.task_ == "regression"
    assert is_regressor(auto)
    assert auto.best_score_ > 0.8
    assert list(auto.feature_names_in_) == ["t", "town"]
    whole = table.fillna({"t": 1.0})
    polars = pl.DataFrame({name: whole[name].to_list() for name in whole})
    assert_allclose(auto.predict(polars), auto.predict(whole))
    assert auto.score(table, y) > 0.9


def test_the_code_of_the_report_makes_the_same_model(circles, waves):
    for X, y, auto in (circles, waves):
        made = {"X": X, "y": y}
        exec(auto.code(), made)
        again = made["model"].predict(X)
        if auto.task_ == "classification":
            assert_array_equal(again, auto.predict(X))
        else:
            assert_allclose(again, auto.predict(X), rtol=1e-6)
        assert auto.code() in auto.report()


def test_scores_are_those_of_nested_folds():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:90], y[:90]
    auto = AutoKernel(**FAST).fit(X, y)
    rng = np.random.RandomState(0)
    folds = KFold(3, shuffle=True, random_state=rng.randint(2**31 - 1))
    steps = make_pipeline(
        TableEncoder(), StandardScaler(), TunedKernel("ridge", "laplacian", "regression")
    )
    expected = cross_val_score(steps, X, y, cv=folds, scoring="r2")
    (row,) = [r for r in auto.leaderboard_ if r["model"] == "kernel ridge (Laplacian)"]
    assert row["score"] == pytest.approx(expected.mean())
    assert row["std_error"] == pytest.approx(expected.std(ddof=1) / np.sqrt(3))


def test_the_report_says_how_sure_it_is(circles, waves):
    for _, _, auto in (circles, waves):
        text = auto.report()
        assert auto.best_name_ in text.splitlines()[0]
        assert f"{auto.best_score_:.4f} ± {auto.best_score_std_error_:.4f}" in text
        assert "Not decided" in text or "The lead over the second" in text
        rival = "best kernel method" if auto.best_name_ == "nearest neighbours" else "best baseline"
        assert rival in text
        assert "of a budget of 200 s" in text
        assert all(row["model"] in text for row in auto.leaderboard_)
    noise = RNG.normal(size=(60, 3))
    auto = AutoKernel(**FAST).fit(noise, RNG.normal(size=60))
    assert "Not decided" in auto.report() or "No kernel method is better" in auto.report()


@pytest.mark.filterwarnings("error::UserWarning")
def test_ends_of_grids_are_notes_of_the_report(monkeypatch):
    search = TunedKernel.fit

    def warned(self, X, y):
        warnings.warn("the best C is the largest of those compared, 8; set Cs", stacklevel=1)
        warnings.warn("this will go", FutureWarning, stacklevel=1)
        return search(self, X, y)

    monkeypatch.setattr(TunedKernel, "fit", warned)
    X = np.linspace(0, 6, 60)[:, None]
    with pytest.warns(FutureWarning, match="this will go"):
        auto = AutoKernel(**FAST).fit(X, np.sin(2 * X[:, 0]))
    assert "(" in auto.best_name_, "a kernel method is the best"
    note = "the best C is the largest of those compared, 8"
    assert note in auto.notes_
    assert f"Note on the parameters of {auto.best_name_}: {note}." in auto.report()
    assert "set Cs" not in auto.report()


def test_the_time_is_kept():
    X, y = load_diabetes(return_X_y=True)
    auto = AutoKernel(time_budget=0.5).fit(X, y)
    states = {row["status"] for row in auto.leaderboard_}
    assert "out of time" in states
    baselines = [row for row in auto.leaderboard_ if row["baseline"]]
    assert all(row["status"] == "done" for row in baselines)
    assert "Not compared to the end" in auto.report()


def test_ctrl_c_keeps_what_is_done():
    X, y = load_diabetes(return_X_y=True)
    auto, seen = AutoKernel(time_budget=600), []

    def listen(step):
        seen.append(step)
        if len(seen) == 4:
            threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        auto.set_params(progress=listen).fit(X, y)
    assert auto.interrupted_
    done = [row for row in auto.leaderboard_ if row["status"] == "done"]
    assert 4 <= len(done) < 13
    assert auto.best_score_ == max(row["score"] for row in done)
    assert np.isfinite(auto.predict(X[:3])).all()
    assert {"interrupted", "not started"} & {row["status"] for row in auto.leaderboard_}


class Clock:
    """A clock that only slow models advance."""

    now = 0.0

    def __call__(self):
        return self.now


class Slow(DummyRegressor):
    """A regressor that takes a tenth of a second of the clock."""

    def __init__(self, clock=None):
        super().__init__()
        self.clock = clock

    def __sklearn_clone__(self):
        return Slow(self.clock)

    def fit(self, X, y):
        self.clock.now += 0.1
        return super().fit(X, y)


def test_slow_models_are_postponed_and_finished_if_there_is_time(monkeypatch):
    X, y = np.zeros((40, 1)), np.arange(40.0)
    splits = list(KFold(5).split(X))

    def compared(budget):
        clock = Clock()
        monkeypatch.setattr("mercer._auto_compare.time.perf_counter", clock)
        candidates = {
            "slow": (make_pipeline(Slow(clock)), False),
            "fast": (make_pipeline(DummyRegressor()), False),
            "slow baseline": (make_pipeline(Slow(clock)), True),
        }
        found = Comparison(X, y, splits, get_scorer("r2"), budget, began=0.0)
        found.run(candidates, False)
        monkeypatch.undo()
        return {one.name: (one.status, len(one.scores)) for one in found.results}

    assert compared(60.0) == dict.fromkeys(("slow", "fast", "slow baseline"), ("done", 5))
    # 0.5 s are more than a third of the time, but there is enough of it in the end.
    assert compared(1.4)["slow"] == ("done", 5)
    few = compared(0.3)
    assert few["slow"][0] == "out of time"
    assert few["slow baseline"] == ("done", 5)


def test_progress_is_told_to_its_end():
    steps = []
    X, y = load_iris(return_X_y=True)
    AutoKernel(time_budget=2, cv=2, progress=steps.append).fit(X, y)
    assert all(isinstance(step, mercer.Step) for step in steps)
    assert steps[-1].done == steps[-1].total == 13


def test_many_samples_are_compared_on_some(circles):
    X, y, _ = circles
    auto = AutoKernel(time_budget=4, cv=2, max_samples=50).fit(X, y)
    assert auto.n_compared_ == 50
    assert auto.n_samples_ == 120
    assert "Compared on 50 of 120 samples" in auto.report()


def test_other_scores(circles):
    X, y, _ = circles
    auto = AutoKernel(time_budget=4, cv=2, scoring="roc_auc").fit(X, y)
    assert auto.scoring_ == "roc_auc"
    assert auto.score(X, y) > 0.95
    with pytest.raises(ValueError, match="needs probabilities"):
        AutoKernel(time_budget=4, scoring="neg_log_loss").fit(X, y)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (np.arange(60) % 3, "classification"),
        (np.array(["a", "b"])[np.arange(60) % 2], "classification"),
        (np.arange(60) % 2 == 0, "classification"),
        (np.arange(60), "regression"),
        (np.arange(60) / 7, "regression"),
    ],
)
def test_the_task_depends_on_the_target(y, expected):
    auto = AutoKernel(time_budget=0.01, cv=2).fit(RNG.normal(size=(60, 2)), y)
    assert auto.task_ == expected
    assert auto.best_name_ in ("majority class", "mean", "logistic regression",
                               "ridge regression", "nearest neighbours")  # fmt: skip


def test_a_task_that_is_asked_for():
    X = RNG.normal(size=(60, 2))
    auto = AutoKernel(time_budget=0.01, cv=2, task="regression").fit(X, np.arange(60) % 3)
    assert auto.task_ == "regression"


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"time_budget": 0}, "time_budget"),
        ({"task": "clustering"}, "task"),
        ({"cv": 1}, "cv"),
        ({"max_samples": 3}, "max_samples"),
        ({"scoring": 5}, "scoring"),
        ({"dates": "drop"}, "dates"),
    ],
)
def test_refusals_leave_it_as_it_was(params, word):
    X, y = load_iris(return_X_y=True)
    auto = AutoKernel(time_budget=0.01, cv=2).fit(X, y)
    before = auto.predict(X)
    with pytest.raises(ValueError, match=word):
        auto.set_params(**params).fit(X[:, :2], y)
    assert_array_equal(auto.predict(X), before)


def test_dates_and_targets_that_are_refused():
    days = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=40)})
    with pytest.raises(ValueError, match="'day' contains dates"):
        AutoKernel(time_budget=1).fit(days, np.arange(40) % 2)
    AutoKernel(time_budget=0.01, cv=2, dates="expand").fit(days, np.arange(40) % 2)
    with pytest.raises(ValueError, match="inconsistent"):
        AutoKernel().fit(days, np.arange(39) / 3)
    with pytest.raises(ValueError, match="requires y"):
        AutoKernel().fit(days, None)


def test_copies(circles):
    X, _, auto = circles
    assert_array_equal(pickle.loads(pickle.dumps(auto)).predict(X), auto.predict(X))
    with pytest.raises(NotFittedError):
        clone(auto).predict(X)


def texts(n=60):
    """Strings of letters, and whether they contain a pair of them."""
    rng = np.random.default_rng(3)
    found = ["".join(row) for row in rng.choice(list("abcdef"), size=(n, 12))]
    return found, np.array(["yes" if "ab" in text or "fe" in text else "no" for text in found])


@pytest.mark.parametrize(
    "made",
    [list, np.array, pd.Series, lambda words: pd.DataFrame({"word": words}), lambda w: {"word": w}],
)
def test_texts_have_kernels_on_strings(made):
    words, y = texts()
    auto = AutoKernel(4, cv=2).fit(made(words), y)
    names = {row["model"] for row in auto.leaderboard_}
    assert {"SVM (spectrum)", "kernel ridge (words)", "SVM (characters)"} <= names
    assert [row["model"] for row in auto.leaderboard_ if row["baseline"]]
    assert auto.best_score_ > np.mean(y == "no")
    assert auto.n_features_in_ == 1
    assert auto.predict(made(words)).tolist() == auto.best_estimator_.predict(words).tolist()
    assert auto.score(made(words), y) == np.mean(auto.predict(words) == y)


def test_the_code_for_texts_makes_the_same_model():
    words, y = texts()
    lengths = np.array([word.count("a") for word in words], dtype=float)
    for target in (y, lengths):
        auto = AutoKernel(4, cv=2).fit(words, target)
        names = {"X": words, "y": target}
        exec(auto.code(), names)
        assert_array_equal(names["model"].predict(words), auto.predict(words))


def test_texts_that_are_refused_and_strings_that_are_categories():
    words, y = texts()
    with pytest.raises(ValueError, match="row 1 of X is missing"):
        AutoKernel(2).fit([words[0], None, *words[2:]], y)
    few = pd.DataFrame({"town": ["Ulm", "Bern", "Graz"] * 20})
    auto = AutoKernel(2, cv=2).fit(few, few["town"] == "Ulm")
    assert "SVM (RBF)" in {row["model"] for row in auto.leaderboard_}
    fitted = AutoKernel(2, cv=2).fit(words, y)
    with pytest.raises(ValueError, match="takes strings"):
        fitted.predict(np.ones((3, 2)))


def test_baselines_do_not_wait_for_each_others_threads(circles, monkeypatch):
    counts = []

    class Watched(DummyClassifier):
        def fit(self, X, y):
            pools = [one["num_threads"] for one in threadpool_info()]
            counts.append(max(pools, default=1))
            return super().fit(X, y)

    monkeypatch.setattr(_auto_setup, "baselines", lambda task: {"watched": Watched()})
    AutoKernel(1, cv=2).fit(*circles[:2])
    assert counts[:2] == [1, 1]
