"""contamination="auto": a threshold from the scores alone."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import KernelPCADetector
from mercer._contamination import fraction_above, robust_threshold
from mercer.kernels import RBF

RNG = np.random.default_rng(3)
ANGLES = RNG.uniform(0, 2 * np.pi, 300)
RING = np.c_[np.cos(ANGLES), np.sin(ANGLES)] + 0.05 * RNG.normal(size=(300, 2))
STRAYS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, -2.0], [-1.8, 1.8], [3.0, 3.0]])
criteria = pytest.mark.parametrize("criterion", ["reconstruction", "projections"])


def by_definition(scores):
    """The formula of the documentation, step by step."""
    roots = [score ** (1 / 3) for score in scores]
    middle = sorted(roots)[len(roots) // 2]
    deviations = sorted(abs(root - middle) for root in roots)
    sigma = deviations[len(deviations) // 2] / 0.6745
    return min((middle + 3 * sigma) ** 3, max(scores))


def test_the_formula():
    for scores in (RNG.chisquare(3, 201), RNG.uniform(1, 2, 201), RNG.pareto(1.0, 201)):
        assert robust_threshold(scores) == pytest.approx(by_definition(scores), rel=1e-4)
    assert robust_threshold(4 * scores) == pytest.approx(4 * robust_threshold(scores))


def test_few_inliers_and_all_gross_outliers_are_beyond():
    scores = RNG.chisquare(5, 100_000)
    assert (scores > robust_threshold(scores)).mean() == pytest.approx(1 / 740, abs=1e-3)
    # Up to a fifth of outliers, however far, move it little.
    mixed = np.concatenate([scores[:800], np.full(200, 1e6)])
    assert robust_threshold(mixed) < 3 * robust_threshold(scores)


@pytest.mark.parametrize(
    "scores", [RNG.chisquare(3, 50), np.r_[0.0, 1.0], np.r_[np.zeros(9), 1.0], np.ones(4), [2.0]]
)
def test_the_fraction_is_that_of_the_threshold(scores):
    scores = np.asarray(scores)
    threshold = robust_threshold(scores)
    fraction = fraction_above(scores, threshold)
    assert 0 < fraction <= 0.5
    found = np.quantile(scores, 1 - fraction)
    assert_allclose(found, threshold, rtol=1e-7, atol=1e-7)
    assert_array_equal(scores > found, scores > threshold)


@criteria
def test_the_threshold_of_a_fit(criterion):
    X = np.vstack([RING, STRAYS])
    model = KernelPCADetector(gamma=1.0, criterion=criterion, contamination="auto").fit(X)
    scores = -KernelPCADetector(gamma=1.0, criterion=criterion).fit(X).training_scores_
    assert_array_equal(model.training_scores_, -scores)
    assert model.offset_ == pytest.approx(-robust_threshold(scores), rel=1e-8)
    assert_array_equal(model.predict(X) == -1, scores > robust_threshold(scores))
    assert_array_equal(model.predict(X), clone(model).fit_predict(X))
    assert_allclose(model.decision_function(X), model.score_samples(X) - model.offset_)


def test_strays_are_found_and_the_ring_is_not():
    X = np.vstack([RING, STRAYS])
    for gamma in (0.3, 1.0, 2.0):
        model = KernelPCADetector(8, gamma=gamma, contamination="auto").fit(X)
        assert (model.predict(STRAYS) == -1).all()
        assert (model.predict(RING) == -1).mean() < 0.05


def test_no_training_sample_need_be_an_outlier():
    """Where the formula exceeds all scores, only samples beyond the largest one are outliers."""
    X = RNG.normal(size=(400, 10))
    model = KernelPCADetector(contamination="auto").fit(X)
    assert -model.offset_ == -model.training_scores_.min()
    assert (model.predict(X) == 1).all()
    assert (model.predict(X[:5] + 20) == -1).all()


def test_the_scale_of_the_kernel_changes_nothing():
    X = np.vstack([RING, STRAYS])
    one, ten = (
        KernelPCADetector(kernel=kernel, contamination="auto").fit(X)
        for kernel in (RBF(gamma=1.0), 10 * RBF(gamma=1.0))
    )
    assert_array_equal(one.predict(X), ten.predict(X))
    assert ten.offset_ == pytest.approx(10 * one.offset_, rel=1e-6)


@criteria
def test_files_and_pickles(criterion, tmp_path):
    model = KernelPCADetector(gamma=1.0, criterion=criterion, contamination="auto").fit(RING)
    model.save(tmp_path / "model.mercer")
    for again in (mercer.load(tmp_path / "model.mercer"), pickle.loads(pickle.dumps(model))):
        assert again.contamination == "auto"
        assert again.offset_ == model.offset_
        assert_array_equal(again.predict(STRAYS), model.predict(STRAYS))
        assert clone(again).fit(RING).offset_ == model.offset_


def test_a_random_state_is_drawn_from_once():
    state = np.random.RandomState(0)
    KernelPCADetector(2, contamination="auto", random_state=state).fit(RING)
    drawn = np.random.RandomState(0)
    KernelPCADetector(2, random_state=drawn).fit(RING)
    assert state.randint(1000) == drawn.randint(1000)


@parametrize_with_checks([KernelPCADetector(contamination="auto")])
def test_scikit_learn_check(estimator, check):
    check(estimator)
