"""Low-rank fits on landmarks: laws, certificates, and what they are against scikit-learn's."""

import pickle
import re

import numpy as np
import pytest
from scipy.linalg import solve_triangular
from sklearn.datasets import load_digits, make_moons
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

import mercer
from mercer import KernelPCA, KernelPCADetector, KernelRidge, KernelRidgeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 4))
Y = np.sin(X[:, 0]) + 0.1 * X[:, 1] ** 2
NEW = RNG.normal(size=(50, 4))


def test_all_samples_as_landmarks_are_exact():
    exact = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.3).fit(X, Y)
    low = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.3, landmarks=600).fit(X, Y)
    np.testing.assert_allclose(low.predict(NEW), exact.predict(NEW), atol=1e-6)
    exact = KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
    low = KernelPCA(3, kernel="rbf", gamma=0.3, landmarks=600).fit(X)
    np.testing.assert_allclose(low.eigenvalues_, exact.eigenvalues_, rtol=1e-6)
    scores = np.abs(low.transform(NEW)), np.abs(exact.transform(NEW))
    np.testing.assert_allclose(*scores, atol=1e-6)


def test_the_same_landmarks_are_scikit_learns_approximation():
    nystroem = Nystroem(gamma=0.3, n_components=60, random_state=0)
    peer = make_pipeline(nystroem, Ridge(alpha=0.5, fit_intercept=True)).fit(X, Y)
    chosen = nystroem.components_
    model = KernelRidge(0.5, kernel="rbf", gamma=0.3, fit_intercept=True, landmarks=chosen)
    model.fit(X, Y)
    np.testing.assert_allclose(model.predict(NEW), peer.predict(NEW), atol=1e-6)
    assert model.report_["landmarks"]["method"] == "given"
    np.testing.assert_array_equal(model.landmarks_, chosen)


@pytest.mark.parametrize("alpha", [0.1, 1e-6])
def test_close_landmarks_lose_no_digits(alpha):
    """Landmarks so close that their kernel matrix has a condition of 1e12."""
    points = np.random.default_rng(1).normal(size=(3000, 3))
    targets = np.sin(points[:, 0]) * points[:, 1]
    model = KernelRidge(alpha, kernel="rbf", gamma=0.5, landmarks=points[:250])
    model.fit(points, targets)
    chosen = model.landmarks_
    factor = np.linalg.cholesky(rbf_kernel(chosen, gamma=0.5))
    features = solve_triangular(factor, rbf_kernel(chosen, points, gamma=0.5), lower=True).T
    stacked = np.vstack([features, np.sqrt(alpha) * np.eye(len(chosen))])
    padded = np.concatenate([targets, np.zeros(len(chosen))])
    beta = np.linalg.lstsq(stacked, padded, rcond=None)[0]
    np.testing.assert_allclose(model.predict(points), features @ beta, atol=1e-5)
    parts = KernelRidge(**model.get_params())
    for rows in (slice(0, 500), slice(500, 3000)):
        parts.partial_fit(points[rows], targets[rows])
    np.testing.assert_allclose(parts.predict(points), model.predict(points), atol=1e-7)


@pytest.mark.parametrize("method", ["pivoted_cholesky", "uniform"])
def test_certificates_bound_the_exact_spectrum(method):
    exact = np.linalg.eigvalsh(rbf_kernel(X, gamma=0.3))[::-1]
    model = KernelPCA(10, kernel="rbf", gamma=0.3, center=False, landmarks=50)
    model.set_params(landmark_method=method).fit(X)
    facts = model.report_["landmarks"]
    assert (facts["landmarks"], facts["rows"], facts["method"]) == (50, 600, method)
    assert facts["trace"] == pytest.approx(600)
    below = model.eigenvalues_
    assert (below <= exact[:10] + 1e-8).all()
    assert (exact[:10] <= below + facts["residual_trace"] + 1e-8).all()
    K = rbf_kernel(model.landmarks_, gamma=0.3)
    C = rbf_kernel(X, model.landmarks_, gamma=0.3)
    left = 600 - np.trace(C @ np.linalg.pinv(K, hermitian=True) @ C.T)
    assert facts["residual_trace"] == pytest.approx(left, rel=1e-5)


