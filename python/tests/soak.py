"""Everything at once in one process, for hours: ``make soak HOURS=1``.

Threads fit, predict, save, load, provoke errors and cancel fits at random. Every result must have
the bits of the first one, whatever runs beside it and on however many threads; nothing may be
raised that should not be; and whenever all threads pause, memory, open files and threads of the
process must be what they were.

``python tests/soak.py --seconds 20 --workers 3`` is a short run. The exit code is 1 if anything
failed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time

from soaking.watch import Ledger, Reading, complaints, growth
from soaking.work import JOBS, VARIANTS, data

import mercer


class Workers:
    """Threads that run jobs at random until they are stopped, and that can be paused."""

    def __init__(self, count: int, ledger: Ledger) -> None:
        self._ledger = ledger
        self._gate = threading.Condition()
        self._busy, self._paused, self._ended = 0, False, False
        self._threads = [threading.Thread(target=self._work, args=(i,)) for i in range(count)]
        for thread in self._threads:
            thread.start()

    def _work(self, seed: int) -> None:
        choice = random.Random(seed)
        while self._enter():
            try:
                name = choice.choice(list(JOBS))
                run(name, choice.randrange(VARIANTS), choice.choice((1, 2)), self._ledger)
            finally:
                self._leave()

    def _enter(self) -> bool:
        with self._gate:
            self._gate.wait_for(lambda: self._ended or not self._paused)
            self._busy += not self._ended
            return not self._ended

    def _leave(self) -> None:
        with self._gate:
            self._busy -= 1
            self._gate.notify_all()

    def pause(self) -> None:
        """Waits until nothing runs."""
        with self._gate:
            self._paused = True
            self._gate.wait_for(lambda: self._busy == 0)

    def go_on(self) -> None:
        """Ends the pause."""
        with self._gate:
            self._paused = False
            self._gate.notify_all()

    def end(self) -> None:
        """Waits for the threads to end."""
        with self._gate:
            self._ended = True
            self._gate.notify_all()
        for thread in self._threads:
            thread.join()


def run(name: str, variant: int, jobs: int, ledger: Ledger) -> None:
    """Runs a job and enters what came of it."""
    begun = time.monotonic()
    try:
        result = JOBS[name](variant, jobs)
    except BaseException as error:
        ledger.failed(name, f"{type(error).__name__}: {error}")
    else:
        ledger.ran(name, variant, result, time.monotonic() - begun)


def interrupt(ledger: Ledger) -> None:
    """Sends Ctrl-C into a fit of this thread, which must end with KeyboardInterrupt."""
    X, _ = data(0, rows=3000)
    begun = time.monotonic()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        while time.monotonic() < begun + 60:
            mercer.KernelPCA(30, kernel="rbf", eigen_solver="dense", n_jobs=1).fit(X)
        ledger.failed("Ctrl-C", "the signal was not heard")
    except KeyboardInterrupt:
        ledger.ran("Ctrl-C", 0, b"interrupted", time.monotonic() - begun)
    finally:
        timer.join()


def soak(seconds: float, workers: int, ledger: Ledger) -> list[Reading]:
    """Runs everything for some time; returns what was read in the pauses."""
    for name in JOBS:
        for variant in range(VARIANTS):
            for jobs in (1, 2):
                run(name, variant, jobs, ledger)
    interrupt(ledger)
    begun, every = time.monotonic(), max(2.0, seconds / 120)
    threads = Workers(workers, ledger)
    readings: list[Reading] = []
    try:
        while time.monotonic() < begun + seconds or len(readings) < 4:
            time.sleep(every)
            threads.pause()
            interrupt(ledger)
            readings.append(Reading.take(time.monotonic() - begun))
            threads.go_on()
    finally:
        threads.end()
    return readings


def summary(ledger: Ledger, readings: list[Reading], problems: list[str]) -> str:
    """The table that is printed at the end."""
    lines = [f"{'job':<24}{'runs':>9}{'mean seconds':>14}"]
    for name, runs in sorted(ledger.runs.items()):
        lines.append(f"{name:<24}{runs:>9}{ledger.seconds[name] / runs:>14.3f}")
    lines.append(f"{'all':<24}{sum(ledger.runs.values()):>9}")
    steady = readings[len(readings) // 3 :]
    for title, reading in (("warm", steady[0]), ("end", steady[-1])):
        size = f"{reading.resident / 2**20:9.1f} MB resident"
        rest = f"{reading.files} open files, {reading.threads} threads"
        lines.append(f"{title + ':':<6}{reading.seconds:8.0f} s {size}, {rest}")
    lines.append(f"trend: {growth(steady) / 2**20:+.1f} MB over {len(steady)} pauses")
    lines += [f"FAILED: {problem}" for problem in problems] or [
        "all results the same, nothing grew"
    ]
    return "\n".join(lines)


def main() -> int:
    """Reads the command line, soaks, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--slack", type=float, default=16, help="MB that memory may rise by")
    asked = parser.parse_args()
    # A process that a shell put in the background is born deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ledger = Ledger()
    readings = soak(asked.hours * 3600 + asked.seconds, asked.workers, ledger)
    different = sorted(set(ledger.failures))
    problems = [f"{ledger.failures.count(line)} times: {line}" for line in different]
    problems += complaints(readings, asked.slack * 2**20)
    mercer.show_versions()
    print(summary(ledger, readings, problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
