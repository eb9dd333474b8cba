"""Limits of this machine: GEMM rates and memory bandwidth, measured in the same run.

Each figure is the best of several tries, because a limit is what the machine reaches when nothing
disturbs it. Bandwidth uses one Python thread per core; numpy releases the interpreter lock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from bench.problem import Phase


@dataclass(frozen=True)
class Limits:
    """Rates in flops per second and bytes per second."""

    gemm_f64: float
    gemm_f32: float
    read: float  # summing an array larger than the caches
    write: float  # filling one whose pages are already there
    first_touch: float  # filling fresh pages; explains, but does not bound, results that are new
    copy: float  # bytes read plus bytes written
    threads: int

    def seconds(self, phases: Sequence[Phase]) -> float:
        """Time at the limit: phases follow each other; within one, flops and bytes overlap."""
        return sum(self._phase_seconds(phase) for phase in phases)

    def _phase_seconds(self, phase: Phase) -> float:
        gemm = self.gemm_f32 if phase.precision == "f32" else self.gemm_f64
        return max(phase.flops / gemm, phase.reads / self.read + phase.writes / self.write)

    def better(self, other: Limits) -> Limits:
        """The higher of each rate: a second measurement may have had a quieter machine."""
        mine, theirs = asdict(self), asdict(other)
        return Limits(**{name: max(mine[name], theirs[name]) for name in mine})


def _best(work: Callable[[], object], tries: int) -> float:
    seconds = []
    for _ in range(tries):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _gemm(dtype: type, size: int, tries: int) -> float:
    rng = np.random.RandomState(0)
    A, B = (rng.normal(size=(size, size)).astype(dtype) for _ in range(2))
    out = np.empty((size, size), dtype)
    np.matmul(A, B, out=out)
    return 2.0 * size**3 / _best(lambda: np.matmul(A, B, out=out), tries)


def _spread(work: Callable[[int], object], threads: int) -> Callable[[], None]:
    """Run ``work(i)`` in one thread per core and wait for all."""

    def run() -> None:
        team = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
        for member in team:
            member.start()
        for member in team:
            member.join()

    return run


def _bandwidth(megabytes: int, threads: int, tries: int) -> dict[str, float]:
    length = megabytes * 10**6 // 8 // threads
    sources = [np.ones(length) for _ in range(threads)]
    targets = [np.ones(length) for _ in range(threads)]
    size = 8.0 * length * threads

    def rate(nbytes: float, work: Callable[[int], object]) -> float:
        return nbytes / _best(_spread(work, threads), tries)

    return {
        "read": rate(size, lambda i: sources[i].sum()),
        "write": rate(size, lambda i: targets[i].fill(2.0)),
        "copy": rate(2 * size, lambda i: np.copyto(targets[i], sources[i])),
        "first_touch": rate(size, lambda i: np.empty(length).fill(2.0)),
    }


def measure(*, quick: bool, threads: int) -> Limits:
    """All limits; about three seconds at full size."""
    size, megabytes, tries = (384, 8, 2) if quick else (3072, 800, 4)
    return Limits(
        gemm_f64=_gemm(np.float64, size, tries),
        gemm_f32=_gemm(np.float32, size, tries),
        threads=threads,
        **_bandwidth(megabytes, threads, tries),
    )
