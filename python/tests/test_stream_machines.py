"""Support vector machines on landmarks of tables that are read in blocks are those in memory."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, ParameterError, SVCSearch, scan, svc_path

N = 4000
X = np.random.default_rng(2).normal(size=(N, 3))
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 2] > 0.5)
LABELS = np.array(["low", "middle", "high"])[CODES]
VALUES = 10 + np.sin(X[:, 0]) * X[:, 1]
WEIGHTS = np.arange(N) % 3 + 0.0
FIT = {"kernel": "rbf", "gamma": 0.3, "landmarks": 30, "random_state": 3, "tol": 1e-3}
MACHINES = [
    (SVC(C=3.0, **FIT), LABELS),
    (SVC(class_weight="balanced", **FIT), CODES > 0),
    (SVC(class_weight={"low": 3.0}, **FIT), LABELS),
    (NuSVC(nu=0.1, **FIT), LABELS),
    (SVR(C=3.0, **FIT), VALUES),
    (NuSVR(nu=0.3, **FIT), VALUES),
    (OneClassSVM(nu=0.1, **FIT), None),
]
IDS = [f"{type(machine).__name__}-{number}" for number, (machine, _) in enumerate(MACHINES)]


def parts(y, size=700, weights=True):
    """Blocks of samples, targets and weights, as often as they are asked for."""

    def blocks():
        for start in range(0, N, size):
            rows = slice(start, start + size)
            own = None if y is None else y[rows]
            yield X[rows], own, WEIGHTS[rows] if weights else None

    return blocks


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
@pytest.mark.parametrize("weights", [False, True])
def test_machines_in_blocks_are_those_in_memory(machine, y, weights):
    whole = clone(machine).fit(X, y, WEIGHTS if weights else None)
    found = clone(machine).fit(parts(y, weights=weights))
    assert np.array_equal(found.support_, whole.support_)
    assert np.array_equal(found.dual_coef_, whole.dual_coef_)
    assert np.array_equal(found.intercept_, whole.intercept_)
    assert np.array_equal(found.predict(X), whole.predict(X))
    assert found.report_["landmarks"] == whole.report_["landmarks"]
    assert found.shape_fit_ == whole.shape_fit_ == X.shape
    assert found.gamma_ == 0.3
    if y is not None and y.dtype.kind != "f":
        assert np.array_equal(found.classes_, whole.classes_)
        assert np.array_equal(found.class_weight_, whole.class_weight_)
    predicted = np.concatenate(list(found.predict(scan([X[:3000], X[3000:]]))))
    assert np.array_equal(predicted, found.predict(X))


def test_files_and_arrays_in_files_are_sources(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.column_stack([X, CODES]))
    table = scan(path, target=3)
    whole = SVC(**FIT).fit(X, CODES)
    assert np.array_equal(SVC(**FIT).fit(table).dual_coef_, whole.dual_coef_)
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    assert np.array_equal(SVC(**FIT).fit(mapped, CODES).dual_coef_, whole.dual_coef_)
    # The exact machine needs all rows in memory, also those of an array in a file.
    polished = SVC(polish=True, **FIT).fit(mapped[:500], CODES[:500])
    assert "landmarks" not in polished.report_
    search = SVCSearch(Cs=[1, 10], gammas=[0.3], landmarks=30, cv=2)
    assert search.fit(mapped, CODES).best_params_ == search.fit(X, CODES).best_params_


def test_features_beyond_the_budget_lie_in_a_file(tmp_path, monkeypatch):
    many = np.random.default_rng(0).normal(size=(40_000, 3))
    y = many[:, 0] * many[:, 1] > 0
    # Landmarks that are chosen depend on the memory for the choice.
    own = FIT | {"landmarks": many[:100]}
    plenty = SVC(**own).fit(many, y)
    scarce = SVC(**own, memory_budget="20MB")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    scarce.fit(_pairs(many, y))
    assert "in a temporary file" in scarce.report_["reason"]
    assert np.mean(scarce.predict(many) == plenty.predict(many)) > 0.995
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(OSError, match="missing"):
        scarce.fit(_pairs(many, y))


def _pairs(rows, y):
    def blocks():
        for start in range(0, len(rows), 4096):
            yield rows[start : start + 4096], y[start : start + 4096]

    return blocks


def test_a_machine_of_blocks_goes_on_from_where_it_stopped():
    machine = SVC(C=10.0, max_iter=500, warm_start=True, **FIT | {"tol": 1e-5})
    with pytest.warns(UserWarning, match="max_iter=500"):
        machine.fit(parts(CODES))
    assert machine.fit_status_ == 1
    machine.set_params(max_iter=-1).fit(parts(CODES))
    assert machine.fit_status_ == 0
    cold = SVC(C=10.0, **FIT | {"tol": 1e-5}).fit(X, CODES, WEIGHTS)
    np.testing.assert_allclose(machine.decision_function(X), cold.decision_function(X), atol=1e-2)


def test_what_rows_in_blocks_cannot_do_is_refused():
    with pytest.raises(ParameterError, match="only with landmarks"):
        SVC().fit(parts(CODES))
    with pytest.raises(ParameterError, match="cv='prefit'"):
        SVC(probability=True, **FIT).fit(parts(CODES))
    with pytest.raises(ValueError, match="rows in blocks"):
        SVC(polish=True, **FIT).fit(parts(CODES))
    with pytest.raises(ValueError, match="read only once"):
        SVC(**FIT).fit(parts(CODES)())
    with pytest.raises(ParameterError, match="targets and weights come with the blocks"):
        SVC(**FIT).fit(parts(CODES), CODES)
    with pytest.raises(ValueError, match="requires y"):
        SVC(**FIT).fit(parts(None))
    with pytest.raises(ValueError, match="greater than one"):
        SVC(**FIT).fit(parts(np.zeros(N, dtype=int), weights=False))
    with pytest.raises(ParameterError, match="gamma as a number"):
        SVC(**FIT | {"kernel": "poly", "degree": 1.5, "gamma": "scale"}).fit(parts(CODES))
    with pytest.raises(ParameterError, match="not compared"):
        SVCSearch(landmarks=30).fit(parts(CODES), CODES)
    with pytest.raises(ParameterError, match="not compared"):
        svc_path(parts(CODES), CODES, [1.0, 10.0], gamma=0.3, landmarks=30)
    with pytest.raises(ValueError, match="NaN"):
        SVR(**FIT).fit(parts(np.where(np.arange(N) == 3000, np.nan, VALUES)))
    with pytest.raises(ParameterError, match="one target each"):
        SVR(**FIT).fit(parts(np.column_stack([VALUES, VALUES])))
