"""The package takes little time where few of its parts are used."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mercer

# Slow to import, and needed by few programs.
ON_USE = {
    "mercer._auto_kernel",
    "mercer._plot",
    "mercer.dask",
    "mercer.explain",
    "matplotlib",
    "sklearn.feature_extraction.text",
    "sklearn.neighbors",
}


def imported(program):
    lines = f"import sys\n{program}\nprint(*sys.modules, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_parts_that_few_programs_need_are_imported_on_use():
    assert not imported("import mercer") & ON_USE
    used = imported("import mercer\nmercer.AutoKernel, mercer.PathDisplay, mercer.explain")
    assert {"mercer._auto_kernel", "mercer._plot", "mercer.explain"} <= used


def test_every_name_can_be_imported_and_listed():
    assert set(mercer.__all__) <= set(dir(mercer))
    for name in mercer.__all__:
        assert getattr(mercer, name) is not None
    scope = {}
    exec("from mercer import *", scope)
    assert set(mercer.__all__) <= set(scope)
    assert not hasattr(mercer, "NoSuchName")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_predictions_of_a_few_rows_start_no_threads(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    mercer.KernelRidge(kernel="rbf").fit(X, X[:, 0]).save(tmp_path / "m.mercer")
    program = f"""
import os, mercer
model = mercer.load({str(tmp_path / "m.mercer")!r})
model.predict([[0.0, 1.0, 2.0]])
names = [open(f"/proc/self/task/{{task}}/comm").read() for task in os.listdir("/proc/self/task")]
print(sum(name.startswith("mercer") for name in names))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "0"
