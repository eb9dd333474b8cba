"""Kernel and penalty chosen by cross-validation: what is compared, and what is refused."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import KernelRidge, KernelRidgeCV
from mercer.kernels import RBF, Linear

RNG = np.random.default_rng(11)
X = RNG.normal(size=(60, 3))
Y = np.stack([np.sin(2 * X[:, 0]), X[:, 1] - X[:, 2] ** 2], axis=1)
Y += [0.05, 0.8] * RNG.normal(size=Y.shape)
y = Y[:, 0]
W = RNG.uniform(0.2, 3, size=len(X))
NEW = RNG.normal(size=(20, 3))
ALPHAS = [0.01, 0.1, 1.0, 10.0]
pytestmark = pytest.mark.filterwarnings("ignore:the best alpha is the smallest")


def test_kernels_to_compare():
    def compared(**params):
        model = KernelRidgeCV([0.1], store_cv_results=True, **params).fit(X, y)
        return model.cv_results_["param_kernel"].tolist()

    widths = compared()
    count = len(widths)
    assert count > 4
    assert all(kernel.startswith("rbf(gamma=") for kernel in widths)
    gammas = [float(kernel[10:-1]) for kernel in widths]
    assert_allclose(np.divide(gammas[:-1], gammas[1:]), 4, rtol=1e-3)
    assert np.isclose(gammas, 1 / (3 * X.var()), rtol=1e-3).sum() == 1
    assert compared(gamma=0.5) == ["rbf(gamma=0.5)"]
    assert len(compared(kernel=["rbf", "laplacian", "matern", "linear"])) == 3 * count + 1
    assert len(compared(kernel="matern", kernel_params={"nu": 2.5})) == count
    assert len(compared(kernel="matern", kernel_params={"length": 2.5})) == 1
    many = compared(kernel=["poly", "linear"], degree=[1, 2], coef0=[0.5, 1], gamma=[0.1, 0.2, 0.3])
    assert len(many) == 13
    objects = [RBF(gamma=1.0), "rbf(gamma=2)", 0.5 * RBF(gamma=1.0) + Linear()]
    assert compared(kernel=objects) == [
        "rbf(gamma=1)",
        "rbf(gamma=2)",
        "0.5*rbf(gamma=1) + linear",
    ]
    assert compared(kernel=["rbf(gamma=2)", "rbf"], gamma=3.0) == ["rbf(gamma=2)", "rbf(gamma=3)"]
    assert compared(kernel="rbf", gamma=np.array([1.0, 2.0, 1.0]))[1:] == ["rbf(gamma=2)"]
    assert len(compared(kernel="poly")) == 1
    with pytest.raises(ValueError, match="already sets gamma"):
        compared(kernel=["rbf(gamma=2)"], gamma=3.0)


def test_functions_are_evaluated_and_compared():
    def product(a, b):
        return float(a @ b)

    alone = KernelRidgeCV(ALPHAS, kernel=product).fit(X, y)
    linear = KernelRidgeCV(ALPHAS, kernel="linear").fit(X, y)
    assert alone.best_score_ == pytest.approx(linear.best_score_)
    assert_allclose(alone.predict(NEW), linear.predict(NEW), atol=1e-9)
    assert alone.kernel_ == "product"
    assert alone.best_params_["kernel"] is product
    both = KernelRidgeCV(ALPHAS, kernel=[product, "rbf"], store_cv_results=True).fit(X, y)
    assert both.kernel_.startswith("rbf(")
    assert set(both.cv_results_["param_kernel"][-4:]) == {"product"}
    again = KernelRidgeCV(ALPHAS, kernel=[product, "poly"], degree=2.5, gamma=0.01, coef0=50.0)
    assert again.fit(X, y).best_score_ >= alone.best_score_
    model = KernelRidge(fit_intercept=True, **again.best_params_).fit(X, y)
    assert_allclose(model.predict(NEW), again.predict(NEW), atol=1e-6)


@pytest.mark.parametrize("precision", ["f32", "mixed"])
def test_single_precision(precision):
    double = KernelRidgeCV(ALPHAS, gamma=0.4).fit(X, y)
    for kernel, given, new in (
        ("rbf", X, NEW),
        ("precomputed", rbf_kernel(X, gamma=0.4), rbf_kernel(NEW, X, gamma=0.4)),
    ):
        gamma = 0.4 if kernel == "rbf" else None
        model = KernelRidgeCV(ALPHAS, kernel=kernel, gamma=gamma, precision=precision)
        model.fit(given, y)
        assert model.alpha_ == double.alpha_
        assert model.report_["precision"] == "f32"
        found = model.predict(new)
        assert found.dtype == (np.float32 if precision == "f32" else np.float64)
        assert_allclose(found, double.predict(NEW), atol=1e-3)


def test_progress_and_interruption():
    steps = []
    many = np.random.default_rng(0).normal(size=(500, 3))
    KernelRidgeCV(progress=steps.append).fit(many, many[:, 0])
    assert {step.stage for step in steps} >= {"grid"}

    def stop(step):
        raise KeyboardInterrupt

    model = KernelRidgeCV(gamma=0.4).fit(X, y)
    state = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.set_params(progress=stop).fit(many, many[:, 0])
    assert {k: v for k, v in vars(model).items() if k != "progress"} == {
        k: v for k, v in state.items() if k != "progress"
    }


def test_folds_within_a_small_budget():
    many = np.random.default_rng(0).normal(size=(700, 3))
    target = np.sin(many).sum(axis=1) + 0.1 * np.random.default_rng(1).normal(size=700)
    # Each thread has a tile of kernel values.
    params = {"alphas": [0.1, 1.0, 10.0], "gamma": 0.3, "cv": 3, "store_cv_results": True}
    params["n_jobs"] = 2
    free = KernelRidgeCV(**params).fit(many, target)
    tight = KernelRidgeCV(memory_budget="5MB", **params).fit(many, target)
    assert_allclose(
        tight.cv_results_["mean_test_score"], free.cv_results_["mean_test_score"], rtol=1e-4
    )
    assert tight.alpha_ == free.alpha_
    with pytest.raises(MemoryError, match="folds"):
        KernelRidgeCV(memory_budget="5MB").fit(many, target)


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"alphas": []}, "alphas"),
        ({"alphas": [0.0, 1.0]}, "alphas"),
        ({"alphas": [-1.0]}, "alphas"),
        ({"alphas": [np.nan]}, "alphas"),
        ({"alphas": "all"}, "alphas"),
        ({"kernel": []}, "kernel is an empty list"),
        ({"kernel": ["rbf", "precomputed"]}, "precomputed"),
        ({"kernel": "rbff"}, "did you mean"),
        ({"gamma": []}, "gamma"),
        ({"gamma": [-1.0]}, "gamma"),
        ({"cv": 1}, "cv"),
        ({"cv": "loo"}, "cv"),
        ({"cv": 3.5}, "cv"),
        ({"cv": 1000}, "1000"),
        ({"cv": []}, "at least one fold"),
        ({"cv": [([0, 1], [1, 2])]}, "row 1 is in both"),
        ({"cv": [([0, 99], [1, 2])]}, "no row 99"),
        ({"cv": [([0, -1], [1, 2])]}, "no row"),
        ({"cv": "gcv", "scoring": "r2"}, "scoring"),
        ({"scoring": "best"}, "scoring"),
        ({"scoring": ["r2"]}, "scoring"),
        ({"alpha_per_target": 1}, "alpha_per_target"),
        ({"store_cv_results": "yes"}, "store_cv_results"),
        ({"solver": "svd"}, "solver"),
    ],
)
def test_refusals(params, word):
    with pytest.raises(ValueError, match=word):
        KernelRidgeCV(**params).fit(X, y)


def test_bad_data():
    for target, weights, word in (
        (np.where(np.arange(60) == 4, np.nan, y), None, "row 4 is NaN"),
        (y[:-1], None, "inconsistent"),
        (y, -W, "must not be negative"),
        (y, 0 * W, "all weights are zero"),
        (y, np.eye(60)[0], "two samples with positive weight"),
    ):
        with pytest.raises(ValueError, match=word):
            KernelRidgeCV().fit(X, target, weights)
    with pytest.raises(ValueError, match="1 sample"):
        KernelRidgeCV().fit(X[:1], y[:1])


@pytest.mark.parametrize("target", [y, Y], ids=["one", "two"])
def test_files_pickles_and_clones(tmp_path, target):
    made = KernelRidgeCV(
        np.array(ALPHAS), kernel=["rbf", RBF(sigma=2.0), "linear"], alpha_per_target=True, cv=4
    )
    model = made.fit(X, target, W)
    model.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert type(loaded) is KernelRidgeCV
    assert loaded.kernel == ["rbf", RBF(sigma=2.0), "linear"]
    assert loaded.alphas == ALPHAS
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        for one, two in zip(
            model.predict(NEW, return_std=True), other.predict(NEW, return_std=True), strict=True
        ):
            assert_array_equal(one, two)
        for name in ("alpha_", "best_score_", "best_score_std_", "kernel_", "gamma_"):
            assert_array_equal(getattr(other, name), getattr(model, name))
        assert str(other.best_params_) == str(model.best_params_)
    assert not hasattr(clone(model), "alpha_")
    assert_array_equal(clone(loaded).fit(X, target, W).predict(NEW), model.predict(NEW))


def test_the_edge_of_the_grid_is_told():
    with pytest.warns(UserWarning, match="smallest of the grid") as reported:
        KernelRidgeCV([10.0, 100.0], gamma=0.4).fit(X, y)
    assert reported[0].filename == __file__
