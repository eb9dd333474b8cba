"""Tables with gaps and columns of any type as numbers."""

import pickle
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline

from mercer import KernelRidge, TableEncoder

TOWNS = ["Ulm", "Bern", None, "Ulm"]
SIZES = ["S", "L", "M", None]
AGES = [31.0, np.nan, 45.0, 20.0]
MEMBER = [True, False, True, True]


def pandas_table():
    return pd.DataFrame(
        {
            "age": AGES,
            "town": TOWNS,
            "size": pd.Categorical(SIZES, ["S", "M", "L"], ordered=True),
            "member": MEMBER,
        }
    )


def polars_table():
    return pl.DataFrame(
        {
            "age": [None if value != value else value for value in AGES],
            "town": TOWNS,
            "size": pl.Series(SIZES, dtype=pl.Enum(["S", "M", "L"])),
            "member": MEMBER,
        }
    )


NAMES = ["age", "town=Bern", "town=Ulm", "size", "member"]
EXPECTED = [
    [31.0, 0.0, 1.0, 0.0, 1.0],
    [31.0, 1.0, 0.0, 2.0, 0.0],
    [45.0, 0.0, 1.0, 1.0, 1.0],
    # Of equally frequent sizes the first in the order of their names.
    [20.0, 0.0, 1.0, 2.0, 1.0],
]


@pytest.mark.parametrize("table", [pandas_table(), polars_table()], ids=["pandas", "polars"])
def test_kinds_of_columns(table):
    encoder = TableEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == NAMES
    assert_array_equal(encoder.transform(table), EXPECTED)
    assert list(encoder.feature_names_in_) == ["age", "town", "size", "member"]
    again = pickle.loads(pickle.dumps(encoder))
    assert_array_equal(again.transform(table), EXPECTED)


def test_columns_in_another_order_and_of_another_library():
    encoder = TableEncoder().fit(pandas_table())
    assert_array_equal(encoder.transform(pandas_table().iloc[:, ::-1]), EXPECTED)
    assert_array_equal(encoder.transform(polars_table()), EXPECTED)


def test_arrays_and_lists():
    numbers = np.array([[1.0, np.nan], [3.0, 5.0], [5.0, 7.0]])
    assert_array_equal(TableEncoder().fit_transform(numbers), [[1, 6], [3, 5], [5, 7]])
    assert_array_equal(TableEncoder().fit_transform(numbers.tolist()), [[1, 6], [3, 5], [5, 7]])
    mixed = np.array([[1, "a"], [2, "b"], [None, "a"]], dtype=object)
    encoder = TableEncoder().fit(mixed)
    assert encoder.get_feature_names_out().tolist() == ["x0", "x1=a", "x1=b"]
    assert_array_equal(encoder.transform(mixed), [[1, 1, 0], [2, 0, 1], [1.5, 1, 0]])
    nullable = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")})
    assert_array_equal(TableEncoder().fit_transform(nullable), [[1], [2], [3]])


def test_unknown_and_rare_categories_are_rows_of_zeros():
    encoder = TableEncoder(max_categories=2).fit({"town": ["a"] * 3 + ["b"] * 2 + ["c"]})
    assert encoder.get_feature_names_out().tolist() == ["town=a", "town=b"]
    assert_array_equal(encoder.transform({"town": ["c", "z", "b"]}), [[0, 0], [0, 0], [0, 1]])


def test_unknown_categories_are_reported():
    encoder = TableEncoder().fit({"town": ["a", "b", "b"]})
    with pytest.warns(UserWarning, match=r"column 'town': 2 rows have a category .*first 'z'"):
        found = encoder.transform({"town": ["z", None, "y"]})
    assert_array_equal(found, [[0, 0], [0, 1], [0, 0]])


@pytest.mark.parametrize(
    "days",
    [
        pd.to_datetime(["1970-01-02 06:00", "2024-03-01 00:30"]),
        pl.Series([datetime(1970, 1, 2, 6), datetime(2024, 3, 1, 0, 30)]),
        np.array(["1970-01-02T06:00", "2024-03-01T00:30"], dtype="M8[s]"),
    ],
    ids=["pandas", "polars", "numpy"],
)
def test_dates_are_refused_or_expanded(days):
    with pytest.raises(ValueError, match=r"column 'day' contains dates: pass dates='expand'"):
        TableEncoder().fit({"day": days})
    encoder = TableEncoder(dates="expand").fit({"day": days})
    assert encoder.get_feature_names_out().tolist() == [
        "day: days",
        "day: month",
        "day: weekday",
        "day: hour",
    ]
    found = encoder.transform({"day": days})
    assert_allclose(found[0], [1.25, 1, 4, 6])
    assert_allclose(found[1, 1:], [3, 4, 0.5])
    plain = TableEncoder(dates="expand").fit_transform({"day": [date(1970, 1, 11), None]})
    assert_array_equal(plain, [[10, 1, 6, 0]] * 2)


def test_what_is_refused():
    with pytest.raises(ValueError, match="'x' mixes strings and other values"):
        TableEncoder().fit({"x": ["a", 1.0]})
    with pytest.raises(ValueError, match="'x' contains values of type dict"):
        TableEncoder().fit({"x": [{}, {}]})
    with pytest.raises(ValueError, match="'x' contains infinity at row 1"):
        TableEncoder().fit({"x": np.array([1.0, np.inf])})
    encoder = TableEncoder().fit(pandas_table())
    with pytest.raises(ValueError, match="missing: town, size, member"):
        encoder.transform({"age": [1.0]})
    with pytest.raises(ValueError, match="'age' is of kind category, but was of kind number"):
        encoder.transform(pandas_table().assign(age="old"))
    other = pandas_table().assign(size=["S", "XXL", "M", "L"])
    with pytest.raises(ValueError, match="'XXL', which is not one of its ordered categories"):
        encoder.transform(other)
    for params in ({"dates": "drop"}, {"max_categories": 0}):
        with pytest.raises(ValueError, match=next(iter(params))):
            TableEncoder(**params).fit(pandas_table())
    with pytest.raises(ValueError, match="X has 1 features, but TableEncoder is expecting 2"):
        TableEncoder().fit(np.ones((3, 2))).transform(np.ones((3, 1)))


def test_columns_without_any_value():
    table = {"a": [None, None], "b": [1.0, 2.0]}
    assert_array_equal(TableEncoder().fit_transform(table), [[0, 1], [0, 2]])
    encoder = TableEncoder().fit({"a": ["x", "y"], "b": [1.0, 2.0]})
    assert_array_equal(encoder.transform(table), [[1, 0, 1], [1, 0, 2]])
    with_gap = encoder.transform({"a": ["y"], "b": [None]})
    assert_array_equal(with_gap, [[0, 1, 1.5]])


def test_in_a_pipeline():
    table, y = pandas_table(), np.arange(4.0)
    model = make_pipeline(TableEncoder(), KernelRidge(0.1)).fit(table, y)
    direct = KernelRidge(0.1).fit(np.array(EXPECTED), y)
    assert_allclose(model.predict(table), direct.predict(np.array(EXPECTED)))
