"""What every estimator says of itself where something is amiss: laws for all of them."""

import warnings

import pytest
from promises import CASES, KERNELS, make, other_kernel, report_of, samples, target
from sklearn.exceptions import ConvergenceWarning

# Ways that end by convergence, with a limit that does not suffice.
HURRIED = {
    "KernelPCA": {"eigen_solver": "krylov", "max_iter": 1},
    "KernelPCADetector": {"eigen_solver": "krylov", "max_iter": 1},
    "KernelKMeans": {"max_iter": 1},
    "KernelRidge": {"solver": "cg", "max_iter": 1, "alpha": 1e-6},
    "KernelRidgeClassifier": {"solver": "cg", "max_iter": 1, "alpha": 1e-6},
    "SVC": {"max_iter": 1},
    "NuSVC": {"max_iter": 1},
    "SVR": {"max_iter": 1},
    "NuSVR": {"max_iter": 1},
    "OneClassSVM": {"max_iter": 1},
    "SVCSearch": {"max_iter": 1},
    "SVRSearch": {"max_iter": 1},
}


def reported(name, **params):
    """The model of a fit, and all that it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make(name, **params).fit(samples(name), *target(name))
    return model, caught


@pytest.mark.parametrize("name", list(HURRIED))
def test_a_solver_that_did_not_converge_says_so(name):
    model, caught = reported(name, **HURRIED[name])
    assert any(issubclass(one.category, ConvergenceWarning) for one in caught), caught
    assert not report_of(model)["converged"]


# Those that decompose or factor the matrix and so find out; for others there is check_kernel.
JUDGES = [name for name in CASES if "PCA" in name or "Ridge" in name]


@pytest.mark.parametrize("name", [name for name in JUDGES if name in KERNELS])
def test_an_indefinite_kernel_is_named(name):
    params = other_kernel(name, "sigmoid(gamma=1, coef0=-1)")
    # A penalty beyond the most negative eigenvalue would hide it.
    params |= {"alphas": [0.1]} if name == "KernelRidgeCV" else {}
    model, caught = reported(name, **params)
    said = " ".join([*report_of(model)["notes"], *(str(one.message) for one in caught)])
    assert "indefinite" in said or "negative eigenvalue" in said, said


@pytest.mark.parametrize("name", list(CASES))
def test_a_usual_fit_has_nothing_to_say(name):
    # A grid of one value has no edge.
    grid = {"Cs": [1.0], "gammas": [0.1]} if name in ("SVCSearch", "SVRSearch") else {}
    model, caught = reported(name, **grid)
    assert not caught, [str(one.message) for one in caught]
    assert report_of(model) is None or not report_of(model)["notes"]
