"""Inputs that new users try, and the messages they get."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from kinds import ESTIMATORS, made, target_of
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import PCA, SVC, KernelPCA, KernelRidge, KernelRidgeClassifier, NuSVC, SVCSearch

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
CLASSES = np.arange(40) % 2
CLASSIFIERS = [SVC(), NuSVC(), KernelRidgeClassifier()]
classifiers = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
every = pytest.mark.parametrize("name", ESTIMATORS)

DAYS = np.array(["2020-01-01", "2021-06-30"], dtype="M8[D]")
LABELS = [
    DAYS[CLASSES],
    DAYS.astype("M8[ns]")[CLASSES],
    (DAYS - DAYS[0])[CLASSES],
    np.array([1, 2], dtype=np.float32)[CLASSES],
    np.array([200, 7], dtype=np.uint8)[CLASSES],
    CLASSES.astype(bool),
    np.array(["no", "yes"])[CLASSES],
    np.array(["no", "yes"], dtype=object)[CLASSES],
]


@classifiers
@pytest.mark.parametrize("y", LABELS, ids=lambda y: str(y.dtype))
def test_classes_keep_their_type(model, y, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = type(model)().fit(X, y)
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    for one in (model, again):
        assert one.classes_.dtype == one.predict(X).dtype == y.dtype
        assert_array_equal(one.classes_, np.unique(y))
    assert_array_equal(again.predict(X), model.predict(X))


@classifiers
def test_bytes_are_no_labels(model):
    for y in (np.array([b"no", b"yes"])[CLASSES], [b"no", b"yes"] * 20):
        with pytest.raises(TypeError, match="bytes"):
            model.fit(X, y)


@classifiers
@pytest.mark.parametrize(
    "y",
    [
        np.where(np.arange(40) == 7, np.nan, CLASSES),
        np.where(np.arange(40) == 7, np.datetime64("NaT"), DAYS[CLASSES]),
        [None if row == 7 else "ab"[row % 2] for row in range(40)],
        np.array([None if row == 7 else "ab"[row % 2] for row in range(40)], dtype=object),
    ],
    ids=["NaN", "NaT", "list", "objects"],
)
def test_missing_labels_are_named_and_nothing_leaks(model, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="Input y contains NaN at row 7"):
            model.fit(X, y)


@every
def test_weights_that_are_no_numbers(name):
    weights = np.where(np.arange(40) == 7, np.nan, 1.0)
    model = made(name)
    if name in ("KernelPCA", "KernelPCADetector"):
        return
    with pytest.raises(ValueError, match=r"must be finite, ... that of row 7 is NaN"):
        model.fit(X, target_of(name, CLASSES), sample_weight=weights)


@every
def test_a_dictionary_of_numbers_is_no_texts(name):
    columns = {"age": X[:, 0], "income": X[:, 1]}
    with pytest.raises(ValueError, match=r"X is a dictionary: .* \"columns\('age', 'income': rbf"):
        made(name, kernel="rbf").fit(columns, target_of(name, CLASSES))
    made(name, kernel="columns(age, income: rbf)").fit(columns, target_of(name, CLASSES))
    with pytest.raises(ValueError, match="X contains strings"):
        made(name, kernel="rbf").fit(["a", "b"] * 20, target_of(name, CLASSES))


@pytest.mark.parametrize("text", ["rbf(", "rbf(gamma=1", "rbf(gamma=1,", "2*(rbf + linear"])
def test_an_open_parenthesis_is_named(text):
    with pytest.raises(ValueError, match=r"expected '\)' for the '\(' at character"):
        SVC(kernel=text).fit(X, CLASSES)


FRAMES = [
    pd.DataFrame({"age": X[:, 0], "town": ["Ulm", "Bern"] * 20, "income": X[:, 1]}),
    pd.DataFrame({"age": X[:, 0], "town": pd.to_datetime(["2020-01-01"] * 40)}),
    pl.DataFrame({"age": X[:, 0], "town": ["Ulm", "Bern"] * 20}),
    pd.DataFrame({"age": X[:, 0], "town": pd.Categorical(["Ulm", "Bern"] * 20)}),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["texts", "dates", "polars", "categories"])
@pytest.mark.parametrize("name", [*ESTIMATORS, "PCA"])
def test_columns_that_hold_no_numbers_are_named(frame, name):
    model = PCA(1) if name == "PCA" else made(name)
    with pytest.raises(ValueError, match=r"column 'town' of X contains (dates|values that)"):
        model.fit(frame, target_of(name, CLASSES))


@pytest.mark.parametrize("budget", [2**70, 1e30, "99999999999TiB", 2**63])
def test_budgets_beyond_all_memory(budget):
    with pytest.raises(
        ValueError, match=r"memory_budget=.* exceeds the maximum of 2\*\*63 - 1 bytes"
    ):
        KernelPCA(memory_budget=budget).fit(X)
    KernelPCA(memory_budget=2**63 - 1).fit(X)
    for wrong in (0, -5, 0.5, "", "much", np.nan, True):
        with pytest.raises(ValueError, match="memory_budget must be"):
            KernelPCA(memory_budget=wrong).fit(X)


@pytest.mark.parametrize("value", [0.1, 7.3, -1e9, 1e-12])
def test_a_constant_column_has_no_spread(value):
    rows = np.column_stack([X, np.full(len(X), value)])
    with pytest.warns(ConvergenceWarning) as seen:
        SVC(kernel="linear", C=1e3, max_iter=3).fit(rows, CLASSES)
    assert not any("spreads" in str(warning.message) for warning in seen)
    uneven = np.column_stack([X, 1e6 * X[:, 0]])
    with pytest.warns(UserWarning, match="very different standard deviations"):
        SVC(kernel="rbf", C=1e3, max_iter=3).fit(uneven, CLASSES)


def test_a_search_hears_the_same():
    with pytest.raises(TypeError, match="bytes"):
        SVCSearch().fit(X, np.array([b"no", b"yes"])[CLASSES])
    model = SVCSearch([1.0], [0.1], cv=2).fit(X, DAYS[CLASSES])
    assert model.predict(X).dtype == DAYS.dtype


def test_nan_targets_of_regressions():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="row 3"):
            KernelRidge().fit(X, np.where(np.arange(40) == 3, np.nan, X[:, 0]))
