"""Tests of the harness itself, with toy contestants whose behaviour is known."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from bench import checks, data, harness, limits, memory, report
from bench.cases import CASES
from bench.problem import Contestant, Phase, Problem, Verdict
from bench.toy_cases import TAKEN, toy

LIMITS = limits.Limits(1e9, 2e9, read=1e9, write=5e8, first_touch=1e8, copy=1e9, threads=1)


def same(problem: Problem, _: Any) -> np.ndarray:
    """The agreed result."""
    return problem.X.copy()


def off(problem: Problem, _: Any) -> np.ndarray:
    """One entry is wrong by a little."""
    wrong = problem.X.copy()
    wrong[1, 2] += 1e-9
    return wrong


def slow(problem: Problem, _: Any) -> np.ndarray:
    """The agreed result, later."""
    time.sleep(0.02)
    return problem.X.copy()


def runner(said: list[str], **settings: Any) -> harness.Runner:
    """A runner that collects what it says and needs no fresh process."""
    settings = {"repeat": 3, "quick": True, "threads": 1, **settings}
    return harness.Runner(LIMITS, say=said.append, **settings)


def test_disagreement_of_ours_fails_loudly_and_times_nothing() -> None:
    said: list[str] = []
    case = toy("wrong", Contestant("ours", off, ours=True), Contestant("rival", same))
    result = runner(said).run(case)
    assert result.status == "FAILED" and not result.seconds
    assert "DISAGREE" in said[0] and "entries 1.0e-09 NOT ≤ 1e-12" in said[0]


def test_a_crash_is_reported_with_its_traceback() -> None:
    said: list[str] = []

    def crash(problem: Problem, _: Any) -> None:
        raise ValueError("toy crash")

    case = toy("crash", Contestant("ours", crash, ours=True), Contestant("rival", same))
    result = runner(said).run(case)
    assert result.status == "CRASHED" and "toy crash" in result.error and "CRASHED" in said[0]


def test_a_wrong_rival_is_left_out_and_named() -> None:
    case = toy(
        "rivals",
        Contestant("ours", same, ours=True),
        Contestant("reference", same),
        Contestant("sloppy", off),
        Contestant("slow", slow),
    )
    result = runner([]).run(case)
    assert result.rival == "reference"
    assert set(result.seconds) == {"ours", "reference"}
    assert "does not agree" in result.left_out["sloppy"]
    assert "slower" in result.left_out["slow"]


def test_a_rival_that_is_not_there_is_named_and_not_run() -> None:
    def crash(problem: Problem) -> None:
        raise AssertionError("must not be prepared")

    away = Contestant("away", same, crash, absent="no such program")
    case = toy("away", Contestant("ours", same, ours=True), away, Contestant("rival", same))
    result = runner([]).run(case)
    assert result.left_out == {"away": "no such program"} and result.rival == "rival"


def test_an_aside_is_timed_but_does_not_count() -> None:
    case = toy(
        "aside",
        Contestant("ours", same, ours=True),
        Contestant("rival", slow),
        Contestant("aside", same, aside=True),
    )
    result = runner([]).run(case)
    assert result.rival == "rival" and "aside" in result.comparisons
    assert result.status == "ok" and result.comparisons["rival"].ratio > 10


def test_missing_the_target_is_marked() -> None:
    case = toy("late", Contestant("ours", slow, ours=True), Contestant("rival", same))
    result = runner([]).run(case)
    assert result.status == "below target" and result.missed[0].startswith("ratio 0.0")


def test_ratio_of_medians_and_range_of_rounds() -> None:
    one = harness.compare(ours=[1.0, 2.0, 4.0], rival=[6.0, 8.0, 2.0])
    assert one == harness.Comparison(ratio=3.0, low=0.5, high=6.0)


def test_contestants_take_turns() -> None:
    order: list[str] = []
    entries = [
        (Contestant(name, lambda p, _, name=name: order.append(name)), None) for name in "AB"
    ]
    problem = Problem(np.zeros((1, 1)), "none")
    seconds = harness.alternate(problem, entries, {"A": 1, "B": 2}, rounds=2, rest=0.0)
    assert "".join(order) == "ABBABB"
    assert {name: len(spent) for name, spent in seconds.items()} == {"A": 2, "B": 2}


def test_preparation_is_not_timed() -> None:
    def prepare(problem: Problem) -> str:
        time.sleep(0.5)
        return "ready"

    def run(problem: Problem, prepared: str) -> np.ndarray:
        assert prepared == "ready"
        return problem.X.copy()

    case = toy("prepared", Contestant("ours", run, prepare, ours=True), Contestant("rival", same))
    result = runner([]).run(case)
    assert result.status in ("ok", "below target") and result.median("ours") < 0.4


def test_memory_of_a_fresh_process() -> None:
    heavy = memory.measure("bench.toy_cases", "memory", "ours", threads=1)
    light = memory.measure("bench.toy_cases", "memory", "light", threads=1)
    assert 0.95 * TAKEN <= heavy.above <= 1.2 * TAKEN  # the kernel counts pages in batches
    assert light.above <= 0.1 * TAKEN
    assert heavy.output == 96 and heavy.figure("beyond output") == heavy.above - 96
    assert heavy.figure("process") == heavy.process > heavy.baseline


def test_a_failing_memory_process_says_why() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        memory.measure("bench.toy_cases", "memory", "nobody", threads=1)


def test_time_at_the_limit() -> None:
    flops = Phase("flops", flops=2e9, reads=1e9)  # 2 s against 1 s
    traffic = Phase("traffic", flops=1e9, reads=1e9, writes=1e9, precision="f32")  # .5 s, 1 + 2 s
    assert LIMITS.seconds([flops, traffic]) == pytest.approx(5.0)


def test_limits_are_measured_and_the_better_kept() -> None:
    measured = limits.measure(quick=True, threads=1)
    assert min(measured.gemm_f64, measured.read, measured.write, measured.copy) > 0
    assert measured.better(LIMITS).gemm_f32 == max(measured.gemm_f32, LIMITS.gemm_f32)


def test_a_nan_never_agrees() -> None:
    assert not Verdict({"residual": float("nan")}, {"residual": 1.0}).ok


def test_eigenvalue_error() -> None:
    reference = np.array([4.0, 2.0, 1e-9])
    assert checks.eigenvalue_error(np.array([4.0, 2.0 + 2e-6]), reference) == pytest.approx(1e-6)
    assert checks.eigenvalue_error(np.array([4.0]), reference) == float("inf")


def test_columns_agree_up_to_sign_only() -> None:
    Z = np.random.RandomState(0).normal(size=(20, 3))
    assert checks.column_error(Z * [1, -1, 1], Z) == 0.0
    assert checks.column_error(Z[:, [1, 0, 2]], Z) > 0.1
    assert checks.column_error(Z[:, :2], Z) == float("inf")


def test_independent_residual_does_not_believe_the_model() -> None:
    problem = data.california(150)
    honest = KernelPCA(10, kernel="rbf", gamma=problem.gamma, eigen_solver="dense").fit(problem.X)
    vectors = honest.eigenvectors_.copy()
    vectors[0, 0] += 1e-3
    liar = SimpleNamespace(eigenvalues_=honest.eigenvalues_, eigenvectors_=vectors)
    verdicts = checks.kernel_pca()(problem, {"honest": honest, "liar": liar}, "honest")
    assert verdicts["honest"].ok and not verdicts["liar"].ok
    assert verdicts["liar"].measured["eigenvalues"] == 0.0


def test_alone_check_finds_a_missed_component() -> None:
    problem = data.california(150)
    full = KernelPCA(6, kernel="rbf", gamma=problem.gamma, eigen_solver="dense").fit(problem.X)
    keep = [0, 1, 3, 4, 5]  # every pair is exact, yet the third is not there
    gap = SimpleNamespace(
        eigenvalues_=full.eigenvalues_[keep], eigenvectors_=full.eigenvectors_[:, keep]
    )
    verdicts = checks.kernel_pca_alone()(problem, {"full": full, "gap": gap}, None)
    assert verdicts["full"].ok
    assert verdicts["gap"].measured["residual"] < 1e-6 and not verdicts["gap"].ok


def test_report_in_all_forms(tmp_path: Path) -> None:
    good = toy("good", Contestant("ours", same, ours=True), Contestant("rival", slow))
    bad = toy("bad <&>", Contestant("ours", off, ours=True), Contestant("rival", same))
    results = [runner([]).run(case) for case in (good, bad)]
    text = report.table(results, LIMITS)
    assert "FAILED" in text and "no reason given" in text
    stored, drawing = report.write(tmp_path, results, LIMITS, {"quick": True})
    cases = json.loads(stored.read_text(encoding="utf-8"))["cases"]
    assert [case["status"] for case in cases] == ["ok", "FAILED"]
    assert ElementTree.parse(drawing).getroot().tag.endswith("svg")


def test_stand_ins_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    data.stored.cache_clear()
    try:
        assert data.california(50).source.startswith("stand-in")
        assert data.mnist(20).X.shape == (20, 784) and "stand-in" in data.mnist(20).source
    finally:
        data.stored.cache_clear()


def test_every_case_builds_at_the_tiny_size() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        problem = case.problem(quick=True)
        field = case.contestants(problem)
        assert sum(one.ours for one in field) == 1, case.name
        assert LIMITS.seconds(case.cost(problem)) > 0, case.name


def test_whole_run_at_the_tiny_size(tmp_path: Path) -> None:
    pytest.importorskip("mercer")
    from bench.run import main

    assert main(["--quick", "--out", str(tmp_path)]) == 0
    cases = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))["cases"]
    assert [case["name"] for case in cases] == [case.name for case in CASES]
    assert all(case["verdicts"][case["ours"]]["ok"] for case in cases)
