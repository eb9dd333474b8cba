"""Support vector machines that learn values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from mercer import _params
from mercer._arrays import Samples, dtype_of
from mercer._progress import Step
from mercer._svm_fit import SvmFit
from mercer.kernels import Kernel


class SvmRegressor(RegressorMixin, SvmFit):
    """The base of :class:`mercer.SVR` and :class:`mercer.NuSVR`."""

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        A fit that fails leaves the estimator as it was. One that is interrupted keeps what it has
        reached, with a ``fit_status_`` of 1, and raises KeyboardInterrupt: the model can be used,
        and with `warm_start` the next fit goes on from there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts: it multiplies C. 0 is as if the sample were not there.

        Returns
        -------
        self : object
            The estimator itself.
        """
        return self._fit_whole(X, y, sample_weight)

    def _aims(self, y, weights, X) -> tuple:
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None")
        # Values that are not finite are left for the compiled part to find, which names the row.
        y = check_array(y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        return np.ascontiguousarray(y), weights

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the targets of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predictions.
        """
        return self._decisions(X)[:, 0].astype(dtype_of(self._model.dtype), copy=False)


class SVR(SvmRegressor):
    """Support vector regression.

    Finds f(x) = Σ_i c_i k(x, x_i) + b that minimises
    ``½‖f‖² + C Σ_i w_i max(0, |y_i - f(x_i)| - ε)``.
    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name but
    for `cache_size`; parameters after `max_iter` are additions. Those not told here are those of
    :class:`mercer.SVC`.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        The kernel.
    tol : float, default=1e-3
        The violation of the optimality conditions at which the solver stops.
    C : float, default=1.0
        The price of errors, positive; ``inf`` allows none beyond `epsilon`.
    epsilon : float, default=0.1
        Errors up to this size cost nothing.
    shrinking, cache_size, verbose, max_iter, warm_start, max_time
        How the problem is solved.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of samples and of their kernel values, as for :class:`mercer.SVC`. Predictions
        follow X with ``"auto"``, are float32 with ``"f32"`` and else float64.
    memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1, n_SV)
        The coefficients, not to be written to.
    intercept_ : ndarray of shape (1,)
        The constant.
    n_iter_ : int
        Steps of the solver.
    support_, support_vectors_, n_support_, coef_, fit_status_, shape_fit_
        As for :class:`mercer.SVC`.
    gamma_, kernel_, report_, scaling_, n_features_in_, feature_names_in_
        As for :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVR
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = SVR(C=10, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.06)
    True
    >>> len(model.support_) < 20
    True
    """

    _task = "epsilon_svr"

    def __init__(
        self,
        *,
        kernel: str | Kernel | Callable[..., object] = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        warm_start: bool = False,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        super()._check_params()
        _params.at_least(self, "epsilon", 0)


class NuSVR(SvmRegressor):
    """Support vector regression with a share in place of a width.

    As :class:`mercer.SVR`, except that the width ε is found: such that about the share `nu` of
    samples is farther away. Parameters, attributes and defaults are those of scikit-learn's
    estimator of the same name but for `cache_size`; parameters after `max_iter` are additions.

    Parameters
    ----------
    nu : float, default=0.5
        The share, above 0 and at most 1.
    C : float, default=1.0
        The price of errors, positive; infinity allows none.
    kernel, degree, gamma, coef0
        The kernel.
    shrinking, tol, cache_size, verbose, max_iter, warm_start, max_time
        How the problem is solved.
    precision, memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube that was found. Not there for models of LIBSVM, whose files do
        not tell.
    dual_coef_, intercept_, n_iter_, support_, support_vectors_, n_support_, coef_
        As for :class:`mercer.SVR`.
    fit_status_, shape_fit_, gamma_, kernel_, report_, scaling_, n_features_in_, feature_names_in_
        As for :class:`mercer.SVR`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NuSVR
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = NuSVR(nu=0.2, C=10).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    _task = "nu_svr"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: str | Kernel | Callable[..., object] = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        warm_start: bool = False,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    @property
    def epsilon_(self) -> float:
        """Half the width of the tube that was found."""
        machine = self.report_.get("machine") if hasattr(self, "report_") else None
        if not machine or machine.get("tube") is None:
            raise AttributeError("epsilon_ is known of a model that was fitted here only")
        return machine["tube"]
