"""Searches, clusters and features on tables that are read in blocks are those in memory."""

import numpy as np
import pytest

from mercer import KernelKMeans, KernelRidgeCV, Nystroem, ParameterError, scan

N = 4000
X = np.random.default_rng(2).normal(size=(N, 3))
Y = 10 + np.sin(X[:, 0]) * X[:, 1]
WEIGHTS = np.arange(N) % 3 + 1.0
FIT = {"kernel": "rbf", "gamma": 0.3, "landmarks": 30, "random_state": 3}


def parts(size=700):
    """Blocks of samples, targets and weights, as often as they are asked for."""
    for start in range(0, N, size):
        rows = slice(start, start + size)
        yield X[rows], Y[rows], WEIGHTS[rows]


@pytest.mark.parametrize("cv", [None, "gcv"])
def test_a_search_compares_penalties_as_in_memory(cv):
    search = KernelRidgeCV(np.geomspace(1e-6, 10, 8), cv=cv, store_cv_results=True, **FIT)
    whole = search.fit(X, Y, WEIGHTS)
    scores = whole.cv_results_["mean_test_score"]
    coef, alpha = whole.dual_coef_, whole.alpha_
    found = search.fit(parts)
    assert found.alpha_ == alpha
    assert np.array_equal(found.dual_coef_, coef)
    assert np.array_equal(found.cv_results_["mean_test_score"], scores)
    predicted = np.concatenate(list(found.predict(scan([X[:3000], X[3000:]]))))
    assert np.array_equal(predicted, found.predict(X))


def test_a_search_in_blocks_refuses_what_needs_all_rows():
    with pytest.raises(ParameterError, match="rows in blocks"):
        KernelRidgeCV(cv=3, **FIT).fit(parts)
    with pytest.raises(ParameterError, match="rows in blocks"):
        KernelRidgeCV(scoring="r2", **FIT).fit(parts)
    with pytest.raises(ValueError, match="read only once"):
        KernelRidgeCV(**FIT).fit(parts())


def test_solvers_of_exact_fits_are_refused_with_landmarks():
    for given in ({"solver": "eigen"}, {"tol": 1e-3}, {"max_iter": 5}):
        with pytest.raises(ParameterError, match="with landmarks"):
            KernelRidgeCV(**FIT | given).fit(X, Y)


def test_clusters_in_blocks_are_those_in_memory():
    def blocks():
        for rows, _, weights in parts():
            yield rows, None, weights

    model = KernelKMeans(4, n_init=2, **FIT)
    labels, inertia = model.fit(X, sample_weight=WEIGHTS).labels_, model.inertia_
    found = model.fit(blocks)
    assert np.array_equal(found.labels_, labels)
    assert found.inertia_ == inertia
    assert np.array_equal(np.concatenate(list(found.predict(scan([X])))), found.predict(X))


def test_features_in_blocks_are_those_in_memory(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, X)
    features = Nystroem(gamma=0.3, n_components=30, random_state=3)
    expected, left = features.fit_transform(X), features.error_["residual_trace"]
    found = features.fit(scan(path))
    assert found.error_["residual_trace"] == left
    assert np.array_equal(np.concatenate(list(found.transform(scan(path)))), expected)
    with pytest.raises(ParameterError, match="call fit, then transform"):
        features.fit_transform(scan(path))
