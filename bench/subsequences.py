"""Gap-weighted subsequences in C, for comparison: the textbook dynamic programme."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("subsequences.c")


def absent() -> str:
    """Why it cannot run here; empty where it can."""
    return "" if shutil.which("cc") else "there is no C compiler (cc)"


@lru_cache(maxsize=1)
def _compiled() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "subsequences.so"
        command = ["cc", "-O3", "-shared", "-fPIC", str(SOURCE), "-lm", "-o", str(library)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library))  # stays loaded when the file is gone


def prepare() -> None:
    """Compile before anything is timed."""
    _compiled()


def matrix(texts: Sequence[str], p: int, decay: float) -> np.ndarray:
    """The normalised matrix, n × n, by one thread; texts are taken byte by byte."""
    pieces = [text.encode() for text in texts]
    start = np.cumsum([0, *map(len, pieces)], dtype=ctypes.c_long)
    out = np.empty((len(pieces), len(pieces)))
    failed = _compiled().subsequences(
        b"".join(pieces), start.ctypes.data_as(ctypes.c_void_p), len(pieces), p,
        ctypes.c_double(decay), out.ctypes.data_as(ctypes.c_void_p),
    )  # fmt: skip
    if failed:
        raise MemoryError("no memory for the tables of the dynamic programme")
    return out


def plain(s: str, t: str, p: int, decay: float) -> float:
    """One value of the kernel, not normalised, from its recursion over prefixes."""
    table = np.ones((len(s) + 1, len(t) + 1))
    same = np.array([[decay**2 * (a == b) for b in t] for a in s])
    for _ in range(p - 1):
        after = np.zeros_like(table)
        for i in range(1, len(s) + 1):
            along = 0.0
            for j in range(1, len(t) + 1):
                along = decay * along + same[i - 1, j - 1] * table[i - 1, j - 1]
                after[i, j] = decay * after[i - 1, j] + along
        table = after
    return float((same * table[:-1, :-1]).sum())
