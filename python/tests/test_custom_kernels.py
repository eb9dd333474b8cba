"""Functions of the user's own as kernels, on rows of numbers and on anything else."""

import pickle
import threading

import joblib
import numpy as np
import pytest
from kinds import ESTIMATORS, made, output_of, target_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import SVC, SVR, KernelPCA, KernelRidge, ParameterError, kernels

rng = np.random.default_rng(1)
X = rng.normal(size=(50, 3))
CLASSES = (X[:, 0] > 0).astype(int)
NEW = rng.normal(size=(20, 3))
SETS = [
    {"bread", "milk"},
    {"bread", "butter"},
    {"milk", "butter"},
    {"nails", "hammer"},
    {"hammer", "saw"},
    {"nails", "saw"},
]
TRADES = np.array([0, 0, 0, 1, 1, 1])
every = pytest.mark.parametrize("name", list(ESTIMATORS))


def pair_rbf(x, y, gamma=0.3):
    return np.exp(-gamma * ((x - y) ** 2).sum())


def block_rbf(A, B, gamma=0.3):
    return rbf_kernel(A, B, gamma=gamma)


def jaccard(a, b):
    return len(a & b) / len(a | b)


@every
def test_a_function_is_the_kernel_itself(name):
    direct = made(name, kernel="rbf(gamma=0.3)").fit(X, target_of(name, CLASSES))
    for kernel in (kernels.pair(pair_rbf), kernels.block(block_rbf)):
        model = made(name, kernel=kernel).fit(X, target_of(name, CLASSES))
        assert_allclose(np.abs(output_of(model, NEW)), np.abs(output_of(direct, NEW)), atol=2e-5)
        again = pickle.loads(pickle.dumps(model))
        assert_array_equal(output_of(again, NEW), output_of(model, NEW))
        assert clone(model).kernel == kernel


@every
def test_samples_may_be_anything(name):
    model = made(name, kernel=kernels.pair(jaccard)).fit(SETS, target_of(name, TRADES))
    found = output_of(model, [{"bread"}, {"saw", "screws"}])
    assert len(found) == 2
    assert np.isfinite(found).all()
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(
        output_of(again, [{"bread"}, {"saw"}]), output_of(model, [{"bread"}, {"saw"}])
    )


@every
def test_plain_functions_mean_what_they_mean_in_scikit_learn(name):
    blocks = "SVC" in name or "SVR" in name or name == "OneClassSVM"
    model = made(name, kernel=block_rbf if blocks else pair_rbf).fit(X, target_of(name, CLASSES))
    direct = made(name, kernel="rbf(gamma=0.3)").fit(X, target_of(name, CLASSES))
    assert_allclose(np.abs(output_of(model, NEW)), np.abs(output_of(direct, NEW)), atol=2e-5)


def test_parameters_are_passed_on():
    wide = KernelRidge(kernel=pair_rbf, kernel_params={"gamma": 0.01}).fit(X, X[:, 0])
    same = KernelRidge(kernel="rbf", gamma=0.01).fit(X, X[:, 0])
    assert_allclose(wide.predict(NEW), same.predict(NEW), atol=1e-10)
    found = mercer.pairwise_kernels(X, NEW, kernel=kernels.block(block_rbf), gamma=0.01)
    assert_allclose(found, rbf_kernel(X, NEW, gamma=0.01))


def test_calls_come_tile_by_tile():
    shapes, lock = [], threading.Lock()

    def watched(A, B):
        with lock:
            shapes.append((len(A), len(B)))
        return block_rbf(A, B)

    many = rng.normal(size=(1000, 3))
    model = SVC(kernel=watched).fit(many, np.arange(1000) % 2)
    pairs = sum(rows * columns for rows, columns in shapes)
    assert pairs <= 1000 * 1001 / 2 + 128 * 1000
    assert max(rows * columns for rows, columns in shapes) <= 128 * 128
    shapes.clear()
    sparing = SVC(kernel=watched, C=100).fit(X, X[:, 0] > 0)
    shapes.clear()
    sparing.predict(many)
    assert len(sparing.support_) < len(X)
    assert {columns for _, columns in shapes} == {len(sparing.support_)}
    assert sum(rows for rows, _ in shapes) == 1000
    shapes.clear()
    KernelPCA(2, kernel=kernels.block(watched)).fit(many).transform(many)
    assert max(rows * columns for rows, columns in shapes) < 300_000
    assert model.report_["storage"] == "whole matrix"


