"""Probabilities calibrated on samples that a machine was not fitted on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

import mercer
from mercer import SVC, NuSVC
from mercer.kernels import RBF

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 2))
Y = np.where(X[:, 0] + 0.8 * RNG.normal(size=600) > 0, "yes", "no")
FIT, HELD, NEW = slice(0, 150), slice(150, 400), slice(400, 600)


def machine(**params):
    return SVC(gamma=0.5, **params).fit(X[FIT], Y[FIT])


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_are_frequencies_of_the_held_out_samples(method):
    model = machine()
    decisions, classes = model.decision_function(X), model.predict(X)
    model.calibrate(X[HELD], Y[HELD], method=method, cv="prefit")
    assert_array_equal(model.decision_function(X), decisions)
    assert_array_equal(model.predict(X), classes)
    share = model.predict_proba(X)[:, 1]
    assert (np.diff(share[np.argsort(decisions)]) >= 0).all()
    assert abs(share[HELD].mean() - (Y[HELD] == "yes").mean()) < 0.05
    assert abs(share[NEW].mean() - (Y[NEW] == "yes").mean()) < 0.08
    assert_array_equal(model.classes_[(share > 0.5).astype(int)], classes)


def test_it_is_better_than_the_decisions_of_the_training_samples():
    """A machine that knows its samples by heart is too sure of itself on them."""

    def loss(model):
        share = model.predict_proba(X[NEW])[:, 1]
        return np.mean((share - (Y[NEW] == "yes")) ** 2)

    sure = SVC(gamma=50.0, C=1000.0).fit(X[FIT], Y[FIT])
    held = loss(sure.calibrate(X[HELD], Y[HELD], cv="prefit"))
    own = loss(sure.calibrate(X[FIT], Y[FIT], cv="prefit"))
    assert held < own - 0.05


def test_order_matrices_weights_and_files(tmp_path):
    expected = machine().calibrate(X[HELD], Y[HELD], cv="prefit").predict_proba(X[NEW])
    order = RNG.permutation(np.arange(150, 400))
    shuffled = machine().calibrate(X[order], Y[order], cv="prefit")
    assert_allclose(shuffled.predict_proba(X[NEW]), expected, atol=1e-9)
    k = RBF(gamma=0.5)
    given = SVC(kernel="precomputed").fit(k(X[FIT]), Y[FIT])
    given.calibrate(k(X[HELD], X[FIT]), Y[HELD], cv="prefit")
    assert_allclose(given.predict_proba(k(X[NEW], X[FIT])), expected, atol=1e-4)
    twice = np.r_[np.arange(150, 400), np.arange(150, 250)]
    weights = np.where(np.arange(150, 400) < 250, 2.0, 1.0)
    weighted = machine().calibrate(X[HELD], Y[HELD], cv="prefit", sample_weight=weights)
    repeated = machine().calibrate(X[twice], Y[twice], cv="prefit")
    assert_allclose(weighted.predict_proba(X[NEW]), repeated.predict_proba(X[NEW]), atol=5e-3)
    shuffled.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert_array_equal(loaded.predict_proba(X[NEW]), shuffled.predict_proba(X[NEW]))


def test_several_classes():
    flowers, species = load_iris(return_X_y=True)
    model = NuSVC(nu=0.2).fit(flowers[::2], species[::2])
    shares = model.calibrate(flowers[1::2], species[1::2], cv="prefit").predict_proba(flowers)
    assert_allclose(shares.sum(axis=1), 1)
    assert_array_equal(shares.argmax(axis=1), model.predict(flowers))


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="an integer of at least 2 or 'prefit'"):
        machine().calibrate(X[HELD], Y[HELD], cv="held out")
    with pytest.raises(ValueError, match="or cv='prefit' for others"):
        machine().calibrate(X[HELD], Y[HELD])
    only = np.flatnonzero(Y[HELD] == "yes") + 150
    with pytest.raises(ValueError, match="The number of classes has to be greater than one"):
        machine().calibrate(X[only], Y[only], cv="prefit")
    weights = (Y[HELD] == "yes").astype(float)
    with pytest.raises(ValueError, match="no"):
        machine().calibrate(X[HELD], Y[HELD], cv="prefit", sample_weight=weights)
