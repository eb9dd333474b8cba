"""Kernel ridge regression in files and pickles, and together with scikit-learn."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelRidge
from mercer.kernels import RBF, Linear

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 4))
Y = np.stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] ** 2, X.sum(axis=1)], axis=1)
y = Y[:, 0] + 0.1 * RNG.normal(size=len(X))
W = RNG.uniform(0.2, 3, size=len(X))
NEW = RNG.normal(size=(30, 4))


def test_together_with_scikit_learn():
    grid = {"alpha": [0.01, 1.0], "gamma": [0.1, 1.0]}
    ours = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=4, n_jobs=2).fit(X, y)
    theirs = GridSearchCV(Theirs(kernel="rbf"), grid, cv=4).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    inner = GridSearchCV(
        KernelRidge(0.1, kernel=RBF(gamma=1.0)), {"kernel__gamma": [0.1, 1.0]}, cv=4
    )
    assert inner.fit(X, y).best_params_["kernel__gamma"] == theirs.best_params_["gamma"]
    K = rbf_kernel(X, gamma=0.25)
    given = cross_val_score(KernelRidge(kernel="precomputed"), K, y, cv=4)
    assert_allclose(given, cross_val_score(KernelRidge(kernel="rbf"), X, y, cv=4))
    steps = make_pipeline(StandardScaler(), KernelRidge(0.1, kernel="rbf"))
    assert steps.fit(X, y, kernelridge__sample_weight=W).score(X, y) > 0.9
    twin = clone(KernelRidge([1.0, 2.0, 3.0], kernel=RBF(gamma=2.0)).fit(X, Y))
    assert not hasattr(twin, "report_")


MODELS = [
    (KernelRidge(0.3, kernel="rbf", gamma=0.2, fit_intercept=True), y),
    (KernelRidge([0.1, 1.0, 2.0], kernel=0.5 * RBF(sigma=2) + Linear(), solver="cg"), Y),
    (KernelRidge(kernel="matern", kernel_params={"nu": 2.5}, precision="mixed"), y[:, None]),
    (KernelRidge(kernel="poly", degree=2, random_state=4, precision="f32", tol=1e-5), Y),
]


@pytest.mark.parametrize(("model", "target"), MODELS, ids=["flat", "several", "column", "single"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_files_and_pickles(tmp_path, model, target, dtype):
    model = clone(model).fit(X.astype(dtype), target, W)
    path = tmp_path / "m.mercer"
    model.save(path)
    again = mercer.load(path)
    assert type(again) is KernelRidge
    assert str(again.get_params(deep=False)) == str(model.get_params(deep=False))
    names = {name for name in vars(model) if name.endswith("_")}
    assert names == {name for name in vars(again) if name.endswith("_")}
    for other in (again, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        new = NEW.astype(dtype)
        for one, two in zip(
            model.predict(new, return_std=True), other.predict(new, return_std=True), strict=True
        ):
            assert one.dtype == two.dtype
            assert_array_equal(one, two)
        assert_array_equal(other.dual_coef_, model.dual_coef_)
        assert_array_equal(other.intercept_, model.intercept_)
        assert other.report_ == model.report_
    again.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == path.read_bytes()
    expected = clone(model).fit(X, target).predict(NEW)
    assert_array_equal(again.fit(X, target).predict(NEW), expected)


def test_files_of_given_matrices_and_functions(tmp_path):
    K = rbf_kernel(X)
    KernelRidge(0.2, kernel="precomputed").fit(K, Y).save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.kernel == again.kernel_ == "precomputed"
    expected = KernelRidge(0.2, kernel="precomputed").fit(K, Y).predict(K)
    assert_array_equal(again.predict(K), expected)
    function = KernelRidge(kernel=np.dot).fit(X, y)
    with pytest.raises(ValueError, match="pickle"):
        function.save(tmp_path / "m.mercer")
    twin = pickle.loads(pickle.dumps(function))
    assert_array_equal(twin.predict(NEW), function.predict(NEW))


def test_a_file_with_scaling_scales_first(tmp_path):
    shift, factor = X.mean(0), 1 / X.std(0)
    model = KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit((X - shift) * factor, y)
    scaled = model._model.with_scaling("standard", shift.tolist(), factor.tolist())
    scaled.save(str(tmp_path / "m.mercer"))
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.scaling_["kind"] == "standard"
    expected = model.predict((NEW - shift) * factor, return_std=True)
    for one, two in zip(loaded.predict(NEW, return_std=True), expected, strict=True):
        assert_allclose(one, two, atol=1e-12)
