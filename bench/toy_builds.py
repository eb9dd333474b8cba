"""Toy rows for comparisons of builds, whose packages say how long their work takes."""

from __future__ import annotations

import time
from typing import Any

from bench.problem import Case, Contestant, Problem
from bench.toy_cases import toy


def _sleep(problem: Problem, _: Any) -> None:
    import mercer

    time.sleep(mercer.SECONDS)


CASES: list[Case] = [toy("changes", Contestant("ours", _sleep, ours=True))]
