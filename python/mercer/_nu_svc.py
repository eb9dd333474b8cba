"""Support vector classification with a given fraction of errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mercer._arrays import Samples
from mercer._progress import Step
from mercer._svm_classifier import SvmClassifier
from mercer.kernels import Kernel


class NuSVC(SvmClassifier):
    """Support vector classification with a fraction of errors in place of their cost.

    As :class:`mercer.SVC`, except that `nu` is an upper bound on the fraction of margin errors and
    a lower bound on the fraction of support vectors. Parameters, attributes and defaults are those
    of scikit-learn's estimator of the same name except for `cache_size`; parameters after
    `random_state` are additions. Those not described here are those of :class:`mercer.SVC`.

    Parameters
    ----------
    nu : float, default=0.5
        The fraction, above 0 and at most 1. For two classes of n₁ and n₂ samples of weight 1 it
        cannot exceed 2·min(n₁, n₂) / (n₁ + n₂).
    kernel, degree, gamma, coef0
        The kernel.
    shrinking, tol, cache_size, max_iter, max_time, warm_start
        How the problem is solved.
    probability, random_state, calibration
        Whether and how probabilities are calibrated.
    landmarks, landmark_tol, landmark_method, polish
        An approximation of the kernel by landmarks, as for :class:`mercer.SVC`.
    approximation : {None, "auto"}, default=None
        ``"auto"`` chooses among the exact fit, landmarks and cells, as for
        :class:`mercer.SVC`.
    class_weight : dict or "balanced", optional
        Has no effect, as in scikit-learn and LIBSVM, which do not combine class weights with `nu`:
        use sample weights instead.
    decision_function_shape, break_ties
        How more than two classes are handled.
    verbose, precision, memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_
        As for :class:`mercer.SVC`.
    coef_, n_iter_, fit_status_, shape_fit_, gamma_, kernel_, report_, scaling_
        As for :class:`mercer.SVC`.
    n_features_in_, feature_names_in_
        As for :class:`mercer.SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.1).fit(X, y)
    >>> model.predict(X[[0, 60, 140]])
    array([0, 1, 2])
    >>> bool(model.n_support_.sum() >= 0.1 * len(X))
    True
    """

    _task = "nu_svc"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Kernel | Callable[..., object] = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float | None = None,
        class_weight: Mapping | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: int | np.random.RandomState | None = None,
        calibration: str = "sigmoid",
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        polish: bool = False,
        approximation: str | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.calibration = calibration
        self.warm_start = warm_start
        self.max_time = max_time
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.polish = polish
        self.approximation = approximation
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
