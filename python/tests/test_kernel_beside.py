"""gamma, degree and coef0 beside a kernel: one rule for all estimators.

A parameter that is given is used by the parts of the kernel that have it and leave it open. Where
there are none, it is refused. Only scikit-learn's names keep its law, which ignores it there.
"""

import pickle

import numpy as np
import pytest
from kinds import ESTIMATORS, made, target_of
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import linear_kernel

import mercer
from mercer import SVC, KernelPCA, KernelRidge, KernelRidgeCV, SVCSearch, SVRSearch, kernels
from mercer.kernels import RBF, Columns, Laplacian, Linear, Matern, Poly, Spec, from_spec

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 2, size=(40, 3))
CLASSES = np.arange(40) % 2
X[CLASSES == 1] += [3.0, 0.0, 0.5]
NAMES = [name for name in ESTIMATORS if not name.endswith("Search")]
every = pytest.mark.parametrize("name", NAMES)


# Functions whose further keywords are the kernel's parameters.
FUNCTIONS = {
    "pairwise_kernels": lambda kernel, **params: mercer.pairwise_kernels(X, None, kernel, **params),
    "check_kernel": lambda kernel, **params: mercer.check_kernel(kernel, X, **params),
    "svc_path": lambda kernel, **params: mercer.svc_path(X, CLASSES, [1], kernel=kernel, **params),
    "SVCSearch": lambda kernel, **params: SVCSearch([1.0], kernel=kernel, cv=2, **params).fit(
        X, CLASSES
    ),
}


def fitted(name, **params):
    return made(name, **params).fit(X, target_of(name, CLASSES))


def test_every_estimator_with_a_kernel_is_tested():
    kinds = [getattr(mercer, name) for name in mercer.__all__]
    found = {
        kind.__name__
        for kind in kinds
        if hasattr(kind, "_get_param_names") and "kernel" in kind._get_param_names()
    }
    # gamma has scikit-learn's default of 1 in the first, which test_samplers.py tests beside a
    # kernel; the other has scikit-learn's defaults of None.
    assert found == {
        *NAMES,
        "GaussianProcessRegressor",
        "SVCSearch",
        "SVRSearch",
        "RBFSampler",
        "Nystroem",
    }


@every
@pytest.mark.parametrize(
    ("kernel", "same"),
    [
        (RBF(), "rbf(gamma=0.3)"),
        ("2*rbf", None),
        ("rbf()", "rbf(gamma=0.3)"),
        (Laplacian() + Linear(), "laplacian(gamma=0.3) + linear"),
        (RBF(gamma=1.0) + RBF(), "rbf(gamma=1) + rbf(gamma=0.3)"),
        (2 * RBF(), "2*rbf(gamma=0.3)"),
    ],
    ids=str,
)
def test_an_open_parameter_is_filled(name, kernel, same):
    found = fitted(name, kernel=kernel, gamma=0.3).kernel_
    assert found == (same or "2*rbf(gamma=0.3)")


@every
@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"kernel": RBF(gamma=3.0), "gamma": 0.5}, "already sets gamma: give it once"),
        ({"kernel": RBF(sigma=3.0), "gamma": 0.5}, "already sets gamma"),
        ({"kernel": "rbf(gamma=3)", "gamma": 0.5}, "already sets gamma"),
        ({"kernel": "matern", "gamma": 0.5}, "gamma=0.5 has no effect on the kernel matern"),
        ({"kernel": Matern(), "gamma": 0.5}, "gamma=0.5 has no effect on the kernel matern"),
        ({"kernel": "gaussian", "degree": 2}, "degree=2 has no effect on the kernel gaussian"),
        ({"kernel": RBF() + Linear(), "degree": 2}, "degree=2 has no effect on the kernel rbf"),
        ({"kernel": "linear + cosine", "coef0": 2.0}, "coef0=2.0 has no effect"),
        ({"kernel": kernels.block(linear_kernel), "gamma": 0.5}, "no effect on a kernel that is"),
        ({"kernel": lambda a, b: 1.0, "gamma": 0.5}, "no effect on a kernel that is a function"),
    ],
    ids=lambda value: "",
)
def test_what_has_no_place_is_refused(name, params, word):
    with pytest.raises(ValueError, match=word):
        fitted(name, **params)


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize(
    ("kernel", "params", "word"),
    [
        (Poly(2), {"degree": 4}, "degree=4 conflicts with the kernel poly.* already sets degree"),
        ("poly(degree=2)", {"degree": 4}, "already sets degree: give it once"),
        (RBF(), {"coef0": 2.0}, "coef0=2.0 has no effect on the kernel rbf, .*: omit it"),
        ("linear + cosine", {"degree": 4}, "degree=4 has no effect"),
    ],
    ids=str,
)
def test_functions_and_searches_refuse_it_too(call, kernel, params, word):
    with pytest.raises(ValueError, match=word):
        call(kernel, **params)


def test_functions_fill_what_is_open():
    expected = mercer.pairwise_kernels(X, kernel="2*rbf(gamma=0.3) + linear")
    for kernel in (2 * RBF() + Linear(), "2*rbf + linear"):
        assert_allclose(mercer.pairwise_kernels(X, kernel=kernel, gamma=0.3), expected)
    assert mercer.feature_map(Poly(2), X, coef0=0.0).kernel == "poly(degree=2, coef0=0)"
    # Given is given, also if it is an estimator's default.
    with pytest.raises(ValueError, match="degree=3 conflicts"):
        mercer.pairwise_kernels(X, kernel=Poly(2), degree=3)
    with pytest.raises(ValueError, match=r"nu=2.5 cannot be combined with the kernel matern"):
        mercer.pairwise_kernels(X, kernel=Matern(), nu=2.5)
    with pytest.raises(ValueError, match="'gamma' parameter must be"):
        mercer.pairwise_kernels(X, kernel=RBF(), gamma=-1.0)
    for several in ([1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0])):
        with pytest.raises(ValueError, match=r"one number.*rbf\(gamma=\[0.1, 2, 0.5\]\)"):
            SVC(gamma=several).fit(X, CLASSES)


