"""liquidSVM on stored rows: ``liquid_svm.py ROWS.npz``, run by the interpreter that has it.

Version 1.0.1 from PyPI compiles; for Python 3.4 and newer, ``get_config_var('SO')`` in its
``__init__`` must be ``'EXT_SUFFIX'``. Cells are those of ``partition_choice=6``; widths and costs
are chosen in each cell by five folds on its own grid of 10 × 10. Prints the seconds of the training
and of the test, and the accuracy.
"""

from __future__ import annotations

import sys
import time

import liquidSVM
import numpy as np


def main(file: str) -> None:
    """Train and test."""
    rows = np.load(file)
    # Threads are started, and memory is touched for the first time, outside of what is timed.
    liquidSVM.mcSVM(rows["X"][:500], rows["y"][:500].astype(float), threads=2)
    begun = time.perf_counter()
    model = liquidSVM.mcSVM(rows["X"], rows["y"].astype(float), threads=2, partition_choice=6)
    trained = time.perf_counter()
    found, _ = model.test(rows["Y"], rows["z"].astype(float))
    tested = time.perf_counter()
    accuracy = float(np.mean(np.asarray(found).reshape(len(rows["z"]), -1)[:, 0] == rows["z"]))
    print(trained - begun, tested - trained, accuracy)


if __name__ == "__main__":
    main(sys.argv[1])
