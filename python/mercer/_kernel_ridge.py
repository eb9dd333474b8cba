"""Kernel ridge regression with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin, RegressorMixin

from mercer._arrays import Samples, targets, weights
from mercer._kernel_ridge_fit import RidgeFit
from mercer._progress import Step
from mercer.kernels import Kernel


class RidgeRegressor(MultiOutputMixin, RegressorMixin, RidgeFit):
    """The base of the kernel ridge estimators whose targets are numbers."""

    @overload
    def predict(self, X: Samples, return_std: Literal[False] = False) -> np.ndarray: ...
    @overload
    def predict(self, X: Samples, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def predict(
        self, X: Samples, return_std: bool
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]: ...
    def predict(
        self, X: Samples, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Predict the targets of samples.

        The matrix of kernel values with the training samples is never held.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.
        return_std : bool, default=False
            Whether to return the standard deviation of each prediction too: that of the Gaussian
            process whose covariance is the kernel and whose noise has the variance `alpha`, divided
            by a sample's weight. The first call factors a matrix, which is kept for later ones. Not
            with a precomputed kernel, nor with one that scikit-learn evaluates.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        std : ndarray of the same shape
            Their standard deviations, if `return_std`.
        """
        X = self._rows(X)
        if return_std and not self._described:
            raise ValueError(
                "return_std=True needs k(x, x) of new samples and the kernel values of all others, "
                "which a precomputed kernel does not tell"
            )
        predicted = self._shaped(self._predicted(X))
        return (predicted, self._shaped(self._deviations(X))) if return_std else predicted

    def _shaped(self, found: np.ndarray) -> np.ndarray:
        return found[:, 0] if self._flat else found


class KernelRidge(RidgeRegressor):
    """Ridge regression in the feature space of a kernel.

    Finds f(x) = Σ_i c_i k(x, x_i) that minimises Σ_i w_i (y_i - f(x_i))² + α ‖f‖². Parameters,
    attributes and defaults are those of scikit-learn's estimator of the same name; parameters after
    `kernel_params` are additions. Results are exact to the tolerance whichever solver is named,
    repeat from run to run, and do not depend on the number of threads.

    A constant target is learned exactly with an intercept, whose value it is, all coefficients
    being 0; without one the constant is a target like any other, and predictions are drawn towards
    0.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        The penalty, of at least 0: one for all targets, or one each. With 0 and a singular kernel
        matrix, the result is the least-squares solution of least norm, with a warning.
    kernel : str, Kernel or callable, default="linear"
        A name (``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"cosine"``, ``"laplacian"``,
        ``"matern"``, ``"chi2"``, ``"spectrum"`` and others of :mod:`mercer.kernels`), a spec such
        as ``"0.5*rbf(gamma=0.1) + linear"``, an object of that module, ``"precomputed"``, or a
        function of two samples, which is called tile by tile. The kernel says what samples are:
        rows of numbers, texts, columns of a table, or anything that a function takes.
    gamma : float, {"scale", "auto", "median"}, optional
        For kernels given by a name that have a gamma. By default 1 / n_features, as for
        ``"auto"``. ``"scale"`` is 1 / (n_features · variance of X); ``"median"``, for
        ``"rbf"``, takes the median distance between samples as the standard deviation.
    degree : float, default=3
        The exponent of ``"poly"``.
    coef0 : float, default=1
        The constant of ``"poly"`` and ``"sigmoid"``.
    kernel_params : dict, optional
        Parameters of a function given as kernel, or of a kernel given by its name, such as
        ``{"nu": 2.5, "length": 3}`` for ``"matern"``.
    fit_intercept : bool, default=False
        Whether to learn a constant too, which costs no penalty.
    solver : {"auto", "cholesky", "eigen", "cg"}, default="auto"
        How the equations are solved: a factor for each penalty, one eigendecomposition for all, or
        conjugate gradients, which need no second matrix and, beyond the memory budget, not even the
        first. ``"auto"`` takes whichever costs less.
    tol : float, optional
        Relative residuals to reach; by default 1e-10, or 1e-6 with float32 kernel values.
    max_iter : int, optional
        Passes over the matrix at most, for conjugate gradients; by default 1000. If they do not
        suffice, a ``ConvergenceWarning`` tells the residual reached.
    random_state : int, RandomState instance, optional
        Seed of the solver's random choices. None stands for 0, so that results repeat.
    warm_start : bool, default=False
        Whether conjugate gradients begin with the coefficients of the last fit, if it had as many
        samples and targets. The result is the same to the tolerance, after fewer passes.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values. ``"auto"`` follows X. ``"f32"`` turns X into float32 and gives
        float32 results; ``"mixed"`` computes kernel values in float32 and all else in float64, and
        gives float64 results. Targets and coefficients are always float64.
    memory_budget : int or str, optional
        Bytes that the fit may take, such as ``"2GiB"``; by default what the machine has free.
    progress : bool or callable, default=False
        Whether to show a bar, or a function that is called with each :class:`mercer.Step`.
    n_jobs : int, optional
        Threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The coefficients c, not to be written to.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant; 0 without `fit_intercept`.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse array or table
        The training samples, not to be written to, as for :class:`mercer.KernelPCA`. A model of a
        precomputed kernel has none.
    gamma_ : float
        The gamma that was used.
    kernel_ : str
        The kernel with all its numbers, as a spec.
    n_iter_ : int
        Passes over the matrix of conjugate gradients; 1 for other solvers.
    report_ : dict
        How the fit went: solver, storage and why, passes, residual, seconds, notes, and under
        ``"system"`` the condition number, the effective rank where it was looked into, and the
        smallest penalty at which rounding errors do no harm.
    scaling_ : dict or None
        Scaling of columns, of models that the command line fitted with one.
    n_features_in_ : int
        Columns of X.
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

    dual_coef_: np.ndarray
    intercept_: float | np.ndarray
    gamma_: float
    kernel_: str
    n_iter_: int
    n_features_in_: int
    feature_names_in_: np.ndarray

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
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            taken as they are, in any memory order; a sparse matrix stays one. Kernels for texts
            take a list or a column of texts, those on columns a data frame or a dictionary of
            columns, and functions anything that has a length.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts: 2 as if it were there twice, 0 as if it were not there.

        Returns
        -------
        self : KernelRidge
            The estimator itself.
        """
        with self._whole_or_not_at_all():
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X, y, sample_weight) -> None:
        self._check_params()
        X = self._samples(X)
        y, flat = targets(self, y, X)
        model, choice = self._learn(X, (y, weights(sample_weight, X.shape[0])))
        self._choice, self._flat = choice, flat
        self._restore(model)
