"""Support vector machines on landmarks: laws, certificates, files, refusals, and peers."""

import json
import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC as Peer

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, SVCSearch, SVRSearch

X, Y = make_moons(1500, noise=0.2, random_state=0)
VALUES = np.sin(2 * X[:, 0]) + X[:, 1]
NEW = make_moons(300, noise=0.2, random_state=1)
KERNEL = {"kernel": "rbf", "gamma": 2.0}
MACHINES = [
    (SVC(**KERNEL, tol=1e-4), Y),
    (NuSVC(nu=0.3, **KERNEL, tol=1e-4), Y),
    (SVR(**KERNEL, tol=1e-4), VALUES),
    (NuSVR(nu=0.3, **KERNEL, tol=1e-4), VALUES),
    (OneClassSVM(nu=0.1, **KERNEL, tol=1e-4), None),
]
IDS = [type(machine).__name__ for machine, _ in MACHINES]


def decided(machine, rows):
    return getattr(machine, "decision_function", machine.predict)(rows)


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
def test_all_samples_as_landmarks_are_the_exact_machine(machine, y):
    few = X[:300], None if y is None else y[:300]
    exact = clone(machine).fit(*few)
    low = clone(machine).set_params(landmarks=300).fit(*few)
    scale = np.abs(decided(exact, NEW[0])).max()
    np.testing.assert_allclose(decided(low, NEW[0]), decided(exact, NEW[0]), atol=5e-3 * scale)
    assert low.report_["converged"]
    assert low.report_["solver"] == "dual coordinate descent"


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
def test_the_attributes_belong_together(machine, y):
    low = clone(machine).set_params(landmarks=50).fit(X, y)
    facts = low.report_["landmarks"]
    assert low.landmarks_.shape == (facts["landmarks"], 2)
    assert low.dual_coef_.shape == (1, len(low.support_)) == (1, low.n_support_.sum())
    assert facts["residual_trace"] < 1e-2 * facts["trace"]
    assert facts["loss"]["rows"] == 256
    assert abs(facts["loss"]["of_model"] - facts["loss"]["of_true_kernel"]) < 0.05
    with pytest.raises(AttributeError, match="rows support_"):
        low.support_vectors_  # noqa: B018
    # The decisions are Σ β k̂(x, x_i) + b with the kernel k̂ of the landmarks.
    inner = rbf_kernel(low.landmarks_, gamma=2.0)
    cross = rbf_kernel(NEW[0], low.landmarks_, gamma=2.0)
    other = rbf_kernel(X[low.support_], low.landmarks_, gamma=2.0)
    approximate = cross @ np.linalg.solve(inner, other.T)
    # The orientation of decisions is that of scikit-learn.
    found = approximate @ low.dual_coef_[0] + low.intercept_[0]
    np.testing.assert_allclose(found, decided(low, NEW[0]), atol=1e-3 * np.abs(found).max())