def test_auto_reaches_its_tolerance():
    model = KernelPCA(2, kernel="rbf", gamma=0.3, landmarks="auto", landmark_tol=0.05).fit(X)
    facts = model.report_["landmarks"]
    assert facts["residual_trace"] <= 0.05 * facts["trace"]
    assert 20 < facts["landmarks"] < 600
    assert facts["curve"][0] == [0, 1.0]


@pytest.mark.parametrize("precision", ["f64", "mixed", "f32"])
def test_precision_and_threads(precision):
    model = KernelRidge(1.0, kernel="rbf", gamma=0.3, landmarks=40, precision=precision)
    one = model.set_params(n_jobs=1).fit(X, Y).dual_coef_.copy()
    np.testing.assert_array_equal(one, model.set_params(n_jobs=2).fit(X, Y).dual_coef_)
    exact = KernelRidge(1.0, kernel="rbf", gamma=0.3, landmarks=40).fit(X, Y)
    np.testing.assert_allclose(model.predict(NEW), exact.predict(NEW), atol=2e-3)


def test_partial_fit_in_parts_is_one_fit(tmp_path):
    chosen = X[:40]
    model = KernelRidge(0.5, kernel="rbf", gamma=0.3, fit_intercept=True, landmarks=chosen)
    whole = KernelRidge(**model.get_params()).fit(X, Y)
    model.partial_fit(X[:200], Y[:200])
    model.partial_fit(X[200:300], Y[200:300])
    model.save(tmp_path / "model.mercer")
    later = mercer.load(tmp_path / "model.mercer")
    later.partial_fit(X[300:], Y[300:])
    np.testing.assert_allclose(later.predict(NEW), whole.predict(NEW), atol=1e-9)
    assert later.report_["landmarks"]["rows"] == 600
    components = KernelPCA(2, kernel="rbf", gamma=0.3, landmarks=chosen)
    parts = KernelPCA(**components.get_params()).partial_fit(X[:300]).partial_fit(X[300:])
    components.fit(X)
    np.testing.assert_allclose(parts.transform(NEW), components.transform(NEW), atol=1e-8)


def test_partial_fit_needs_landmarks():
    assert not hasattr(KernelRidge(), "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit") as refused:
        KernelPCA().partial_fit(X)
    assert "set landmarks" in str(refused.value.__cause__)
    fitted = KernelPCA(2, kernel="rbf", landmarks=20).fit(X)
    with pytest.raises(ValueError, match="use partial_fit from the start"):
        fitted.partial_fit(X)


def test_classifier_detector_and_files(tmp_path):
    points, labels = make_moons(500, noise=0.1, random_state=0)
    model = KernelRidgeClassifier(0.1, kernel="rbf", gamma=2.0, landmarks=60).fit(points, labels)
    assert model.score(points, labels) > 0.97
    model.save(tmp_path / "classifier.mercer")
    again = mercer.load(tmp_path / "classifier.mercer")
    assert again.landmarks == 60
    np.testing.assert_array_equal(again.predict(points), model.predict(points))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(points), model.predict(points)
    )
    digits = load_digits().data
    exact = KernelPCADetector(20, kernel="rbf", gamma=0.001).fit(digits)
    low = KernelPCADetector(20, kernel="rbf", gamma=0.001, landmarks=500).fit(digits)
    assert np.corrcoef(low.training_scores_, exact.training_scores_)[0, 1] > 0.98
    low.save(tmp_path / "detector.mercer")
    read = mercer.load(tmp_path / "detector.mercer")
    np.testing.assert_array_equal(read.training_scores_, low.training_scores_)
    np.testing.assert_array_equal(read.score_samples(digits[:9]), low.score_samples(digits[:9]))


