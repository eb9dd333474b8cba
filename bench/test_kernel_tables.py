"""Tests of what the tables of histogram and string kernels are made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import chi2_kernel, rbf_kernel

from bench import evaluate, histogram_kernels, page, sequences, string_kernels

SCRIPTS = (histogram_kernels, string_kernels)


def two_groups(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of two groups that are apart, and their names."""
    y = np.arange(n) % 2
    X = np.random.RandomState(0).normal(size=(n, 2)) + 6.0 * y[:, None]
    return rbf_kernel(X, gamma=0.1), y


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_say_so_where_data_is_missing(
    script: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    assert script.main([]) == 0
    words = capsys.readouterr().out
    assert words.startswith("skipped: ") and "reuters_r8" in words


@pytest.mark.parametrize("script", SCRIPTS)
def test_pages_have_a_place_for_every_table(script: object) -> None:
    words = script.PAGE.read_text(encoding="utf-8")
    assert words.count(page.MARKS[0]) == words.count(page.MARKS[1]) == len(script.SETS)


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    begin, end = page.MARKS
    one, file = tmp_path / "page.md", tmp_path / "data"
    one.write_text(2 * (begin + end))
    file.touch()
    sets = {name: ("data", lambda name=name: f"{name}\n") for name in "ab"}
    with pytest.raises(SystemExit):
        page.script("toy", one, sets, tmp_path, ["--only", "a", "--write"])
    assert page.script("toy", one, sets, tmp_path, ["--write"]) == 0
    assert one.read_text() == f"{begin}\na\n\n{end}{begin}\nb\n\n{end}"


def test_width_is_the_mean_distance_of_the_rows_given() -> None:
    X = np.random.RandomState(0).dirichlet(np.ones(8), size=40)
    rows = np.arange(20)
    K = histogram_kernels.of_mean_width(chi2_kernel(X, gamma=1.0), rows)
    assert -np.log(K[:20, :20]).mean() == pytest.approx(1.0)
    ratio = np.log(K[20:, :20]) / np.log(chi2_kernel(X, gamma=1.0)[20:, :20])
    assert ratio == pytest.approx(np.full((20, 20), ratio[0, 0]))


def test_splits_of_scenes_keep_parts_apart() -> None:
    y = np.repeat(np.arange(3), 150)
    for train, test in histogram_kernels.scene_splits(y):
        assert (np.bincount(y[train]) == 100).all() and (np.bincount(y[test]) == 50).all()
        assert not set(train) & set(test)


def test_sums_and_products_of_views(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "matrix", lambda X, spec: X)
    one, other = np.full((4, 4), 2.0), np.eye(4)
    found = histogram_kernels.Views({"a": one, "b": other}, "linear").at(np.arange(3))
    assert (found["a"] == 1.0).all() and (found["product"] == np.eye(4)).all()
    assert found["sum"] == pytest.approx((1.0 + np.eye(4)) / 2.0)


def test_evaluation_looks_at_the_test_part_only() -> None:
    pytest.importorskip("mercer")
    K, y = two_groups()
    train, test = np.arange(40), np.arange(40, 60)
    found = evaluate.evaluate(K, y, train, test, (0.1, 1.0), "roc_auc")
    assert found.accuracy == found.area == found.validated == 1.0
    wrong = y.copy()
    wrong[test] = 1 - y[test]
    assert evaluate.fixed(K, wrong, train, test, 1.0).accuracy == 0.0
    assert evaluate.fixed(K, wrong, train, test, 1.0).area == 0.0


def test_normalised_matrices_keep_samples_without_features() -> None:
    K = np.array([[4.0, 2.0, 0.0], [2.0, 9.0, 0.0], [0.0, 0.0, 0.0]])
    expected = [[1.0, 1 / 3, 0.0], [1 / 3, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert evaluate.normalized(K) == pytest.approx(np.array(expected))


def test_both_strands_are_one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    def pairs(X: np.ndarray, spec: str, Y: np.ndarray | None = None) -> np.ndarray:
        def counts(texts: np.ndarray) -> np.ndarray:
            kinds = [a + b for a in "ACGT" for b in "ACGT"]
            pieces = [[text[i : i + 2] for i in range(len(text) - 1)] for text in texts]
            return np.array([[found.count(kind) for kind in kinds] for found in pieces], float)

        return counts(X) @ counts(X if Y is None else Y).T

    monkeypatch.setattr(evaluate, "matrix", pairs)
    texts = np.array(["AACGT", "ACGTT", "GATTACA"], object)  # the second is the first's strand
    K = sequences.both_strands(texts, "spectrum(p=2)")
    assert K[0, 1] == pytest.approx(1.0) and K[0] == pytest.approx(K[1])
    assert (K == K.T).all() and (np.linalg.eigvalsh(K) > -1e-12).all()


def test_samples_left_out_are_predicted_by_the_others() -> None:
    pytest.importorskip("mercer")
    K, y = two_groups(20)
    assert sequences.left_out_errors(K, y, 1.0) == 0
    y[0] = 1 - y[0]
    assert sequences.left_out_errors(K, y, 1.0) == 1


def test_last_letters_tell_the_commoner_class() -> None:
    texts = np.array(["anna", "maria", "otto", "luca", "zoe"], object)
    y = np.array(["f", "f", "m", "m", "f"])
    train, test = np.array([0, 1, 2]), np.array([3, 4])
    assert string_kernels.last_letters(texts, y, train, test, 1) == 0.5  # zoe: f is commoner
