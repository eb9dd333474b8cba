"""Settings that must stand before anything imports scipy or matplotlib."""

import os
import sys

import pytest

# scikit-learn's checks of array API input are skipped without it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Pictures are drawn without a screen, wherever the tests run.
os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(autouse=True)
def _close_figures():
    """Figures of one test are no business of the next, and matplotlib warns of many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _files_of_examples_elsewhere(request, monkeypatch, tmp_path_factory):
    """What an example of a docstring writes is not left in the source folder."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path_factory.mktemp("example"))