def test_strings_and_functions():
    words = ["".join(RNG.choice(list("abc"), 6)) for _ in range(150)]
    exact = KernelPCA(2, kernel="spectrum", kernel_params={"p": 2}).fit(words)
    low = KernelPCA(2, kernel="spectrum", kernel_params={"p": 2}, landmarks=60).fit(words)
    np.testing.assert_allclose(low.eigenvalues_, exact.eigenvalues_, rtol=1e-6)
    assert set(low.landmarks_) <= set(words)
    own = KernelRidge(kernel=lambda a, b: float(np.exp(-0.3 * np.sum((a - b) ** 2))), landmarks=30)
    same = KernelRidge(kernel="rbf", gamma=0.3, landmarks=30).fit(X[:100], Y[:100])
    np.testing.assert_allclose(own.fit(X[:100], Y[:100]).predict(NEW), same.predict(NEW), atol=1e-6)


def test_back_to_samples():
    model = KernelPCA(4, kernel="rbf", gamma=0.1, landmarks=100).fit(X)
    scores = model.fit_transform(X[:300])
    assert scores.shape == (300, 4)
    np.testing.assert_allclose(scores, model.transform(X[:300]))
    back, errors = model.inverse_transform(scores[:20], method="fixed_point", return_error=True)
    assert np.isfinite(back).all()
    np.testing.assert_array_less(errors, 1.0)
    with pytest.raises(AttributeError, match="no eigenvectors"):
        model.eigenvectors_  # noqa: B018


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"landmarks": 0}, "an integer of at least 1, 'auto', samples, or None"),
        ({"landmarks": "many"}, "an integer of at least 1, 'auto', samples, or None"),
        ({"landmarks": 0.5}, "an integer of at least 1, 'auto', samples, or None"),
        ({"landmarks": "auto", "landmark_tol": 2}, "strictly between 0 and 1"),
        ({"landmarks": 5, "landmark_method": "best"}, "'pivoted_cholesky', 'uniform'"),
        ({"landmarks": X[:5, :2]}, "features"),
        ({"landmarks": 5, "kernel": "precomputed"}, "set landmarks=None"),
        ({"landmarks": 5, "fit_inverse_transform": True}, "not available with landmarks"),
        ({"landmarks": 2, "n_components": 3}, "the number of landmarks"),
    ],
)
def test_bad_parameters(params, message):
    model = KernelPCA(2, kernel="rbf").set_params(**params)
    data = X[:20] if params.get("kernel") != "precomputed" else rbf_kernel(X[:20])
    with pytest.raises(ValueError, match=message):
        model.fit(data)


def test_a_budget_says_how_many_landmarks_fit():
    model = KernelRidge(kernel="rbf", landmarks=500, memory_budget="4MiB")
    with pytest.raises(MemoryError, match="use at most") as refused:
        model.fit(X, Y)
    most = int(re.search(r"at most (\d+) landmarks", str(refused.value)).group(1))
    assert 10 < most < 500
    model.set_params(landmarks=most).fit(X, Y)


def test_more_landmarks_than_distinct_samples():
    twice = np.repeat(X[:10], 5, axis=0)
    model = KernelPCA(2, kernel="rbf", landmarks=30).fit(twice)
    assert len(model.landmarks_) == 10


def test_single_precision_makes_the_trace_uncertain_by_rounding_alone():
    shares = {}
    for precision in ("f64", "mixed"):
        model = KernelPCA(2, kernel="rbf", gamma=0.3, landmarks=60, precision=precision).fit(X)
        facts = model.report_["landmarks"]
        shares[precision] = facts["residual_trace"] / facts["trace"]
    assert abs(shares["mixed"] - shares["f64"]) < 1e-5
