"""What `import mercer` imports: the package must not take long where few of its parts are used."""

import subprocess
import sys

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
