"""One thread count for BLAS, OpenMP and mercer."""

from __future__ import annotations

import importlib.util
import os

from threadpoolctl import threadpool_limits


def available() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_threads(count: int) -> None:
    """Bind numpy's, scipy's and scikit-learn's pools, and mercer's where it is installed."""
    threadpool_limits(limits=count)
    if importlib.util.find_spec("mercer") is not None:
        import mercer

        mercer.set_num_threads(count)
