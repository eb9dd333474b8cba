"""Types as type checkers see them, on a program as users write it."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import mercer

HERE = Path(__file__).parent
SAMPLE = HERE / "typing_sample.py"


def checked(*command):
    """What a type checker says of the sample, and whether it is content."""
    run = subprocess.run(
        [sys.executable, "-m", *command, str(SAMPLE)],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


def test_mypy(tmp_path):
    options = ["--follow-imports=silent", "--ignore-missing-imports", "--cache-dir", str(tmp_path)]
    code, said = checked("mypy", *options)
    assert code == 0, said


def test_pyright():
    """The package of PyPI fetches the checker itself by npm, the first time."""
    code, said = checked("pyright", "--pythonpath", sys.executable)
    if "typing_sample" not in said and "0 errors" not in said:
        pytest.skip(f"pyright cannot be fetched here: {said.strip()[-200:]}")
    assert code == 0, said


def test_the_program_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # The program sets the number of threads, which later tests must not see.
    monkeypatch.setattr(mercer._run, "_default_threads", None)
    runpy.run_path(str(SAMPLE), run_name="__main__")
    assert "(60, 60)" in capsys.readouterr().out
