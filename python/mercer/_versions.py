"""The system information that a bug report should contain."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from mercer import _core
from mercer._run import get_num_threads

PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "matplotlib", "pandas")


def show_versions() -> None:
    """Print versions, threads, vector instructions and free memory, for bug reports.

    The vector instructions are those of the processor, unless the environment variable
    ``MERCER_SIMD`` (``avx512``, ``avx2`` or ``plain``) forces others.

    Examples
    --------
    >>> import mercer
    >>> mercer.show_versions()  # doctest: +ELLIPSIS
    mercer        ...
    """
    for name, value in _facts().items():
        print(f"{name:<14}{value}")


def _facts() -> dict[str, str]:
    packages = {name: _version(name) for name in PACKAGES}
    packages["mercer"] = _core.__version__
    used, highest = _core.vector_instructions()
    forced = "" if used == highest else f" as MERCER_SIMD says (the processor has {highest})"
    return packages | {
        "Python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "threads": f"{get_num_threads()} of {_core.available_threads()}",
        "instructions": used + forced,
        "memory": f"{_core.available_memory() / 2**30:.2f} GiB may be used",
    }


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing"
