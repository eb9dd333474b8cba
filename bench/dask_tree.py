"""How long a pass over rows takes on many workers: a formula, and a simulation that checks it.

    python bench/dask_cluster.py --rates            # measures what follows is computed with
    python bench/dask_tree.py                       # the table of docs/dask.md
    python bench/dask_tree.py --link 1.25e8         # with other links than were measured
    python bench/dask_tree.py --write               # into docs/dask.md
    python bench/dask_tree.py --quick               # few workers: tests the script

A worker reads its share of the rows, task by task, at `rate` rows per second, and puts what its
tasks found together. Then what workers have travels: always eight to one of them, until eight are
left, which go to the client. A link moves one packet after the other. The formula is

    N / (W · rate) + merges of a worker + (7 · levels + last) · (packet / link + merge)

and the simulation draws the time of each task among those that were measured, over their mean, and
that of each packet at random around its mean, slows one worker down if asked to, and hands tasks
out as workers become free.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

# This folder's parent, and not itself: scripts of this folder have names of packages.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench import page  # noqa: E402

RATES = page.DOCS.parent / "target/dask_rates.json"
#: Numbers to test the script with.
QUICK = {"rate": 6e4, "link": 1e9, "packet": 8_000_000, "merge": 0.03, "times": [0.9, 1.0, 1.1]}
HEAD = [
    "rows",
    "workers",
    "formula (s)",
    "simulated (s)",
    "one worker 3 times slower (s)",
    "share of reading",
]
GROUP = 16_384
FAN = 8
TASKS = 4
TOGETHER = 4


class Machine:
    """What was measured of one worker, and of the network: rows per second, bytes per second of a
    link, the bytes of a packet, seconds to put two together, and times of tasks over their mean.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.rate, self.link = found["rate"], found["link"]
        self.packet, self.merge = found["packet"], found["merge"]
        self.times = np.array(found["times"])

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
        took = own / machine.rate * random.choice(machine.times) * speed[one]
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


def measured(path: Path) -> dict[str, Any]:
    """What was measured here."""
    if not path.is_file():
        raise SystemExit(f"{path} is missing: run python bench/dask_cluster.py --rates")
    return json.loads(path.read_text())


def table(machine: Machine, sizes: list[int], counts: list[int]) -> str:
    """The table: refuses a formula that is far from the simulation."""
    rows = []
    for size in sizes:
        for workers in counts:
            expected = formula(machine, size, workers)
            found = simulated(machine, size, workers)
            slow = simulated(machine, size, workers, slow=3.0)
            share = f"{100 * size / (machine.rate * workers) / expected:.0f} %"
            times = [f"{one:,.1f}" for one in (expected, found, slow)]
            rows.append([_power(size), f"{workers:,}", *times, share])
            if not 0.75 < found / expected < 1.25:
                raise SystemExit(
                    f"the formula is off: {expected:.2f} s, but {found:.2f} s simulated"
                )
    return page.table(HEAD, rows)


def _power(rows: int) -> str:
    return "10" + str(round(math.log10(rows))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", type=Path, default=RATES, help="what was measured")
    parser.add_argument("--link", type=float, default=1.25e9, help="bytes per second, 10 Gbit/s")
    parser.add_argument("--write", action="store_true", help="write into docs/dask.md")
    parser.add_argument("--quick", action="store_true")
    flags = parser.parse_args()
    found = QUICK if flags.quick else measured(flags.rates)
    machine = Machine(found | {"link": min(flags.link, found["link"])})
    counts = [4, 16] if flags.quick else [2, 10, 100, 300, 1000]
    sizes = [10**7] if flags.quick else [10**7, 10**8, 10**9]
    words = table(machine, sizes, counts)
    print(
        f"packets of {machine.packet / 1e6:.1f} MB, {machine.merge * 1e3:.1f} ms to put two "
        f"together, {machine.rate:,.0f} rows/s, links of {machine.link / 1e6:,.0f} MB/s"
    )
    print(words)
    if flags.write:
        page.fill(page.DOCS / "dask.md", [words])


if __name__ == "__main__":
    main()
