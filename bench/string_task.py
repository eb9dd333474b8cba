"""A published set of texts as the tables of string kernels use it."""

from __future__ import annotations

import sys
import time

import numpy as np

from bench import evaluate
from bench.string_data import table


class Split:
    """Texts with their labels, and which of them are to be learnt from."""

    def __init__(self, file: str, column: str) -> None:
        lines = table(file) or []
        self.texts = np.array([line[column] for line in lines], object)
        self.y = np.array([line["label"] for line in lines])
        learnt = np.array([line.get("split") == "train" for line in lines], bool)
        self.train, self.test = np.flatnonzero(learnt), np.flatnonzero(~learnt)

    def score(self, K: np.ndarray, costs: tuple[float, ...], scoring: str) -> evaluate.Evaluation:
        """The classifier of this matrix, C chosen."""
        K = evaluate.even(K, self.train)
        return evaluate.evaluate(K, self.y, self.train, self.test, costs, scoring)

    def fixed(self, K: np.ndarray, cost: float) -> evaluate.Evaluation:
        """The same with C given."""
        return evaluate.fixed(K, self.y, self.train, self.test, cost)


def say(words: str, begun: float) -> None:
    """Progress, for whoever waits."""
    print(f"  {words}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
