"""How the package is built: few levels of classes, and pickles of earlier versions."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from promises import ESTIMATORS, WRAPPERS

import mercer

GOLDEN = pickle.loads((Path(__file__).parent / "golden/pickles_0_1.pkl").read_bytes())
# The samples of the golden pickles.
X = np.random.default_rng(0).normal(size=(12, 2)).round(3)
WORDS = ["anna", "ann", "hannah", "nina", "tina", "martin"]


KINDS = ESTIMATORS | {name: getattr(mercer, name) for name in WRAPPERS}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_estimator_is_at_most_three_classes_deep(kind):
    ours = [base for base in kind.__mro__ if base.__module__.startswith("mercer.")]
    assert len(ours) <= 3, [base.__name__ for base in ours]


def output(name: str, model) -> np.ndarray:
    if name == "string_map":
        return model.transform(WORDS).toarray()
    if name == "svc_pair":
        return model.decision_function(list(X))
    rows = X @ X.T if name in ("svc_precomputed", "kernel_repair") else X
    if name == "kernel_pca_function":
        return model.inverse_transform(model.transform(rows))
    methods = ("decision_function", "predict", "transform")
    return getattr(model, next(method for method in methods if hasattr(model, method)))(rows)


@pytest.mark.parametrize("name", GOLDEN)
def test_pickles_of_the_first_version_load(name):
    """They name private modules that have been renamed since."""
    model, expected = GOLDEN[name]
    for one in (model, pickle.loads(pickle.dumps(model))):
        # Not to the last bit: another processor has other vector instructions.
        assert_allclose(output(name, one), expected, rtol=1e-9, atol=1e-12)
