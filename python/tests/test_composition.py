"""Together with the rest of scikit-learn."""

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import PCA, KernelPCA
from mercer.kernels import RBF, Linear


def test_pipeline_and_grid_search():
    X, y = load_iris(return_X_y=True)
    steps = make_pipeline(StandardScaler(), KernelPCA(3, kernel="rbf"), LogisticRegression())
    grid = {"kernelpca__gamma": [0.01, 0.1], "kernelpca__kernel": ["rbf", "linear"]}
    search = GridSearchCV(steps, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9
    assert set(search.best_params_) == set(grid)


def test_grid_search_reaches_into_kernels():
    X, y = load_iris(return_X_y=True)
    kernel = RBF(gamma=1.0) + Linear()
    steps = make_pipeline(KernelPCA(3, kernel=kernel), LogisticRegression(max_iter=500))
    search = GridSearchCV(steps, {"kernelpca__kernel__left__gamma": [1e-3, 0.1]}, cv=3).fit(X, y)
    assert search.best_estimator_[0].kernel_.startswith("rbf(gamma=0.")
    assert repr(kernel) == "rbf(gamma=1) + linear"


def test_cross_validation_with_a_given_matrix():
    X, y = load_iris(return_X_y=True)
    steps = make_pipeline(KernelPCA(3, kernel="precomputed"), LogisticRegression())
    assert cross_val_score(steps, X @ X.T, y, cv=3).mean() > 0.9


def test_probabilistic_score_in_a_grid(wine):
    grid = {"n_components": [1, 3, 6]}
    ours = GridSearchCV(PCA(), grid, cv=3).fit(wine)
    theirs = GridSearchCV(SklearnPCA(), grid, cv=3).fit(wine)
    assert ours.best_params_ == theirs.best_params_
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_union(wine):
    union = FeatureUnion([("plain", PCA(2)), ("kernel", KernelPCA(2, kernel="rbf"))])
    assert union.fit_transform(wine).shape == (len(wine), 4)


@pytest.mark.parametrize("model", [KernelPCA(2, kernel=RBF(gamma=1.0)), PCA(2)], ids=named)
def test_clone(wine, model):
    twin = clone(model.fit(wine))
    assert not hasattr(twin, "report_")
    assert str(twin.get_params()) == str(model.get_params())
    assert_array_equal(twin.fit(wine).transform(wine), model.transform(wine))


def test_fit_transform_equals_transform(wine):
    model = KernelPCA(3, kernel="rbf")
    assert_allclose(model.fit_transform(wine), model.transform(wine), atol=1e-8)
    assert model.X_fit_.base is not None
    assert not model.X_fit_.flags.writeable
    assert_array_equal(model.X_fit_, wine)


def test_random_states_give_the_same_answer(wine):
    params = {"n_components": 2, "kernel": "rbf", "eigen_solver": "krylov"}
    expected = KernelPCA(**params).fit_transform(wine)
    for state in (3, np.random.RandomState(1)):
        got = KernelPCA(random_state=state, **params).fit_transform(wine)
        assert_allclose(got, expected, atol=1e-7)
