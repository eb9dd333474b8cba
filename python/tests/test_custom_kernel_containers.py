"""Samples of a user's function reach it as they are, whatever holds them and whoever asks."""

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from kinds import ESTIMATORS, made, output_of, target_of
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import SVC, KernelPCA, KernelRidge, KernelRidgeCV, ParameterError, kernels, svc_path

N = 12
CLASSES = np.arange(N) % 2
rng = np.random.default_rng(4)
RAGGED = [[int(v) for v in rng.integers(0, 5, size=2 + i % 4)] for i in range(N)]
EQUAL = [[int(v) for v in rng.integers(0, 5, size=3)] for i in range(N)]
RECORDS = [(i % 3, "ab"[i % 2], (i, float(i))) for i in range(N)]
OBJECTS = pd.DataFrame({"tags": pd.Series(RAGGED), "name": [f"n{i % 4}" for i in range(N)]})


def shared(a, b):
    """Entries that two sequences have in common, and one for everybody."""
    return 1.0 + sum((Counter(map(str, a)) & Counter(map(str, b))).values())


def shared_rows(a, b):
    return shared(a["tags"], b["tags"]) + (a["name"] == b["name"])


def near(a, b):
    return float(np.exp(-np.sum((np.asarray(a) - np.asarray(b)) ** 2) / 9))


# The samples, how a part of them is had, a function of two, and what it must be given.
CONTAINERS = {
    "ragged lists": (RAGGED, lambda X, some: [X[i] for i in some], shared, list),
    "lists of one length": (EQUAL, lambda X, some: [X[i] for i in some], shared, list),
    "a tuple of lists": (tuple(RAGGED), lambda X, some: [X[i] for i in some], shared, list),
    "tuples": (RECORDS, lambda X, some: [X[i] for i in some], shared, tuple),
    "tuples of numbers": ([(i, i % 3) for i in range(N)], None, near, tuple),
    "sets": ([set(row) for row in RAGGED], None, shared, set),
    "arrays of many lengths": ([np.array(row) for row in RAGGED], None, shared, np.ndarray),
    "series of lists": (pd.Series(RAGGED), lambda X, some: X.iloc[some], shared, list),
    "series with an index": (
        pd.Series(RAGGED, index=range(90, 90 + N)),
        lambda X, some: X.iloc[some],
        shared,
        list,
    ),
    "series of numbers": (pd.Series(np.arange(N) / 3), lambda X, some: X.iloc[some], near, float),
    "series of texts": (
        pd.Series(["abc"[i % 3] * 4 + str(i) for i in range(N)]),
        lambda X, some: X.iloc[some],
        shared,
        str,
    ),
    "frame of objects": (OBJECTS, lambda X, some: X.iloc[some], shared_rows, pd.Series),
    "polars series": (pl.Series(RAGGED), lambda X, some: X[some], shared, pl.Series),
    "polars frame": (pl.DataFrame(OBJECTS.to_dict("list")), lambda X, some: X[some], None, dict),
    "dictionary of columns": (OBJECTS.to_dict("list"), None, shared_rows, dict),
    "array of objects": (
        np.array(RECORDS, dtype=object),
        lambda X, some: X[some],
        shared,
        np.ndarray,
    ),
    "array of one axis": (np.arange(N) / 3, lambda X, some: X[some], near, float),
    "images": (rng.normal(size=(N, 3, 2)), lambda X, some: X[some], near, np.ndarray),
}
every_container = pytest.mark.parametrize("container", list(CONTAINERS))


def part_of(container, some):
    """The samples of a container, some of them, a function of two and what it is given."""
    X, part, function, kind = CONTAINERS[container]
    if isinstance(X, dict):
        few = {name: [column[i] for i in some] for name, column in X.items()}
    else:
        few = part(X, some) if part else [X[i] for i in some]
    return X, few, function or shared_rows, kind


def each_of(X):
    """The samples one by one, by other means than the package's."""
    if isinstance(X, dict):
        return [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]
    if isinstance(X, pd.DataFrame):
        return [row for _, row in X.iterrows()]
    return list(X.iter_rows(named=True)) if isinstance(X, pl.DataFrame) else list(X)


def matrix(function, A, B):
    return np.array([[function(a, b) for b in B] for a in A])


