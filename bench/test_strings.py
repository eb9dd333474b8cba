"""Tests of the rivals and checks of string and histogram kernels."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import chi2_kernel, rbf_kernel

from bench import histogram_cases, histograms, kernlab, string_cases, string_data, strings
from bench import subsequences as plain_c
from bench.problem import Problem

TEXTS = ["science is organised", "wisdom is organised", "life", "a cat and a car"]


def by_enumeration(s: str, t: str, p: int, decay: float) -> float:
    """The kernel from its definition: all common subsequences, by what they span in both."""

    def spans(text: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for places in combinations(range(len(text)), p):
            piece = "".join(text[i] for i in places)
            found[piece] = found.get(piece, 0.0) + decay ** (places[-1] - places[0] + 1)
        return found

    left, right = spans(s), spans(t)
    return sum(weight * right.get(piece, 0.0) for piece, weight in left.items())


@pytest.mark.parametrize("p", [1, 2, 3])
def test_the_recursion_is_the_definition(p: int) -> None:
    found = plain_c.plain("cat and car", "a carton", p, 0.5)
    assert found == pytest.approx(by_enumeration("cat and car", "a carton", p, 0.5), rel=1e-12)


@pytest.mark.skipif(bool(plain_c.absent()), reason=plain_c.absent())
def test_the_programme_in_c_is_the_recursion() -> None:
    K = plain_c.matrix(TEXTS, 3, 0.5)
    for i, s in enumerate(TEXTS):
        for j, t in enumerate(TEXTS):
            value, mine, other = (plain_c.plain(a, b, 3, 0.5) for a, b in ((s, t), (s, s), (t, t)))
            assert K[i, j] == pytest.approx(value / np.sqrt(mine * other), abs=1e-13)


@pytest.mark.skipif(bool(kernlab.absent()), reason=kernlab.absent())
def test_kernlab_computes_the_same() -> None:
    texts = Problem(np.array([text + kernlab.END for text in TEXTS], object), "made here")
    session = kernlab.Session(TEXTS[:2], "spectrum", strings.LENGTH)
    rows = strings.counted(texts)[:2]
    np.testing.assert_allclose(np.asarray(session.compute()), (rows @ rows.T).toarray(), atol=1e-12)
    session.close()
    session = kernlab.Session(TEXTS, "sequence", 2, 0.5)
    np.testing.assert_allclose(
        np.asarray(session.compute()), plain_c.matrix(TEXTS, 2, 0.5), atol=1e-12
    )
    session.close()


def test_texts_of_several_lines_are_refused() -> None:
    with pytest.raises(ValueError, match="one text a line"):
        kernlab.Session(["a\nb"], "spectrum", 2)


def test_rivals_that_are_not_there_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    kernlab.version.cache_clear()
    try:
        problem = string_data.subsequences(5, 30)
        assert "Rscript" in strings.subsequence_pairs_in_r(problem)[1].absent
        assert "compiler" in strings.subsequence_pairs(problem)[1].absent
    finally:
        kernlab.version.cache_clear()


def test_counts_are_those_of_the_definition() -> None:
    problem = Problem(np.array(["abcdefg", "xabcdef"], object), "made here")
    rows = strings.counted(problem)
    # abcde and bcdef are common; each text has three pieces.
    assert (rows @ rows.T).toarray() == pytest.approx(np.array([[1, 2 / 3], [2 / 3, 1]]))


def test_check_of_subsequences_computes_values_itself() -> None:
    problem = string_data.subsequences(5, 12)
    honest = np.array([[strings._expected(problem, i, j) for j in range(5)] for i in range(5)])
    liar = honest.copy()
    liar[0, 1] += 1e-9
    alone = strings.check_subsequences(problem, {"liar": liar}, None)
    assert not alone["liar"].ok
    both = strings.check_subsequences(problem, {"honest": honest, "liar": liar}, "honest")
    assert both["honest"].ok and both["liar"].measured["entries"] == pytest.approx(1e-9)


def test_costs_count_one_triangle() -> None:
    texts = Problem(np.array(["abcdef", "abcdeg"], object), "made here")
    # abcde is met by both texts, two other pieces by one each: 4 + 1 + 1 products of 2 flops, / 2.
    assert string_cases.cost_spectrum(texts)[0].flops == 6.0
    assert string_cases.cost_subsequences(texts)[0].flops == 4.0 * 4 * (36 + 36 + 36)
    sparse = histograms.reuters(50)
    dense = sparse.X.toarray() > 0
    products = float((dense.astype(float) @ dense.T.astype(float)).sum())
    assert histogram_cases.cost_sparse(sparse)[0].flops == products


def test_width_of_histograms_is_the_mean_distance() -> None:
    problem = histograms.scene(100)
    K = chi2_kernel(problem.X, gamma=problem.gamma)
    assert -np.log(K).mean() == pytest.approx(1.0)
    assert problem.spec == f"chi2(gamma={problem.gamma!r})"
    assert problem.X.sum(axis=1) == pytest.approx(np.ones(100), abs=1e-5)


def test_stand_ins_have_the_shape_of_the_sets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    histograms.data.stored.cache_clear()
    try:
        problems = [histograms.scene(30), histograms.reuters(30), string_data.spectrum(30)]
    finally:
        histograms.data.stored.cache_clear()
    assert all("stand-in" in problem.source for problem in problems)
    assert [problem.X.shape for problem in problems] == [(30, 59), (30, 10_710), (30,)]
    assert np.isfinite(rbf_kernel(problems[1].X, gamma=0.01)).all()
    assert len(set(problems[2].X)) == 30