def test_a_machine_lets_go_of_what_is_no_support_vector():
    heavy = [np.full(10_000, float(i)) for i in range(100)]
    model = SVC(kernel=kernels.pair(least), C=10).fit(heavy, np.arange(100) >= 50)
    assert len(model.support_) < 50
    assert len(pickle.dumps(model)) < 80_000 * (len(model.support_) + 1)


def least(a, b):
    return min(a[0], b[0]) + 1.0


def test_what_a_function_raises_is_raised():
    class PeculiarError(Exception):
        pass

    def broken(a, b):
        raise PeculiarError("no such kernel", 7)

    for name in ESTIMATORS:
        with pytest.raises(PeculiarError, match="no such kernel") as raised:
            made(name, kernel=kernels.pair(broken)).fit(SETS, target_of(name, TRADES))
        assert raised.value.args == ("no such kernel", 7)


@pytest.mark.parametrize("name", ["KernelPCA", "SVC", "KernelRidgeCV", "KernelKMeans"])
def test_functions_that_go_wrong(name):
    def fit(kernel):
        return made(name, kernel=kernel).fit(X, target_of(name, CLASSES))

    for wrong in (
        lambda A, B: np.ones(len(A)),
        lambda A, B: np.ones((len(A), len(B) + 1)),
        lambda A, B: np.full((len(A), len(B)), "x"),
        lambda A, B: 1.0,
    ):
        with pytest.raises(ValueError, match=r"must return numbers of shape \(50, 50\)"):
            fit(kernels.block(wrong))
    for wrong in (lambda a, b: "1", lambda a, b: [1.0, 2.0], lambda a, b: None):
        with pytest.raises(ValueError, match="for samples 0 and 0"):
            fit(kernels.pair(wrong))
    with pytest.raises(ValueError, match="samples 3 and 5 is NaN"):
        fit(kernels.block(lambda A, B: spoiled(A, B, np.nan)))
    with pytest.raises(ValueError, match="samples 3 and 5 is inf"):
        fit(kernels.block(lambda A, B: spoiled(A, B, np.inf)))
    with pytest.raises(ValueError, match=r"not symmetric: .* for samples 5 and 3"):
        fit(kernels.block(lambda A, B: spoiled(A, B, 0.5)))


def spoiled(A, B, value):
    found = np.ones((len(A), len(B))) + np.eye(len(A), len(B))
    found[3, 5] = value
    return found


def test_functions_within_functions():
    """A function may ask the library itself, on the same threads."""

    def ours(A, B):
        return mercer.pairwise_kernels(A, B, kernel="rbf", gamma=0.3, n_jobs=1)

    for jobs in (1, 2):
        found = KernelPCA(2, kernel=kernels.block(ours), n_jobs=jobs).fit_transform(X)
        assert_allclose(
            np.abs(found), np.abs(KernelPCA(2, kernel="rbf", gamma=0.3).fit_transform(X))
        )


def test_algebra():
    k = 0.5 * kernels.pair(jaccard).normalize() + kernels.pair(jaccard) * kernels.pair(jaccard)
    assert str(k) == "0.5*normalize(own(jaccard)) + own(jaccard)*own(jaccard)"
    K = mercer.pairwise_kernels(SETS, kernel=kernels.pair(jaccard))
    assert_allclose(mercer.pairwise_kernels(SETS, kernel=k), 0.5 * K + K * K)
    assert k(SETS).shape == (6, 6)
    model = KernelPCA(2, kernel=k).fit(SETS)
    assert model.kernel_ == str(k)
    other = kernels.pair(lambda a, b: 1.0, name="jaccard")
    with pytest.raises(ParameterError, match="two functions in one kernel are called 'jaccard'"):
        KernelPCA(kernel=kernels.pair(jaccard) + other).fit(SETS)
    assert kernels.pair(jaccard) != other
    odd = kernels.pair(lambda a, b: float(len(a & b)))
    assert str(odd) == "own('<lambda>')"
    assert KernelPCA(1, kernel=odd).fit(SETS).kernel_ == "<lambda>"


