"""Where kernel matrices are computed: the parameter ``device``, and the libraries that it needs."""

from __future__ import annotations

import ctypes
import importlib
import re
from functools import cache
from pathlib import Path

from mercer._params import refuse

#: cuBLAS and what it needs, in the order in which they are loaded.
_LIBRARIES = ("libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13")


def setting(estimator) -> str:
    """Return the device as the extension module takes it."""
    device = getattr(estimator, "device", "cpu")
    if not (isinstance(device, str) and re.fullmatch(r"cpu|auto|cuda(:\d{1,3})?", device)):
        raise refuse(
            estimator, "device", "'cpu', 'cuda', 'cuda:1' (or another number) or 'auto'", device
        )
    if device != "cpu":
        load_libraries()
    return device


@cache
def load_libraries() -> tuple[str, ...]:
    """Load the libraries of the packages that ``mercer[cuda]`` installs, where there are some, so
    that the extension module finds them; return their paths.

    What cannot be loaded is looked for by the extension module, among the system's libraries.
    """
    loaded = []
    for name in _LIBRARIES:
        for folder in _folders():
            path = folder / name
            if path.is_file():
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
                loaded.append(str(path))
                break
    return tuple(loaded)


def _folders() -> list[Path]:
    try:
        package = importlib.import_module("nvidia")
    except ImportError:
        return []
    return [Path(place) / "cu13" / "lib" for place in package.__path__]
