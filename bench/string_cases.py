"""The rows of string kernels, with lower bounds on their costs."""

from __future__ import annotations

import numpy as np

from bench import kernlab, string_data, strings
from bench.problem import Case, Phase, Problem, Target


def cost_spectrum(problem: Problem) -> list[Phase]:
    """Products of counts of the same substring, of one triangle."""
    rows = strings.counted(problem)
    met = np.bincount(rows.indices).astype(float)
    return [Phase("gram", flops=float((met**2).sum()), writes=8.0 * problem.n**2)]


def cost_subsequences(problem: Problem) -> list[Phase]:
    """One triangle: for every pair of characters, two multiply-adds of each but the last length."""
    lengths = np.array([len(text) for text in problem.X], float)
    cells = (lengths.sum() ** 2 + (lengths**2).sum()) / 2
    return [Phase("tables", flops=4.0 * (string_data.LENGTH - 1) * cells)]


BY_INDEX = "the texts are cut and their pieces sorted; counts of a piece are found by index"
CHAIN = "each step waits for the one before it, and characters are compared besides"

CASES: list[Case] = [
    Case(
        name="spectrum-kernlab",
        work="5-spectrum Gram, 500 training texts of Reuters R8",
        data=string_data.spectrum,
        full={"n": 500, "end": kernlab.END},
        quick={"n": 12, "end": kernlab.END},
        contestants=strings.spectra,
        check=strings.check_gram,
        target=Target(ratio=20.0),
        cost=cost_spectrum,
        max_repeat=1,  # which also leaves out memory: that of R is not in this process
        why=BY_INDEX,
    ),
    Case(
        name="spectrum-reuters",
        work="5-spectrum Gram, all 5,485 training texts of Reuters R8",
        data=string_data.spectrum,
        full={"n": 5_485},
        quick={"n": 40},
        contestants=strings.spectra_without_r,
        check=strings.check_gram,
        target=Target(),
        cost=cost_spectrum,
        max_repeat=3,
        why=BY_INDEX,
    ),
    Case(
        name="subsequences",
        work="gap-weighted subsequences of 5, Gram of 500 texts of up to 200 characters",
        data=string_data.subsequences,
        full={"n": 500, "cut": 200},
        quick={"n": 8, "cut": 40},
        contestants=strings.subsequence_pairs,
        check=strings.check_subsequences,
        target=Target(ratio=5.0),
        cost=cost_subsequences,
        max_repeat=3,
        why=CHAIN,
    ),
    Case(
        name="subsequences-kernlab",
        work="gap-weighted subsequences of 5, Gram of 20 texts of up to 200 characters",
        data=string_data.subsequences,
        full={"n": 20, "cut": 200},
        quick={"n": 5, "cut": 30},
        contestants=strings.subsequence_pairs_in_r,
        check=strings.check_subsequences,
        target=Target(),
        cost=cost_subsequences,
        max_repeat=1,
        why=CHAIN,
    ),
]
