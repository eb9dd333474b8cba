"""Tables larger than memory: kernel PCA of a Parquet directory, and a transform as it comes.

    python bench/streams.py                 # 12 GB, budget 2 GiB, and 10^7 rows to transform
    python bench/streams.py --quick         # tiny sizes: tests the script, its figures mean nothing
    python bench/streams.py --gigabytes 3   # another size

Prints the time, the peak of the process, how far the remaining time that was told after a minute
(or after a third of a shorter fit) was from the truth, and the share of the kernel-product limit
that the transform reaches: the time that the same transform takes for rows in memory, whose
results stay there, so that there is nothing but kernel values (n × m of d columns) and their
products with the components (m × k). With --command the same by the command line.
"""

from __future__ import annotations

import argparse
import copy
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 28
COMPONENTS = 20
FILE_ROWS = 1_000_000
GROUP_ROWS = 100_000
IN_MEMORY = 400_000
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


class Told:
    """What was told of the time that is left."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.steps: list[tuple[float, float]] = []

    def __call__(self, step: Any) -> None:
        if step.remaining is not None:
            self.steps.append((time.perf_counter() - self.began, step.remaining))

    def error(self, after: float, whole: float) -> float:
        """Return by how much of the whole the end told after so many seconds was wrong."""
        at, left = min(self.steps, key=lambda step: abs(step[0] - min(after, whole / 3)))
        return abs((at + left) / whole - 1)


def fit(folder: Path, landmarks: int, budget: str) -> Any:
    """Fit kernel PCA on the directory, and print what it took."""
    import mercer

    told = Told()
    options = {"kernel": "rbf", "gamma": 1 / COLUMNS, "landmarks": landmarks}
    model = mercer.KernelPCA(COMPONENTS, **options, memory_budget=budget, progress=told)
    model.fit(mercer.scan(folder))
    seconds = time.perf_counter() - told.began
    print(f"fit: {seconds:.1f} s, peak {peak() / GIB:.2f} GiB, budget {budget}")
    if len(told.steps) > 2:
        error = 100 * told.error(60, seconds)
        print(f"remaining time told after a minute: wrong by {error:.1f} %")
    return model


def limit(model: Any, source: Path) -> float:
    """Return the seconds of a row of the same transform in memory."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(min(source.iterdir())).slice(0, IN_MEMORY)
    rows = np.column_stack([column.to_numpy() for column in table.columns])
    model = copy.copy(model).set_params(progress=False)
    times = []
    for _ in range(4):
        started = time.perf_counter()
        model.transform(rows)
        times.append(time.perf_counter() - started)
    # The first one touches fresh memory.
    return min(times[1:]) / len(rows)


def transform(
    model: Any, source: Path, rows: int, folder: Path, command: str | None, budget: str
) -> None:
    """Transform so many rows of the directory, and print the share of the limit."""
    import mercer

    # All files but the last have as many rows.
    files = sorted(source.iterdir())[: max(1, rows // FILE_ROWS)]
    chosen = folder / "chosen"
    chosen.mkdir()
    for file in files:
        (chosen / file.name).symlink_to(file.resolve())
    each = limit(model, chosen)
    shape = f"{COLUMNS} columns, {len(model.landmarks_)} landmarks, {COMPONENTS} components, f64"
    started = time.perf_counter()
    written = model.transform(mercer.scan(chosen)).write(folder / "components.parquet")
    seconds = time.perf_counter() - started
    share = 100 * each * written / seconds
    print(f"transform: {written} rows ({shape}) in {seconds:.1f} s, {share:.0f} % of the limit")
    if command is not None:
        model.save(folder / "model.mercer")
        line = [command, "transform", str(folder / "model.mercer"), str(chosen), "--quiet"]
        line += ["--memory", budget, "-o", str(folder / "command.parquet")]
        started = time.perf_counter()
        subprocess.run(line, check=True)
        seconds = time.perf_counter() - started
        share = 100 * each * written / seconds
        print(f"{command}: {seconds:.1f} s, {share:.0f} % of the limit")


def main() -> None:
    """Generate, fit, transform."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=12.0)
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--budget", default="2GiB")
    parser.add_argument("--folder", type=Path, help="where the files go")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows to transform")
    parser.add_argument("--command", help="the command line to transform with, too")
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
        transform(model, source, min(rows, args.rows), folder, args.command, args.budget)


if __name__ == "__main__":
    main()