def test_a_problem_is_the_one_of_a_linear_machine_on_scikit_learns_features():
    nystroem = Nystroem(gamma=2.0, n_components=40, random_state=0).fit(X)
    features, new = nystroem.transform(X), nystroem.transform(NEW[0])
    peer = Peer(kernel="linear", C=3.0, tol=1e-5).fit(features, Y)
    low = SVC(C=3.0, **KERNEL, tol=1e-5, landmarks=nystroem.components_).fit(X, Y)
    np.testing.assert_allclose(
        low.decision_function(NEW[0]), peer.decision_function(new), atol=2e-3
    )
    problem = low.report_["machine"]["problems"][0]
    margins = np.maximum(0, 1 - (2 * Y - 1) * peer.decision_function(features))
    primal = 0.5 * np.sum(peer.coef_**2) + 3.0 * margins.sum()
    assert -problem["objective"] == pytest.approx(primal, rel=1e-3)
    assert 0 <= problem["gap"] < 1e-3 * primal


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
def test_polishing_gives_the_exact_machine(machine, y):
    exact = clone(machine).fit(X, y)
    polished = clone(machine).set_params(landmarks=30, polish=True).fit(X, y)
    scale = np.abs(decided(exact, NEW[0])).max()
    np.testing.assert_allclose(decided(polished, NEW[0]), decided(exact, NEW[0]), atol=5e-3 * scale)
    assert "landmarks" not in polished.report_
    assert "30 landmarks" in polished.report_["reason"]
    if isinstance(machine, SVC):
        assert polished.n_iter_[0] < exact.n_iter_[0]
    assert polished.support_vectors_.shape == (len(polished.support_), 2)


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=IDS)
def test_threads_files_and_pickles_change_no_bit(machine, y, tmp_path):
    one = clone(machine).set_params(landmarks=40, n_jobs=1).fit(X, y)
    two = clone(machine).set_params(landmarks=40, n_jobs=2).fit(X, y)
    want = decided(one, NEW[0])
    np.testing.assert_array_equal(decided(two, NEW[0]), want)
    one.save(tmp_path / "machine.mercer")
    loaded = mercer.load(tmp_path / "machine.mercer")
    np.testing.assert_array_equal(decided(loaded, NEW[0]), want)
    np.testing.assert_array_equal(loaded.dual_coef_, one.dual_coef_)
    assert loaded.get_params()["landmarks"] == 40
    np.testing.assert_array_equal(decided(pickle.loads(pickle.dumps(one)), NEW[0]), want)


def test_classes_sparse_rows_and_probabilities():
    digits = load_digits()
    rows = digits.data / 16.0
    model = SVC(C=10, gamma=0.05, landmarks=300).fit(rows[:1200], digits.target[:1200])
    assert model.score(rows[1200:], digits.target[1200:]) > 0.95
    exact = SVC(C=10, gamma=0.05).fit(rows[:1200], digits.target[:1200])
    same = np.mean(model.predict(rows[1200:]) == exact.predict(rows[1200:]))
    assert same > 0.97
    thin = SVC(C=10, gamma=0.05, landmarks=300).fit(
        sparse.csr_array(rows[:1200]), digits.target[:1200]
    )
    found = thin.decision_function(sparse.csr_array(rows[1200:]))
    np.testing.assert_allclose(found, model.decision_function(rows[1200:]), atol=2e-2)
    model.calibrate(rows[:1200], digits.target[:1200])
    shares = model.predict_proba(rows[1200:])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.mean(shares.argmax(axis=1) == digits.target[1200:]) > 0.95


def test_texts_and_automatic_numbers():
    words = ["".join("ab"[int(bit)] for bit in f"{i:09b}") for i in range(400)]
    classes = ["aab" in word for word in words]
    model = SVC(kernel="spectrum", landmarks="auto", landmark_tol=0.05).fit(words, classes)
    facts = model.report_["landmarks"]
    assert 5 < facts["landmarks"] < 400
    assert facts["residual_trace"] <= 0.06 * facts["trace"]
    assert model.score(words, classes) > 0.9


def test_searches_choose_on_landmarks():
    search = SVCSearch([0.1, 1, 10], [0.5, 2.0], cv=3, landmarks=60).fit(X, Y)
    exact = SVCSearch([0.1, 1, 10], [0.5, 2.0], cv=3).fit(X, Y)
    means = search.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"]
    np.testing.assert_allclose(*means, atol=0.01)
    assert "landmarks" in search.best_estimator_.report_
    found = SVRSearch([1, 10], [0.1], [0.5, 2.0], cv=3, landmarks=60).fit(X, VALUES)
    assert found.best_score_ > 0.95
    assert "landmarks" in found.best_estimator_.report_


def test_a_fit_that_was_stopped_goes_on():
    model = SVC(**KERNEL, tol=1e-6, landmarks=60, warm_start=True, max_iter=1)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    model.set_params(max_iter=-1).fit(X, Y)
    cold = SVC(**KERNEL, tol=1e-6, landmarks=60).fit(X, Y)
    np.testing.assert_allclose(
        model.decision_function(NEW[0]), cold.decision_function(NEW[0]), atol=1e-3
    )
    again = model.fit(X, Y)
    assert again.n_iter_[0] == 0


