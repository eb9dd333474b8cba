"""Fits on landmarks that go on: parts are one fit, in memory, in blocks and through files."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import mercer
from mercer import (
    AdditiveChi2Sampler,
    KernelKMeans,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    PolynomialCountSketch,
    RBFSampler,
    scan,
)

N = 1200
X = np.random.default_rng(5).normal(size=(N, 3))
Y = 10 + np.sin(X[:, 0]) * X[:, 1]
LABELS = np.array(["low", "mid", "high"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
WEIGHTS = np.arange(N) % 3 + 1.0
GIVEN = {"kernel": "rbf", "gamma": 0.3, "landmarks": X[:40]}


def classifier(**params):
    return KernelRidgeClassifier(0.3, **GIVEN | params)


def halves(model, y, classes=None):
    """The model of two halves, which the second begins from a file."""
    model.partial_fit(X[:500], y[:500], classes, sample_weight=WEIGHTS[:500])
    model.save("half.mercer")
    return mercer.load("half.mercer").partial_fit(X[500:], y[500:], sample_weight=WEIGHTS[500:])


@pytest.mark.parametrize("weights", [None, {"low": 2.0, "high": 0.5}])
def test_a_classifier_of_two_halves_is_one_fit(tmp_path, monkeypatch, weights):
    monkeypatch.chdir(tmp_path)
    whole = classifier(class_weight=weights).fit(X, LABELS, WEIGHTS)
    found = classifier(class_weight=weights)
    found.partial_fit(X[:500], LABELS[:500], sample_weight=WEIGHTS[:500])
    found.partial_fit(X[500:], LABELS[500:], sample_weight=WEIGHTS[500:])
    np.testing.assert_allclose(found.decision_function(X), whole.decision_function(X), atol=1e-9)
    assert found.classes_.tolist() == ["high", "low", "mid"]
    if weights is None:
        later = halves(classifier(), LABELS)
        np.testing.assert_allclose(
            later.decision_function(X), whole.decision_function(X), atol=1e-9
        )


def test_classes_may_come_later_if_they_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    order = np.argsort(LABELS == "mid", kind="stable")
    rows, labels = X[order], LABELS[order]
    found = classifier().partial_fit(rows[:500], labels[:500], classes=["mid", "low", "high"])
    found.partial_fit(rows[500:], labels[500:])
    whole = classifier().fit(rows, labels)
    np.testing.assert_allclose(found.decision_function(X), whole.decision_function(X), atol=1e-9)
    with pytest.raises(ValueError, match="not among those of the first call"):
        classifier().partial_fit(rows[:500], labels[:500]).partial_fit(rows[500:], labels[500:])
    with pytest.raises(ValueError, match="not those of the first call"):
        found.partial_fit(rows, labels, classes=["a", "b"])
    with pytest.raises(ValueError, match="class_weight"):
        classifier(class_weight="balanced").partial_fit(X, LABELS)
    with pytest.raises(ValueError, match="mixes"):
        found.partial_fit(X[:3], [1, 2, 1])


def test_a_classifier_goes_on_with_blocks_and_labels():
    def blocks(rows):
        return lambda: iter(
            [(X[rows][:300], LABELS[rows][:300]), (X[rows][300:], LABELS[rows][300:])]
        )

    found = classifier().partial_fit(blocks(slice(0, 600)), classes=np.unique(LABELS))
    found.partial_fit(blocks(slice(600, N)))
    whole = classifier().fit(X, LABELS)
    np.testing.assert_allclose(found.decision_function(X), whole.decision_function(X), atol=1e-9)
    many = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    found = classifier().partial_fit(X[:600], many[:600]).partial_fit(X[600:], many[600:])
    whole = classifier().fit(X, many)
    assert np.array_equal(found.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="of the kind of the first call"):
        found.partial_fit(X, LABELS)


@pytest.mark.parametrize("criterion", ["reconstruction", "projections"])
def test_a_detector_goes_on(tmp_path, monkeypatch, criterion):
    monkeypatch.chdir(tmp_path)
    params = GIVEN | {"criterion": criterion, "n_components": 4}
    whole = KernelPCADetector(**params).fit(X)
    found = KernelPCADetector(**params).partial_fit(X[:700])
    found.save("half.mercer")
    later = mercer.load("half.mercer").partial_fit(scan([X[700:900], X[900:]]))
    found.partial_fit(X[700:])
    for model in (found, later):
        np.testing.assert_allclose(model.score_samples(X), whole.score_samples(X), atol=1e-8)
        assert len(model.training_scores_) == N
        assert abs(model.offset_ / whole.offset_ - 1) < 0.2
    with pytest.raises(ValueError, match="contamination"):
        KernelPCADetector(contamination="auto", **GIVEN).partial_fit(X)


def test_what_fit_does_not_keep_is_said_in_words_of_python():
    for model in (KernelRidge(0.1, **GIVEN).fit(X, Y), classifier().fit(X, LABELS)):
        with pytest.raises(ValueError, match="use partial_fit from the start") as refused:
            model.partial_fit(X, Y if isinstance(model, KernelRidge) else LABELS)
        assert "keep_sums" not in str(refused.value)
    assert not hasattr(KernelKMeans(2, **GIVEN), "partial_fit")


def test_every_regression_has_the_residual_of_the_full_system():
    params = GIVEN | {"landmarks": 20, "random_state": 3}
    search = KernelRidgeCV([0.3], cv="gcv", **params).fit(X, Y)
    plain = KernelRidge(0.3, fit_intercept=True, **params).fit(X, Y)
    iterative = KernelRidge(0.3, fit_intercept=True, solver="cg", **params).fit(X, Y)
    classes = classifier(landmarks=20).fit(X, LABELS)
    systems = [m.report_["landmarks"]["full_system"] for m in (search, plain, iterative, classes)]
    assert all(system["rows"] == 256 and system["residual"] > 0 for system in systems)
    np.testing.assert_allclose(systems[1]["residual"], systems[0]["residual"], rtol=1e-6)
    np.testing.assert_allclose(systems[2]["gap"], systems[0]["gap"], rtol=1e-2)


def test_a_search_in_blocks_compares_the_widths_of_the_same_rows():
    search = KernelRidgeCV([0.1, 1.0], kernel="rbf", landmarks=20, random_state=1)
    whole = search.fit(X, Y).kernel_
    assert search.fit(lambda: iter([(X[:500], Y[:500]), (X[500:], Y[500:])])).kernel_ == whole


SAMPLERS = [
    RBFSampler(gamma="scale", n_components=6, random_state=1),
    PolynomialCountSketch(n_components=6, random_state=1),
    AdditiveChi2Sampler(),
]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: type(sampler).__name__)
def test_samplers_take_blocks(tmp_path, sampler):
    rows = np.abs(X)
    table = scan([rows[:500], rows[500:]])
    whole = sampler.fit(rows[:500]).transform(rows)
    found = sampler.fit(table).transform(table)
    assert np.array_equal(np.concatenate(list(found)), whole)
    assert found.write(tmp_path / "features.npy") == N
    assert np.array_equal(np.load(tmp_path / "features.npy"), whole)
    with pytest.raises(ValueError, match="read only once"):
        sampler.fit(iter([rows]))


def test_a_transformer_without_a_fit_takes_blocks(tmp_path):
    rows = np.abs(X)
    found = AdditiveChi2Sampler().transform(scan([rows[:500], rows[500:]]))
    whole = AdditiveChi2Sampler().fit_transform(rows)
    assert np.array_equal(np.concatenate(list(found)), whole)
    with pytest.raises(NotFittedError):
        found.write(tmp_path / "features.csv")


def test_long_exact_fits_are_warned_of_before_they_begin():
    rows = np.arange(450_000, dtype=np.float32)[:, None]
    model = KernelRidge(1.0, kernel="rbf", solver="cg", max_time=0.3, memory_budget="1GiB")
    warned = pytest.warns(UserWarning, match="a fit on landmarks takes a fraction")
    with warned, pytest.raises(TimeoutError):
        model.fit(rows, rows[:, 0])


def test_a_search_goes_on_by_generalised_cross_validation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    search = KernelRidgeCV(np.geomspace(1e-6, 10, 8), cv="gcv", store_cv_results=True, **GIVEN)
    whole = search.fit(X, Y)
    alpha, score, predicted = whole.alpha_, whole.best_score_, whole.predict(X)
    found = KernelRidgeCV(**search.get_params()).partial_fit(X[:500], Y[:500])
    found.save("half.mercer")
    later = mercer.load("half.mercer").partial_fit(
        scan([(X[500:800], Y[500:800]), (X[800:], Y[800:])])
    )
    found.partial_fit(X[500:], Y[500:])
    assert len(found.cv_results_["param_alpha"]) == 8
    for model in (found, later):
        assert model.alpha_ == alpha
        np.testing.assert_allclose(model.best_score_, score, rtol=1e-9)
        np.testing.assert_allclose(model.predict(X), predicted, atol=1e-8)
    with pytest.raises(ValueError, match="'gcv' in partial_fit"):
        KernelRidgeCV(**GIVEN).partial_fit(X, Y)
    with pytest.raises(ValueError, match="one kernel"):
        KernelRidgeCV(kernel=["rbf", "laplacian"], cv="gcv", landmarks=9).partial_fit(X, Y)
    with pytest.raises(ValueError, match="use partial_fit from the start"):
        whole.partial_fit(X, Y)
