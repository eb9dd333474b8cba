"""What ``report_`` holds: how a fit went, and how exact its result is.

One type for each family of estimators, for type checkers and for readers. At run time reports are
plain dictionaries with exactly these keys.
"""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = [
    "ClusterFacts",
    "ClusteringReport",
    "MachineFacts",
    "MachineReport",
    "ProblemFacts",
    "RegressionReport",
    "Report",
    "SystemFacts",
    "TubeFacts",
]


class Report(TypedDict):
    """Of :class:`mercer.PCA`, ``KernelPCA``, ``KernelPCADetector`` and ``KernelRepair``."""

    solver: str
    """The method."""
    storage: str
    """How the kernel matrix was held."""
    reason: str
    """Why it was held that way."""
    passes: int
    """Passes over the matrix; 0 for a direct method."""
    residual: float | None
    """The largest relative residual; None where it is not a number."""
    converged: bool
    """Whether the residuals reached the tolerance."""
    precision: Literal["f32", "f64"]
    """The type of the kernel values."""
    seconds: float | None
    """Seconds taken."""
    notes: list[str]
    """What a user should know, one sentence each."""


class SystemFacts(TypedDict):
    """How well the equations of a regression determine its coefficients."""

    condition: float | None
    """The condition number: a bound where it is harmless, else an estimate."""
    effective_rank: int | None
    """How many eigenvalues are not lost in rounding, where that was looked into."""
    stable_alpha: float | None
    """The penalty from which on rounding errors do no harm."""


class RegressionReport(Report):
    """Of :class:`mercer.KernelRidge`, ``KernelRidgeCV`` and ``KernelRidgeClassifier``."""

    system: SystemFacts
    """What is known of the equations."""


class ProblemFacts(TypedDict):
    """The certificate of one quadratic problem of a support vector machine.

    Objective, gap and violation are those of the true kernel, computed anew in double precision
    once the solver has ended.
    """

    iterations: int
    """Steps: pairs of coefficients that were changed."""
    objective: float
    """The dual objective, which is minimised, as LIBSVM prints it."""
    gap: float | None
    """The duality gap: how far from the optimum the objective is at most; None if C is infinite."""
    violation: float
    """The largest violation of the optimality conditions."""
    rounding: float | None
    """By how much rounding makes the violation uncertain, about, where that is known."""
    rows: int
    """Samples of the problem."""
    certified_rows: int
    """Of those, the ones at which the certificate was computed."""
    precision: Literal["f32", "f64"]
    """The numbers of the kernel columns that the solver ended with."""
    support: int
    """Support vectors."""
    bounded: int
    """Of those, the ones at their bound."""
    stop: str
    """Why the solver stopped; ``"Converged"`` at the tolerance."""


class TubeFacts(TypedDict, total=False):
    """What only :class:`mercer.NuSVR` finds."""

    tube: float
    """Half the width of the tube within which errors cost nothing."""


class MachineFacts(TubeFacts):
    """What is known of the optimum of a support vector machine."""

    problems: list[ProblemFacts]
    """Each problem: one for every pair of classes."""
    precision: str
    """The numbers in which kernel columns were computed."""
    columns_used: int
    """Kernel columns that were asked for."""
    columns_at_hand: int
    """Of those, the ones that were at hand and not computed."""


class MachineReport(Report):
    """Of the support vector machines."""

    machine: MachineFacts
    """What is known of the optimum."""


class ClusterFacts(TypedDict):
    """How rounds of kernel k-means went, for the start that was kept."""

    objective: float
    """The weighted sum of squared distances to the centres."""
    starts: int
    """Starts that were tried."""
    rounds: int
    """Rounds."""
    objectives: list[float]
    """The objective at the start and after each round."""
    moved: int
    """Samples that changed their cluster, over all rounds."""
    reseeded: int
    """Times that a cluster which had lost all its samples was given one."""
    full_passes: int
    """Times that all kernel values were looked at."""


class ClusteringReport(Report):
    """Of :class:`mercer.KernelKMeans`."""

    clusters: ClusterFacts
    """What is known of the clusters."""
