"""Models of tables with categories in model files, read by Python and by the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_categories import CLASSES, FRAMES, SIZES, WORDS, Y, pandas_frame
from test_pipeline_files import predicted_by_command

import mercer
from mercer import (
    SVC,
    SVR,
    FormatError,
    KernelKMeans,
    KernelRidge,
    KernelRidgeCV,
    OneClassSVM,
    SVCSearch,
    TableEncoder,
    _files,
    _table_notes,
)

KERNELS = [
    "gower",
    "columns(size, town, share: gower)",
    "columns(town: overlap) * column(size: gower)",
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_codes_are_saved_with_the_model(frame, kernel, tmp_path):
    table = frame()
    model = KernelRidge(kernel=kernel, alpha=0.1).fit(table, Y)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    again.save(tmp_path / "again.mercer")
    third = mercer.load(tmp_path / "again.mercer")
    np.testing.assert_array_equal(third.predict(table), model.predict(table))
    # Of another library, in another order, and with a category that is not known.
    new = pandas_frame()[["share", "town", "size"]].iloc[:9].astype({"town": object})
    new.loc[3, "town"] = "Oslo"
    with pytest.warns(UserWarning, match="first 'Oslo'"):
        expected = model.predict(new)
    with pytest.warns(UserWarning, match="first 'Oslo'"):
        np.testing.assert_array_equal(again.predict(new), expected)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (SVC(kernel="gower"), CLASSES),
        (SVR(kernel="gower"), Y),
        (KernelRidgeCV(kernel="gower"), Y),
        (SVCSearch([1.0, 10.0], kernel="gower"), CLASSES),
        (OneClassSVM(kernel="gower"), None),
        (KernelKMeans(3, kernel="gower"), None),
    ],
)
@pytest.mark.filterwarnings("ignore:the best")
def test_every_estimator_of_categories_is_saved(model, y, tmp_path):
    table = pandas_frame()
    model.fit(table, y)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.predict(table), model.predict(table))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_command_line_predicts_the_same_from_a_table_of_text(kernel, tmp_path):
    model = KernelRidge(kernel=kernel, alpha=0.1).fit(pandas_frame(), Y)
    model.save(tmp_path / "m.mercer")
    new = pandas_frame().iloc[::-1].astype({"town": object})
    new.loc[3, "town"] = "Oslo"
    found, said = predicted_by_command(tmp_path / "m.mercer", new, tmp_path)
    with pytest.warns(UserWarning, match="Oslo"):
        np.testing.assert_allclose(found, model.predict(new), rtol=1e-6)
    assert "Oslo" in said


def mixed():
    table = pandas_frame().assign(
        member=np.arange(60) % 3 == 0, zone=pd.Categorical(np.arange(60) % 4 * 10)
    )
    gaps = table.copy()
    gaps.loc[5, "town"] = None
    gaps.loc[7, "size"] = None
    return table, gaps


@pytest.mark.parametrize("scaler", [None, StandardScaler()])
@pytest.mark.filterwarnings("ignore:.*feature names:UserWarning")
def test_an_encoder_of_ordered_categories_and_booleans_is_saved(scaler, tmp_path):
    table, gaps = mixed()
    steps = [TableEncoder(), *([scaler] if scaler else []), KernelRidge(kernel="rbf", gamma=0.1)]
    pipeline = make_pipeline(*steps).fit(table, Y)
    mercer.save(pipeline, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_allclose(again.predict(gaps), pipeline.predict(gaps), rtol=1e-12)
    assert again[0].encodings_ == pipeline[0].encodings_
    found, _ = predicted_by_command(tmp_path / "m.mercer", gaps, tmp_path)
    np.testing.assert_allclose(found, pipeline.predict(gaps), rtol=1e-6)


def test_an_ordered_category_without_a_rank_is_missing_to_the_command(tmp_path):
    table, _ = mixed()
    pipeline = make_pipeline(TableEncoder(), KernelRidge(kernel="rbf")).fit(table, Y)
    mercer.save(pipeline, tmp_path / "m.mercer")
    new = table.astype({"size": object})
    new.loc[4, "size"] = "vast"
    found, reported = predicted_by_command(tmp_path / "m.mercer", new, tmp_path)
    assert "vast" in reported
    gap = table.copy()
    gap.loc[4, "size"] = None
    np.testing.assert_allclose(found, pipeline.predict(gap), rtol=1e-6)


def test_categories_that_json_cannot_hold_are_refused(tmp_path):
    kind = pd.CategoricalDtype([(1, 2), (3, 4)])
    table = pd.DataFrame({"pair": pd.Series([(1, 2), (3, 4)] * 5, dtype=kind)})
    model = SVC(kernel="overlap").fit(table, [0, 1] * 5)
    with pytest.raises(TypeError, match=r"'pair' has categories of type tuple.*pickle"):
        model.save(tmp_path / "m.mercer")


@pytest.mark.parametrize(
    "codes",
    [
        1,
        {"columns": ["size"], "levels": {}},
        {"columns": None, "levels": {"size": {"levels": [[1]], "ordered": True}}},
        {"columns": None, "levels": ["size"]},
    ],
)
def test_damaged_notes_are_refused(codes, tmp_path, monkeypatch):
    model = SVC(kernel="gower").fit(pandas_frame(), CLASSES)
    notes = _table_notes.codes_notes(model) | {"codes": codes}
    monkeypatch.setattr(_files, "codes_notes", lambda estimator: notes)
    model.save(tmp_path / "m.mercer")
    with pytest.raises(FormatError, match="on its table are damaged"):
        mercer.load(tmp_path / "m.mercer")


def test_the_notes_name_categories_as_a_table_of_text_does():
    model = SVC(kernel="gower").fit(pandas_frame(), CLASSES)
    columns = _table_notes.codes_notes(model)["table"]["encoding"]["columns"]
    assert json.loads(json.dumps(columns)) == [
        {"name": "size", "type": "ordered", "levels": SIZES, "unit": True},
        {"name": "town", "type": "code", "levels": sorted(set(WORDS["town"]))},
        {"name": "share", "type": "number"},
    ]