@every_container
@pytest.mark.parametrize("name", list(ESTIMATORS))
@pytest.mark.filterwarnings("ignore:the best alpha")
@pytest.mark.filterwarnings("ignore:the kernel matrix")
def test_every_estimator_shows_samples_untouched(name, container):
    X, few, function, kind = part_of(container, [1, 4, 6])
    seen = []

    def watched(a, b):
        seen.extend((a, b))
        return function(a, b)

    # Classes that overlap have a margin where many samples may be on its wrong side.
    nu = {"nu": 0.9} if name == "NuSVC" else {}
    watching = kernels.pair(watched, name="watched")
    model = made(name, kernel=watching, **nu).fit(X, target_of(name, CLASSES))
    given = made(name, kernel="precomputed", **nu).fit(
        matrix(function, each_of(X), each_of(X)), target_of(name, CLASSES)
    )
    found = model.predict(few) if name == "KernelKMeans" else output_of(model, few)
    K = matrix(function, each_of(few), each_of(X))
    if name == "KernelKMeans":
        assert_array_equal(found, given.predict(K))
    elif name == "KernelPCADetector":
        own = [function(x, x) for x in each_of(few)]
        assert_allclose(found, given.decision_function(K, diagonal=own), atol=1e-8)
    else:
        assert_allclose(np.abs(found), np.abs(output_of(given, K)), atol=1e-6)
    assert all(isinstance(sample, kind) for sample in seen)


@every_container
def test_whatever_else_takes_a_kernel(container):
    X, few, function, _ = part_of(container, [1, 4, 6])
    expected = matrix(function, each_of(X), each_of(X))
    kernel = kernels.pair(function)
    assert_allclose(mercer.pairwise_kernels(X, kernel=kernel), expected)
    assert_allclose(mercer.pairwise_kernels(few, X, kernel=kernel), expected[[1, 4, 6]])
    assert mercer.check_kernel(kernel, X).n_samples == N
    assert mercer.check_kernel(kernel, X, max_samples=5).n_examined == 5
    models = svc_path(X, CLASSES, [0.1, 1.0], kernel=kernel)
    assert [len(model.predict(few)) for model in models] == [3, 3]


@every_container
def test_blocks_are_parts_of_the_container(container):
    X, few, function, _ = part_of(container, [1, 4, 6])
    kinds = set()

    def block(A, B):
        kinds.update((type(A), type(B)))
        return matrix(function, each_of(A), each_of(B))

    model = KernelPCA(2, kernel=kernels.block(block)).fit(X)
    same = KernelPCA(2, kernel=kernels.pair(function)).fit(X)
    assert_allclose(np.abs(model.transform(few)), np.abs(same.transform(few)), atol=1e-9)
    assert kinds == {list if isinstance(X, tuple) else type(X)}
    assert type(model.X_fit_) in kinds


@every_container
def test_models_keep_samples_of_their_own(container):
    X, few, function, _ = part_of(container, [1, 4, 6])
    model = SVC(kernel=kernels.pair(function)).fit(X, CLASSES)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(few), model.decision_function(few))


def test_changes_of_the_container_change_no_model():
    for X in (list(RAGGED), pd.Series(RAGGED), np.arange(N) / 3):
        function = near if isinstance(X, np.ndarray) else shared
        model = KernelRidge(kernel=kernels.pair(function)).fit(X, CLASSES)
        few = X[:3] if isinstance(X, list) else X[:3].copy()
        before = model.predict(few)
        X[:] = X[0] if isinstance(X, np.ndarray) else [RAGGED[0]] * N
        assert_array_equal(model.predict(few), before)


def test_plain_functions_make_arrays_of_rows_of_numbers_as_in_scikit_learn():
    seen = set()

    def rows(A, B):
        seen.add(type(A))
        return rbf_kernel(A, B)

    numbers = [[float(v) for v in row] for row in EQUAL]
    model = SVC(kernel=rows).fit(numbers, CLASSES)
    assert_array_equal(model.predict(numbers[:2]), model.predict(np.array(numbers[:2])))
    assert seen == {np.ndarray}
    seen.clear()

    def ragged(A, B):
        seen.add(type(A))
        return matrix(shared, A, B)

    model = SVC(kernel=ragged).fit(RAGGED, CLASSES)
    # Those of one length too, of a model whose samples have many.
    model.predict(EQUAL)
    assert seen == {list}


