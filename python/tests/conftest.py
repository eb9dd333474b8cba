import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.preprocessing import StandardScaler

# Tests of pages and of pictures use the scripts of the guide.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))


# A job that a shell starts in the background ignores Ctrl-C: tests that interrupt a fit would hang.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _wide():
    return np.random.default_rng(3).normal(size=(40, 120)) * np.linspace(0.3, 0.01, 120)


DATA = {
    "iris": load_iris(return_X_y=True)[0],
    "wine": StandardScaler().fit_transform(load_wine(return_X_y=True)[0]),
    "circles": make_circles(300, noise=0.05, factor=0.3, random_state=0)[0],
    "wide": _wide(),
}


@pytest.fixture(params=list(DATA))
def X(request):
    return DATA[request.param].copy()


@pytest.fixture
def iris():
    return DATA["iris"].copy()


@pytest.fixture
def wine():
    return DATA["wine"].copy()
