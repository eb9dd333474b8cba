"""Support vector regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from mercer import _core, _landmarks, _svm_fit, _svm_model
from mercer._arrays import Samples, as_contiguous, dtype_of, require_y
from mercer._base import Estimator
from mercer._params import ParameterError
from mercer._progress import Step
from mercer._stream import Streamed, by_blocks
from mercer.kernels import Kernel
from mercer.reports import MachineReport


class SvmRegressor(RegressorMixin, Estimator):
    """The base of :class:`mercer.SVR` and :class:`mercer.NuSVR`."""

    # Whether the support vectors are a sparse matrix.
    _sparse = False

    support_: np.ndarray
    n_support_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int
    fit_status_: int
    shape_fit_: tuple[int, ...]
    gamma_: float
    kernel_: str
    report_: MachineReport

    dual_coef_ = property(_svm_model.dual_coef)
    support_vectors_ = property(_svm_model.support_vectors)
    landmarks_ = property(_landmarks.landmarks)
    _reads_again = True
    coef_ = property(_svm_model.coef)
    _gamma = property(_svm_model.gamma_alias)
    to_libsvm = _svm_model.to_libsvm
    _params_from_file = classmethod(_svm_model.params_from_file)
    _notes_to_save = _svm_model.notes

    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        A fit that fails leaves the estimator unchanged. One that is interrupted keeps what it has
        reached, with a ``fit_status_`` of 1, and raises KeyboardInterrupt: the model can be used,
        and with `warm_start` the next fit continues from there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed; with `landmarks`, also a
            table that does not fit into memory: see :func:`mercer.scan`.
        y : array-like of shape (n_samples,)
            Targets. Those of a table in blocks come with it.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples, which multiply C. 0 is equivalent to leaving the sample out.

        Returns
        -------
        self : object
            The estimator itself.
        """
        return _svm_fit.fit(self, X, y, sample_weight)

    def _targets(self, y, weights: np.ndarray | None, X) -> tuple:
        require_y(self, y)
        # Non-finite values are left for the extension module to find, which names the row.
        y = check_array(y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        return as_contiguous(np.ascontiguousarray(y)), weights

    def _block_target(self, X: Streamed) -> np.ndarray:
        """What the extension module knows numbers as targets by."""
        if not X.flat and X.first_targets().shape[1] != 1:
            raise ParameterError("rows in blocks have one target each: several are not supported")
        return np.empty(0)

    @by_blocks
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
        return _svm_model.decision_values(self, X)[:, 0].astype(
            dtype_of(self._model.dtype), copy=False
        )

    def _set_model(self, model: _core.Model) -> None:
        _svm_fit.set_attributes(self, model)


class SVR(SvmRegressor):
    """Support vector regression.

    Finds f(x) = Σ_i c_i k(x, x_i) + b that minimises
    ``½‖f‖² + C Σ_i w_i max(0, |y_i - f(x_i)| - ε)``.
    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name but
    for `cache_size`; parameters after `max_iter` are additions. Those not described here are those
    of :class:`mercer.SVC`.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        The kernel.
    tol : float, default=1e-3
        The violation of the optimality conditions at which the solver stops.
    C : float, default=1.0
        The cost of errors, positive; ``inf`` allows none beyond `epsilon`.
    epsilon : float, default=0.1
        Errors up to this size are not penalised.
    shrinking, cache_size, verbose, max_iter, warm_start, max_time
        How the problem is solved.
    landmarks, landmark_tol, landmark_method, polish
        An approximation of the kernel by landmarks, as for :class:`mercer.SVC`.
    approximation : {None, "auto"}, default=None
        ``"auto"`` chooses among the exact fit, landmarks and cells, as for
        :class:`mercer.SVC`.
    cells, cell_overlap
        SVMs on cells of the samples, as for :class:`mercer.SVC`.
    random_state : int, RandomState instance, optional
        Seed of the choice of landmarks and cells. None stands for 0, so that results are
        repeatable.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of samples and of their kernel values, as for :class:`mercer.SVC`. Predictions have
        the type of X with ``"auto"``, are float32 with ``"f32"`` and float64 otherwise.
    memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1, n_SV)
        The coefficients, read-only.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_ : int
        Iterations of the solver.
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
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        polish: bool = False,
        approximation: str | None = None,
        cells: int | None = None,
        cell_overlap: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
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
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.polish = polish
        self.approximation = approximation
        self.cells = cells
        self.cell_overlap = cell_overlap
        self.random_state = random_state
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs


class NuSVR(SvmRegressor):
    """Support vector regression with a fraction of errors in place of a tube width.

    As :class:`mercer.SVR`, except that ε is chosen such that about the fraction `nu` of samples is
    outside the tube. Parameters, attributes and defaults are those of scikit-learn's
    estimator of the same name but for `cache_size`; parameters after `max_iter` are additions.

    Parameters
    ----------
    nu : float, default=0.5
        The fraction, above 0 and at most 1.
    C : float, default=1.0
        The cost of errors, positive; infinity allows none.
    kernel, degree, gamma, coef0
        The kernel.
    shrinking, tol, cache_size, verbose, max_iter, warm_start, max_time
        How the problem is solved.
    landmarks, landmark_tol, landmark_method, polish
        An approximation of the kernel by landmarks, as for :class:`mercer.SVC`.
    approximation : {None, "auto"}, default=None
        ``"auto"`` chooses among the exact fit, landmarks and cells, as for
        :class:`mercer.SVC`.
    cells, cell_overlap
        SVMs on cells of the samples, as for :class:`mercer.SVC`.
    random_state : int, RandomState instance, optional
        Seed of the choice of landmarks and cells. None stands for 0, so that results are
        repeatable.
    precision, memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube. Not available for models from LIBSVM files, which do not store
        it.
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
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        polish: bool = False,
        approximation: str | None = None,
        cells: int | None = None,
        cell_overlap: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
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
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.polish = polish
        self.approximation = approximation
        self.cells = cells
        self.cell_overlap = cell_overlap
        self.random_state = random_state
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    @property
    def epsilon_(self) -> float:
        """Half the width of the tube."""
        machine = self.report_.get("machine") if hasattr(self, "report_") else None
        if not machine or machine.get("tube") is None:
            raise AttributeError("epsilon_ is not available: the model was read from a LIBSVM file")
        return machine["tube"]
