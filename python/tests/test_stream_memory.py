"""Fits and results of tables several times the memory budget keep within it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

MB = 1_000_000
BUDGET = 30 * MB
# Three times the budget, in rows of few and of many columns.
SHAPES = {"narrow": (560_000, 20), "wide": (28_000, 400)}

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="measured through /proc"
)

PROGRAM = """
import json, sys
import numpy as np
import mercer
from memory_work import resident, set_back

def work(source, budget):
    options = {"kernel": "rbf", "gamma": 0.05, "landmarks": 30, "memory_budget": budget}
    kpca = mercer.KernelPCA(2, **options)
    table = source if isinstance(source, np.ndarray) else mercer.scan(source)
    kpca.fit(table)
    return kpca.transform(mercer.scan(source)).write(sys.argv[3])

small = np.zeros((3000, int(sys.argv[4]))) + np.arange(3000)[:, None] % 7
np.save(sys.argv[3] + ".small.npy", small)
work(sys.argv[3] + ".small.npy", None)
mapped = sys.argv[2].endswith(".npy") and sys.argv[5] == "mapped"
source = np.load(sys.argv[2], mmap_mode="r") if mapped else sys.argv[2]
set_back()
before, _ = resident()
rows = work(source, int(sys.argv[1]))
print(json.dumps({"rows": rows, "peak": resident()[1] - before}))
"""


@pytest.fixture(scope="module", params=list(SHAPES))
def table(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("large")
    count, columns = SHAPES[request.param]
    rows = np.lib.format.open_memmap(
        folder / "rows.npy", mode="w+", dtype=np.float64, shape=(count, columns)
    )
    random = np.random.default_rng(0)
    for start in range(0, count, 5000):
        part = rows[start : start + 5000]
        part[:] = random.normal(size=part.shape)
    rows.flush()
    return folder / "rows.npy"


@pytest.mark.parametrize("how", ["file", "parquet", "mapped"])
def test_the_peak_is_within_the_budget(table, how, tmp_path):
    count, width = np.load(table, mmap_mode="r").shape
    if how != "file" and width > 100:
        pytest.skip("as for a file")
    if how == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        rows = np.load(table, mmap_mode="r")
        (tmp_path / "rows").mkdir()
        for number, part in enumerate(np.array_split(np.arange(count), 3)):
            columns = {f"c{i}": rows[part[0] : part[-1] + 1, i] for i in range(width)}
            file = tmp_path / f"rows/{number}.parquet"
            parquet.write_table(pyarrow.table(columns), file, use_dictionary=False)
    source = tmp_path / "rows" if how == "parquet" else table
    here = os.path.dirname(__file__)
    paths = os.pathsep.join([os.path.dirname(here), here])
    arguments = [BUDGET, source, tmp_path / "out.npy", width, how]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["rows"] == count
    # Pages of a mapped file are the system's, and are taken back when memory is short.
    shared = count * width * 8 if how == "mapped" else 0
    assert found["peak"] <= 1.1 * BUDGET + 8 * MB + shared, f"{found['peak'] / MB:.0f} MB"