def test_rows_far_from_the_origin():
    """A million away, features are those of rows seen from their mean."""
    near = SVC(**KERNEL, landmarks=60).fit(X, Y)
    far = SVC(**KERNEL, landmarks=60).fit(X + 1e6, Y)
    np.testing.assert_allclose(
        far.decision_function(NEW[0] + 1e6), near.decision_function(NEW[0]), atol=1e-2
    )


def test_refusals_say_what_to_do():
    with pytest.raises(ValueError, match="polish"):
        SVC(polish=True).fit(X, Y)
    with pytest.raises(ValueError, match="landmarks"):
        SVC(landmarks=0).fit(X, Y)
    with pytest.raises(ValueError, match="finite"):
        SVC(landmarks=10, C=np.inf).fit(X, Y)
    with pytest.raises(ValueError, match="precomputed"):
        SVC(landmarks=10, kernel="precomputed").fit(rbf_kernel(X), Y)
    with pytest.raises(MemoryError, match="landmarks"):
        SVC(landmarks=1000, memory_budget="2MB").fit(X, Y)
    model = SVC(landmarks=10).fit(X, Y)
    with pytest.raises(ValueError, match="landmarks"):
        model.to_libsvm("unused.model")


def test_more_landmarks_than_distinct_rows():
    rows = np.repeat(X[:20], 10, axis=0)
    model = SVC(**KERNEL, landmarks=100).fit(rows, np.repeat(Y[:20], 10))
    assert model.report_["landmarks"]["landmarks"] <= 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        json.dumps(model.report_)


def test_each_class_is_told_from_all_others(tmp_path):
    digits, labels = load_digits(return_X_y=True)
    train, test = slice(0, 1200), slice(1200, None)
    options = {"C": 10, "gamma": 0.001, "landmarks": 200}
    pairs = SVC(**options).fit(digits[train], labels[train])
    rest = SVC(**options, one_vs_rest=True).fit(digits[train], labels[train])
    assert len(rest.report_["machine"]["problems"]) == 10
    assert rest.dual_coef_.shape == (10, len(rest.support_))
    assert rest.intercept_.shape == (45,)
    scores = [machine.score(digits[test], labels[test]) for machine in (pairs, rest)]
    assert min(scores) > 0.93
    assert abs(scores[0] - scores[1]) < 0.03
    # Decisions of pairs are differences of one value for each class.
    rest.set_params(decision_function_shape="ovo")
    found = rest.decision_function(digits[test])
    place = {
        pair: at for at, pair in enumerate((a, b) for a in range(10) for b in range(a + 1, 10))
    }
    for a, b, c in ((0, 1, 2), (3, 5, 9)):
        whole = found[:, place[a, b]] + found[:, place[b, c]]
        np.testing.assert_allclose(whole, found[:, place[a, c]], atol=1e-8)
    rest.save(tmp_path / "rest.mercer")
    loaded = mercer.load(tmp_path / "rest.mercer")
    assert loaded.one_vs_rest
    assert np.array_equal(loaded.predict(digits[test]), rest.predict(digits[test]))
    assert np.array_equal(loaded.dual_coef_, rest.dual_coef_)
    assert loaded.report_["machine"]["problems"] == rest.report_["machine"]["problems"]
    rest.calibrate(digits[test], labels[test], cv="prefit")
    assert np.array_equal(
        rest.predict_proba(digits[test]).argmax(axis=1), rest.predict(digits[test])
    )
    for wrong in ({"landmarks": None}, {"polish": True}, {"probability": True}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            with pytest.raises(ValueError, match="one_vs_rest"):
                SVC(**options | {"one_vs_rest": True} | wrong).fit(digits, labels)
    search = SVCSearch(Cs=[1, 10], gammas=[0.001], landmarks=100, one_vs_rest=True, cv=2)
    search.fit(digits[train], labels[train])
    assert search.best_score_ > 0.9
    assert len(search.best_estimator_.report_["machine"]["problems"]) == 10
