"""Parameters of the parts of kernels that are given as specs, for every estimator."""

import pickle

import numpy as np
import pytest
from kinds import ESTIMATORS, made
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    check_dict_unchanged,
    check_get_params_invariance,
    check_set_params,
)

from mercer import PCA, SVC, KernelRidge, SVCSearch
from mercer.kernels import RBF, Linear, Spec

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
CLASSES = (np.linalg.norm(X, axis=1) > 1.1).astype(int)
SUM = "2*rbf(gamma=0.5) + linear"
every = pytest.mark.parametrize("name", ESTIMATORS)


@every
def test_parameters_of_a_spec(name):
    model = made(name, kernel=SUM)
    found = model.get_params()
    assert found["kernel"] == SUM
    assert found["kernel__left__kernel__gamma"] == 0.5
    assert found["kernel__left__factor"] == 2
    assert not any("__" in key for key in model.get_params(deep=False))
    assert model.set_params(kernel__left__kernel__gamma=3) is model
    assert model.kernel == "2*rbf(gamma=3) + linear"
    assert model.set_params(kernel="rbf(gamma=1)", kernel__gamma=0.25).kernel == "rbf(gamma=0.25)"
    assert model.set_params(kernel__gamma=None, kernel__sigma=2.0).kernel == "rbf(sigma=2)"


@every
@pytest.mark.parametrize("kernel", ["rbf(gamma=1.0)", SUM, "normalize(poly(degree=2))", "rbf()"])
def test_the_laws_of_parameters(name, kernel):
    """As scikit-learn checks them: what was set is there, by identity, and clones are equal."""
    model = made(name, kernel=kernel)
    assert model.set_params(**model.get_params()).kernel == kernel
    twin = clone(model)
    assert twin.get_params(deep=False)["kernel"] is model.get_params(deep=False)["kernel"]
    assert twin.get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    assert kernel in repr(model)
    assert model._repr_html_()
    check_get_params_invariance(name, model)
    check_set_params(name, model)


@pytest.mark.parametrize("kernel", ["rbf(gamma=1)", SUM])
def test_scikit_learn_checks_fits_with_specs(kernel):
    check_dict_unchanged("SVC", SVC(kernel=kernel))
    check_dict_unchanged("KernelRidge", KernelRidge(kernel=kernel))


def test_grid_search_over_a_spec():
    grid = {"kernel__gamma": [1e-4, 1.0]}
    model = SVC(kernel="rbf(gamma=7)")
    search = GridSearchCV(model, grid, cv=3).fit(X, CLASSES)
    assert search.best_params_ == {"kernel__gamma": 1.0}
    assert search.best_estimator_.kernel == search.best_estimator_.kernel_ == "rbf(gamma=1)"
    assert model.kernel == "rbf(gamma=7)"
    beside = GridSearchCV(SVC(kernel="rbf"), {"gamma": grid["kernel__gamma"]}, cv=3)
    beside.fit(X, CLASSES)
    name = "mean_test_score"
    assert search.cv_results_[name].tolist() == beside.cv_results_[name].tolist()


def test_grid_search_over_a_part_of_a_sum_within_a_pipeline():
    steps = make_pipeline(StandardScaler(), KernelRidge(1e-3, kernel=SUM))
    grid = {"kernelridge__kernel__left__kernel__gamma": [1e-5, 1.0]}
    search = GridSearchCV(steps, grid, cv=3).fit(X, np.sin(3 * X[:, 0]))
    assert search.best_estimator_[-1].kernel == "2*rbf(gamma=1) + linear"


def test_other_kernels_in_the_same_grid():
    grid = {"kernel": ["rbf(gamma=7)", RBF(gamma=7.0)], "kernel__gamma": [1e-4, 1.0]}
    search = GridSearchCV(SVC(), grid, cv=3).fit(X, CLASSES)
    scores = search.cv_results_["mean_test_score"]
    assert scores[:2].tolist() == scores[2:].tolist()


@every
def test_what_has_no_parts_says_what_to_do(name):
    with pytest.raises(ValueError, match=r"or use mercer.kernels.from_spec\('rbf'\)|: use mercer"):
        made(name, kernel="rbf").set_params(kernel__gamma=0.5)
    with pytest.raises(ValueError, match=r"use mercer.kernels.from_spec\('matern'\) as the kernel"):
        made(name, kernel="matern").set_params(kernel__nu=2.5)
    for kernel, shown in (("precomputed", "'precomputed'"), (np.dot, "a "), ([Linear()], "a list")):
        with pytest.raises(ValueError, match=f"for a kernel that is {shown}"):
            made(name, kernel=kernel).set_params(kernel__gamma=0.5)
    with pytest.raises(ValueError, match="did you mean 'left__kernel__gamma'"):
        made(name, kernel=SUM).set_params(kernel__gamma=0.5)
    with pytest.raises(ValueError, match=r"use mercer.kernels.from_spec\('rbf\(gamma=1\)'\)"):
        made(name, kernel=Spec("rbf(gamma=1)")).set_params(kernel__gamma=0.5)
    with pytest.raises(ValueError, match="Invalid parameter 'speed'"):
        made(name, kernel=SUM).set_params(speed=1)


def test_names_say_which_parameter_of_the_estimator_to_set():
    with pytest.raises(ValueError, match=r"only a name: set gamma=0.5, or use"):
        SVC().set_params(kernel__gamma=0.5)
    with pytest.raises(ValueError, match=r"only a name: use mercer"):
        SVCSearch().set_params(kernel__gamma=0.5)
    with pytest.raises(ValueError, match="Invalid parameter 'kernel'"):
        PCA().set_params(kernel__gamma=0.5)


def test_a_wrong_spec_can_be_shown_and_replaced():
    model = SVC(kernel="rbff(gamma=1)")
    assert "rbff" in repr(model)
    assert set(model.get_params()) == set(SVC().get_params())
    with pytest.raises(ValueError, match="unknown kernel 'rbff'"):
        model.set_params(kernel__gamma=1)
    assert model.set_params(kernel="rbf").kernel == "rbf"
