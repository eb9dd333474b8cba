"""Tests of the history of ratios, and of interleaved comparisons of builds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from bench import compare_builds, history
from bench.compare_builds import Moved
from bench.harness import Comparison, Result


def result(name: str, ratio: float, spread: float = 0.1) -> Result:
    """A row with a rival."""
    found = Result(name, "work", ours="ours", rival="rival")
    found.seconds = {"ours": [1.0, 1.0], "rival": [ratio, ratio]}
    found.comparisons = {"rival": Comparison(ratio, ratio - spread, ratio + spread)}
    return found


def run(name: str, *results: Result, threads: int = 2) -> history.Run:
    """A run of a commit."""
    return history.entry(results, {"processor": "one", "threads": threads}, name)


def test_a_history_keeps_what_runs_found(tmp_path: Path) -> None:
    broken = Result("broken", "work", status="CRASHED")
    alone = Result("alone", "work", ours="ours", seconds={"ours": [2.0]})
    path = history.add(tmp_path / "results", run("a1", result("row", 3.0), broken, alone))
    history.add(tmp_path / "results", run("b2", result("row", 2.0), alone))
    first, second = history.load(path)
    assert (first["commit"], second["commit"]) == ("a1", "b2")
    assert first["rows"] == {
        "row": {"seconds": 1.0, "ratio": 3.0, "low": 2.9, "high": 3.1, "rival": "rival"},
        "alone": {"seconds": 2.0},
    }
    lines = history.table([first, second]).splitlines()
    assert lines[1].split() == ["alone", "2", "s", "2", "s"]
    assert lines[2].split() == ["row", "3.00×", "2.00×", "fell"]
    assert history.load(tmp_path / "none") == []


def test_a_row_moved_where_ranges_lie_apart_on_the_same_machine() -> None:
    runs = [run("a", result("row", ratio)) for ratio in (3.0, 3.15, 2.0, 2.5)]
    assert history.moved(runs[0], runs[1], "row") == ""
    assert history.moved(runs[1], runs[2], "row") == "fell"
    assert history.moved(runs[2], runs[3], "row") == "rose"
    assert history.moved(runs[1], run("a", result("row", 2.0), threads=4), "row") == ""
    assert history.moved(runs[1], runs[2], "other") == ""


def test_a_commit_says_whether_files_differ(tmp_path: Path) -> None:
    assert history.commit(tmp_path) == "unknown"
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        (tmp_path / "file").write_text("one")
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    clean = history.commit(tmp_path)
    assert len(clean) == 10
    (tmp_path / "file").write_text("two")
    assert history.commit(tmp_path) == clean + "+"


def test_a_verdict_needs_most_rounds_and_a_change_worth_it() -> None:
    assert [compare_builds.agreeing(rounds) for rounds in (8, 9, 12, 16)] == [8, 9, 11, 14]
    assert Moved((1.1, 1.2, 1.05, 1.3) * 2).verdict() == "slower"
    assert Moved((0.9, 0.8, 0.95, 0.7) * 2).verdict() == "faster"
    assert Moved((1.1, 1.2, 0.99, 1.3) + (1.1,) * 4).verdict() == ""
    assert Moved((1.1, 1.2, 0.99, 1.3) + (1.1,) * 12).verdict() == "slower"
    assert Moved((1.01, 1.02) * 4).verdict() == ""
    assert Moved((1.01, 1.02) * 4).verdict(least=0.005) == "slower"


def test_builds_take_turns_in_changing_order() -> None:
    order: list[str] = []

    def build(name: str, seconds: float) -> float:
        order.append(name)
        return seconds

    ratios = compare_builds.interleaved(lambda: build("old", 1), lambda: build("new", 2), 4)
    assert ratios == (2, 2, 2, 2)
    assert order == ["old", "new", "new", "old", "old", "new", "new", "old"]


def package(folder: Path, seconds: float) -> Path:
    """A build whose work takes so long."""
    (folder / "mercer").mkdir(parents=True)
    text = f"SECONDS = {seconds}\n\n\ndef set_num_threads(count):\n    pass\n"
    (folder / "mercer/__init__.py").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("seconds", "verdict", "code"), [((0.001, 0.05), "slower", 1), ((0.05, 0.001), "faster", 0)]
)
def test_a_build_that_moved_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture, seconds: tuple, verdict: str, code: int
) -> None:
    # So far apart that no load of the machine hides it.
    builds = [package(tmp_path / name, one) for name, one in zip("ab", seconds, strict=True)]
    words = [*map(str, builds), "--rounds", "8", "--quick", "--module", "bench.toy_builds"]
    assert compare_builds.main(words) == code
    row, summary = capsys.readouterr().out.splitlines()
    assert row.startswith("changes") and row.endswith(verdict)
    assert summary.endswith(f"{code} of 1 rows are slower")


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no wheel"):
        compare_builds.main([str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit):
        compare_builds.main([str(tmp_path), str(tmp_path), "--rounds", "2"])


def test_runs_at_tiny_sizes_are_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "history.jsonl"
    assert history.main(["--file", str(path)]) == 0
    assert "no runs yet" in capsys.readouterr().out
    path.write_text(json.dumps(run("a1", result("row", 3.0))) + "\n")
    assert history.main(["--file", str(path), "--row", "ro*"]) == 0
    assert "3.00×" in capsys.readouterr().out
