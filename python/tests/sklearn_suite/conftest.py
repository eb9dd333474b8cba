"""Which of scikit-learn's tests are run on mercer, and which of them are expected to fail."""

import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from swapped import concerns_mercer  # noqa: E402

# What mercer reports beyond scikit-learn has tests of its own.
QUIET = ("UserWarning", "FutureWarning", "scipy.linalg.LinAlgWarning")
COLLECTED = pytest.StashKey[list[str]]()
MODULES = frozenset(path.name for path in HERE.glob("test_sklearn_*.py"))


def listed() -> dict[str, dict]:
    """Tests that stay different, or functions whose cases all do, with their part of the list."""
    parts = tomllib.loads((HERE / "different.toml").read_text()).values()
    return {test: part for part in parts for test in part["tests"]}


@pytest.fixture
def different() -> dict[str, dict]:
    """Tests that stay different."""
    return listed()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out tests of other estimators; those that are listed must fail."""
    ours = [item for item in items if item.path.parent == HERE and item.path.name in MODULES]
    others = [item for item in ours if not concerns_mercer(item)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    kept = [item for item in ours if item not in others]
    config.stash[COLLECTED] = [name_of(item) for item in kept]
    known = listed()
    for item in kept:
        for category in QUIET:
            item.add_marker(pytest.mark.filterwarnings(f"ignore::{category}"), append=False)
        part = known.get(name_of(item)) or known.get(name_of(item).partition("[")[0])
        if part:
            strict = not part.get("by_rounding", False)
            item.add_marker(pytest.mark.xfail(reason=part["reason"], strict=strict))


def name_of(item: pytest.Item) -> str:
    """The test's file and name."""
    return f"{item.path.name}::{item.name}"


@pytest.fixture
def collected(request) -> list[str]:
    """The names of all tests that concern mercer."""
    names = request.config.stash[COLLECTED]
    if {name.partition("::")[0] for name in names} != MODULES:
        pytest.skip("only some of scikit-learn's test modules are collected")
    return names


@pytest.fixture
def global_random_seed():
    """scikit-learn's fixture of this name, with its default."""
    return 42


@pytest.fixture(params=[np.float64, np.float32])
def global_dtype(request):
    """scikit-learn's fixture of this name; float32 is always tested."""
    return request.param
