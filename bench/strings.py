"""String kernels: the contestants and the checks of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from bench import checks, kernlab, subsequences
from bench.histograms import mercer_matrix
from bench.problem import Contestant, Problem, Verdict
from bench.string_data import DECAY, LENGTH

# Pairs of texts whose values are computed here, step by step.
LOOKED_AT = ((0, 1), (2, 2), (3, 1))


def counted(problem: Problem) -> Any:
    """Counts of substrings of five characters, n × substrings, rows of length 1."""
    counter = CountVectorizer(
        analyzer="char", lowercase=False, ngram_range=(LENGTH, LENGTH), dtype=np.float64
    )
    return normalize(counter.fit_transform(problem.X))


def _by_counts(problem: Problem, _: Any) -> np.ndarray:
    rows = counted(problem)
    return (rows @ rows.T).toarray()


def _kernlab(kind: str, end: str = "") -> Contestant:
    """kernlab, which is given the texts without the end that it puts there itself."""

    def prepare(problem: Problem) -> kernlab.Session:
        texts = [text.removesuffix(end) for text in problem.X]
        return kernlab.Session(texts, kind, LENGTH, DECAY)

    return Contestant(
        f"kernlab stringdot, {kind}",
        lambda problem, session: session.compute(),
        prepare,
        absent=kernlab.absent(),
    )


def spectra(problem: Problem) -> list[Contestant]:
    """Matrices of the spectrum kernel. The counts of scikit-learn are the reference of the check.

    Only kernlab has the kernel under its name, so that the counts are timed aside.
    """
    return [*spectra_without_r(problem, aside=True), _kernlab("spectrum", kernlab.END)]


def spectra_without_r(problem: Problem, aside: bool = False) -> list[Contestant]:
    """The same with more texts than kernlab can be asked for."""
    return [
        Contestant("mercer", mercer_matrix, ours=True),
        Contestant("scikit-learn CountVectorizer, sparse product", _by_counts, aside=aside),
    ]


def _plain_c() -> Contestant:
    return Contestant(
        "dynamic programme in C",
        lambda problem, _: subsequences.matrix(problem.X, LENGTH, DECAY),
        lambda problem: subsequences.prepare(),
        absent=subsequences.absent(),
    )


def subsequence_pairs(problem: Problem) -> list[Contestant]:
    """Matrices of gap-weighted subsequences, against one thread of plain C."""
    return [Contestant("mercer", mercer_matrix, ours=True), _plain_c()]


def subsequence_pairs_in_r(problem: Problem) -> list[Contestant]:
    """The same against kernlab, which takes hundreds of times as long as C."""
    return [Contestant("mercer", mercer_matrix, ours=True), _kernlab("sequence")]


def check_gram(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Matrices against the reference's; that of R is read first."""
    matrices = {name: np.asarray(K) for name, K in outputs.items()}
    return checks.gram(problem, matrices, reference)


def _expected(problem: Problem, i: int, j: int) -> float:
    s, t = problem.X[i], problem.X[j]
    pairs = ((s, t), (s, s), (t, t))
    value, *norms = (subsequences.plain(a, b, LENGTH, DECAY) for a, b in pairs)
    return value / float(np.sqrt(norms[0] * norms[1]))


def check_subsequences(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """A few entries against values computed here, and all against the reference's."""
    expected = {pair: _expected(problem, *pair) for pair in LOOKED_AT}
    matrices = {name: np.asarray(K) for name, K in outputs.items()}
    verdicts = {}
    for name, K in matrices.items():
        measured = {"values": max(abs(K[pair] - value) for pair, value in expected.items())}
        if reference is not None:
            measured["entries"] = float(np.abs(K - matrices[reference]).max())
        verdicts[name] = Verdict(measured, dict.fromkeys(measured, checks.GRAM))
    return verdicts
