"""Support vector machines that tell classes apart by a price for errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mercer._progress import Step
from mercer._svm_classifier import SvmClassifier
from mercer.kernels import Kernel


class SVC(SvmClassifier):
    """Support vector classification.

    For two classes, finds f(x) = Σ_i c_i k(x, x_i) + b that minimises ½‖f‖² + C Σ_i w_i ξ_i, where
    ξ_i is how far sample i is from being on its side of the boundary with a margin of 1. Of more
    classes each pair is told apart, and most votes win. Parameters, attributes and defaults are
    those of scikit-learn's estimator of the same name but for `cache_size`; parameters after
    `random_state` are additions. Results repeat from run to run, and do not depend on the number of
    threads.

    Parameters
    ----------
    C : float, default=1.0
        The price of errors, positive; ``inf`` allows none, which separable classes can do with.
    kernel : str, Kernel or callable, default="rbf"
        A name (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``, ``"laplacian"``,
        ``"matern"``, ``"chi2"``, ``"spectrum"`` and others of :mod:`mercer.kernels`), a spec such
        as ``"0.5*rbf(gamma=0.1) + linear"``, an object of that module, ``"precomputed"``, or a
        function of two sets of samples that returns the matrix of their kernel values, which is
        called tile by tile, and with the support vectors alone to predict. The kernel says what
        samples are: rows of numbers, texts, columns of a table, or anything that a function takes.
    degree : float, default=3
        The exponent of ``"poly"``.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        For kernels given by a name that have a gamma. ``"scale"`` is
        1 / (n_features · variance of X), ``"auto"`` is 1 / n_features; ``"median"``, for
        ``"rbf"``, takes the median distance between samples as the standard deviation.
    coef0 : float, default=0.0
        The constant of ``"poly"`` and ``"sigmoid"``.
    shrinking : bool, default=True
        Whether samples that will keep their coefficient are set aside meanwhile. The result is the
        same.
    probability : bool, default="deprecated"
        Whether to learn probabilities too, from decisions for samples that five further fits did
        not see. As in scikit-learn 1.9, giving it is deprecated: call :meth:`calibrate` after
        :meth:`fit`, which does the same. Unlike scikit-learn's, the probabilities always agree with
        :meth:`predict`. As they are no sigmoids of one slope, there is no ``probA_`` and no
        ``probB_``.
    tol : float, default=1e-3
        The violation of the optimality conditions at which the solver stops.
    cache_size : float, optional
        Megabytes for kernel values; by default 2 GB, or what the memory budget allows if that is
        less. scikit-learn's default is 200.
    class_weight : dict or "balanced", optional
        Factors of C for the classes, 1 for those not named; ``"balanced"`` makes them inversely
        proportional to the numbers of samples.
    verbose : bool, default=False
        Whether to print a line for each pair of classes.
    max_iter : int, default=-1
        Steps of the solver at most for each pair of classes; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether :meth:`decision_function` gives a number for each of more than two classes, or for
        each pair.
    break_ties : bool, default=False
        Whether, of classes with equally many votes, :meth:`predict` takes the one of the largest
        decision instead of the first. Only with ``"ovr"``.
    random_state : int, RandomState instance, optional
        Seed of the parts that samples are dealt to for probabilities. None stands for 0, so that
        results repeat.
    calibration : {"sigmoid", "isotonic"}, default="sigmoid"
        The shape of the curves that turn decisions into probabilities.
    warm_start : bool, default=False
        Whether to begin with the coefficients of the last fit, if it had as many samples and the
        same classes. The result is the same to the tolerance, after fewer steps.
    max_time : float, optional
        Seconds that the solver may take. What it has reached by then is kept, with a
        ``ConvergenceWarning``.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of samples and of their kernel values. ``"auto"`` follows X; ``"f32"`` and
        ``"mixed"`` turn X into float32. A fit computes in float32 wherever that is as good.
        Coefficients and decisions are always float64.
    memory_budget : int or str, optional
        Bytes that the fit may take, such as ``"2GiB"``; by default what the machine has free.
    progress : bool or callable, default=False
        Whether to show a bar, or a function that is called with each :class:`mercer.Step`.
    n_jobs : int, optional
        Threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in order.
    class_weight_ : ndarray of shape (n_classes,)
        The factors of C.
    support_ : ndarray of shape (n_SV,)
        The rows of the support vectors, those of the first class first.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse array or table
        The support vectors, not to be written to; empty for a precomputed kernel and a function.
        Texts are an array of texts. Of a kernel on columns they are a table with the columns that
        the kernel reads: a data frame if X was one, else, and in a model from a file, a
        dictionary of columns.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        The coefficients, not to be written to. Of a support vector of class a, row r belongs to the
        boundary with the r-th of the other classes.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The constants.
    coef_ : ndarray of shape (n_classes * (n_classes - 1) / 2, n_features)
        The weights of the features, of a linear kernel.
    n_iter_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Steps of the solver.
    fit_status_ : int
        0 if the solver converged, 1 if it was stopped before.
    shape_fit_ : tuple of int
        The shape of X.
    gamma_ : float
        The gamma that was used.
    kernel_ : str
        The kernel with all its numbers, as a spec.
    report_ : dict
        How the fit went: storage and why, seconds, notes, and under ``"machine"`` how many kernel
        columns were used and how many of those were at hand, and for each pair of classes under
        ``"problems"`` the steps, the dual objective, the duality gap, the worst violation of the
        optimality conditions, the support vectors and why the solver stopped.
    scaling_ : dict or None
        Scaling of columns, of models that the command line fitted with one.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(C=10).fit(X, y).calibrate(X, y)
    >>> model.predict(X[[0, 60, 140]])
    array([0, 1, 2])
    >>> model.predict_proba(X[[0, 60, 140]]).argmax(axis=1)
    array([0, 1, 2])
    >>> max(problem["violation"] for problem in model.report_["machine"]["problems"]) <= 1e-3
    True
    """

    _task = "c_svc"

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        warm_start: bool = False,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
