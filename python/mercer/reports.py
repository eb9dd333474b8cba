"""The contents of ``report_``: details of a fit, and the accuracy of its result.

One type for each family of estimators, for type checkers and as documentation. At run time reports
are plain dictionaries with exactly these keys.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

__all__ = [
    "Approximation",
    "ClusterFacts",
    "ClusteringReport",
    "FullSystemFacts",
    "LandmarkFacts",
    "LossFacts",
    "MachineFacts",
    "MachineReport",
    "ProblemFacts",
    "RegressionReport",
    "Report",
    "SystemFacts",
    "TubeFacts",
]


class FullSystemFacts(TypedDict):
    """How nearly a regression on landmarks solves the system of the exact fit.

    The exact fit solves (K + α W⁻¹) a = y - b, and a = W (y - f) / α. These coefficients of the
    function f on landmarks leave the residual f - b - K a, which is what the landmarks do not
    represent of K a. It is computed on a sample of the rows.
    """

    rows: int
    """Rows of the sample."""
    residual: float
    """‖f - b - K a‖ / ‖y - b‖ over these rows; the largest over targets."""
    gap: float
    """By which share the objective of the exact fit is smaller at most, estimated from the rows."""


class LossFacts(TypedDict):
    """How a support vector machine on landmarks does on some training samples.

    The loss is the hinge loss of classes, what regressions miss beyond the tube, and the distance
    outside of one-class SVMs.
    """

    rows: int
    """Training samples that were looked at."""
    of_model: float
    """Their mean loss."""
    of_true_kernel: float
    """The same with decisions of the true kernel and the same dual coefficients."""
    difference: float
    """The root of the mean squared difference of both decisions."""


class LandmarkFacts(TypedDict):
    """How good a low-rank approximation of the kernel matrix is.

    What is left of the kernel matrix K is positive semidefinite, so that its trace bounds every
    error: the eigenvalues of K are at least those found, and larger by at most ``residual_trace``.
    """

    landmarks: int
    """The landmarks of the model."""
    dropped: int
    """Landmarks that depend linearly on the others and were left out."""
    method: str
    """How they were chosen."""
    candidates: int
    """Rows that they were chosen among."""
    rows: int
    """Training samples."""
    trace: float
    """The trace of K, weighted."""
    residual_trace: float
    """The trace of what the approximation leaves."""
    curve: list[list[float]]
    """The share of the trace that is left of all rows after some numbers of landmarks, in the
    order in which they were chosen."""
    full_system: NotRequired[FullSystemFacts]
    """How nearly a regression solves the system of the exact fit; after leave-one-out."""
    loss: NotRequired[LossFacts]
    """Of support vector machines: the loss on some training samples, by both kernels."""
    left_out_error: NotRequired[float]
    """The largest relative error of leave-one-out residuals by single precision, measured on the
    first 1,024 rows; missing where they were computed in double precision."""
    eigenvalue_bounds: NotRequired[list[list[float]]]
    """Of kernel PCA: between which numbers each eigenvalue of K lies, centred if the model is."""
    explained_bounds: NotRequired[list[float]]
    """Of kernel PCA: between which numbers the fraction of the variance lies that the leading
    components of K explain, as many as the model has."""


class Approximation(TypedDict, total=False):
    """What reports of fits on landmarks have more than others."""

    landmarks: LandmarkFacts
    """The quality of the approximation."""


class Report(Approximation):
    """Reports of :class:`mercer.PCA`, ``KernelPCA``, ``KernelPCADetector`` and ``KernelRepair``."""

    solver: str
    """The method."""
    storage: str
    """How the kernel matrix was stored."""
    reason: str
    """Why it was stored that way."""
    passes: int
    """Passes over the matrix; 0 for a direct method."""
    residual: float | None
    """The largest relative residual; None if it is NaN."""
    converged: bool
    """Whether the residuals reached the tolerance."""
    precision: Literal["f32", "f64"]
    """The type of the kernel values."""
    seconds: float | None
    """The time of the fit, in seconds."""
    notes: list[str]
    """What a user should know, one sentence each."""


class SystemFacts(TypedDict):
    """How well conditioned the linear system of a regression is."""

    condition: float | None
    """The condition number: a bound where it is harmless, else an estimate."""
    effective_rank: int | None
    """The number of eigenvalues above rounding errors, where it was computed."""
    stable_alpha: float | None
    """The smallest penalty at which rounding errors are harmless."""


class RegressionReport(Report):
    """Reports of :class:`mercer.KernelRidge`, ``KernelRidgeCV`` and ``KernelRidgeClassifier``."""

    system: SystemFacts
    """Facts on the linear system."""


class ProblemFacts(TypedDict):
    """The certificate of one quadratic problem of a support vector machine.

    Objective, gap and violation are those of the exact kernel, recomputed in double precision after
    the solver has stopped.
    """

    iterations: int
    """Iterations: updates of pairs of coefficients."""
    objective: float
    """The dual objective, which is minimised, as LIBSVM prints it."""
    gap: float | None
    """The duality gap, a bound on the distance from the optimum; None if C is infinite."""
    violation: float
    """The largest violation of the optimality conditions."""
    rounding: float | None
    """The approximate uncertainty of the violation due to rounding, where it is known."""
    rows: int
    """Number of samples."""
    certified_rows: int
    """Number of samples at which the certificate was computed."""
    precision: Literal["f32", "f64"]
    """The type of the kernel columns when the solver stopped."""
    support: int
    """Number of support vectors."""
    bounded: int
    """Number of support vectors at the bound."""
    stop: str
    """Why the solver stopped; ``"Converged"`` at the tolerance."""


class TubeFacts(TypedDict, total=False):
    """What only :class:`mercer.NuSVR` reports."""

    tube: float
    """Half the width of the tube within which errors are not penalised."""


class MachineFacts(TubeFacts):
    """Facts on the optimum of a support vector machine."""

    problems: list[ProblemFacts]
    """The problems: one for each pair of classes."""
    precision: str
    """The type in which kernel columns were computed."""
    columns_used: int
    """Number of kernel columns requested."""
    columns_at_hand: int
    """Number of cache hits among them."""


class MachineReport(Report):
    """The report of the support vector machines."""

    machine: MachineFacts
    """Facts on the optimum."""


class ClusterFacts(TypedDict):
    """The iterations of kernel k-means, for the best start."""

    objective: float
    """The weighted sum of squared distances to the centres."""
    starts: int
    """Number of starts."""
    rounds: int
    """Number of iterations."""
    objectives: list[float]
    """The objective at the start and after each iteration."""
    moved: int
    """Number of changes of cluster, over all iterations."""
    reseeded: int
    """Number of times that an empty cluster was refilled."""
    full_passes: int
    """Number of passes over all kernel values."""
    low_rank_objective: NotRequired[float]
    """With landmarks, the same sum for the samples as these represent them, which the iterations
    make small. For these clusters with centres anywhere in feature space, the sum lies between this
    and ``objective``."""


class ClusteringReport(Report):
    """The report of :class:`mercer.KernelKMeans`."""

    clusters: ClusterFacts
    """Facts on the clusters."""
