"""Kernels on columns of several kinds."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from kinds import ESTIMATORS, made, output_of, target_of
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import SVC, KernelPCA, KernelRidge, KernelRidgeCV, pairwise_kernels
from mercer.kernels import RBF, Linear, Spectrum, columns, pair

rng = np.random.default_rng(4)
AGE, INCOME = rng.uniform(20, 70, size=12), rng.normal(30_000, 5_000, size=12)
TITLE = ["clerk", "chief clerk", "baker", "master baker"] * 3
FRAME = pd.DataFrame({"age": AGE, "income": INCOME, "title": TITLE})
CLASSES = np.arange(12) % 2
KERNEL = "columns(age, income: rbf(gamma=0.001)) * column(title: normalize(spectrum(p=3)))"
EXPECTED = pairwise_kernels(
    np.column_stack([AGE, INCOME]), kernel="rbf", gamma=0.001
) * pairwise_kernels(TITLE, kernel="normalize(spectrum(p=3))")
every = pytest.mark.parametrize("name", list(ESTIMATORS))


def tables():
    yield FRAME
    yield FRAME[["title", "age", "income"]]
    yield FRAME.assign(more=0)
    yield pl.DataFrame({"age": AGE, "income": INCOME, "title": TITLE})
    yield {"age": AGE.tolist(), "income": INCOME, "title": TITLE}
    yield {"age": pl.Series(AGE), "income": pd.Series(INCOME), "title": np.array(TITLE)}


def test_tables():
    for table in tables():
        assert_allclose(pairwise_kernels(table, kernel=KERNEL), EXPECTED, rtol=1e-12)
    made_of = columns(["age", "income"], RBF(gamma=0.001))
    made_of = made_of * columns("title", Spectrum(3).normalize())
    assert_array_equal(made_of(FRAME), pairwise_kernels(FRAME, kernel=KERNEL))
    assert columns("title", "spectrum(p=3)") == columns(["title"], Spectrum(3))
    numbered = np.column_stack([AGE, INCOME, TITLE]).astype(object)
    numbered[:, :2] = np.column_stack([AGE, INCOME])
    counted = KERNEL.replace("age", "0").replace("income", "1").replace("title", "2")
    assert_allclose(pairwise_kernels(numbered, kernel=counted), EXPECTED, rtol=1e-12)
    assert_allclose(
        pairwise_kernels(numbered[:, :2].astype(float), kernel="columns(1: linear)"),
        np.outer(INCOME, INCOME),
    )


@every
def test_every_estimator(name, tmp_path):
    model = made(name, kernel=KERNEL).fit(FRAME, target_of(name, CLASSES))
    found = output_of(model, FRAME[3:7])
    assert np.isfinite(found).all()
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["age", "income", "title"]
    assert_array_equal(output_of(model, FRAME[3:7][["title", "income", "age"]]), found)
    assert_array_equal(output_of(pickle.loads(pickle.dumps(model)), FRAME[3:7]), found)
    if hasattr(model, "save"):
        model.save(tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        assert_array_equal(output_of(again, FRAME[3:7]), found)


def test_values_that_are_wrong():
    fit = KernelPCA(2, kernel=KERNEL).fit
    with pytest.raises(ValueError, match=r"no column 'income'.*; it has age, title"):
        fit(FRAME.drop(columns="income"))
    with pytest.raises(TypeError, match="row 1 of column 'age' is 'old' of type str"):
        fit(FRAME.assign(age=[33, "old", *AGE[2:]]))
    with pytest.raises(ValueError, match="row 2 of column 'income' is missing"):
        fit(FRAME.assign(income=[1.0, 2.0, np.nan, *INCOME[3:]]))
    with pytest.raises(ValueError, match="row 2 of column 'age' is missing"):
        fit(FRAME.assign(age=[1, 2, None, *AGE[3:]]).astype({"age": object}))
    with pytest.raises(ValueError, match="row 0 of column 'title' is missing"):
        fit(FRAME.assign(title=[None, *TITLE[1:]]))
    with pytest.raises(TypeError, match="row 4 of column 'title' is 17"):
        fit(FRAME.assign(title=[*TITLE[:4], 17, *TITLE[5:]]))
    with pytest.raises(ValueError, match="different lengths: age: 12, income: 12, title: 11"):
        fit({"age": AGE, "income": INCOME, "title": TITLE[1:]})
    with pytest.raises(TypeError, match="a kernel on strings takes one column"):
        KernelPCA(kernel="columns(title, name: spectrum(p=3))").fit(FRAME)
    with pytest.raises(TypeError, match="pass a data frame"):
        fit(TITLE)
    model = fit(FRAME)
    with pytest.raises(ValueError, match="no column 'title'"):
        model.transform(FRAME.drop(columns="title"))
    with pytest.raises(TypeError, match="row 0 of column 'age' is 'x'"):
        model.transform({"age": ["x"], "income": [1.0], "title": ["clerk"]})


def test_functions_on_columns():
    def same(a, b):
        return float(a == b)

    k = columns("title", pair(same)) + columns(["age", "income"], 1e-9 * Linear())
    assert SVC(kernel=k).fit(FRAME, CLASSES).kernel_ == str(k)
    expected = (np.array(TITLE)[:, None] == np.array(TITLE)) + 1e-9 * (
        np.outer(AGE, AGE) + np.outer(INCOME, INCOME)
    )
    assert_allclose(k(FRAME), expected)


def test_files_of_wider_tables(tmp_path):
    wide = FRAME.assign(more=0.0)
    model = KernelRidge(kernel=KERNEL + " + column(age: linear)").fit(wide, AGE)
    assert model.n_features_in_ == 4
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert_array_equal(again.predict(FRAME), model.predict(wide))


def same_title(a, b):
    return float(a == b)


def test_functions_on_columns_are_pickled():
    k = columns("title", pair(same_title)) + columns("age", RBF(gamma=0.01))
    for model in (SVC(kernel=k).fit(FRAME, CLASSES), KernelRidge(kernel=k).fit(FRAME, AGE)):
        again = pickle.loads(pickle.dumps(model))
        assert_array_equal(again.predict(FRAME), model.predict(FRAME))


def test_widths_of_columns_are_found():
    model = KernelRidgeCV(kernel="column(age: rbf(gamma=scale)) + column(title: spectrum(p=2))")
    model.fit(FRAME, AGE)
    assert f"{1 / AGE.var():.4}"[:5] in model.kernel_
    single = FRAME.astype({"age": np.float32, "income": np.float32})
    assert pairwise_kernels(single, kernel=KERNEL).dtype == np.float32
