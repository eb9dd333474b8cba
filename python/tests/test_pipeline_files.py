"""Pipelines in model files: the same predictions in Python and on the command line."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC as OtherSVC

import mercer
from mercer import (
    PCA,
    SVC,
    SVR,
    FormatError,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    SVCSearch,
    TableEncoder,
)

X, Y = load_iris(return_X_y=True, as_frame=True)
X.columns = ["sl", "sw", "pl", "pw"]
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
ROOT = Path(__file__).resolve().parents[2]
BUILT = [ROOT / "target" / profile / "mercer" for profile in ("debug", "release")]
COMMAND = next((path for path in BUILT if path.exists()), None)

PIPELINES = [
    (make_pipeline(StandardScaler(), SVC()), NAMES),
    (make_pipeline(MinMaxScaler((-1, 2)), SVC(C=10)), NAMES),
    (make_pipeline(StandardScaler(with_mean=False), SVR()), X["pw"]),
    (make_pipeline(StandardScaler(with_std=False), KernelRidge(kernel="rbf")), X["pw"]),
    (make_pipeline("passthrough", StandardScaler(), KernelRidgeClassifier(kernel="rbf")), NAMES),
    (make_pipeline(StandardScaler(), KernelKMeans(3)), None),
    (make_pipeline(StandardScaler(), KernelPCADetector(2)), None),
    (make_pipeline(StandardScaler(), SVCSearch([1, 10], [0.1, 0.5, 2])), NAMES),
]


@pytest.mark.parametrize(("pipeline", "y"), PIPELINES)
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.filterwarnings("ignore:the best")
def test_a_scaler_is_saved_with_the_estimator(pipeline, y, named, tmp_path):
    rows = X if named else X.to_numpy()
    pipeline = pipeline.fit(rows, y)
    mercer.save(pipeline, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    expected, found = pipeline.predict(rows), again.predict(rows)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    else:
        np.testing.assert_array_equal(found, expected)
    assert again.scaling_["kind"] in ("standard", "minmax")
    assert hasattr(again, "feature_names_in_") == named
    again.save(tmp_path / "again.mercer")
    assert (mercer.load(tmp_path / "again.mercer").predict(rows) == found).all()


@pytest.mark.parametrize("model", [PCA(2), KernelPCA(2, kernel="rbf", gamma=0.2)])
def test_components_are_those_of_the_pipeline(model, tmp_path):
    pipeline = make_pipeline(StandardScaler(), model).fit(X)
    mercer.save(pipeline, tmp_path / "m.mercer")
    found = mercer.load(tmp_path / "m.mercer").transform(X)
    np.testing.assert_allclose(found, pipeline.transform(X), atol=1e-9)


def predicted_by_command(path, table, tmp_path):
    if COMMAND is None:
        pytest.skip("the binary target/debug/mercer is not built: run cargo build --workspace")
    table.to_csv(tmp_path / "rows.csv", index=False)
    run = [COMMAND, "predict", path, tmp_path / "rows.csv", "--output", tmp_path / "out.csv"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0, done.stderr
    return pd.read_csv(tmp_path / "out.csv").iloc[:, 0].to_numpy(), done.stderr


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
def test_the_command_line_predicts_the_same_from_raw_rows(scaler, tmp_path):
    pipeline = make_pipeline(scaler, SVC(C=3)).fit(X, NAMES)
    mercer.save(pipeline, tmp_path / "m.mercer")
    found, _ = predicted_by_command(tmp_path / "m.mercer", X, tmp_path)
    np.testing.assert_array_equal(found, pipeline.predict(X))


def test_numbers_of_a_regression_on_the_command_line(tmp_path):
    rows, y = load_diabetes(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), KernelRidge(kernel="rbf", alpha=0.1)).fit(rows, y)
    mercer.save(pipeline, tmp_path / "m.mercer")
    found, _ = predicted_by_command(tmp_path / "m.mercer", rows, tmp_path)
    np.testing.assert_allclose(found, pipeline.predict(rows), rtol=1e-6)


def people(n=80):
    rng = np.random.RandomState(0)
    table = pd.DataFrame(
        {
            "age": rng.randint(18, 80, n).astype(float),
            "town": rng.choice(["Ulm", "Bern", "Graz"], n),
            "member": rng.choice(["yes", "no"], n),
        }
    )
    target = np.where(table["age"] + 20 * (table["town"] == "Ulm") > 55, "buys", "leaves")
    table.loc[3, "age"] = None
    table.loc[5, "town"] = None
    return table, target


@pytest.mark.parametrize("scaler", [None, StandardScaler()])
@pytest.mark.filterwarnings("ignore:.*feature names:UserWarning", "ignore:column 'town'")
def test_a_table_with_categories_is_encoded_by_the_file(scaler, tmp_path):
    table, target = people()
    steps = [TableEncoder(), scaler, SVC()] if scaler else [TableEncoder(), SVC(gamma=0.01)]
    pipeline = make_pipeline(*steps).fit(table, target)
    mercer.save(pipeline, tmp_path / "m.mercer")
    new = table.iloc[::-1].copy()
    new.loc[7, "town"] = "Oslo"  # not in the training table
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, Pipeline)
    np.testing.assert_array_equal(again.predict(new), pipeline.predict(new))
    found, said = predicted_by_command(tmp_path / "m.mercer", new, tmp_path)
    np.testing.assert_array_equal(found, pipeline.predict(new))
    assert "Oslo" in said


def test_an_encoder_of_an_array_has_no_names(tmp_path):
    table, target = people()
    rows = table.dropna().to_numpy(dtype=object)
    pipeline = make_pipeline(TableEncoder(), SVC()).fit(rows, target[: len(rows)])
    mercer.save(pipeline, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.predict(rows), pipeline.predict(rows))


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    table, target = people()
    path = tmp_path / "m.mercer"
    numbers = table[["age"]].fillna(40)
    with pytest.raises(TypeError, match=r"RobustScaler cannot be stored.*pickle"):
        mercer.save(make_pipeline(RobustScaler(), SVC()).fit(numbers, target), path)
    with pytest.raises(TypeError, match="MinMaxScaler cannot be stored"):
        mercer.save(make_pipeline(MinMaxScaler(clip=True), SVC()).fit(numbers, target), path)
    with pytest.raises(TypeError, match=r"SVC cannot be stored.*estimator of mercer"):
        mercer.save(make_pipeline(StandardScaler(), OtherSVC()).fit(numbers, target), path)
    steps = (StandardScaler(), FunctionTransformer(), SVC())
    with pytest.raises(TypeError, match="FunctionTransformer cannot be stored"):
        mercer.save(make_pipeline(*steps).fit(numbers, target), path)
    table["when"] = pd.Timestamp("2024-01-31")
    dated = make_pipeline(TableEncoder(dates="expand"), SVC()).fit(table, target)
    with pytest.raises(TypeError, match="'when' is of kind date"):
        mercer.save(dated, path)
    with pytest.raises(ValueError, match="not fitted"):
        mercer.save(make_pipeline(StandardScaler(), SVC()), path)
    assert not path.exists()


def test_a_damaged_note_of_the_table_is_refused(tmp_path):
    table, target = people()
    pipeline = make_pipeline(TableEncoder(), SVC()).fit(table, target)
    mercer.save(pipeline, tmp_path / "m.mercer")
    model = pipeline[-1]._model
    for notes in ('{"encoder": {}}', '{"encoder": {"dates": "refuse", "max_categories": 3}}'):
        model.with_notes(None, notes).save(str(tmp_path / "bad.mercer"))
        with pytest.raises(FormatError, match="damaged"):
            mercer.load(tmp_path / "bad.mercer")
