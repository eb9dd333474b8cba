"""Kernel ridge regression with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from mercer import _core, _fit, _landmarks, _linear, _predict, _ridge, _stream
from mercer._arrays import Samples, validate_targets, validate_weights
from mercer._base import Estimator
from mercer._kernel_choice import Described
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._stream import by_blocks
from mercer.kernels import Kernel
from mercer.reports import RegressionReport


class RidgeRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    """The base of :class:`mercer.KernelRidge` and :class:`mercer.KernelRidgeCV`."""

    # What standard deviations need, computed on demand.
    _posterior: _core.PosteriorStd | None = None
    _cached = ("_posterior",)

    intercept_: float | np.ndarray
    gamma_: float
    kernel_: str
    n_iter_: int
    report_: RegressionReport

    coef_ = property(_linear.coef)
    dual_coef_ = property(_ridge.dual_coef)
    X_fit_ = property(_predict.training_set)
    _notes_to_save = _ridge.notes
    _params_from_file = classmethod(_ridge.params_from_file)

    def _set_model(self, model: _core.Model) -> None:
        _ridge.set_attributes(self, model)
        self._posterior = None

    @overload
    def predict(self, X: Samples, return_std: Literal[False] = False) -> np.ndarray: ...
    @overload
    def predict(self, X: Samples, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def predict(
        self, X: Samples, return_std: bool
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]: ...
    @by_blocks
    def predict(
        self, X: Samples, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Predict the targets of samples.

        The matrix of kernel values with the training samples is never stored.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.
        return_std : bool, default=False
            Whether to also return the posterior standard deviation of each prediction: that of the
            Gaussian process whose covariance is the kernel and whose noise has the variance
            `alpha`, divided by a sample's weight. The first call factors a matrix, which later
            calls reuse. Not with a precomputed kernel, nor with one that scikit-learn evaluates.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        std : ndarray of the same shape
            Their standard deviations, if `return_std`.
        """
        X = _predict.new_samples(self, X)
        if return_std and not isinstance(self._choice, Described):
            raise ValueError(
                "return_std=True needs k(x, x) of new samples and the kernel matrix of the "
                "training samples, which are unknown for a precomputed kernel"
            )
        mean = _ridge.predict(self, X)
        return (mean, _ridge.posterior_std(self, X)) if return_std else mean