def test_numbers_are_still_checked():
    X = np.array(EQUAL, dtype=float)
    model = KernelRidge(kernel=kernels.pair(near)).fit(X, CLASSES)
    assert_allclose(model.predict(X[:2].tolist()), model.predict(X[:2]))
    with pytest.raises(ValueError, match="2 features"):
        model.predict(X[:, :2])
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1"):
        KernelRidge(kernel=kernels.pair(near)).fit(X, CLASSES)
    with pytest.raises(ValueError, match="different lengths"):
        SVC(kernel=kernels.pair(shared_rows)).fit({"a": [1, 2], "b": [1]}, [0, 1])


def block_rbf(A, B):
    return rbf_kernel(A, B, gamma=0.3)


@pytest.mark.parametrize("name", list(ESTIMATORS))
@pytest.mark.filterwarnings("ignore:the best alpha")
def test_functions_and_kernels_of_the_library_in_one(name):
    """Both see the same rows of numbers."""
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(7, 3))
    classes = (X[:, 0] > 0).astype(int)
    for form in (kernels.block(block_rbf), kernels.pair(pair_rbf)):
        mixed = 0.5 * form.normalize() + kernels.RBF(gamma=0.1) * form
        same = "0.5*rbf(gamma=0.3) + rbf(gamma=0.1)*rbf(gamma=0.3)"
        model = made(name, kernel=mixed).fit(X, target_of(name, classes))
        direct = made(name, kernel=same).fit(X, target_of(name, classes))
        assert_allclose(np.abs(output_of(model, new)), np.abs(output_of(direct, new)), atol=2e-5)
        again = pickle.loads(pickle.dumps(model))
        assert_array_equal(output_of(again, new), output_of(model, new))


def pair_rbf(a, b):
    return float(np.exp(-0.3 * ((a - b) ** 2).sum()))


def test_sums_with_functions_follow_the_samples():
    X = rng.normal(size=(30, 3))
    mixed = kernels.pair(pair_rbf) + kernels.RBF(gamma="scale")
    model = KernelPCA(2, kernel=mixed).fit(X)
    assert model.kernel_.startswith("custom(pair_rbf) + rbf(gamma=0.")
    texts = ["anna", "ann", "hanna", "bob", "bobby", "rob"]
    both = kernels.pair(shared) + kernels.Spectrum(2)
    assert_allclose(
        both(texts), matrix(shared, texts, texts) + kernels.Spectrum(2)(texts), atol=1e-12
    )
    table = {"a": X[:, 0], "b": X[:, 1]}
    part = kernels.columns(["a", "b"], kernels.block(block_rbf) + kernels.RBF(gamma=0.1))
    assert_allclose(
        part(table), rbf_kernel(X[:, :2], gamma=0.3) + rbf_kernel(X[:, :2], gamma=0.1), atol=1e-12
    )
    several = [kernels.pair(pair_rbf), mixed, "rbf"]
    chosen = KernelRidgeCV([0.1], kernel=several).fit(X, X[:, 0])
    assert np.isfinite(chosen.predict(X)).all()


def test_a_function_of_two_samples_given_to_a_machine():
    def overlap(a, b):
        return float(len(set(a) & set(b)))

    with pytest.raises(ValueError, match=r"kernels\.pair\(scalar\)"):
        SVC(kernel=scalar).fit(EQUAL, CLASSES)
    with pytest.raises(TypeError) as raised:
        SVC(kernel=overlap).fit(RAGGED, CLASSES)
    assert "kernels.pair(overlap)" in raised.value.__notes__[0]
    with pytest.raises(ValueError, match="Expected 2D array") as raised:
        KernelPCA(kernel=block_rbf).fit(np.array(EQUAL, dtype=float))
    assert "kernels.block(block_rbf)" in raised.value.__notes__[0]


def scalar(a, b):
    return 1.0


def test_samples_that_are_none():
    for wrong in ("one text", 3):
        with pytest.raises(ParameterError, match="sequence of samples"):
            SVC(kernel=kernels.pair(shared)).fit(wrong, CLASSES)
    with pytest.raises(ParameterError, match="reads rows in blocks only with landmarks"):
        SVC(kernel=kernels.pair(shared)).fit(iter(RAGGED), CLASSES)
