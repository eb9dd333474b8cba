"""Kernel matrices that are given: sliced both ways by cross-validation, and never copied."""

import numpy as np
import pytest
from kinds import ESTIMATORS, made, output_of, target_of
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import KernelRidgeCV, SVCSearch, pairwise_kernels

rng = np.random.default_rng(6)
X = rng.normal(size=(60, 4))
CLASSES = (X[:, 0] > 0).astype(int)
K = pairwise_kernels(X, kernel="rbf", gamma=0.3)
SCORED = [
    name for name in ESTIMATORS if name not in ("KernelPCA", "KernelPCADetector", "KernelKMeans")
]


@pytest.mark.parametrize("name", list(ESTIMATORS))
def test_tags(name):
    assert made(name, kernel="precomputed").__sklearn_tags__().input_tags.pairwise
    tags = made(name, kernel="rbf").__sklearn_tags__().input_tags
    assert tags.sparse
    assert not tags.pairwise


@pytest.mark.parametrize("name", [name for name in SCORED if name != "OneClassSVM"])
def test_cross_validation(name):
    y = target_of(name, CLASSES)
    given = cross_val_score(made(name, kernel="precomputed"), K, y, cv=4, error_score="raise")
    direct = cross_val_score(made(name, kernel="rbf(gamma=0.3)"), X, y, cv=4, error_score="raise")
    assert_allclose(given, direct, atol=1e-4)


@pytest.mark.parametrize("name", ["KernelPCA", "KernelPCADetector", "KernelKMeans", "OneClassSVM"])
def test_parts_of_a_matrix(name):
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 2)
    given = made(name, kernel="precomputed").fit(K[np.ix_(train, train)])
    direct = made(name, kernel="rbf(gamma=0.3)").fit(X[train])
    rows = K[np.ix_(test, train)]
    if name in ("KernelPCADetector", "KernelKMeans"):
        what = "score_samples" if name == "KernelPCADetector" else "transform"
        found = getattr(given, what)(rows, diagonal=np.ones(30))
        assert_allclose(found, getattr(direct, what)(X[test]), atol=1e-8)
    else:
        assert_allclose(
            np.abs(output_of(given, rows)), np.abs(output_of(direct, X[test])), atol=1e-4
        )


def test_grid_search():
    search = GridSearchCV(made("SVC", kernel="precomputed"), {"C": [0.1, 1, 10]}, cv=3).fit(
        K, CLASSES
    )
    assert search.best_score_ > 0.8


@pytest.mark.parametrize("kind", [KernelRidgeCV, SVCSearch])
def test_own_searches_copy_no_matrix(kind):
    import tracemalloc

    n = 1200
    big = rng.normal(size=(n, 5))
    matrix = pairwise_kernels(big, kernel="rbf", gamma=0.1)
    y = (big[:, 0] > 0).astype(int)
    model = kind([0.1, 1.0], kernel="precomputed", cv=3)
    tracemalloc.start()
    model.fit(matrix, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < matrix.nbytes / 4


def test_bad_matrices():
    for name in ESTIMATORS:
        model, y = made(name, kernel="precomputed"), target_of(name, CLASSES)
        with pytest.raises(ValueError, match="square"):
            model.fit(K[:, 1:], y)
        spoiled = K.copy()
        spoiled[4, 2] = np.inf
        with pytest.raises(ValueError, match="row 4, column 2"):
            model.fit(spoiled, y)
        spoiled[4, 2] = 7.0
        with pytest.warns(UserWarning, match="not symmetric"):
            model.fit(spoiled, y)
        model.fit(K, y)
        with pytest.raises(ValueError, match="features"):
            output_of(model, K[:, 1:])
