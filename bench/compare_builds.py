"""Which rows of the benchmark moved between two builds, beyond noise.

    python bench/compare_builds.py OLD NEW [--only PATTERN] [--rounds 16] [--quick]

OLD and NEW are wheels, or folders that hold the package `mercer`. Each build has a process of its
own, and both do the work of a row in turn, in changing order: old, new, new, old, ... A slow spell
of the machine hits both alike. A row has moved if the new build was slower, or faster, in so many
rounds as chance alone gives in fewer than one of a hundred rows (8 of 8, 14 of 16), and the median
of its ratios is further from 1 than the least change (3 percent).

Exit code 1 if a row became slower, else 0.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import threads  # noqa: E402
from bench.harness import SHORTEST, SHORTEST_QUICK  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LEAST_CHANGE = 0.03
CHANCE = 0.01
FEWEST_ROUNDS = 8


@dataclass(frozen=True)
class Moved:
    """Seconds of the new build over those of the old one, round by round."""

    ratios: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median."""
        return statistics.median(self.ratios)

    def verdict(self, least: float = LEAST_CHANGE) -> str:
        """ "slower" or "faster", or nothing where it may be noise."""
        needed = agreeing(len(self.ratios))
        if sum(ratio > 1 for ratio in self.ratios) >= needed and self.ratio > 1 + least:
            return "slower"
        is_faster = sum(ratio < 1 for ratio in self.ratios) >= needed
        return "faster" if is_faster and self.ratio < 1 / (1 + least) else ""


def agreeing(rounds: int) -> int:
    """So many rounds go the same way by chance in fewer than one of a hundred rows."""
    chances = [math.comb(rounds, one) / 2 ** (rounds - 1) for one in range(rounds + 1)]
    found = (count for count in range(rounds + 1) if sum(chances[count:]) < CHANCE)
    return next(found, rounds)


class Build:
    """The process of a build. It prepares a row, and does its work when it is told to."""

    def __init__(self, folder: Path, module: str, count: int, quick: bool) -> None:
        paths = [str(folder), str(ROOT)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, "-m", "bench.build_process", module, str(count), str(int(quick))]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def prepare(self, row: str) -> float:
        """Prepare a row and warm up; returns the seconds that its work takes."""
        return self._asked({"prepare": row})

    def run(self, number: int) -> float:
        """Do the work so many times; returns the mean seconds."""
        return self._asked({"run": number})

    def _asked(self, words: dict) -> float:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process of a build ended; its errors stand above")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["seconds"]

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=60)


def interleaved(
    old: Callable[[], float], new: Callable[[], float], rounds: int
) -> tuple[float, ...]:
    """Seconds of `new` over those of `old`, which take turns in changing order."""
    ratios = []
    for turn in range(rounds):
        if turn % 2 == 0:
            before, after = old(), new()
        else:
            after, before = new(), old()
        ratios.append(after / before)
    return tuple(ratios)


def compared(old: Build, new: Build, row: str, rounds: int, shortest: float) -> Moved:
    """Compare the builds on a row."""
    warm = min(old.prepare(row), new.prepare(row))
    number = max(1, math.ceil(shortest / warm))
    return Moved(interleaved(lambda: old.run(number), lambda: new.run(number), rounds))


def unpacked(build: Path, folder: Path) -> Path:
    """The folder with the package of a wheel, or of a folder."""
    if build.suffix == ".whl":
        with zipfile.ZipFile(build) as wheel:
            wheel.extractall(folder)
        return folder
    if not (build / "mercer").is_dir():
        raise SystemExit(f"{build} is no wheel, and no folder that holds the package mercer")
    return build.resolve()


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="a wheel, or a folder that holds the package")
    parser.add_argument("new", type=Path, help="another one")
    parser.add_argument("--only", metavar="PATTERN", help="rows whose names match")
    parser.add_argument("--rounds", type=int, default=16, help=f"at least {FEWEST_ROUNDS} (16)")
    parser.add_argument("--threads", type=int, default=threads.available(), help="default: all")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: tests the script")
    parser.add_argument("--module", default="bench.cases", help=argparse.SUPPRESS)
    flags = parser.parse_args(argv)
    if flags.rounds < FEWEST_ROUNDS:
        parser.error(f"--rounds must be at least {FEWEST_ROUNDS}: fewer tell nothing from noise")
    return flags


def _rows(flags: argparse.Namespace) -> list[str]:
    import importlib

    from bench.run import matching

    return [case.name for case in matching(importlib.import_module(flags.module).CASES, flags.only)]


def main(argv: Sequence[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    flags = _arguments(argv)
    rows = _rows(flags)
    if not rows:
        raise SystemExit(f"no row matches {flags.only!r}")
    shortest = SHORTEST_QUICK if flags.quick else SHORTEST
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        folders = unpacked(flags.old, Path(a)), unpacked(flags.new, Path(b))
        old, new = (Build(one, flags.module, flags.threads, flags.quick) for one in folders)
        slower = 0
        try:
            for row in rows:
                found = compared(old, new, row, flags.rounds, shortest)
                slower += found.verdict() == "slower"
                low, high = min(found.ratios), max(found.ratios)
                text = f"{row:28} {found.ratio:6.3f} ({low:.3f}-{high:.3f}) {found.verdict()}"
                print(text.rstrip(), flush=True)
        finally:
            old.close()
            new.close()
    print(f"seconds of the new build over the old one; {slower} of {len(rows)} rows are slower")
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
