"""Runs one case: warm up, check agreement, time in turn, compare, measure memory.

Nothing is timed before the contestants agree. Contestants then take turns within one process
(A, B, A, B, …), so that a slow spell of the machine hits all of them alike.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench import memory
from bench.limits import Limits
from bench.problem import Case, Contestant, Phase, Problem, Verdict

# A rival this much slower than the best rival while warming up is not timed further.
CLEARLY_SLOWER = 1.5
# Work shorter than this many seconds is repeated within one measurement, or noise would rule.
SHORTEST, SHORTEST_QUICK = 0.05, 0.002
# Idle threads of a BLAS spin for a tenth of a second after their work: no turn may begin before.
REST = 0.25


class Disagreement(Exception):
    """Contestants computed different things; their times would mean nothing."""


@dataclass(frozen=True)
class Comparison:
    """Times of a rival over ours: ratio of medians, and the range over single rounds."""

    ratio: float
    low: float
    high: float


@dataclass
class Result:
    """Everything learnt about one case."""

    name: str
    work: str
    status: str = "ok"  # ok | below target | FAILED | CRASHED
    source: str = ""
    ours: str = ""
    rival: str | None = None  # the one that counts
    seconds: dict[str, list[float]] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    memory: dict[str, memory.Memory] = field(default_factory=dict)
    ratio_target: float | None = None
    memory_target: float | None = None
    memory_kind: str = ""
    share: float | None = None  # of the limit
    limit_seconds: float | None = None
    phases: list[Phase] = field(default_factory=list)  # the cost model
    missed: list[str] = field(default_factory=list)
    why: str = ""
    error: str = ""

    def median(self, name: str) -> float:
        """Median seconds of one contestant."""
        return statistics.median(self.seconds[name])

    def hold_against(self, limits: Limits) -> None:
        """Set the share of the limit; may be called again when better limits are known."""
        if self.phases:
            self.limit_seconds = limits.seconds(self.phases)
            self.share = self.limit_seconds / self.median(self.ours)


@dataclass
class Runner:
    """Settings of a whole run."""

    limits: Limits
    repeat: int = 5
    quick: bool = False
    threads: int = 2
    module: str = "bench.cases"  # where a fresh process finds the cases again
    say: Callable[[str], None] = print

    def run(self, case: Case) -> Result:
        """Run one case; disagreement and crashes end up in the result, loudly."""
        result = Result(case.name, case.work, why=case.why)
        # What the imports left behind need not be searched again before every measurement.
        gc.collect()
        gc.freeze()
        try:
            self._run(case, result)
        except Disagreement as problem:
            result.status, result.error = "FAILED", str(problem)
            self.say(f"!!! {case.name}: contestants DISAGREE: {problem}")
        except Exception as problem:  # a crash of one case must not hide the others
            result.status, result.error = "CRASHED", traceback.format_exc()
            self.say(f"!!! {case.name}: CRASHED: {type(problem).__name__}: {problem}")
        finally:
            gc.unfreeze()
        return result

    def _run(self, case: Case, result: Result) -> None:
        problem = case.problem(quick=self.quick)
        result.source = problem.source
        everyone = case.contestants(problem)
        result.left_out = {one.name: one.absent for one in everyone if one.absent}
        field_ = [(one, one.prepare(problem)) for one in everyone if not one.absent]
        result.ours = next(one.name for one, _ in field_ if one.ours)
        warm = self._warm_and_check(case, problem, field_, result)
        timed = _worth_timing(field_, warm, result)
        rounds = min(self.repeat, case.max_repeat or self.repeat)
        shortest = SHORTEST_QUICK if self.quick else SHORTEST
        number = {name: max(1, math.ceil(shortest / spent)) for name, spent in warm.items()}
        rest = 0.0 if self.quick else REST
        result.seconds = alternate(problem, timed, number, rounds, rest)
        _compare(result, {one.name for one, _ in field_ if one.aside})
        self._measure_memory(case, result)
        self._evaluate(case, problem, result)

    def _warm_and_check(
        self, case: Case, problem: Problem, field_: Sequence[Entry], result: Result
    ) -> dict[str, float]:
        outputs: dict[str, Any] = {}
        warm: dict[str, float] = {}
        for one, prepared in field_:
            warm[one.name], outputs[one.name] = warm_up(one, problem, prepared)
        rivals = [one.name for one, _ in field_ if not one.ours]
        result.verdicts = case.check(problem, outputs, rivals[0] if rivals else None)
        _demand_agreement(result, rivals)
        return warm

    def _measure_memory(self, case: Case, result: Result) -> None:
        # At the tiny size, starting processes would take longer than everything else.
        names = [result.ours] if self.quick else [result.ours, result.rival]
        # Nor is the memory of work worth minutes that nobody asked about.
        if case.target.memory is None and (self.quick or case.max_repeat == 1):
            return
        for name in filter(None, names):
            result.memory[name] = memory.measure(
                self.module, case.name, name, quick=self.quick, threads=self.threads
            )

    def _evaluate(self, case: Case, problem: Problem, result: Result) -> None:
        target = case.target
        result.ratio_target = target.ratio
        result.phases = case.cost(problem)
        result.hold_against(self.limits)
        if target.ratio is not None and result.rival is not None:
            ratio = result.comparisons[result.rival].ratio
            if ratio < target.ratio:
                result.missed.append(f"ratio {ratio:.2f} < {target.ratio:g}")
        if target.memory is not None:
            result.memory_target = target.memory.limit(problem)
            result.memory_kind = target.memory.kind
            used = result.memory[result.ours].figure(target.memory.kind)
            if used > result.memory_target:
                result.missed.append(
                    f"memory {used / 2**20:.0f} MiB > {result.memory_target / 2**20:.0f} MiB"
                )
        if result.missed:
            result.status = "below target"


Entry = tuple[Contestant, Any]  # a contestant and what it prepared


def warm_up(one: Contestant, problem: Problem, prepared: Any) -> tuple[float, Any]:
    """Seconds and output of a first run; short work runs twice, for the first call is special."""
    seconds, output = timed(one, problem, prepared)
    if seconds < SHORTEST:
        again, output = timed(one, problem, prepared)
        seconds = min(seconds, again)
    return seconds, output


def timed(one: Contestant, problem: Problem, prepared: Any, number: int = 1) -> tuple[float, Any]:
    """Mean seconds of ``number`` calls and the last output; freeing outputs is not timed."""
    kept: list[Any] = []
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(number):
            kept.append(one.run(problem, prepared))
        seconds = (time.perf_counter() - start) / number
    finally:
        gc.enable()
    return seconds, kept[-1]


def _demand_agreement(result: Result, rivals: Sequence[str]) -> None:
    """Ours and the reference must pass; another rival that does not is left out, and named."""
    verdicts = result.verdicts
    if not verdicts[result.ours].ok:
        raise Disagreement(f"{result.ours}: {verdicts[result.ours]}")
    if rivals and not verdicts[rivals[0]].ok:
        raise Disagreement(f"reference {rivals[0]}: {verdicts[rivals[0]]}")
    for name in rivals[1:]:
        if not verdicts[name].ok:
            result.left_out[name] = f"does not agree: {verdicts[name]}"


def _worth_timing(field_: Sequence[Entry], warm: dict[str, float], result: Result) -> list[Entry]:
    agreeing = [one for one, _ in field_ if one.name not in result.left_out]
    rivals = [one.name for one in agreeing if not (one.ours or one.aside)]
    best = min((warm[name] for name in rivals), default=0.0)
    for name in rivals:
        if warm[name] > CLEARLY_SLOWER * best:
            result.left_out[name] = f"slower: {warm[name] / best:.1f} × the best rival's warm-up"
    return [entry for entry in field_ if entry[0].name not in result.left_out]


def alternate(
    problem: Problem, entries: Sequence[Entry], number: dict[str, int], rounds: int, rest: float
) -> dict[str, list[float]]:
    """Seconds per contestant and round, the contestants taking turns of ``number`` calls.

    A ``rest`` comes before every turn.
    """
    seconds: dict[str, list[float]] = {one.name: [] for one, _ in entries}
    for _ in range(rounds):
        for one, prepared in entries:
            time.sleep(rest)
            seconds[one.name].append(timed(one, problem, prepared, number[one.name])[0])
    return seconds


def compare(ours: Sequence[float], rival: Sequence[float]) -> Comparison:
    """How many times faster we are: above 1 is in our favour."""
    pairwise = [theirs / mine for mine, theirs in zip(ours, rival, strict=True)]
    ratio = statistics.median(rival) / statistics.median(ours)
    return Comparison(ratio, min(pairwise), max(pairwise))


def _compare(result: Result, asides: set[str]) -> None:
    rivals = [name for name in result.seconds if name != result.ours]
    for name in rivals:
        result.comparisons[name] = compare(result.seconds[result.ours], result.seconds[name])
    result.rival = min((name for name in rivals if name not in asides),
                       key=result.median, default=None)  # fmt: skip
