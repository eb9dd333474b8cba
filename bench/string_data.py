"""Texts of the rows and tables of string kernels: the published sets, or stand-ins."""

from __future__ import annotations

import csv
import gzip
from functools import lru_cache

import numpy as np

from bench import data
from bench.problem import Problem

DECAY = 0.5
LENGTH = 5


@lru_cache(maxsize=8)
def _table(path: str) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def table(file: str) -> list[dict[str, str]] | None:
    """The lines of a real set by column name; None where the file is not there."""
    path = data.folder() / file
    return _table(str(path)) if path.is_file() else None


def words(n: int) -> list[str]:
    """n made texts of made words, some of which are frequent."""
    rng = np.random.RandomState(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    known = ["".join(rng.choice(letters, rng.randint(2, 10))) for _ in range(2000)]
    odds = 1.0 / np.arange(1, 2001)
    return [
        " ".join(rng.choice(known, rng.randint(40, 160), p=odds / odds.sum())) for _ in range(n)
    ]


def _reuters(n: int, cut: int | None, end: str, spec: str) -> Problem:
    stored = table("reuters_r8.csv.gz")
    if stored is None:
        texts, source = words(n), "stand-in for Reuters R8: made words"
    else:
        texts = [one["text"] for one in stored if one["split"] == "train"][:n]
        source = "Reuters R8"
    return Problem(np.array([text[:cut] + end for text in texts], object), source, spec=spec)


def spectrum(n: int, end: str = "") -> Problem:
    """The first n training texts of Reuters R8, with a mark at the end of each."""
    return _reuters(n, None, end, f"normalize(spectrum(p={LENGTH}))")


def subsequences(n: int, cut: int) -> Problem:
    """The same, cut to so many characters."""
    spec = f"normalize(subsequences(p={LENGTH}, decay={DECAY}))"
    return _reuters(n, cut, "", spec)
