"""Bugs of ours: one exception that says so, and nothing on standard error."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from mercer import _core

SOURCES = Path(__file__).parent.parent / "src"
# Builds for users have no way to ask for a bug.
debug = pytest.mark.skipif(not hasattr(_core, "panic_on_purpose"), reason="a release build")


CODE = """
    import mercer
    from mercer import _core
    for on_worker in (False, True):
        try:
            _core.panic_on_purpose(on_worker, (2, None, None, None))
        except RuntimeError as error:
            print(type(error) is mercer.InternalError, error)
    # The library works on.
    print(mercer.PCA(1).fit([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]]).n_components_)
"""


def run(**more: str) -> subprocess.CompletedProcess:
    """A process of its own, because the wish for a backtrace is read once."""
    own = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
    command = [sys.executable, "-c", textwrap.dedent(CODE)]
    where = SOURCES.parent
    return subprocess.run(
        command, capture_output=True, text=True, env=own | more, check=True, cwd=where
    )


@debug
def test_a_panic_is_an_internal_error_and_prints_nothing():
    ended = run()
    assert ended.stderr == ""
    here, worker, after = ended.stdout.splitlines()
    for line in (here, worker):
        assert line.startswith("True this is a bug in mercer")
        assert "on purpose" in line
        assert re.search(r"enter\.rs:\d+:\d+", line)
        assert "mercer doctor" in line
    assert "a worker" in worker
    assert after == "1"


@debug
def test_a_backtrace_is_printed_on_demand():
    ended = run(RUST_BACKTRACE="1")
    assert ended.stderr.count("panicked at") == 2
    assert "a bug in mercer" in ended.stdout


def test_every_function_that_python_calls_is_guarded():
    entries = 0
    for path in SOURCES.rglob("*.rs"):
        lines = path.read_text().splitlines()
        for place, line in enumerate(lines):
            if line.startswith(("#[pyfunction", "#[pymethods")):
                entries += 1
                assert lines[place - 1] == "#[guarded]", f"{path.name}:{place + 1} lacks #[guarded]"
    assert entries > 30
