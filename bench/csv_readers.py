"""Text tables read by mercer and by Arrow: numbers, and a table with texts and missing cells.

Prints CPU and elapsed seconds, the best of three: python bench/csv_readers.py [rows]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import mercer
import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.dataset as arrow_dataset

ROWS = 1_000_000


def numbers(rows: int) -> pa.Table:
    """Ten columns of numbers with all their digits."""
    rng = np.random.default_rng(0)
    return pa.table({f"x{i}": rng.normal(size=rows) for i in range(10)})


def mixed(rows: int) -> pa.Table:
    """Numbers, whole and not, beside texts and missing cells."""
    rng = np.random.default_rng(1)
    words = np.array(["red", "green", "blue, dark", "yellow"])
    return pa.table(
        {
            "id": np.arange(rows),
            "name": [f"row {i}" for i in range(rows)],
            "colour": words[rng.integers(0, 4, rows)],
            "a": pa.array(rng.normal(size=rows), mask=rng.random(rows) < 0.02),
            "b": np.round(100 * rng.normal(size=rows), 2),
            "c": rng.integers(0, 1000, rows),
            "d": rng.normal(size=rows),
        }
    )


def scanned(source: object, columns: list[str]) -> int:
    """Read a source block by block."""
    return sum(X.shape[0] for X, _, _ in mercer.scan(source, columns=columns))


def matrix(path: Path, columns: list[str]) -> int:
    """Read a file whole, by Arrow, and make rows of numbers of it."""
    options = arrow_csv.ConvertOptions(include_columns=columns)
    table = arrow_csv.read_csv(path, convert_options=options)
    return len(np.column_stack([column.to_numpy() for column in table.columns]))


def seconds(read: Callable[[], int], rows: int) -> tuple[float, float]:
    """Return CPU and elapsed seconds, each the best of three."""
    found = []
    for _ in range(3):
        cpu, elapsed = time.process_time(), time.perf_counter()
        assert read() == rows
        found.append((time.process_time() - cpu, time.perf_counter() - elapsed))
    return min(cpu for cpu, _ in found), min(elapsed for _, elapsed in found)


def compare(name: str, table: pa.Table, columns: list[str], folder: Path) -> None:
    """Print a line for each way to read the columns of a table."""
    path = folder / f"{name}.csv"
    arrow_csv.write_csv(table, path)
    dataset = arrow_dataset.dataset(path, format="csv")
    ways = {
        "mercer.scan(path)": lambda: scanned(path, columns),
        "mercer.scan(pyarrow dataset)": lambda: scanned(dataset, columns),
        "pyarrow.csv.read_csv": lambda: matrix(path, columns),
    }
    for way, read in ways.items():
        cpu, elapsed = seconds(read, table.num_rows)
        print(f"{name} ({path.stat().st_size / 1e6:.0f} MB) {way:30} {cpu:6.2f} {elapsed:6.2f}")


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        compare("numbers", numbers(rows), [f"x{i}" for i in range(10)], Path(folder))
        compare("mixed", mixed(2 * rows), ["id", "b", "c", "d"], Path(folder))


if __name__ == "__main__":
    main()
