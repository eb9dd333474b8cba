"""String kernels in R, for comparison: kernlab's ``stringdot``, if Rscript and kernlab exist.

R starts, loads kernlab and reads the texts before anything is timed. Then it waits for commands,
so that a measurement holds ``kernelMatrix`` and nothing else.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

SCRIPT = Path(__file__).with_name("kernlab.R")
# kernlab puts this behind every text before it counts substrings (but not subsequences).
END = "\n"


@lru_cache(maxsize=1)
def version() -> str | None:
    """Of kernlab; None where Rscript or kernlab is lacking."""
    if shutil.which("Rscript") is None:
        return None
    asked = ["Rscript", "-e", "cat(as.character(packageVersion('kernlab')))"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    return found.stdout if found.returncode == 0 else None


def absent() -> str:
    """Why kernlab cannot run here; empty where it can."""
    return "" if version() else "Rscript with the package kernlab is not installed"


class Session:
    """A running R with texts and a kernel, normalised. ``numpy.asarray`` gives the last matrix."""

    def __init__(self, texts: Sequence[str], kind: str, length: int, decay: float = 1.0) -> None:
        if any(END in text for text in texts):
            raise ValueError("kernlab is given one text a line")
        self._folder = tempfile.TemporaryDirectory()
        self._size = len(texts)
        listed = Path(self._folder.name) / "texts"
        listed.write_text("".join(text + END for text in texts), encoding="utf-8")
        self._process = subprocess.Popen(
            ["Rscript", str(SCRIPT), str(listed), kind, str(length), repr(decay)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # R ends when nobody can send it commands any more.
        self.close = weakref.finalize(self, _end, self._process, self._folder)
        self._await("ready")

    def compute(self) -> Session:
        """Compute the matrix, in R."""
        self._ask("compute")
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        path = Path(self._folder.name) / "matrix"
        self._ask(str(path))
        matrix = np.fromfile(path).reshape(self._size, self._size)
        return matrix if dtype is None else matrix.astype(dtype)

    def _ask(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        self._await("done")

    def _await(self, word: str) -> None:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if answer.strip() != word:
            raise RuntimeError(f"R said {answer!r} instead of {word!r}; see its messages above")


def _end(process: subprocess.Popen, folder: tempfile.TemporaryDirectory) -> None:
    process.communicate()  # closes its input
    folder.cleanup()
