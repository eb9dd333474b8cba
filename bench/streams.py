"""Tables larger than memory: kernel PCA of a Parquet directory, and a transform as it comes.

    python bench/streams.py                 # 12 GB, budget 2 GiB, and 10^7 rows to transform
    python bench/streams.py --quick         # tiny sizes: tests the script, its figures mean nothing
    python bench/streams.py --gigabytes 3   # another size

Prints the time, the peak of the process, how far the remaining time that was told after a minute
(or after a third of a shorter fit) was from the truth, and the share of the kernel-product limit
that the transform reaches: the matrix products of kernel values and components at the rate of
numpy's own.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 28
COMPONENTS = 20
FILE_ROWS = 1_000_000
GROUP_ROWS = 100_000
GIB = 2**30


def generate(folder: Path, rows: int) -> None:
    """Write a directory of Parquet files with so many rows."""
    import pyarrow
    import pyarrow.parquet

    names = [f"c{i}" for i in range(COLUMNS)]
    for number, start in enumerate(range(0, rows, FILE_ROWS)):
        random = np.random.default_rng(number)
        count = min(FILE_ROWS, rows - start)
        table = pyarrow.table({name: random.normal(size=count) for name in names})
        pyarrow.parquet.write_table(
            table, folder / f"{number:05}.parquet", row_group_size=GROUP_ROWS, use_dictionary=False
        )


def peak() -> int:
    """Return the highest memory of this process so far, in bytes."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines["VmHWM"].split()[0]) * 1024


def product_rate() -> float:
    """Return the flops per second of a matrix product."""
    a = np.random.default_rng(0).normal(size=(3000, 3000))
    times = []
    for _ in range(4):
        started = time.perf_counter()
        a @ a
        times.append(time.perf_counter() - started)
    return 2 * 3000**3 / min(times)


class Told:
    """The times at which the rows of the longest pass were counted."""

    def __init__(self) -> None:
        self.steps: list[tuple[float, float]] = []

    def __call__(self, step: Any) -> None:
        if step.stage == "rows" and step.total:
            self.steps.append((time.perf_counter(), step.done / step.total))

    def error(self, after: float) -> float:
        """Return by how much of the whole pass the end told after so many seconds was wrong."""
        began, ended = self.steps[0], self.steps[-1]
        whole = ended[0] - began[0]
        when = began[0] + min(after, whole / 3)
        at, share = min(self.steps, key=lambda step: abs(step[0] - when))
        told = (at - began[0]) * (1 - began[1]) / max(share - began[1], 1e-9)
        return abs(told / (whole * (1 - began[1]) / (ended[1] - began[1])) - 1)


def fit(folder: Path, landmarks: int, budget: str) -> Any:
    """Fit kernel PCA on the directory, and print what it took."""
    import mercer

    told, started = Told(), time.perf_counter()
    options = {"kernel": "rbf", "gamma": 1 / COLUMNS, "landmarks": landmarks}
    model = mercer.KernelPCA(COMPONENTS, **options, memory_budget=budget, progress=told)
    model.fit(mercer.scan(folder))
    seconds = time.perf_counter() - started
    print(f"fit: {seconds:.1f} s, peak {peak() / GIB:.2f} GiB, budget {budget}")
    if len(told.steps) > 2:
        print(f"remaining time told after a minute: wrong by {100 * told.error(60):.1f} %")
    return model


def transform(model: Any, source: Path, rows: int, landmarks: int, folder: Path) -> None:
    """Transform so many rows of the directory, and print the share of the limit."""
    import mercer

    # All files but the last have as many rows.
    files = sorted(source.iterdir())[: max(1, rows // FILE_ROWS)]
    chosen = folder / "chosen"
    chosen.mkdir()
    for file in files:
        (chosen / file.name).symlink_to(file)
    started = time.perf_counter()
    written = model.transform(mercer.scan(chosen)).write(folder / "components.parquet")
    seconds = time.perf_counter() - started
    flops = 2.0 * written * landmarks * (COLUMNS + COMPONENTS)
    share = flops / product_rate() / seconds
    print(f"transform: {written} rows in {seconds:.1f} s, {100 * share:.0f} % of the limit")


def main() -> None:
    """Generate, fit, transform."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=12.0)
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--budget", default="2GiB")
    parser.add_argument("--folder", type=Path, help="where the files go")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.gigabytes, args.landmarks = 0.02, 100
    rows = int(args.gigabytes * 1e9 / (8 * COLUMNS))
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        source = folder / "rows"
        source.mkdir()
        generate(source, rows)
        size = sum(file.stat().st_size for file in source.iterdir())
        print(f"{rows} rows × {COLUMNS} columns in {size / 1e9:.2f} GB of Parquet")
        model = fit(source, args.landmarks, args.budget)
        transform(model, source, min(rows, 10_000_000), args.landmarks, folder)


if __name__ == "__main__":
    main()
