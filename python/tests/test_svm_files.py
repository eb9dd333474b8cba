"""Support vector machines in files and pickles, and together with scikit-learn."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as theirs
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.kernels import RBF, Linear

X, y = load_iris(return_X_y=True)
NAMES = np.array(["a", "b", "c"])[y]
VALUES = np.sin(X[:, 0]) + X[:, 1]
NEW = np.random.default_rng(2).uniform(0, 8, size=(70, 4))
W = np.random.default_rng(3).uniform(0.2, 3, size=len(X))
MODELS = [
    (SVC(C=2.0, gamma=0.2, class_weight={0: 2.0}), y),
    (SVC(kernel="linear", probability=True, break_ties=True), NAMES),
    (SVC(probability=True, calibration="isotonic", random_state=3), y > 0),
    (SVC(kernel=0.5 * RBF(sigma=2) + Linear(), decision_function_shape="ovo"), y),
    (NuSVC(nu=0.1, precision="f32", class_weight="balanced"), y),
    (SVR(kernel="poly", degree=2, epsilon=0.05, max_iter=100_000, precision="mixed"), VALUES),
    (NuSVR(nu=0.2, cache_size=50.0, tol=1e-4, max_time=60.0), VALUES),
    (OneClassSVM(nu=0.2, shrinking=False), None),
]
every = pytest.mark.parametrize(
    ("model", "aim"), MODELS, ids=[f"{type(m).__name__}{i}" for i, (m, _) in enumerate(MODELS)]
)


def same(one, other, X):
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(one, method):
            first, second = getattr(one, method)(X), getattr(other, method)(X)
            assert_array_equal(first, second)
            assert first.dtype == second.dtype
    for name in ("dual_coef_", "intercept_", "support_", "support_vectors_", "n_support_"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert_array_equal(one.n_iter_, other.n_iter_)
    assert one.report_ == other.report_
    assert hasattr(one, "predict_proba") == hasattr(other, "predict_proba")


@every
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_files_and_pickles(tmp_path, model, aim, dtype):
    model = clone(model).fit(X.astype(dtype), aim, W)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert type(again) is type(model)
    assert str(again.get_params(deep=False)) == str(model.get_params(deep=False))
    names = {name for name in vars(model) if name.endswith("_")}
    assert names == {name for name in vars(again) if name.endswith("_")}
    for other in (again, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        same(model, other, NEW.astype(dtype))
        if isinstance(model, (SVC, NuSVC)):
            assert_array_equal(other.classes_, model.classes_)
            assert other.classes_.dtype == model.classes_.dtype
            assert_array_equal(other.class_weight_, model.class_weight_)
    again.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == (tmp_path / "m.mercer").read_bytes()
    assert not hasattr(clone(model), "report_")


def test_given_matrices_and_functions(tmp_path):
    K = rbf_kernel(X)
    model = SVC(kernel="precomputed").fit(K, y)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.kernel == again.kernel_ == "precomputed"
    same(model, again, K)
    function = SVC(kernel=rbf_kernel).fit(X, y)
    with pytest.raises(ValueError, match="pickle"):
        function.save(tmp_path / "m.mercer")
    same(function, pickle.loads(pickle.dumps(function)), NEW)


def test_a_loaded_machine_goes_on(tmp_path):
    model = SVC(warm_start=True, tol=1e-7).fit(X, y)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer").fit(X, y)
    assert again.n_iter_.sum() < 0.5 * model.n_iter_.sum()
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5)
    again.calibrate(X, y)
    again.save(tmp_path / "m.mercer")
    assert_array_equal(mercer.load(tmp_path / "m.mercer").predict_proba(X), again.predict_proba(X))


def test_a_file_with_scaling_scales_first(tmp_path):
    shift, factor = X.mean(0), 1 / X.std(0)
    model = SVC().fit((X - shift) * factor, y)
    scaled = model._model.with_scaling("standard", shift.tolist(), factor.tolist())
    scaled.save(str(tmp_path / "m.mercer"))
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.scaling_["kind"] == "standard"
    expected = model.decision_function((NEW - shift) * factor)
    assert_allclose(loaded.decision_function(NEW), expected, atol=1e-12)
    # Without the notes of Python, classes are known by their names.
    assert_array_equal(loaded.predict(X), model.predict((X - shift) * factor).astype(str))


def test_forms_of_input():
    expected = SVC().fit(X, y).decision_function(NEW)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = SVC().fit(frame, pd.Series(y))
    assert model.feature_names_in_.tolist() == list("abcd")
    found = model.decision_function(pd.DataFrame(NEW, columns=list("abcd")))
    assert_array_equal(found, expected)
    for form in (np.asfortranarray, lambda a: a.tolist(), lambda a: np.repeat(a, 2, 1)[:, ::2]):
        assert_array_equal(SVC().fit(form(X), y).decision_function(form(NEW)), expected)
    frozen = X.copy()
    frozen.setflags(write=False)
    assert_array_equal(SVC().fit(frozen, y).decision_function(NEW), expected)
    single = SVC().fit(X.astype("f4"), y)
    assert single.support_vectors_.dtype == np.float32
    assert single.decision_function(NEW.astype("f4")).dtype == np.float64
    assert_allclose(single.decision_function(NEW.astype("f4")), expected, atol=1e-2)
    values = SVR().fit(X.astype("f4"), VALUES)
    assert values.predict(NEW.astype("f4")).dtype == np.float32
    assert SVR().fit(X, VALUES).predict(NEW).dtype == np.float64


def test_together_with_scikit_learn():
    grid = {"C": [0.1, 10.0], "gamma": [0.01, 1.0]}
    ours = GridSearchCV(SVC(), grid, cv=4, n_jobs=2).fit(X, y)
    other = GridSearchCV(theirs.SVC(), grid, cv=4).fit(X, y)
    assert ours.best_params_ == other.best_params_
    assert_allclose(ours.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
    K = rbf_kernel(X, gamma=0.25)
    given = cross_val_score(SVC(kernel="precomputed"), K, y, cv=4)
    assert_allclose(given, cross_val_score(SVC(gamma=0.25), X, y, cv=4))
    steps = make_pipeline(StandardScaler(), SVR())
    assert steps.fit(X, VALUES, svr__sample_weight=W).score(X, VALUES) > 0.9