@every
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian", "cosine"])
def test_names_of_scikit_learn_keep_its_law(name, kernel):
    assert "degree" not in fitted(name, kernel=kernel, degree=5, gamma=0.3, coef0=2.0).kernel_


def test_all_parameters_and_rules():
    model = KernelPCA(2, kernel=Poly(), degree=2, gamma=0.5, coef0=3.0).fit(X)
    assert model.kernel_ == "poly(degree=2, gamma=0.5, coef0=3)"
    assert KernelPCA(2, kernel=Poly(degree=2), gamma=0.5).fit(X).kernel_.startswith("poly(degree=2")
    assert_allclose(SVC(kernel=RBF(), gamma="auto").fit(X, CLASSES).gamma_, 1 / 3)
    by_median = SVC(kernel="rbf", gamma="median").fit(X, CLASSES).kernel_
    assert SVC(kernel=RBF(), gamma="median").fit(X, CLASSES).kernel_ == by_median
    with pytest.raises(ValueError, match="degree must be a positive integer"):
        KernelPCA(2, kernel=Poly(), degree=2.5).fit(X)
    named = SVC(kernel="poly", degree=2, gamma=0.5, coef0=3.0).fit(X, CLASSES)
    beside = SVC(kernel=Poly(), degree=2, gamma=0.5, coef0=3.0).fit(X, CLASSES)
    assert_allclose(beside.decision_function(X), named.decision_function(X))


def test_gammas_of_a_search():
    for kernel in (RBF(gamma=3.0), "matern", "rbf(gamma=1)", "linear", linear_kernel):
        with pytest.raises(ValueError, match="gammas have no effect on the kernel"):
            SVCSearch([1.0], [0.1, 1.0], kernel=kernel, cv=2).fit(X, CLASSES)
        with pytest.raises(ValueError, match="gammas have no effect on the kernel"):
            SVRSearch([1.0], [0.1], [0.1, 1.0], kernel=kernel, cv=2).fit(X, X[:, 0])
    for kernel in (RBF(), "rbf", "laplacian", 2 * RBF() + Linear()):
        model = SVCSearch([1.0], [0.1, 1.0], kernel=kernel, cv=2).fit(X, CLASSES)
        assert set(model.cv_results_["param_gamma"]) == {0.1, 1.0}
        assert f"gamma={model.best_params_['gamma']:g}" in model.best_estimator_.kernel_
    # Without gammas, kernels that say their own are compared by C alone.
    for kernel in (RBF(gamma=3.0), RBF(), "matern", "linear"):
        model = SVCSearch([0.1, 1.0], kernel=kernel, cv=2).fit(X, CLASSES)
        assert set(model.best_params_) == {"C"}


def test_several_kernels_share_parameters():
    def compared(**params):
        model = KernelRidgeCV([1.0], store_cv_results=True, **params).fit(X, X[:, 0])
        return list(dict.fromkeys(model.cv_results_["param_kernel"]))

    some = compared(kernel=["rbf", RBF(gamma=3.0), RBF(), "matern"], gamma=[0.1, 1.0])
    assert some[:3] == ["rbf(gamma=0.1)", "rbf(gamma=1)", "rbf(gamma=3)"]
    assert all(text.startswith("matern") for text in some[3:])
    with pytest.raises(ValueError, match="degree=2 has no effect on any of the kernels"):
        compared(kernel=["rbf", "matern"], degree=2)
    with pytest.raises(ValueError, match="already sets gamma"):
        compared(kernel=[RBF(gamma=3.0)], gamma=[0.1, 1.0])


TREES = [
    RBF(gamma=0.5),
    0.5 * RBF(sigma=2) + Poly(2) * Linear(),
    (RBF() + Linear()) + Matern(nu=2.5),
    (RBF(gamma=1.0) * Linear()).normalize(),
    Columns(["0", "2"], RBF(width="median")) + kernels.columns("1", Linear()),
]


@pytest.mark.parametrize("kernel", TREES, ids=str)
def test_kernels_come_back_as_they_were_given(kernel, tmp_path):
    model = KernelRidge(kernel=kernel).fit(X, X[:, 0])
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    found = again.get_params()
    assert found["kernel"] == kernel
    assert type(found["kernel"]) is type(kernel)
    assert {name for name in found if name.startswith("kernel__")} == {
        f"kernel__{name}" for name in kernel.get_params()
    }
    assert_allclose(again.fit(X, X[:, 0]).predict(X), model.predict(X))
    assert pickle.loads(pickle.dumps(found["kernel"])) == kernel


def test_kernels_from_texts():
    for kernel in TREES:
        assert from_spec(kernel.spec) == kernel == Spec(kernel.spec)
    assert from_spec("3*(rbf + 2*linear)") == 3 * (RBF() + 2 * Linear())
    with pytest.raises(ValueError, match="unknown kernel"):
        from_spec("rbff")
    with pytest.raises(ValueError, match="is a function"):
        from_spec("own(mine)")
