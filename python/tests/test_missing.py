"""One error names all columns with missing values, whatever holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from mercer import PCA, SVC, KernelRidgeCV, SVRSearch, TableEncoder

ROWS = np.random.default_rng(0).normal(size=(9, 3))
Y = np.arange(9) % 2
SPOILED = ROWS.copy()
SPOILED[[3, 5, 6, 8], 0] = np.nan
SPOILED[7, 2] = np.inf
UNNAMED = r"NaN at row 3, column 0 .*: 0 \(4 rows: 3, 5, 6, …\), 2 \(1 row: 7\)$"
NAMED = r"NaN at row 3, column 'a' .*: 'a' \(4 rows: 3, 5, 6, …\), 'c' \(1 row: 7\)$"


@pytest.mark.parametrize("made", [np.asarray, np.asfortranarray, sparse.csr_array, list])
@pytest.mark.parametrize("model", [SVC(), PCA(2), KernelRidgeCV(), SVC(kernel=lambda a, b: a @ b)])
def test_columns_are_listed_by_their_places(made, model):
    with pytest.raises(ValueError, match=UNNAMED):
        model.fit(made(SPOILED), Y)


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("model", [SVC(), PCA(2), KernelRidgeCV(), SVRSearch()])
def test_columns_are_listed_by_their_names(made, model):
    table = made(dict(zip("abc", SPOILED.T, strict=True)))
    with pytest.raises(ValueError, match=NAMED):
        model.fit(table, Y)


def test_new_samples_too():
    with pytest.raises(ValueError, match=UNNAMED):
        SVC().fit(ROWS, Y).predict(SPOILED)


def test_a_single_value_is_named_alone():
    one = ROWS.copy()
    one[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN at row 2, column 1 \(zero-based\): .* first$"):
        SVC().fit(one, Y)


def test_many_columns_are_cut():
    with pytest.raises(ValueError, match=r"11 \(9 rows: 0, 1, 2, …\), 8 more$"):
        SVC().fit(np.full((9, 20), np.nan), Y)


MIXED = {"a": [1.0, None, 3.0, 4.0], "b": ["x", None, "y", "x"], "t": ["u", "v", None, "w"]}


@pytest.mark.parametrize("made", [dict, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "kernel", ["gower", "columns(a: rbf) + columns(b: overlap) + column(t: spectrum(p=1))"]
)
def test_columns_of_several_kinds(kernel, made):
    listed = r"columns with such values: 'a' \(1 row: 1\), 'b' \(1 row: 1\), 't' \(1 row: 2\)$"
    with pytest.raises(ValueError, match=rf"row 1 of column 'a' is missing.*{listed}"):
        SVC(kernel=kernel).fit(made(MIXED), [0, 1, 0, 1])


def test_columns_that_the_kernel_does_not_read_may_be_missing():
    SVC(kernel="columns(a: rbf)").fit({"a": [1.0, 2.0], "b": [None, None]}, [0, 1])


@pytest.mark.parametrize(
    "model", [TableEncoder(), SVC(kernel="gower"), SVC(kernel="columns(a: rbf)")]
)
def test_two_columns_of_one_name_are_refused(model):
    table = pd.DataFrame([[1.0, 2.0, "u"], [3.0, 4.0, "v"]], columns=["a", "a", "b"])
    with pytest.raises(ValueError, match="2 columns with the name 'a'"):
        model.fit(table, [0, 1])
