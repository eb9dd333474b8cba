"""How long a pass over rows takes on many workers: a formula, and a simulation that checks it.

    python bench/dask_tree.py                       # the table of docs/dask.md
    python bench/dask_tree.py --rate 70000 --landmarks 2000
    python bench/dask_tree.py --quick               # few workers: tests the script

A worker reads its share of the rows, task by task, at `rate` rows per second, and puts what its
tasks found together. Then what workers have travels: always eight to one of them, until eight are
left, which go to the client. A link moves one packet after the other. The formula is

    N / (W · rate) + merges of a worker + (7 · levels + last) · (packet / link + merge)

and the simulation draws the time of each task and of each packet at random around its mean, slows
one worker down if asked to, and hands tasks out as workers become free.
"""

from __future__ import annotations

import argparse
import heapq
import math

import numpy as np

GROUP = 16_384
FAN = 8
TASKS = 4
TOGETHER = 4


class Machine:
    """What was measured of one worker, and of the network."""

    def __init__(self, rate: float, landmarks: int, link: float, merge: float) -> None:
        self.rate, self.link = rate, link
        # Three digits of 8 bytes and a place of 2, of each number of a triangle.
        self.packet = 26 * (landmarks * (landmarks + 1) // 2 + 2 * landmarks)
        # Seconds to put two packets together: measured for 1,000 landmarks.
        self.merge = merge * self.packet / 13e6

    def rows_of_task(self, rows: int, workers: int) -> int:
        """Rows of a task: a multiple of a group."""
        groups = math.ceil(rows / GROUP)
        wanted = max(1, min(groups, TASKS * workers))
        return math.ceil(groups / wanted) * GROUP


def levels(workers: int) -> tuple[int, int]:
    """How often packets are put together before they go to the client, and how many go there."""
    found = 0
    while workers > FAN:
        workers, found = math.ceil(workers / FAN), found + 1
    return found, workers


def formula(machine: Machine, rows: int, workers: int) -> float:
    """Return the seconds of a pass."""
    size = machine.rows_of_task(rows, workers)
    tasks = math.ceil(rows / size)
    each = math.ceil(tasks / workers)
    steps, last = levels(workers)
    travel = machine.packet / machine.link
    merges = (each - 1) * machine.merge
    return (
        each * size / machine.rate
        + merges
        + steps * (FAN - 1) * (travel + machine.merge)
        + last * (travel + machine.merge)
    )


def simulated(
    machine: Machine, rows: int, workers: int, *, spread: float = 0.05, slow: float = 1.0
) -> float:
    """Return the seconds of a pass whose tasks and packets take times at random."""
    random = np.random.default_rng(workers)
    size = machine.rows_of_task(rows, workers)
    tasks = math.ceil(rows / size)
    speed = np.ones(workers)
    speed[0] = slow
    free = [(0.0, one) for one in range(workers)]
    done = np.zeros(workers)
    for number in range(tasks):
        at, one = heapq.heappop(free)
        own = min(size, rows - number * size)
        took = own / machine.rate * random.normal(1, spread) * speed[one]
        took += machine.merge if done[one] > 0 else 0.0
        done[one] = at + took
        heapq.heappush(free, (done[one], one))
    ready = sorted(done[done > 0])
    travel = machine.packet / machine.link
    while len(ready) > FAN:
        ready = [
            _together(ready[at : at + FAN], travel, machine.merge, random, spread)
            for at in range(0, len(ready), FAN)
        ]
    at = 0.0
    for one in sorted(ready):
        at = max(at, one) + travel * random.normal(1, spread) + machine.merge
    return at


def _together(ready: list, travel: float, merge: float, random, spread: float) -> float:
    """When packets that are ready at these times are put together on the first of their workers."""
    at = ready[0]
    for one in ready[1:]:
        at = max(at, one) + travel * random.normal(1, spread) + merge
    return at


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=60_000, help="rows per second of a worker")
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--link", type=float, default=1.25e9, help="bytes per second of a link")
    parser.add_argument("--merge", type=float, default=0.03, help="seconds for two packets")
    parser.add_argument("--quick", action="store_true")
    flags = parser.parse_args()
    machine = Machine(flags.rate, flags.landmarks, flags.link, flags.merge)
    counts = [4, 16] if flags.quick else [2, 10, 100, 300, 1000]
    sizes = [10**7] if flags.quick else [10**7, 10**8, 10**9]
    packet = machine.packet / 1e6
    print(f"packet: {packet:.1f} MB, {flags.rate:,.0f} rows/s, m = {flags.landmarks}")
    print("| rows | workers | formula (s) | simulated (s) | one worker 3 times slower (s) |")
    print("| --- | --- | --- | --- | --- |")
    for rows in sizes:
        for workers in counts:
            expected = formula(machine, rows, workers)
            found = simulated(machine, rows, workers)
            slow = simulated(machine, rows, workers, slow=3.0)
            print(f"| {rows:.0e} | {workers:,} | {expected:.1f} | {found:.1f} | {slow:.1f} |")
            if not 0.75 < found / expected < 1.25:
                raise SystemExit(
                    f"the formula is off: {expected:.2f} s, but {found:.2f} s simulated"
                )


if __name__ == "__main__":
    main()
