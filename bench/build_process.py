"""The process of a build in an interleaved comparison: it reads what to do, a line of JSON each.

`compare_builds.py` starts it with the build first on the path of modules.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import traceback
from typing import Any

from bench.harness import timed, warm_up
from bench.problem import Case
from bench.threads import set_threads


class Rows:
    """The work of mercer in each row."""

    def __init__(self, cases: list[Case], quick: bool) -> None:
        self._cases, self._quick = {case.name: case for case in cases}, quick
        self._ready: Any = None

    def prepare(self, name: str) -> float:
        """Prepare a row; returns the seconds of its work."""
        self._ready = None
        case = self._cases[name]
        problem = case.problem(quick=self._quick)
        one = next(one for one in case.contestants(problem) if one.ours)
        self._ready = one, problem, one.prepare(problem)
        gc.collect()
        return warm_up(*self._ready)[0]

    def run(self, number: int) -> float:
        """Do the work of the row so many times; returns the mean seconds."""
        return timed(*self._ready, number)[0]


def main() -> None:
    """Answer each line until there are no more."""
    module, count, quick = sys.argv[1:]
    answers, sys.stdout = sys.stdout, sys.stderr
    set_threads(int(count))
    rows = Rows(importlib.import_module(module).CASES, quick == "1")
    for line in sys.stdin:
        words = json.loads(line)
        try:
            [(name, value)] = words.items()
            answer = {"seconds": rows.prepare(value) if name == "prepare" else rows.run(value)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
