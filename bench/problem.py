"""The vocabulary of the benchmark: what a case is made of.

A case is one row of the table: data, contestants that do the same work on it, a check that their
results agree, a target, and a cost model that says how fast this machine could possibly do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

GIB = 1024**3
MB = 10**6


@dataclass(frozen=True)
class Problem:
    """The data of a case and the numbers that every contestant shares."""

    X: Any  # n × d, the training rows: an array, or a CSR matrix; or n texts
    source: str  # where the rows come from, printed with the result
    Y: np.ndarray | None = None  # m × d, rows to project, where the case has them
    y: np.ndarray | None = None  # n or n × t, targets, where the case has them
    spec: str = ""  # the kernel as mercer's text, where it is not an RBF kernel of ``gamma``
    gamma: float = 0.0  # of the RBF kernel
    alpha: float = 1.0  # penalty of regressions
    cost: float = 1.0  # C of support vector machines
    nu: float = 0.5  # share of support vectors, for one class
    k: int | None = None  # components asked for, None means all; or clusters
    start: np.ndarray | None = None  # n, the cluster in which each row begins
    rounds: int = 0  # of k-means
    gram: np.ndarray | None = None  # n × n, the kernel matrix, where contestants are given it
    budget: int | None = None  # bytes the contestant may plan with

    @property
    def n(self) -> int:
        """Number of training rows."""
        return self.X.shape[0]

    @property
    def d(self) -> int:
        """Number of features."""
        return self.X.shape[1]


@dataclass(frozen=True)
class Contestant:
    """One way to do the work. ``run(problem, prepared)`` is what is timed, and nothing else."""

    name: str
    run: Callable[[Problem, Any], Any]
    prepare: Callable[[Problem], Any] = lambda problem: None  # untimed, for example a fit
    ours: bool = False
    aside: bool = False  # timed and shown, but not what the target is measured against
    absent: str = ""  # the reason why it cannot run here; then it is named and left out


@dataclass(frozen=True)
class Verdict:
    """How far one contestant is from agreeing: each measured number against its limit."""

    measured: Mapping[str, float]
    limits: Mapping[str, float]

    @property
    def ok(self) -> bool:
        """True when every number is within its limit; a NaN never is."""
        return all(self.measured[name] <= limit for name, limit in self.limits.items())

    def __str__(self) -> str:
        pairs = ((name, self.measured[name], limit) for name, limit in self.limits.items())
        return ", ".join(
            f"{name} {value:.1e} {'≤' if value <= limit else 'NOT ≤'} {limit:.0e}"
            for name, value, limit in pairs
        )


# check(problem, outputs by contestant, name of the reference or None) -> verdict by contestant
Check = Callable[[Problem, Mapping[str, Any], "str | None"], dict[str, Verdict]]


@dataclass(frozen=True)
class MemoryTarget:
    """A ceiling in bytes. ``kind`` says which figure it binds.

    ``above``: peak above what was there before the work (interpreter, imports, data);
    ``beyond output``: the same less the bytes of the result; ``process``: the whole process.
    """

    limit: Callable[[Problem], float]
    kind: str = "above"


@dataclass(frozen=True)
class Target:
    """What the case must reach: a ratio to the best rival, a ceiling on memory, or both."""

    ratio: float | None = None
    memory: MemoryTarget | None = None


@dataclass(frozen=True)
class Phase:
    """One stretch of unavoidable work; phases follow each other, so their times add up."""

    name: str
    flops: float = 0.0
    reads: float = 0.0  # bytes from memory
    writes: float = 0.0  # bytes to memory
    precision: str = "f64"  # which GEMM rate bounds the flops


@dataclass(frozen=True)
class Case:
    """One row of the benchmark."""

    name: str
    work: str
    data: Callable[..., Problem]
    contestants: Callable[[Problem], list[Contestant]]
    check: Check
    target: Target
    cost: Callable[[Problem], list[Phase]]
    full: Mapping[str, int] = field(default_factory=dict)  # arguments of ``data``
    quick: Mapping[str, int] = field(default_factory=dict)  # the same, tiny
    max_repeat: int | None = None  # for work so long that one run must do
    why: str = ""  # the reason for a share of the limit below one half

    def problem(self, *, quick: bool) -> Problem:
        """Build the data at the full or at the tiny size."""
        return self.data(**(self.quick if quick else self.full))
