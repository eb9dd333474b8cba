"""Kernel k-means: against k-means of scikit-learn, by two loops, and by law."""

import warnings

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

from mercer import KernelKMeans
from mercer.kernels import RBF, Linear

RNG = np.random.default_rng(5)
X, Y = make_blobs(150, 4, centers=5, cluster_std=2.5, random_state=1)
W = RNG.uniform(0.2, 3, size=len(X))
NEW = RNG.uniform(-10, 10, size=(40, 4))
START = RNG.integers(0, 5, size=len(X))
K = rbf_kernel(X, gamma=0.02)


def centroids(labels, weights):
    means = [np.average(X[labels == c], axis=0, weights=weights[labels == c]) for c in range(5)]
    return np.array(means)


def squares(K, own, training, labels, weights, k):
    """Squared distances to the weighted means of clusters, by their definition."""
    found = np.empty((len(K), k))
    for c in range(k):
        share = np.where(labels == c, weights, 0) / weights[labels == c].sum()
        found[:, c] = own - 2 * K @ share + share @ training @ share
    return found


def renamed(one, other):
    """For each column of distances, the one that it is among others: names are free."""
    return np.array([np.abs(other.T - column).max(axis=1).argmin() for column in one.T])


@pytest.mark.parametrize("weighted", [None, W], ids=["equal", "weights"])
@pytest.mark.parametrize("seed", range(5))
def test_a_linear_kernel_is_k_means(weighted, seed):
    start = np.random.default_rng(seed).integers(0, 5, size=len(X))
    given = np.ones(len(X)) if weighted is None else weighted
    theirs = KMeans(5, init=centroids(start, given), n_init=1, tol=0, algorithm="lloyd")
    theirs.fit(X, sample_weight=weighted)
    ours = KernelKMeans(5, kernel="linear", init=start, tol=0).fit(X, sample_weight=weighted)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.labels_.dtype == theirs.labels_.dtype
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
    assert_allclose(ours.transform(NEW), theirs.transform(NEW), atol=1e-9)
    assert ours.score(NEW) == pytest.approx(theirs.score(NEW))
    counts = RNG.uniform(size=len(NEW))
    assert ours.score(NEW, None, counts) == pytest.approx(theirs.score(NEW, None, counts))
    assert 1 <= ours.n_iter_ <= theirs.n_iter_ + 1


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral"])
def test_beginnings_find_blobs(init):
    blobs, truth = make_blobs(200, 3, centers=4, cluster_std=0.4, random_state=2)
    model = KernelKMeans(4, gamma=0.05, init=init, random_state=3).fit(blobs)
    assert adjusted_rand_score(model.labels_, truth) == 1
    assert_array_equal(model.cluster_sizes_, np.bincount(model.labels_, minlength=4))
    assert model.report_["clusters"]["starts"] == (1 if init == "spectral" else 10)
    if init != "spectral":
        three = clone(model).set_params(n_init=3).fit(blobs)
        assert three.report_["clusters"]["starts"] == 3
        assert three.inertia_ == pytest.approx(model.inertia_)


def test_rings_that_k_means_cannot_tell_apart():
    rings, truth = make_circles(300, noise=0.05, factor=0.3, random_state=0)
    model = KernelKMeans(2, gamma=3.0, n_init=10).fit(rings)
    assert adjusted_rand_score(model.labels_, truth) == 1
    assert adjusted_rand_score(KMeans(2, n_init=10).fit_predict(rings), truth) < 0.1


