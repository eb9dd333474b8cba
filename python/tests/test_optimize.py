"""Kernel parameters by gradient: what is found, what is reported, what is refused."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import KernelPCA, KernelRidge, ParameterError


def regression(n=150, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n)


def left_out_error(X, y, model, sigma):
    K = np.exp(-((X[:, None] - X) ** 2 / (2 * np.asarray(sigma) ** 2)).sum(2))
    G = np.linalg.inv(K + model.alpha_ * np.eye(len(X)))
    return np.mean((G @ y / np.diag(G)) ** 2)


def found(model, name):
    return [value for key, value in model.report_["optimization"]["parameters"] if name in key]


@pytest.mark.parametrize("objective", ["loo", "evidence", "alignment"])
def test_a_column_that_does_not_matter_gets_a_wide_kernel(objective):
    X, y = regression()
    model = KernelRidge(
        0.1, kernel="rbf(sigma=1)", optimize=objective, optimize_params={"ard": True}
    ).fit(X, y)
    sigma = found(model, "sigma")
    assert len(sigma) == 3
    assert sigma[2] > 3 * sigma[0]
    search = model.report_["optimization"]
    better = (
        search["value"] < search["start"]
        if objective == "loo"
        else search["value"] > search["start"]
    )
    assert better


def test_the_value_is_the_leave_one_out_error_of_the_model():
    X, y = regression()
    model = KernelRidge(0.1, kernel="rbf(sigma=1)", optimize="loo").fit(X, y)
    error = left_out_error(X, y, model, found(model, "sigma")[0])
    assert np.isclose(model.report_["optimization"]["value"], error, rtol=1e-8)
    assert "sigma=" in model.kernel_
    assert model.alpha_ != 0.1
    assert model.alpha == 0.1


def test_a_fit_with_what_was_found_is_the_same():
    X, y = regression()
    model = KernelRidge(0.1, kernel="rbf(sigma=1)", optimize="loo").fit(X, y)
    again = KernelRidge(model.alpha_, kernel=model.kernel_).fit(X, y)
    assert np.allclose(again.predict(X), model.predict(X), atol=1e-12)


def test_threads_change_nothing():
    X, y = regression(300)
    one, two = (
        KernelRidge(0.1, kernel="rbf(sigma=1)", optimize="evidence", n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    assert one.kernel_ == two.kernel_
    assert (one.dual_coef_ == two.dual_coef_).all()


def test_an_early_end_and_a_bound_warn():
    X, y = regression()
    few = {"max_evaluations": 2}
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        KernelRidge(kernel="rbf(sigma=30)", optimize="loo", optimize_params=few).fit(X, y)
    narrow = {"bounds": (0.9, 1.1), "alpha": False}
    with pytest.warns(UserWarning, match=r"bounds of rbf\.sigma"):
        model = KernelRidge(kernel="rbf(sigma=30)", optimize="loo", optimize_params=narrow).fit(
            X, y
        )
    assert model.report_["optimization"]["at_bounds"] == ["rbf.sigma"]
    assert model.alpha_ == 1


def test_classes_are_aligned_with():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + np.array([4, 0])])
    X[:, 1] *= 30  # what does not matter is larger
    y = np.repeat(["a", "b"], 40)
    options = {"optimize": "alignment", "optimize_params": {"ard": True}}
    model = KernelPCA(1, kernel="rbf(sigma=median)", **options).fit(X, y)
    first = model.transform(X)[:, 0]
    assert abs(np.corrcoef(first, y == "a")[0, 1]) > 0.9
    assert model.report_["optimization"]["value"] > model.report_["optimization"]["start"]
    plain = KernelPCA(1, kernel=model.kernel_).fit(X)
    assert np.allclose(np.abs(plain.transform(X)), np.abs(model.transform(X)))
    with pytest.raises(ValueError, match="needs targets"):
        clone(model).fit(X)
    with pytest.raises(ValueError, match="one class"):
        clone(model).fit(X, np.zeros(80, int))


def test_the_search_is_in_the_file(tmp_path):
    X, y = regression()
    model = KernelRidge(
        0.1, kernel="rbf(sigma=1)", optimize="loo", optimize_params={"bounds": (0.1, 10)}
    ).fit(X, y)
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert again.report_["optimization"] == model.report_["optimization"]
    assert again.optimize == "loo"
    assert (again.predict(X) == model.predict(X)).all()
    json.dumps(again.report_)
    clone(again).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"optimize": "accuracy"}, "must be one of"),
        ({"optimize_params": {}}, "no effect without optimize"),
        ({"optimize": "loo", "optimize_params": {"starts": 3}}, "no key 'starts'"),
        ({"optimize": "loo", "optimize_params": [1]}, "dictionary"),
        ({"optimize": "loo", "optimize_params": {"restarts": -1}}, "restarts"),
        ({"optimize": "loo", "optimize_params": {"bounds": (2, 3)}}, "bounds"),
        ({"optimize": "loo", "optimize_params": {"tol": 0}}, "tol"),
        ({"optimize": "loo", "optimize_params": {"ard": 1}}, "ard"),
        ({"optimize": "loo", "landmarks": 10}, "landmarks"),
        ({"optimize": "loo", "alpha": 0}, "alpha"),
        ({"optimize": "loo", "alpha": [1, 2]}, "single value"),
        ({"optimize": "alignment", "kernel": "linear"}, "no parameters"),
        ({"optimize": "loo", "kernel": "sigmoid"}, "positive definite"),
        ({"optimize": "loo", "kernel": lambda a, b: float(a @ b)}, "positive definite"),
    ],
)
def test_what_cannot_be_searched_for_is_refused(options, message):
    X, y = regression(30)
    targets = np.stack([y, y], axis=1) if options.get("alpha") == [1, 2] else y
    with pytest.raises((ParameterError, ValueError), match=message):
        KernelRidge(**{"kernel": "rbf"} | options).fit(X, targets)


def test_a_given_matrix_and_a_small_budget_are_refused():
    X, y = regression(400)
    with pytest.raises(ValueError, match="samples"):
        KernelRidge(kernel="precomputed", optimize="loo").fit(X @ X.T, y)
    with pytest.raises(MemoryError, match="optimisation"):
        KernelRidge(kernel="rbf", optimize="loo", memory_budget="1MB").fit(X, y)


def test_progress_is_reported_and_an_interruption_leaves_the_estimator():
    X, y = regression(300)
    stages = []
    KernelRidge(kernel="rbf", optimize="loo", progress=lambda s: stages.append(s.stage)).fit(X, y)
    assert "kernel parameters" in stages

    def stop(step):
        raise KeyboardInterrupt

    model = KernelRidge(kernel="rbf", optimize="loo", progress=stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "_model")
