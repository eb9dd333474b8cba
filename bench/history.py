"""What runs of the benchmark found, commit by commit: a line of JSON for each run.

    python bench/history.py                    # the last runs, row by row
    python bench/history.py --row 'kpca-*'     # rows whose names match
    python bench/history.py --runs 10          # so many runs

`run.py` adds a line to bench/results/history.jsonl, unless it ran at tiny sizes. A row that fell is
marked where its range over rounds lies below that of the run before, on the same processor with as
many threads. Whether that is the code or the day, an interleaved comparison of both builds tells:
bench/compare_builds.py.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import Result  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
FILE = "history.jsonl"

Run = dict[str, Any]


def commit(folder: Path = ROOT) -> str:
    """The commit of the sources, with a plus where files differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    name = git("rev-parse", "--short=10", "HEAD") or "unknown"
    return name + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def entry(results: Sequence[Result], about: dict[str, Any], name: str) -> Run:
    """What is kept of a run: of each row that ended well, our seconds and the ratio to the rival
    that counts, with its range over rounds.
    """
    rows = {}
    for result in results:
        if result.ours not in result.seconds:
            continue
        rows[result.name] = {"seconds": result.median(result.ours)}
        if result.rival is not None:
            one = result.comparisons[result.rival]
            rows[result.name] |= {"ratio": one.ratio, "low": one.low, "high": one.high}
            rows[result.name] |= {"rival": result.rival}
    when = datetime.now(UTC).isoformat(timespec="seconds")
    machine = {key: about[key] for key in ("processor", "threads", "repeat") if key in about}
    return {"commit": name, "when": when, **machine, "rows": rows}


def add(folder: Path, run: Run) -> Path:
    """Add a run to the history in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(run, sort_keys=True) + "\n")
    return folder / FILE


def load(path: Path) -> list[Run]:
    """The runs of a history, the oldest first; none where there is no file."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def moved(before: Run, after: Run, name: str) -> str:
    """How a row moved between two runs: "fell", "rose", or nothing where ranges overlap or the
    machine was another one.
    """
    if any(before.get(key) != after.get(key) for key in ("processor", "threads")):
        return ""
    old, new = before["rows"].get(name, {}), after["rows"].get(name, {})
    if "ratio" not in old or "ratio" not in new or old["rival"] != new["rival"]:
        return ""
    if new["high"] < old["low"]:
        return "fell"
    return "rose" if new["low"] > old["high"] else ""


def table(runs: Sequence[Run], pattern: str | None = None) -> str:
    """The ratios of rows in the runs, one column each, and what moved from one to the next."""
    names = sorted({name for run in runs for name in run["rows"]})
    names = [name for name in names if pattern is None or fnmatch.fnmatch(name, pattern)]
    width = max(map(len, names), default=4)
    lines = [" ".join([" " * width, *(f"{run['commit']:>12}" for run in runs)])]
    for name in names:
        cells = [_cell(run, name) for run in runs]
        known = [run for run in runs if name in run["rows"]]
        mark = moved(known[-2], known[-1], name) if len(known) > 1 else ""
        lines.append(" ".join([f"{name:<{width}}", *cells, mark]).rstrip())
    return "\n".join(lines)


def _cell(run: Run, name: str) -> str:
    row = run["rows"].get(name)
    if row is None:
        return " " * 12
    text = f"{row['ratio']:.2f}×" if "ratio" in row else f"{row['seconds']:.3g} s"
    return f"{text:>12}"


def main(argv: Sequence[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Ratios of the benchmark by commit.")
    parser.add_argument("--row", metavar="PATTERN", help="rows whose names match")
    parser.add_argument("--runs", type=int, default=6, help="the last so many runs (6)")
    parser.add_argument("--file", type=Path, default=ROOT / "bench/results" / FILE)
    flags = parser.parse_args(argv)
    runs = load(flags.file)[-flags.runs :]
    if not runs:
        print(f"{flags.file} has no runs yet: make bench adds them")
        return 0
    print(table(runs, flags.row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
