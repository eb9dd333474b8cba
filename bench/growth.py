"""How time and memory of methods grow with the number of rows.

    python bench/growth.py                     # all methods, fits of up to a minute
    python bench/growth.py --seconds 5 --only SVC
    python bench/growth.py --picture growth.png
    python bench/growth.py --quick             # some milliseconds: tests the script

Each method works on n = 1, 2, 4, ... rows of 8 columns, in a process of its own, until it takes as
long as the limit or memory ends. The exponents are slopes of straight lines through the logarithms
of the last sizes: a method whose time grows with the square of the rows has 2. Memory is the peak
above what was resident before, the rows aside. Sizes that a method refuses are left out.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import memory, page, threads  # noqa: E402
from bench.growth_methods import METHODS, Method, rows  # noqa: E402
from bench.growth_picture import draw  # noqa: E402

HEAD = ["method", "rows", "time", "exponent", "theory", "memory", "exponent", "theory"]
#: Smaller times and memories are those of calls and of libraries, and not of the work.
LEAST_SECONDS, LEAST_BYTES = 0.01, 8 << 20
#: Sizes that a line is fitted through, at least and at most.
FEWEST, MOST = 3, 5
#: Work that is shorter is repeated, and the shortest time counts.
SHORT = 0.05

Point = dict[str, Any]  # n, seconds, bytes


def exponent(points: Sequence[tuple[float, float]], least: float) -> float | None:
    """The slope of log(value) against log(n) at the last sizes; None where too few values count."""
    counted = [(n, value) for n, value in points if value >= least][-MOST:]
    if len(counted) < FEWEST:
        return None
    n, values = np.log([list(point) for point in counted]).T
    return float(np.polyfit(n, values, 1)[0])


def timed(work: Callable[[], Any]) -> float:
    """Seconds of the work: of short work the shortest of some times."""
    best, spent = math.inf, 0.0
    while spent < SHORT:
        start = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - start
        del result
        best, spent = min(best, seconds), spent + seconds
    return best


def above(work: Callable[[], Any]) -> int:
    """The peak of memory while the work is done, above what was resident before."""
    gc.collect()
    _give_back()
    memory.reset_peak()
    before = memory.resident()
    result = work()
    del result
    return max(0, memory.peak() - before)


def _give_back() -> None:
    """Let the allocator return what is free, so that it counts when it is taken again."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def points(method: Method, limit: float) -> Iterator[Point]:
    """Work on 1, 2, 4, ... rows until the next size would take longer than the limit."""
    n, seconds = 1, 0.0
    while seconds * 2 ** max(method.time, 1) <= limit:
        data = rows(n)

        def work(data: tuple = data) -> Any:
            return method.work(*data)

        try:
            seconds = timed(work)
            yield {"n": n, "seconds": seconds, "bytes": above(work)}
        except ValueError:
            pass  # Too few rows.
        except MemoryError:
            return
        n *= 2


def measured(method: Method, limit: float, count: int) -> list[Point]:
    """The points of a method, from a process of its own."""
    command = [sys.executable, __file__, "--one", method.name, "--seconds", str(limit)]
    done = subprocess.run(
        [*command, "--threads", str(count)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{method.name} failed:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(method: Method, found: Sequence[Point]) -> list[str]:
    """The cells of a method."""
    last = found[-1]
    of_time = exponent([(one["n"], one["seconds"]) for one in found], LEAST_SECONDS)
    of_memory = exponent([(one["n"], one["bytes"]) for one in found], LEAST_BYTES)
    return [
        method.name,
        f"{last['n']:,}",
        f"{last['seconds']:.2g} s",
        _power(of_time),
        f"{method.time:g}",
        f"{last['bytes'] / 2**20:,.0f} MiB",
        _power(of_memory),
        f"{method.memory:g}",
    ]


def _power(found: float | None) -> str:
    return "–" if found is None else f"{abs(found) if abs(found) < 0.005 else found:.2f}"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of a fit (60)")
    parser.add_argument("--only", metavar="WORDS", help="methods whose name contains the words")
    parser.add_argument("--threads", type=int, default=threads.available(), help="default: all")
    parser.add_argument("--quick", action="store_true", help="limit of 10 ms: tests the script")
    parser.add_argument("--picture", type=Path, help="draw a picture into this file")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def _alone(name: str, limit: float, count: int) -> int:
    threads.set_threads(count)
    for point in points(next(one for one in METHODS if one.name == name), limit):
        print(json.dumps(point), flush=True)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    flags = _arguments(argv)
    limit = 0.01 if flags.quick else flags.seconds
    if flags.one:
        return _alone(flags.one, limit, flags.threads)
    chosen = [one for one in METHODS if flags.only is None or flags.only in one.name]
    if not chosen:
        raise SystemExit(f"no method's name contains {flags.only!r}")
    found: list[tuple[Method, list[Point]]] = []
    for method in chosen:
        found.append((method, measured(method, limit, flags.threads)))
        print("  ".join(row(method, found[-1][1])), file=sys.stderr, flush=True)
    print(page.table(HEAD, [row(method, some) for method, some in found]))
    if flags.picture:
        draw(found, flags.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
