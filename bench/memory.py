"""Peak memory of one contestant, measured in a fresh process that does the work once.

As a module (``python -m bench.memory``) it is that process; ``measure`` starts it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.problem import Case
from bench.threads import set_threads

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Memory:
    """Bytes. ``above`` is what the work added to the process at its worst moment."""

    process: int  # peak of the whole process while working
    baseline: int  # resident before the work: interpreter, imports, data, prepared fit
    output: int  # bytes of the result's arrays
    exact: bool  # whether the high-water mark could be reset before the work

    @property
    def above(self) -> int:
        """Peak above the baseline."""
        return max(0, self.process - self.baseline)

    def figure(self, kind: str) -> int:
        """The figure that a ``MemoryTarget`` of this kind binds."""
        figures = {
            "above": self.above,
            "beyond output": max(0, self.above - self.output),
            "process": self.process,
        }
        return figures[kind]


def _status(field: str) -> int | None:
    """A field of /proc/self/status in bytes; None where there is no such file."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    values = (line.split()[1] for line in lines if line.startswith(field + ":"))
    return next((int(value) * 1024 for value in values), None)


def reset_peak() -> bool:
    """Forget the peak so far; returns whether the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def resident() -> int:
    """Bytes of this process that are in memory."""
    now = _status("VmRSS")
    return peak() if now is None else now


def peak() -> int:
    """The most bytes of this process that were in memory since the peak was reset."""
    # VmHWM belongs to this process image; ru_maxrss may still hold the parent's size from the
    # moment before exec, so it serves only where there is no /proc (there in bytes or KiB).
    high = _status("VmHWM")
    if high is not None:
        return high
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _output_bytes(output: Any) -> int:
    parts = output if isinstance(output, tuple) else (output,)
    return sum(part.nbytes for part in parts if isinstance(part, np.ndarray))


def observe(case: Case, contestant: str, *, quick: bool) -> Memory:
    """Do the work once in this process and report; call it in a fresh process only."""
    problem = case.problem(quick=quick)
    one = next(c for c in case.contestants(problem) if c.name == contestant)
    prepared = one.prepare(problem)
    gc.collect()
    exact, baseline = reset_peak(), resident()
    output = one.run(problem, prepared)
    return Memory(peak(), baseline, _output_bytes(output), exact)


def measure(
    module: str, case: str, contestant: str, *, quick: bool = False, threads: int = 2
) -> Memory:
    """Start a fresh process for one contestant of ``module.CASES`` and read its report."""
    arguments = [module, case, contestant, str(int(quick)), str(threads)]
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(
        [sys.executable, "-m", "bench.memory", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"memory run of {contestant} in {case} failed:\n{done.stderr}")
    return Memory(**json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Entry of the fresh process."""
    module, name, contestant, quick, threads = sys.argv[1:]
    set_threads(int(threads))
    case = next(c for c in importlib.import_module(module).CASES if c.name == name)
    print(json.dumps(asdict(observe(case, contestant, quick=quick == "1"))))


if __name__ == "__main__":
    main()
