"""Bugs of ours: one exception that says so, and nothing on standard error."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mercer
from mercer import _core

SOURCES = Path(__file__).parent.parent / "src"
# Builds for users have no way to ask for a bug.
debug = pytest.mark.skipif(not hasattr(_core, "panic_on_purpose"), reason="a release build")


@debug
@pytest.mark.parametrize("on_worker", [False, True])
def test_a_panic_is_an_internal_error(capfd, on_worker):
    with pytest.raises(mercer.InternalError, match="a bug in mercer") as raised:
        _core.panic_on_purpose(on_worker, (2, None, None))
    text = str(raised.value)
    assert "on purpose" in text
    assert re.search(r"enter\.rs:\d+:\d+", text)
    assert "mercer doctor" in text
    assert isinstance(raised.value, RuntimeError)
    assert capfd.readouterr().err == ""
    # The library works on.
    assert mercer.PCA(1).fit([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]]).n_components_ == 1


@debug
def test_a_backtrace_is_printed_on_demand():
    code = "import mercer._core as c; c.panic_on_purpose(True, (1, None, None))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={"RUST_BACKTRACE": "1"},
        check=False,
        cwd=SOURCES.parent,
    )
    assert "panicked at" in run.stderr
    assert "InternalError" in run.stderr


def test_every_function_that_python_calls_is_guarded():
    entries = 0
    for path in SOURCES.rglob("*.rs"):
        lines = path.read_text().splitlines()
        for place, line in enumerate(lines):
            if line.startswith(("#[pyfunction", "#[pymethods")):
                entries += 1
                assert lines[place - 1] == "#[guarded]", f"{path.name}:{place + 1} lacks #[guarded]"
    assert entries > 30