def test_grid_search_in_other_processes():
    grid = {"C": [0.1, 1.0], "kernel": [kernels.pair(jaccard), kernels.pair(len_product)]}
    items = np.array(SETS * 3, dtype=object)
    search = GridSearchCV(SVC(), grid, cv=3, n_jobs=2).fit(items, np.tile(TRADES, 3))
    assert search.best_score_ == 1.0
    assert search.best_params_["kernel"] == kernels.pair(jaccard)


def len_product(a, b):
    return float(len(a) * len(b))


def test_joblib(tmp_path):
    model = SVR(kernel=block_rbf).fit(X, X[:, 0])
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    assert_array_equal(again.predict(NEW), model.predict(NEW))


def test_files_hold_no_functions(tmp_path):
    for kernel in (
        pair_rbf,
        kernels.pair(pair_rbf),
        kernels.pair(pair_rbf) + kernels.pair(pair_rbf),
    ):
        with pytest.raises(ValueError, match="a Python function, which a model file cannot hold"):
            KernelPCA(kernel=kernel).fit(X).save(tmp_path / "model.mercer")
    with pytest.raises(ValueError, match="bind"):
        KernelPCA(kernel="own(nothing)").fit(SETS)


def test_the_samples_of_a_model_are_its_own():
    mine = X.copy()
    model = KernelRidge(kernel=pair_rbf).fit(mine, X[:, 0])
    before = model.predict(NEW)
    mine[:] = 0
    assert_array_equal(model.predict(NEW), before)
    assert_array_equal(model.X_fit_, X)
    kept = KernelPCA(kernel=kernels.pair(jaccard)).fit(SETS)
    assert kept.X_fit_ == SETS


def test_sparse_rows_are_shown_as_they_are():
    seen = []

    def product(A, B):
        seen.append(type(A))
        return A @ B.T

    model = SVC(kernel=product, tol=1e-6).fit(sparse.csr_array(X), CLASSES)
    assert_allclose(
        model.decision_function(sparse.csr_array(NEW)),
        SVC(kernel="linear", tol=1e-6).fit(X, CLASSES).decision_function(NEW),
        atol=1e-3,
    )
    assert all(issubclass(kind, sparse.csr_array) for kind in seen)

    def one_product(a, b):
        return a @ b.T

    found = mercer.pairwise_kernels(sparse.csr_array(X), kernel=kernels.pair(one_product))
    assert_allclose(found, X @ X.T)


def test_maps_back_of_functions():
    model = KernelPCA(5, kernel=pair_rbf, fit_inverse_transform=True, alpha=0.01).fit(X)
    other = KernelPCA(5, kernel="rbf", gamma=0.3, fit_inverse_transform=True, alpha=0.01).fit(X)
    assert_allclose(
        model.inverse_transform(model.transform(NEW)),
        other.inverse_transform(other.transform(NEW)),
        atol=1e-6,
    )
    assert_allclose(model.reconstruction_error(NEW), other.reconstruction_error(NEW), atol=1e-10)
    with pytest.raises(ValueError, match="rows of numbers"):
        KernelPCA(kernel=kernels.pair(jaccard), fit_inverse_transform=True).fit(SETS)


def test_bad_samples_of_functions():
    for wrong in ("one text", 3):
        with pytest.raises(ValueError, match="sequence of samples"):
            SVC(kernel=kernels.pair(jaccard)).fit(wrong, [0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        KernelPCA(kernel=kernels.pair(jaccard)).fit([])
    for wrong in (None, 3, "x"):
        with pytest.raises(TypeError, match="expected a function"):
            kernels.pair(wrong)
