"""What a soak watches: results, and the memory, files and threads of the process."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np


class Ledger:
    """Counts runs, and keeps the first result of each job to compare the others with."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first: dict[tuple[str, int], bytes] = {}
        self.runs: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.failures: list[str] = []

    def ran(self, job: str, variant: int, result: bytes, seconds: float) -> None:
        """Notes a run; a result with other bits than the first one is a failure."""
        with self._lock:
            self.runs[job] += 1
            self.seconds[job] += seconds
            if self._first.setdefault((job, variant), result) != result:
                self.failures.append(f"{job}: variant {variant} has another result than before")

    def failed(self, job: str, reason: str) -> None:
        """Notes a run that raised what it should not."""
        with self._lock:
            self.runs[job] += 1
            self.failures.append(f"{job}: {reason}")


@dataclass
class Reading:
    """The state of the process while nothing is running."""

    seconds: float
    resident: int
    files: int
    threads: int

    @classmethod
    def take(cls, seconds: float) -> Reading:
        """Reads it, after everything that is free was given back to the system."""
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        resident = pages * os.sysconf("SC_PAGE_SIZE")
        count = {name: len(os.listdir(f"/proc/self/{name}")) for name in ("fd", "task")}
        return cls(seconds, resident, count["fd"], count["task"])


def growth(readings: list[Reading]) -> float:
    """Bytes by which memory rises from the first to the last reading, by the line of best fit."""
    times = np.array([reading.seconds for reading in readings])
    sizes = np.array([reading.resident for reading in readings], dtype=float)
    slope = np.polyfit(times - times[0], sizes, 1)[0] if len(readings) > 1 else 0.0
    return float(slope * (times[-1] - times[0]))


def complaints(readings: list[Reading], slack: float) -> list[str]:
    """What grew: memory by more than `slack` bytes, open files or threads.

    The first third of the readings is warm-up. Memory may rise a little without anything being
    lost: the heap has holes.
    """
    steady = readings[len(readings) // 3 :]
    found = []
    risen = min(growth(steady), steady[-1].resident - steady[0].resident)
    if risen > slack:
        found.append(f"memory rose by {risen / 2**20:.1f} MB")
    for name in ("files", "threads"):
        first, last = getattr(steady[0], name), getattr(steady[-1], name)
        if last > first:
            found.append(f"{name} rose from {first} to {last}")
    return found
