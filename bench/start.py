"""What it takes to begin: the start of the command line, and the import of the package.

    python bench/start.py [BINARY]

Medians of fresh processes; the import is counted beyond that of the parts of scikit-learn that
nearly every program with an estimator imports.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

BINARY = Path(__file__).resolve().parent.parent / "target" / "release" / "mercer"
ROUNDS = 15

IMPORT = """
import time
import sklearn.svm, sklearn.decomposition
start = time.perf_counter()
import mercer
print(time.perf_counter() - start)
"""


def start_seconds(binary: str) -> float:
    """Return the median time from the start of `mercer --version` to its end."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run([binary, "--version"], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def import_seconds() -> float:
    """Return the median time of `import mercer` after scikit-learn."""
    command = [sys.executable, "-c", IMPORT]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


if __name__ == "__main__":
    binary = sys.argv[1] if len(sys.argv) > 1 else str(BINARY)
    print(f"mercer --version    {1e3 * start_seconds(binary):6.1f} ms")
    print(f"import mercer       {1e3 * import_seconds():6.1f} ms beyond scikit-learn")