class KernelRidge(RidgeRegressor):
    """Ridge regression in the feature space of a kernel.

    Finds f(x) = Σ_i c_i k(x, x_i) that minimises Σ_i w_i (y_i - f(x_i))² + α ‖f‖². Parameters,
    attributes and defaults are those of scikit-learn's estimator of the same name; parameters after
    `kernel_params` are additions. Results are exact to the tolerance whichever solver is
    chosen, repeatable, and do not depend on the number of threads.

    A constant target is fitted exactly by the intercept, with all coefficients 0; without an
    intercept, predictions are shrunk towards 0.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        The penalty, at least 0: one for all targets, or one each. With 0 and a singular kernel
        matrix, the result is the least-squares solution of minimum norm, with a warning.
    kernel : str, Kernel or callable, default="linear"
        A name (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``, ``"laplacian"``,
        ``"matern"``, ``"chi2"``, ``"spectrum"`` and others of :mod:`mercer.kernels`), a spec such
        as ``"0.5*rbf(gamma=0.1) + linear"``, an object of that module, ``"precomputed"``, or a
        function of two samples, which is called tile by tile. The kernel determines what samples
        are: rows of numbers, strings, columns of a table, or anything that a function takes.
    gamma : float, {"scale", "auto", "median"}, optional
        For kernels given by a name that have a gamma. ``"auto"`` is the default,
        1 / n_features; ``"scale"`` is 1 / (n_features · variance of X); ``"median"``, for
        ``"rbf"``, sets the length scale to the median distance between samples.
    degree : float, default=3
        The exponent of ``"poly"``.
    coef0 : float, default=1
        The constant of ``"poly"`` and ``"sigmoid"``.
    kernel_params : dict, optional
        Parameters of a function given as kernel, or of a kernel given by its name, such as
        ``{"nu": 2.5, "length": 3}`` for ``"matern"``.
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not penalised.
    solver : {"auto", "cholesky", "eigen", "cg"}, default="auto"
        How the system is solved: a Cholesky factor for each penalty, one eigendecomposition for
        all, or conjugate gradients, which need no second matrix and, beyond the memory budget, do
        not store the first. ``"auto"`` takes the cheapest. With landmarks, ``"eigen"`` is direct
        and ``"cg"`` reads the samples in each iteration, which ``"auto"`` prefers above 5,000
        landmarks; ``"cholesky"`` is refused.
    tol : float, optional
        Relative residuals to reach; by default 1e-10, or 1e-6 with float32 kernel values or by
        conjugate gradients on landmarks.
    max_iter : int, optional
        Maximum number of passes over the matrix, for conjugate gradients; by default 1000, or 200
        on landmarks. If they do not suffice, a ``ConvergenceWarning`` reports the residual reached.
    random_state : int, RandomState instance, optional
        Seed of the solver's random choices. None stands for 0, so that results are repeatable.
    warm_start : bool, default=False
        Whether conjugate gradients start from the coefficients of the previous fit, if it had the
        same number of samples and targets. The result is the same to the tolerance, in fewer
        passes.
    max_time : float, optional
        Time limit of the fit in seconds. What conjugate gradients have reached by then is kept,
        with a ``ConvergenceWarning`` that reports the residual; other solvers, and a limit that
        passes before their first pass, raise a TimeoutError.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values. ``"auto"`` is that of X. ``"f32"`` converts X to float32 and
        returns float32; ``"mixed"`` computes kernel values in float32 and everything else in
        float64, and returns float64. Targets and coefficients are always float64.
    memory_budget : int or str, optional
        Bytes that the fit may take, such as ``"2GiB"``; by default all free memory.
    progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`.
    landmarks : int, "auto" or array-like of samples, optional
        Approximates the kernel matrix by so many of the samples, or by the samples given: memory
        and time grow with the number of samples times that of landmarks, never with its square.
        ``"auto"`` adds landmarks until at most `landmark_tol` of the trace of the kernel matrix is
        left, estimated on a sample of the rows. None, the default, is exact.
        ``report_["landmarks"]`` says how good the approximation is.
    landmark_tol : float, default=0.01
        The share of the trace that ``landmarks="auto"`` may leave.
    landmark_method : {"pivoted_cholesky", "uniform", "kmeans"}, default="pivoted_cholesky"
        How landmarks are chosen: by randomly pivoted Cholesky, which prefers samples that the
        others represent badly; each sample with the same probability; or as the means of as many
        clusters, for rows of numbers that are not sparse.
    device : {"cpu", "cuda", "cuda:1", "auto"}, default="cpu"
        Where the kernel matrix is computed and held, in a fit and in predictions: on the processor,
        on a CUDA device (with a number where there are several), or, with ``"auto"``, on the first
        device if there is one that computes the kernel. Devices take kernels on dense rows of
        numbers, in double precision, without `landmarks`; results agree with the processor's to
        rounding errors. Needs ``pip install mercer[cuda]`` or cuBLAS. A model from a file predicts
        on the processor.
    optimize : {"loo", "evidence", "alignment"}, optional
        Searches for the parameters of the kernel, and for `alpha`, by gradient from the given
        values on: those with the least leave-one-out error, exactly; with the largest log marginal
        likelihood of a Gaussian process whose noise has the variance `alpha`; or, `alpha` aside,
        those whose centred kernel matrix is best aligned with that of the targets.
        ``report_["optimization"]`` says how the search went.
    optimize_params : dict, optional
        How it is searched: ``"ard"``, whether each column gets a width of its own (False);
        ``"alpha"``, whether the penalty is searched for (True); ``"restarts"``, further starts at
        random (0); ``"bounds"``, the factors by which lengths and weights may change
        (``(1e-5, 1e5)``, rates such as gamma by their squares); ``"max_evaluations"`` of each start
        (200); and ``"tol"``, the gradient to reach relative to the objective (1e-5).

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The coefficients c, read-only; with landmarks, those of the landmarks.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights of the features, w in f(x) = w·x + intercept, after scaling if there is any;
        only with a linear kernel. Read-only.
    intercept_ : float or ndarray of shape (n_targets,)
        The intercept; 0 without `fit_intercept`.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse array or table
        The training samples, read-only, as for :class:`mercer.KernelPCA`. A model with a
        precomputed kernel has none, and one with landmarks has these.
    landmarks_ : ndarray of shape (n_landmarks, n_features), sparse array or table
        The landmarks, if there are any.
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty, as it was found with `optimize`.
    gamma_ : float
        The resolved gamma.
    kernel_ : str
        The kernel with all its parameters, as a spec.
    n_iter_ : int
        Passes over the matrix of conjugate gradients; 1 for other solvers.
    report_ : dict
        Details of the fit: solver, storage and why, passes, residual, seconds, notes, and under
        ``"system"`` the condition number, the effective rank where it was computed, and the
        smallest penalty at which rounding errors are harmless.
    scaling_ : dict or None
        Scaling of columns, for models that the command line fitted with one.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = KernelRidge(alpha=0.01, kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.5], [60.0]], return_std=True)
    >>> mean.round(3)
    array([0.995, 0.   ])
    >>> std.round(2)
    array([0.05, 1.  ])
    """

    landmarks_ = property(_landmarks.landmarks)

    def __init__(
        self,
        alpha: float | ArrayLike = 1,
        *,
        kernel: str | Kernel | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict | None = None,
        fit_intercept: bool = False,
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        device: str = "cpu",
        optimize: str | None = None,
        optimize_params: dict | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.warm_start = warm_start
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.device = device
        self.optimize = optimize
        self.optimize_params = optimize_params

    @property
    def alpha_(self) -> float | np.ndarray:
        """The penalty, as it was found with `optimize`."""
        return _ridge.stored_alpha(_fit.stored_params(self._fitted_model()))

    @_fit.unchanged_on_error
    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            used as they are, in any memory order; a sparse matrix stays sparse. Kernels on strings
            take a list or a column of strings, those on columns a data frame or a dictionary of
            columns, and functions any sequence. With `landmarks`, also a table that does not fit
            into memory: see :func:`mercer.scan`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; those of a table in blocks come with it.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples: 2 is equivalent to two copies, 0 to leaving the sample out.

        Returns
        -------
        self : KernelRidge
            The estimator itself.
        """
        _ridge.check_params(self)
        X = _fit.training_samples(self, X, y, sample_weight)
        targets, flat = _fit.training_targets(self, X, y, sample_weight)
        model, choice = _ridge.fit(self, X, targets)
        self._choice, self._flat = choice, flat
        self._set_model(model)
        warn_of_notes(self.report_)
        return self

    landmark_residual = _landmarks.landmark_residual

    @available_if(_landmarks.are_set)
    @_fit.unchanged_on_error
    def partial_fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit on more samples; requires `landmarks`.

        The first call chooses the landmarks among its samples, unless they are given, and later
        calls keep them: the model is that of all samples so far. It also goes on from a file.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; those of a table in blocks come with it.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        self : KernelRidge
            The estimator itself.
        """
        if not hasattr(self, "_model"):
            return _landmarks.first_fit(self, lambda: self.fit(X, y, sample_weight))
        if _stream.fits_in_blocks(self, X):
            self._set_model(_landmarks.continue_fit(self, X, (y, sample_weight)))
            return self
        samples = _predict.new_samples(self, X)
        y, _ = validate_targets(self, y, samples)
        targets = (y, validate_weights(sample_weight, samples.shape[0]))
        self._set_model(_landmarks.continue_fit(self, X, targets))
        return self