@pytest.mark.parametrize("weighted", [None, W], ids=["equal", "weights"])
def test_two_loops(weighted):
    model = KernelKMeans(5, gamma=0.02, init=START, tol=0).fit(X, sample_weight=weighted)
    given = np.ones(len(X)) if weighted is None else weighted
    expected = squares(K, np.diag(K), K, model.labels_, given, 5)
    assert_allclose(model.transform(X), np.sqrt(expected), atol=1e-7)
    assert_array_equal(model.labels_, expected.argmin(axis=1))
    assert_array_equal(model.predict(X), model.labels_)
    assert model.inertia_ == pytest.approx(given @ expected.min(axis=1))
    assert model.score(X, sample_weight=weighted) == pytest.approx(-model.inertia_)
    beginning = squares(K, np.diag(K), K, START, given, 5)
    first = model.report_["clusters"]["objectives"][0]
    assert first == pytest.approx(given @ beginning[np.arange(len(X)), START])
    new = rbf_kernel(NEW, X, gamma=0.02)
    expected = squares(new, np.ones(len(NEW)), K, model.labels_, given, 5)
    assert_allclose(model.transform(NEW), np.sqrt(expected), atol=1e-7)
    assert_array_equal(model.predict(NEW), expected.argmin(axis=1))


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral", START], ids=named)
def test_a_given_matrix_is_the_kernel(init):
    params = {"n_clusters": 5, "init": init, "random_state": 1}
    direct = KernelKMeans(gamma=0.02, **params).fit(X, sample_weight=W)
    given = KernelKMeans(kernel="precomputed", **params)
    distances = given.fit_transform(K, sample_weight=W)
    new, own = rbf_kernel(NEW, X, gamma=0.02), np.ones(len(NEW))
    found = given.transform(new, diagonal=own)
    place = np.arange(5) if isinstance(init, np.ndarray) else renamed(direct.transform(NEW), found)
    assert_array_equal(place[direct.labels_], given.labels_)
    assert given.inertia_ == pytest.approx(direct.inertia_)
    assert_allclose(distances[:, place], direct.transform(X), atol=1e-7)
    assert_array_equal(given.predict(new), place[direct.predict(NEW)])
    assert_allclose(found[:, place], direct.transform(NEW), atol=1e-7)
    assert given.score(new, diagonal=own) == pytest.approx(direct.score(NEW))


def test_functions_and_combined_kernels():
    function = KernelKMeans(5, kernel=lambda a, b: float(a @ b), init=START).fit(X)
    linear = KernelKMeans(5, kernel="linear", init=START).fit(X)
    assert_array_equal(function.labels_, linear.labels_)
    assert_array_equal(function.predict(NEW), linear.predict(NEW))
    assert_allclose(function.transform(NEW), linear.transform(NEW), atol=1e-6)
    assert_allclose(function.fit_transform(X), linear.transform(X), atol=1e-6)
    summed = KernelKMeans(5, kernel=0.5 * RBF(gamma=0.02) + 0.1 * Linear(), init=START).fit(X)
    direct = KernelKMeans(5, kernel="precomputed", init=START).fit(0.5 * K + 0.1 * X @ X.T)
    assert_array_equal(summed.labels_, direct.labels_)
    assert summed.kernel_ == "0.5*rbf(gamma=0.02) + 0.1*linear"


@pytest.mark.parametrize("init", ["k-means++", "spectral"])
def test_weights_are_repetitions(init):
    counts = RNG.integers(0, 4, size=len(X))
    made = KernelKMeans(4, gamma=0.02, init=init, random_state=2)
    weighted = clone(made).fit(X, sample_weight=counts)
    repeated = clone(made).fit(np.repeat(X, counts, axis=0))
    place = renamed(repeated.transform(NEW), weighted.transform(NEW))
    assert_array_equal(np.repeat(weighted.labels_, counts), place[repeated.labels_])
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert_allclose(weighted.transform(NEW)[:, place], repeated.transform(NEW), atol=1e-7)
    twice = clone(made).fit(X, sample_weight=2 * counts)
    assert twice.inertia_ == pytest.approx(2 * weighted.inertia_)


def test_the_order_of_samples_does_not_matter():
    order = RNG.permutation(len(X))
    one = KernelKMeans(5, gamma=0.02, init=START, tol=0).fit(X, sample_weight=W)
    other = KernelKMeans(5, gamma=0.02, init=START[order], tol=0)
    other.fit(X[order], sample_weight=W[order])
    assert_array_equal(one.labels_[order], other.labels_)
    assert one.inertia_ == pytest.approx(other.inertia_)
    assert_allclose(one.transform(NEW), other.transform(NEW), atol=1e-9)


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral"])
def test_threads_and_budgets_do_not_change_the_answer(init):
    many = np.random.default_rng(0).normal(size=(2500, 3))
    params = {"n_clusters": 6, "init": init, "n_init": 1}
    one, two = (KernelKMeans(n_jobs=jobs, **params).fit(many) for jobs in (1, 2))
    assert_array_equal(one.labels_, two.labels_)
    assert one.inertia_ == two.inertia_
    assert_array_equal(one.transform(many), two.transform(many))
    small = KernelKMeans(memory_budget="20MB", **params).fit(many)
    assert small.report_["storage"] != one.report_["storage"]
    assert adjusted_rand_score(small.labels_, one.labels_) == 1


