"""Support vector classification."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mercer._arrays import Samples
from mercer._progress import Step
from mercer._svm_classifier import SvmClassifier
from mercer.kernels import Kernel


class SVC(SvmClassifier):
    """Support vector classification.

    For two classes, finds f(x) = Σ_i c_i k(x, x_i) + b that minimises ½‖f‖² + C Σ_i w_i ξ_i, where
    ξ_i is how far sample i violates its margin of 1. More classes are handled one against one, by
    majority vote. Parameters, attributes and defaults are those of scikit-learn's estimator of the
    same name except for `cache_size`; parameters after `random_state` are additions. Results are
    repeatable and do not depend on the number of threads.

    Parameters
    ----------
    C : float, default=1.0
        The cost of errors, positive; ``inf`` allows none, which requires separable classes.
    kernel : str, Kernel or callable, default="rbf"
        A name (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``, ``"laplacian"``,
        ``"matern"``, ``"chi2"``, ``"spectrum"`` and others of :mod:`mercer.kernels`), a spec such
        as ``"0.5*rbf(gamma=0.1) + linear"``, an object of that module, ``"precomputed"``, or a
        function of two sets of samples that returns the matrix of their kernel values, which is
        called tile by tile, and with the support vectors only to predict. The kernel determines
        what samples are: rows of numbers, strings, columns of a table, or anything that a function
        takes.
    degree : float, default=3
        The exponent of ``"poly"``.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        For kernels given by a name that have a gamma. ``"scale"`` is
        1 / (n_features · variance of X), ``"auto"`` is 1 / n_features; ``"median"``, for
        ``"rbf"``, sets the length scale to the median distance between samples.
    coef0 : float, default=0.0
        The constant of ``"poly"`` and ``"sigmoid"``.
    shrinking : bool, default=True
        Whether to use the shrinking heuristic. The result is the same.
    probability : bool, default="deprecated"
        Whether to calibrate probabilities, on out-of-fold decision values of 5-fold
        cross-validation. As in scikit-learn 1.9, giving it is deprecated: call :meth:`calibrate`
        after :meth:`fit`, which does the same. Unlike scikit-learn's, the probabilities always
        agree with :meth:`predict`. Their sigmoids have a slope on each side of the boundary, so
        there is no ``probA_`` and no ``probB_``.
    tol : float, default=1e-3
        The violation of the optimality conditions at which the solver stops.
    cache_size : float, optional
        Size of the kernel cache in MiB; by default 2 GiB, or what the memory budget allows if that
        is less. scikit-learn's default is 200.
    class_weight : dict or "balanced", optional
        Factors of C for the classes, 1 for those not listed; ``"balanced"`` makes them inversely
        proportional to the numbers of samples.
    verbose : bool, default=False
        Whether to print a line for each pair of classes.
    max_iter : int, default=-1
        Maximum number of iterations of the solver for each pair of classes; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether :meth:`decision_function` returns a value for each of more than two classes, or for
        each pair.
    break_ties : bool, default=False
        Whether :meth:`predict` breaks ties in the vote by the largest decision value instead of
        taking the first class. Only with ``"ovr"``.
    random_state : int, RandomState instance, optional
        Seed of the folds of the calibration and of the choice of landmarks and cells. None
        stands for 0, so
        that results are repeatable.
    calibration : {"sigmoid", "isotonic"}, default="sigmoid"
        The shape of the curves that map decision values to probabilities.
    warm_start : bool, default=False
        Whether to start from the coefficients of the previous fit, if it had the same number of
        samples and the same classes. The result is the same to the tolerance, in fewer iterations.
    max_time : float, optional
        Time limit of the solver in seconds. What it has reached by then is kept, with a
        ``ConvergenceWarning``.
    landmarks : int, "auto" or array-like of samples, optional
        Approximates the kernel by so many of the samples, or by the samples given: memory and time
        grow with the number of samples times that of landmarks. ``"auto"`` adds landmarks until at
        most `landmark_tol` of the trace of the kernel matrix is left. None, the default, is exact.
        ``report_["landmarks"]`` says how good the approximation is, and its ``"loss"`` compares
        decisions with those of the true kernel. Not with an infinite C.
    landmark_tol, landmark_method
        How landmarks are chosen, as for :class:`mercer.KernelRidge`; by `random_state`.
    polish : bool, default=False
        Whether a fit on landmarks continues to the exact solution, from the support vectors that it
        found. Requires `landmarks`.
    approximation : {None, "auto"}, default=None
        ``"auto"`` chooses among the exact fit, 1,000 landmarks and cells of 2,000 rows, by
        estimates of work and memory and by small fits of each kind on a sample of the rows:
        of those that do as well there, the one with the least work. The estimates are reported as
        progress before the fit and are in ``report_["machine"]["choice"]``. The choice depends on
        the data, the parameters and the memory budget, not on the clock or on the threads. None
        fits what `landmarks` and `cells` say.
    cells : int, optional
        Divides the samples into cells of at most this many, each with an exact SVM;
        a new sample is predicted by the SVM of the cell whose centre is nearest in feature space.
        For many samples with few features. None, the default, is one machine. Not with `landmarks`
        or `warm_start`; probabilities need :meth:`calibrate` with ``cv="prefit"``.
    cell_overlap : float, default=0.25
        How many samples of its neighbours a cell learns from beside its own, as a share of `cells`.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of samples and of their kernel values. ``"auto"`` is that of X; ``"f32"`` and
        ``"mixed"`` convert X to float32. A fit computes in float32 where that is as accurate.
        Coefficients and decision values are always float64.
    memory_budget : int or str, optional
        Bytes that the fit may take, such as ``"2GiB"``; by default all free memory.
    progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        The factors of C.
    support_ : ndarray of shape (n_SV,)
        The rows of the support vectors, grouped by class.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse array or table
        The support vectors, read-only; empty for a precomputed kernel or a function. Strings are an
        array of strings. For a kernel on columns, a table of the columns that the kernel reads: a
        data frame if X was one, else, and in a model from a file, a dictionary of columns.
        A fit on landmarks keeps none: they are the rows `support_` of X.
    landmarks_ : ndarray of shape (n_landmarks, n_features), sparse array or table
        The landmarks, if there are any.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        The coefficients, read-only. For a support vector of class a, row r belongs to the boundary
        with the r-th of the other classes.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The intercepts.
    coef_ : ndarray of shape (n_classes * (n_classes - 1) / 2, n_features)
        The weights of the features, for a linear kernel.
    n_iter_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Iterations of the solver.
    fit_status_ : int
        0 if the solver converged, 1 if it stopped early.
    shape_fit_ : tuple of int
        The shape of X.
    gamma_ : float
        The resolved gamma.
    kernel_ : str
        The kernel with all its parameters, as a spec.
    report_ : dict
        Details of the fit: storage and why, seconds, notes, and under ``"machine"`` the kernel
        columns used and the cache hits among them, and for each pair of classes under
        ``"problems"`` the iterations, the dual objective, the duality gap, the largest violation of
        the optimality conditions, the support vectors and why the solver stopped.
    scaling_ : dict or None
        Scaling of columns, for models that the command line fitted with one.
    n_features_in_ : int
        Number of columns of X.
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
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        polish: bool = False,
        approximation: str | None = None,
        cells: int | None = None,
        cell_overlap: float = 0.25,
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
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.polish = polish
        self.approximation = approximation
        self.cells = cells
        self.cell_overlap = cell_overlap
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
