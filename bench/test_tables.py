"""Tests of what the scripts of tables and the rows of k-means and outliers are made of."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from bench import denoising, detector, kmeans, outliers, page, shapes
from bench.problem import Problem

SCRIPTS = (shapes, outliers, denoising)


def small(n: int = 60) -> Problem:
    """Three blobs and where k-means begins."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(n, 2)) + 6.0 * np.arange(n)[:, None] % 18
    return Problem(X, "blobs", gamma=0.1, k=3, start=rng.randint(3, size=n), rounds=5)


def fit(labels: np.ndarray, rounds: int = 5) -> SimpleNamespace:
    """What a fit leaves behind."""
    return SimpleNamespace(labels_=labels, n_iter_=rounds)


def test_tables_stand_between_their_marks(tmp_path: Path) -> None:
    begin, end = page.MARKS
    one = tmp_path / "page.md"
    one.write_text(f"a\n{begin}old\n{end}b\n{begin}{end}c\n")
    for _ in range(2):
        page.fill(one, [page.table(["x", "y"], [["1", "2"]]), "new\n"])
    first = "\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n"
    assert one.read_text() == f"a\n{begin}{first}{end}b\n{begin}\nnew\n\n{end}c\n"
    with pytest.raises(ValueError, match="2 places for 1"):
        page.fill(one, ["only"])


def test_state_of_clusters_is_that_of_the_definition() -> None:
    problem = small()
    K, labels = rbf_kernel(problem.X, gamma=problem.gamma), problem.start
    squares = np.empty((problem.n, 3))
    for c in range(3):
        mean = (labels == c) / (labels == c).sum()
        squares[:, c] = 1.0 - 2.0 * K @ mean + mean @ K @ mean
    objective, nearest = kmeans._state(problem, labels)
    assert objective == pytest.approx(squares[np.arange(problem.n), labels].sum(), rel=1e-12)
    assert (nearest == squares.argmin(axis=1)).all()


def test_check_of_clusters_finds_labels_and_rounds_that_differ() -> None:
    problem, labels = small(), np.arange(60) % 3
    other = labels.copy()
    other[0] = 1
    outputs = {"same": fit(labels), "other": fit(other), "early": fit(labels, 3)}
    verdicts = kmeans.check(problem, outputs, "same")
    assert [verdicts[name].ok for name in outputs] == [True, False, False]


def test_rival_of_clusters_agrees_only_with_norms() -> None:
    pytest.importorskip("tslearn")
    problem = kmeans.samples(300)
    _, exact, plain = kmeans.contestants(problem)
    labels = problem.start
    for _ in range(problem.rounds):
        labels = kmeans._state(problem, labels)[1]
    assert (exact.run(problem, None).labels_ == labels).all()
    assert (plain.run(problem, None).labels_ != labels).any()


def test_check_of_scores_looks_at_both_sets() -> None:
    ones = np.arange(1.0, 5.0)
    outputs = {"same": (ones, ones), "other": (ones, ones + 1e-3)}
    verdicts = detector.check(small(), outputs, "same")
    assert verdicts["same"].ok and not verdicts["other"].ok
    assert verdicts["other"].measured["training scores"] == 0.0


def test_widths_follow_the_units_of_the_samples() -> None:
    X = np.random.RandomState(0).normal(size=(200, 3))
    for rule in (shapes.gamma_of, outliers.median_gamma, denoising.gamma_of):
        assert rule(10.0 * X) == pytest.approx(rule(X) / 100.0)
    assert shapes.gamma_of(X, 4.0) == pytest.approx(shapes.gamma_of(X, 2.0) / 4.0)


def test_eigengap_is_large_where_clusters_are_apart() -> None:
    two, three, four = (shapes.eigengap(small().X, k, 0.2) for k in (2, 3, 4))
    assert three > 0.9 > max(two, four)


def test_misplaced_samples_are_counted() -> None:
    X, y = small().X, np.arange(60) % 3
    assert shapes.misplaced(X, y) == 0.0
    y[0] = 1
    assert shapes.misplaced(X, y) == pytest.approx(1 / 60)


def test_only_a_perfect_index_is_shown_as_one() -> None:
    assert [shapes.text(v) for v in (1.0, 0.999, 0.504, -0.001)] == ["1", "0.99", "0.50", "0.00"]


def test_salt_and_pepper_hits_its_share_of_pixels() -> None:
    rng = np.random.RandomState(0)
    noisy = denoising.salt_and_pepper(np.zeros((100, 256)), rng)
    assert set(np.unique(noisy)) == {-1.0, 0.0, 1.0}
    assert np.mean(noisy != 0) == pytest.approx(denoising.SALT, abs=0.01)
    assert abs(noisy.mean()) < 0.01


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_say_so_where_data_is_missing(
    script: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    denoising.stored.cache_clear()
    try:
        assert script.main([]) == 0
    finally:
        denoising.stored.cache_clear()
    assert capsys.readouterr().out.startswith("skipped: ")