def test_the_objective_never_rises():
    for seed in range(10):
        start = np.random.default_rng(seed).integers(0, 12, size=len(X))
        model = KernelKMeans(12, gamma=0.05, init=start, tol=0).fit(X, sample_weight=W)
        reported = model.report_["clusters"]
        objectives = np.array(reported["objectives"])
        assert len(objectives) > 2
        assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
        assert objectives[-1] == pytest.approx(model.inertia_)
        assert reported["moved"] > 0
        assert model.report_["converged"]


def test_precision():
    single = KernelKMeans(5, gamma=0.02, init=START).fit(X.astype("f4"))
    assert single.transform(NEW.astype("f4")).dtype == np.float32
    mixed = KernelKMeans(5, gamma=0.02, init=START, precision="mixed").fit(X)
    assert mixed.report_["precision"] == "f32"
    assert mixed.transform(NEW).dtype == np.float64
    direct = KernelKMeans(5, gamma=0.02, init=START).fit(X)
    for model in (single, mixed):
        assert adjusted_rand_score(model.labels_, direct.labels_) == 1
        assert_allclose(model.transform(NEW), direct.transform(NEW), atol=1e-2)


def test_pipelines_names_and_tables():
    pipe = make_pipeline(KernelKMeans(3, gamma=0.02)).set_output(transform="pandas").fit(X)
    table = pipe.transform(X)
    assert list(table.columns) == ["kernelkmeans0", "kernelkmeans1", "kernelkmeans2"]
    fitted = KernelKMeans(3, gamma=0.02).set_output(transform="pandas")
    assert_allclose(fitted.fit_transform(X), table)
    assert_array_equal(pipe.predict(X), pipe[0].labels_)


def test_seeds_repeat():
    for state in (None, 4, np.random.RandomState(4)):
        one = KernelKMeans(5, gamma=0.02, init="random", n_init=1, random_state=state)
        labels = one.fit_predict(X)
        if not isinstance(state, np.random.RandomState):
            assert_array_equal(one.fit(X).labels_, labels)
    seeds = {
        KernelKMeans(5, gamma=0.02, n_init=1, random_state=s).fit(X).inertia_ for s in range(9)
    }
    assert len(seeds) > 1


def test_progress_and_what_it_raises():
    steps = []
    KernelKMeans(5, gamma=0.02, init=START, progress=steps.append, n_jobs=1).fit(X)
    assert steps[-1].stage == "k-means"
    assert "objective" in steps[-1].message

    def stop(step):
        raise KeyboardInterrupt

    model = KernelKMeans(5, gamma=0.02, init=START).fit(X)
    labels = model.labels_
    with pytest.raises(KeyboardInterrupt):
        model.set_params(progress=stop).fit(X, sample_weight=W)
    assert model.labels_ is labels


def test_no_warning_of_a_fit_that_went_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelKMeans(5, gamma=0.02).fit(X)


@pytest.mark.parametrize(
    ("params", "starts"),
    [
        ({}, 10),
        ({"kernel": "linear"}, 1),
        ({"kernel": Linear()}, 1),
        ({"kernel": "linear", "init": "random"}, 10),
        ({"kernel": "poly", "init": "random"}, 10),
        ({"kernel": "precomputed"}, 10),
        ({"init": "spectral"}, 1),
        ({"init": START}, 1),
        ({"n_init": 3}, 3),
        ({"kernel": "linear", "n_init": 3}, 3),
    ],
    ids=str,
)
def test_the_number_of_starts(params, starts):
    rows = rbf_kernel(X) if params.get("kernel") == "precomputed" else X
    model = KernelKMeans(5, **params).fit(rows)
    assert model.report_["clusters"]["starts"] == starts


def test_ten_starts_find_what_one_misses():
    """On iris, single starts end up to 40 % above the best inertia."""
    iris = load_iris(return_X_y=True)[0]
    seeds = range(10)
    best = KernelKMeans(3, n_init=50, random_state=99).fit(iris).inertia_
    one = [KernelKMeans(3, n_init=1, random_state=seed).fit(iris).inertia_ for seed in seeds]
    ten = [KernelKMeans(3, random_state=seed).fit(iris).inertia_ for seed in seeds]
    assert max(one) > 1.2 * best
    assert_allclose(ten, best, rtol=1e-3)
