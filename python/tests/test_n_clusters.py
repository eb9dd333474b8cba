"""The number of clusters: criteria by two loops, known answers, and what is refused."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import silhouette_score
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import KernelKMeans, choose_n_clusters, kernels
from mercer import _n_clusters_scores as criteria
from mercer.kernels import RBF, Linear

RNG = np.random.default_rng(0)
CENTRES = {
    2: [[0, 0], [5, 0]],
    3: [[0, 0], [5, 0], [0, 5]],
    5: [[0, 0], [5, 0], [0, 5], [5, 5], [10, 0]],
}
ALL = ("silhouette", "gap", "stability")
every = pytest.mark.parametrize("criterion", ALL)


def blobs(k, n=90):
    return make_blobs(n, centers=CENTRES[k], cluster_std=0.6, random_state=1)[0]


def silhouette_by_loops(K, labels):
    """The mean over samples, from distances of pairs, one by one."""
    n = len(labels)
    found = []
    for i in range(n):
        means = {}
        for cluster in set(labels.tolist()):
            others = [j for j in range(n) if labels[j] == cluster and j != i]
            squares = [K[i, i] + K[j, j] - 2 * K[i, j] for j in others]
            means[cluster] = np.mean(np.sqrt(squares)) if others else None
        a = means.pop(labels[i])
        b = min(means.values())
        found.append(0.0 if a is None else (b - a) / max(a, b))
    return np.mean(found)


def rand_by_loops(one, two):
    """The adjusted Rand index, from all pairs of samples."""
    pairs = list(combinations(range(len(one)), 2))
    together = [(one[i] == one[j], two[i] == two[j]) for i, j in pairs]
    both = sum(a and b for a, b in together)
    first, second = sum(a for a, _ in together), sum(b for _, b in together)
    expected = first * second / len(pairs)
    return (both - expected) / ((first + second) / 2 - expected)


def test_silhouette_by_two_loops():
    X = RNG.normal(size=(40, 3))
    K = rbf_kernel(X, gamma=0.3)
    D = criteria.distances(K)
    for labels in (np.arange(40) % 3, np.r_[np.zeros(39), 1].astype(int), np.arange(40) % 7 + 2):
        expected = silhouette_by_loops(K, labels)
        assert criteria.silhouette(D, labels) == pytest.approx(expected, abs=1e-12)
    found = choose_n_clusters(X, kernel="rbf", gamma=0.3, k=[4, 2, 3, 3])
    assert_array_equal(found.k, [2, 3, 4])
    for k, score in zip(found.k, found.scores, strict=True):
        model = KernelKMeans(k, kernel="precomputed", n_init=10, random_state=0).fit(K)
        assert score == pytest.approx(silhouette_by_loops(K, model.labels_), abs=1e-9)
    assert found.n_clusters == found.k[np.argmax(found.scores)]


def test_a_linear_kernel_has_the_usual_silhouette():
    X = blobs(3)
    for offset in (0.0, 1e8):
        found = choose_n_clusters(X + offset, kernel="linear", k=[2, 3, 4])
        labels = KernelKMeans(3, kernel="linear", n_init=10, random_state=0).fit(X).labels_
        assert found.scores[1] == pytest.approx(silhouette_score(X, labels), abs=1e-6)
        assert found.n_clusters == 3


def test_stability_by_two_loops():
    X = blobs(3, 40)
    found = choose_n_clusters(
        X, gamma=0.05, k=[3, 4], criterion="stability", n_draws=4, random_state=5
    )
    K, rng = rbf_kernel(X, gamma=0.05), np.random.default_rng(5)
    pairs = [[np.sort(rng.choice(40, 32, replace=False)) for _ in "ab"] for _ in range(4)]
    for k, score, error in zip(found.k, found.scores, found.std_errors, strict=True):
        values = []
        for pair in pairs:
            labels = []
            for rows in pair:
                model = KernelKMeans(k, kernel="precomputed", n_init=10, random_state=5)
                assigned = model.fit(K[np.ix_(rows, rows)]).labels_
                labels.append(dict(zip(rows.tolist(), assigned.tolist(), strict=True)))
            common = sorted(set(labels[0]) & set(labels[1]))
            values.append(rand_by_loops(*([one[row] for row in common] for one in labels)))
        assert score == pytest.approx(np.mean(values), abs=1e-12)
        assert error == pytest.approx(np.std(values) / 2, abs=1e-12)


def test_gap_by_its_definition():
    X = blobs(2, 40)
    found = choose_n_clusters(X, gamma=0.05, k=[1, 2, 3], criterion="gap", n_draws=3)
    rng = np.random.default_rng(0)
    drawn = [criteria.uniform_in_box(X, rng) for _ in range(3)]
    for k, score, error in zip(found.k, found.scores, found.std_errors, strict=True):
        model = KernelKMeans(k, kernel="rbf", gamma=0.05, n_init=10, random_state=0)
        theirs = [np.log(model.fit(reference).inertia_) for reference in drawn]
        assert score == pytest.approx(np.mean(theirs) - np.log(model.fit(X).inertia_), abs=1e-9)
        assert error == pytest.approx(np.std(theirs) * np.sqrt(4 / 3), abs=1e-9)


def test_references_fill_the_box_along_the_principal_axes():
    X = RNG.normal(size=(4000, 2)) @ [[3.0, 3.0], [0.2, -0.2]] + 50
    drawn = criteria.uniform_in_box(X, np.random.default_rng(0))
    assert drawn.shape == X.shape
    axes = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    ours, theirs = (X - 50) @ axes.T, (drawn - 50) @ axes.T
    assert_allclose(theirs.min(axis=0), ours.min(axis=0), rtol=0.05)
    assert_allclose(theirs.max(axis=0), ours.max(axis=0), rtol=0.05)


@every
@pytest.mark.parametrize("k", list(CENTRES))
def test_known_numbers_are_found(criterion, k):
    found = choose_n_clusters(blobs(k), gamma=0.05, k=range(2, 8), criterion=criterion)
    assert found.n_clusters == k, str(found)
    assert found.criterion == criterion
    assert str(found).startswith(f"{k} clusters by {criterion}")


def test_one_cluster_by_the_gap():
    X = RNG.normal(size=(100, 2))
    assert choose_n_clusters(X, kernel="linear", k=range(1, 6), criterion="gap").n_clusters == 1


def test_rings_need_a_kernel():
    X, _ = make_circles(200, factor=0.2, noise=0.04, random_state=0)
    assert choose_n_clusters(X, gamma=3.0, k=[2, 3, 4], criterion="stability").n_clusters == 2


@every
def test_results_are_repeatable(criterion):
    X = RNG.normal(size=(50, 2))
    draws = {} if criterion == "silhouette" else {"n_draws": 3}
    params = {"k": [2, 3], "criterion": criterion} | draws
    one, two = choose_n_clusters(X, **params), choose_n_clusters(X, **params, n_jobs=1)
    assert_array_equal(one.scores, two.scores)
    assert_array_equal(one.scores, choose_n_clusters(X, **params, random_state=None).scores)


@pytest.mark.parametrize("criterion", ["silhouette", "stability"])
def test_samples_of_any_kind(criterion):
    X = blobs(3)
    expected = choose_n_clusters(X, gamma=0.05, k=[2, 3, 4], criterion=criterion)
    for rows, kernel in (
        (rbf_kernel(X, gamma=0.05), "precomputed"),
        (sparse.csr_array(X), RBF(gamma=0.05)),
        ({"a": X[:, 0], "b": X[:, 1]}, "columns(a, b: rbf(gamma=0.05))"),
        (list(X), kernels.block(lambda A, B: rbf_kernel(A, B, gamma=0.05))),
    ):
        found = choose_n_clusters(rows, kernel=kernel, k=[2, 3, 4], criterion=criterion)
        assert_allclose(found.scores, expected.scores, atol=1e-9)
    words = ["anna", "hannah", "annalena", "rust", "crust", "rusty"] * 4
    assert choose_n_clusters(words, kernel="normalize(spectrum(p=2))", k=[2, 3]).n_clusters in (
        2,
        3,
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "elbow"}, "criterion must be one of 'silhouette', 'gap', 'stability'"),
        ({"k": 3}, r"k must be integers, as in range\(2, 11\)"),
        ({"k": []}, "k must be integers"),
        ({"k": [2.5]}, "k must be integers"),
        ({"k": "23"}, "k must be integers"),
        ({"k": [1, 2]}, "k=1 is out of range: of 30 samples, 2 to 29 clusters"),
        ({"k": [0, 2], "criterion": "gap"}, "k=0 is out of range: of 30 samples, 1 to 29"),
        ({"k": [2, 30]}, "k=30 is out of range"),
        ({"n_draws": 5}, "n_draws has no effect on the silhouette"),
        ({"n_draws": 1, "criterion": "gap"}, "n_draws must be an integer of at least 2"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"kernel": RBF(gamma=1.0), "gamma": 2.0}, "already sets gamma"),
        ({"kernel": "precomputed"}, "square matrix"),
    ],
    ids=str,
)
def test_what_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        choose_n_clusters(RNG.normal(size=(30, 2)), **params)


@pytest.mark.parametrize("form", [sparse.csr_array, lambda X: X @ X.T], ids=["sparse", "matrix"])
def test_the_gap_needs_rows_of_numbers(form):
    X = form(RNG.normal(size=(30, 2)))
    kernel = Linear() if sparse.issparse(X) else "precomputed"
    with pytest.raises(ValueError, match="which must be dense rows of numbers: use 'silhouette'"):
        choose_n_clusters(X, kernel=kernel, criterion="gap")


def test_the_matrix_must_fit():
    with pytest.raises(MemoryError, match="budget"):
        choose_n_clusters(RNG.normal(size=(100, 2)), memory_budget="100kB")


@pytest.mark.parametrize("criterion", ["silhouette", "gap", "stability"])
def test_the_time_is_limited(criterion):
    X = blobs(3)
    found = choose_n_clusters(X, k=[2, 3], criterion=criterion, max_time=600)
    assert str(found) == str(choose_n_clusters(X, k=[2, 3], criterion=criterion))
    with pytest.raises(TimeoutError, match=r"max_time=1e-06 seconds: .* fewer numbers of clusters"):
        choose_n_clusters(X, k=[2, 3], criterion=criterion, max_time=1e-6)
    with pytest.raises(ValueError, match="'max_time' parameter"):
        choose_n_clusters(X, criterion=criterion, max_time=0)


def test_the_result_is_public():
    assert isinstance(choose_n_clusters(blobs(2), k=[2, 3]), mercer.ClusterCount)
