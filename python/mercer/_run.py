"""How work is run: threads, memory budget, progress. None of it changes a result."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mercer import _core
from mercer._params import ParameterError, is_integer, is_real
from mercer._progress import Bar, listener

# The parameters of estimators that say how work is run. They depend on the machine, so model files
# do not store them, and are not believed if they do.
RUN_PARAMETERS = ("n_jobs", "memory_budget", "progress", "device")

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {f"{unit}i": 1024**power for power, unit in enumerate("kmgt", start=1)}
_MOST_BYTES = 2**63 - 1

# Each thread takes a stack and some milliseconds to start.
_MOST_THREADS = 1024

_default_threads: int | None = None


def set_num_threads(threads: int | None) -> None:
    """Set the number of threads for work whose ``n_jobs`` is None.

    Parameters
    ----------
    threads : int or None
        The number of threads; -1 for all cores, -2 for all but one, and so on. None restores the
        default: the environment variables ``MERCER_NUM_THREADS`` and ``OMP_NUM_THREADS``, else all
        cores. Results are bit-identical for any number of threads.

    Examples
    --------
    >>> import mercer
    >>> mercer.set_num_threads(1)
    >>> mercer.get_num_threads()
    1
    >>> mercer.set_num_threads(None)
    """
    global _default_threads
    _default_threads = None if threads is None else _count(threads, "threads")


def get_num_threads() -> int:
    """Return the number of threads for work whose ``n_jobs`` is None.

    Returns
    -------
    threads : int
        The number set by :func:`set_num_threads`, else by the environment, else all cores.
    """
    if _default_threads is not None:
        return _default_threads
    for name in ("MERCER_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "")
        if text.isdecimal() and int(text) > 0:
            return int(text)
    return _core.available_threads()


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for."""
    return get_num_threads() if n_jobs is None else _count(n_jobs, "n_jobs")


def _count(value: object, name: str) -> int:
    if not is_integer(value) or value == 0:
        raise ParameterError(f"{name} must be None or an integer other than 0, not {value!r}")
    most = max(_MOST_THREADS, 4 * _core.available_threads())
    if value > most:
        raise ParameterError(
            f"{name} must be at most {most}, not {value}: more threads than cores bring no gain"
        )
    if value > 0:
        return int(value)
    return max(1, _core.available_threads() + 1 + int(value))


def bytes_of(budget: int | str | None) -> int | None:
    """Return the bytes that a budget such as ``2**31``, ``"2GiB"`` or ``"500 MB"`` stands for."""
    if budget is None:
        return None
    found = _parsed(budget)
    if found is None or found < 1:
        raise ParameterError(
            "memory_budget must be a positive number of bytes or a string such as '2GiB', not "
            f"{budget!r}"
        )
    if found > _MOST_BYTES:
        raise ParameterError(
            f"memory_budget={budget!r} exceeds the maximum of 2**63 - 1 bytes: omit it to use all "
            "free memory"
        )
    return int(found)


def _parsed(budget: object) -> float | None:
    """The bytes that a budget names; None if it is not valid."""
    if is_integer(budget) or is_real(budget):
        return budget
    if not isinstance(budget, str):
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", budget.lower())
    return float(match[1]) * _UNITS[match[2] or ""] if match else None


@contextmanager
def running(
    n_jobs: int | None,
    memory_budget: int | str | None,
    progress: bool | Callable,
    *,
    seconds: float | None = None,
) -> Iterator[tuple[int, int | None, Callable[..., object] | None, float | None]]:
    """Yield what the extension module takes as its last argument; close the bar afterwards."""
    callback = listener(progress)
    try:
        yield threads_of(n_jobs), bytes_of(memory_budget), callback, seconds
    finally:
        if isinstance(callback, Bar):
            callback.close()
