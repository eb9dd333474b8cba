"""Kernel objects: their algebra, their text, and their matrices."""

import ast
import copy
import inspect
import pickle
from pathlib import Path

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.metrics import pairwise

import mercer
from mercer import _core, kernels
from mercer.kernels import RBF, Cosine, Laplacian, Linear, Matern, Poly, Sigmoid, Spec


def test_algebra_prints_the_spec():
    k = 0.5 * RBF(sigma=2) + Poly(2) * Linear()
    assert repr(k) == str(k) == k.spec == "0.5*rbf(sigma=2) + poly(degree=2)*linear"
    assert repr((RBF(gamma=1) + Linear()) * Cosine()) == "(rbf(gamma=1) + linear)*cosine"
    assert repr(Poly(3).normalize()) == "normalize(poly(degree=3))"
    assert repr(RBF(gamma=1) * 2) == repr(np.float64(2) * RBF(gamma=1)) == "2*rbf(gamma=1)"
    assert repr(RBF()) == "rbf"
    assert repr(RBF(gamma="scale")) == "rbf(gamma=scale)"


def test_equality_hash_and_copies():
    k = 0.5 * RBF(sigma=2) + Linear()
    assert k == Spec("0.5 * gaussian(sigma=2.0) + linear")
    assert hash(k) == hash(Spec(k.spec))
    assert k != Linear()
    assert k != "linear"
    for twin in (pickle.loads(pickle.dumps(k)), copy.deepcopy(k), clone(k)):
        assert twin == k
        assert twin is not k


def test_parameters():
    k = 0.5 * RBF(sigma=2) + Poly(2)
    assert k.get_params()["left__kernel__sigma"] == 2
    assert k.set_params(left__kernel__sigma=3, right__degree=4) is k
    assert repr(k) == "0.5*rbf(sigma=3) + poly(degree=4)"
    with pytest.raises(ValueError, match="degree must be a positive integer"):
        k.right.set_params(degree=-1)
    assert k.right.degree == 4
    with pytest.raises(ValueError, match="no parameter 'width'"):
        Poly().set_params(width=1)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: RBF(gamma=-1), ValueError),
        (lambda: RBF(gamma=1, sigma=1), ValueError),
        (lambda: Poly(2.5), ValueError),
        (lambda: Matern(0.7), ValueError),
        (lambda: -1 * Linear(), ValueError),
        (lambda: RBF(2), TypeError),
        (lambda: RBF(gamma={1}), TypeError),
        (lambda: RBF(speed=1), TypeError),
        (lambda: RBF() + None, TypeError),
        (lambda: Spec("rbg(gamma=1)"), ValueError),
    ],
)
def test_wrong_kernels(make, error):
    with pytest.raises(error):
        make()


def test_a_wrong_spec_points_at_the_character():
    with pytest.raises(ValueError, match=r"rbf\(gama=1\)\n +\^"):
        Spec("rbf(gama=1)")


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        (Linear(), pairwise.linear_kernel),
        (RBF(gamma=0.3), lambda X, Y=None: pairwise.rbf_kernel(X, Y, gamma=0.3)),
        (Laplacian(0.3), lambda X, Y=None: pairwise.laplacian_kernel(X, Y, gamma=0.3)),
        (Poly(3), lambda X, Y=None: pairwise.polynomial_kernel(X, Y, gamma=1, coef0=1)),
        (Sigmoid(0.01), lambda X, Y=None: pairwise.sigmoid_kernel(X, Y, gamma=0.01, coef0=1)),
        (Cosine(), pairwise.cosine_similarity),
    ],
    ids=named,
)
def test_matrices(iris, kernel, theirs):
    assert_allclose(kernel(iris), theirs(iris), rtol=1e-10, atol=1e-12)
    assert_allclose(kernel(iris, iris[:7]), theirs(iris, iris[:7]), rtol=1e-10, atol=1e-12)
    single = kernel(iris.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, theirs(iris), rtol=2e-4, atol=2e-5)


def test_pairwise_kernels(iris):
    expected = pairwise.pairwise_kernels(iris, metric="rbf")
    assert_allclose(mercer.pairwise_kernels(iris, kernel="rbf"), expected)
    assert_allclose(mercer.pairwise_kernels(iris, kernel="rbf", gamma=0.25), expected)
    assert_allclose(mercer.pairwise_kernels(iris, kernel=RBF(gamma=0.25)), expected)
    chi2 = pairwise.chi2_kernel(iris, gamma=0.25)
    assert_allclose(mercer.pairwise_kernels(iris, kernel="chi2"), chi2)
    mixed = mercer.pairwise_kernels(iris, iris[:3].astype(np.float32), kernel="rbf")
    assert mixed.dtype == np.float64
    assert_allclose(mixed, expected[:, :3], rtol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"kernel": "rbf", "gamma": -1}, "gamma"),
        ({"kernel": "rbg"}, "did you mean 'rbf'"),
        ({"metric": "rbf"}, r"pass it as kernel=, as in pairwise_kernels\(X, kernel='rbf'\)"),
        ({"kernel": "precomputed"}, "nothing to compute"),
        ({"Y": np.ones((3, 2))}, "4 features"),
        ({"X": np.full((2, 2), np.nan)}, "NaN at row 0, column 0"),
    ],
    ids=named,
)
def test_pairwise_kernels_refuses(iris, wrong, text):
    with pytest.raises(ValueError, match=text):
        mercer.pairwise_kernels(**{"X": iris, **wrong})


def test_pairwise_kernels_keeps_to_the_budget(iris):
    with pytest.raises(MemoryError, match="budget"):
        mercer.pairwise_kernels(iris, memory_budget="10kB")


def test_stubs_know_every_family():
    tree = ast.parse((Path(kernels.__file__).with_suffix(".pyi")).read_text())
    kinds = (ast.ClassDef, ast.FunctionDef)
    stubs = {node.name: node for node in tree.body if isinstance(node, kinds)}
    for family in _core.families():
        made = getattr(kernels, kernels._class_name(family["name"]))
        init = next(n for n in stubs[made.__name__].body if getattr(n, "name", "") == "__init__")
        stub = [arg.arg for arg in init.args.args[1:]], [arg.arg for arg in init.args.kwonlyargs]
        by_kind = [], []
        for parameter in inspect.signature(made).parameters.values():
            by_kind[parameter.kind == parameter.KEYWORD_ONLY].append(parameter.name)
        assert stub == by_kind
        assert family["formula"] in made.__doc__
    assert set(stubs) == set(kernels.__all__)


def test_stubs_of_the_compiled_part():
    tree = ast.parse((Path(_core.__file__).parent / "_core.pyi").read_text())
    names = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    # A build for developers has a function more, which fails on purpose.
    found = {name for name in vars(_core) if not name.startswith("_")} - {"panic_on_purpose"}
    assert names == found
    model = next(n for n in tree.body if getattr(n, "name", "") == "Model")
    members = {n.name for n in model.body if not n.name.startswith("_")}
    assert members == {name for name in dir(_core.Model) if not name.startswith("_")}
