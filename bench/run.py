"""Compare mercer with scikit-learn: ``python bench/run.py [--only PATTERN] [--quick] [--list]``.

Exit code 0 when every case ran and its contestants agreed, 1 when one disagreed or crashed,
2 when the command line is wrong or mercer is not installed. A missed target does not change it.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.metadata
import importlib.util
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import history, kernlab, limits, report, threads
from bench.cases import CASES
from bench.harness import Result, Runner
from bench.problem import Case

RESULTS = Path(__file__).resolve().parent / "results"


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare mercer with scikit-learn.")
    parser.add_argument("--only", metavar="PATTERN", help="cases whose name matches, e.g. 'kpca*'")
    parser.add_argument("--repeat", type=int, help="timed rounds per case (5; with --quick 2)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: tests the harness only")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--threads", type=int, default=threads.available(), help="default: all")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    parsed = parser.parse_args(argv)
    if parsed.repeat is None:
        parsed.repeat = 2 if parsed.quick else 5
    if parsed.repeat < 1 or parsed.threads < 1:
        parser.error("--repeat and --threads must be at least 1")
    return parsed


def choose(pattern: str | None) -> list[Case]:
    """Cases whose name matches a shell pattern or contains the text."""
    return matching(CASES, pattern)


def matching(cases: list[Case], pattern: str | None) -> list[Case]:
    """Those of some cases."""
    if pattern is None:
        return cases
    return [c for c in cases if fnmatch.fnmatch(c.name, pattern) or pattern in c.name]


def _about(arguments: argparse.Namespace, load: float) -> dict[str, Any]:
    rivals = ("scikit-learn", "scikit-learn-intelex", "tslearn", "pyod")
    packages = ("mercer", *rivals, "numpy", "scipy")
    versions = {}
    for name in packages:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "unknown"
    versions["kernlab"] = kernlab.version() or "unknown"
    return {
        "quick": arguments.quick,
        "repeat": arguments.repeat,
        "threads": arguments.threads,
        "processor": _processor(),
        "load_before": load,
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def run(cases: list[Case], arguments: argparse.Namespace) -> tuple[list[Result], limits.Limits]:
    """Run the cases; the limits are measured before and after, and the better figures count."""
    threads.set_threads(arguments.threads)
    before = limits.measure(quick=arguments.quick, threads=arguments.threads)
    runner = Runner(before, arguments.repeat, arguments.quick, arguments.threads, say=_say)
    results = []
    for number, case in enumerate(cases, 1):
        _say(f"[{number}/{len(cases)}] {case.work}")
        start = time.perf_counter()
        results.append(runner.run(case))
        _say(f"    {results[-1].status} after {time.perf_counter() - start:.0f} s")
    after = limits.measure(quick=arguments.quick, threads=arguments.threads)
    best = before.better(after)
    for result in results:
        result.hold_against(best)
    return results, best


def main(argv: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    arguments = _arguments(argv)
    cases = choose(arguments.only)
    if arguments.list:
        print("\n".join(f"{case.name:24} {case.work}" for case in cases))
        return 0
    if not cases:
        _say(f"no case matches {arguments.only!r}; see --list")
        return 2
    if importlib.util.find_spec("mercer") is None:
        _say("the Python package mercer is not installed; install it with: pip install ./python")
        return 2
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > 0.5:
        _say(f"note: the machine is busy (load {load:.1f}); times will be noisy")
    results, best = run(cases, arguments)
    print(report.table(results, best))
    about = _about(arguments, load)
    data, drawing = report.write(arguments.out, results, best, about)
    if not arguments.quick:
        history.add(arguments.out, history.entry(results, about, history.commit()))
    if arguments.quick:
        print("tiny sizes: these figures say that the harness works, and nothing else")
    print(f"written: {os.path.relpath(data)}, {os.path.relpath(drawing)}")
    return int(any(result.status in ("FAILED", "CRASHED") for result in results))


if __name__ == "__main__":
    sys.exit(main())
