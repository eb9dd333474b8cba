"""One-class support vector machines, for outlier detection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OutlierMixin

from mercer import _core, _landmarks, _svm_fit, _svm_model
from mercer._arrays import Samples
from mercer._base import Estimator
from mercer._progress import Step
from mercer._stream import by_blocks
from mercer.kernels import Kernel
from mercer.reports import MachineReport


class OneClassSVM(OutlierMixin, Estimator):
    """Outlier detection by the region that contains most samples.

    Separates the samples from the origin of the feature space by a function f(x) = Σ_i c_i k(x,
    x_i) of maximum margin, with about the fraction `nu` of the samples below the threshold.
    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name
    except for `cache_size`; parameters after `max_iter` are additions. Those not described here are
    those of :class:`mercer.SVC`.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        The kernel.
    tol : float, default=1e-3
        The violation of the optimality conditions at which the solver stops.
    nu : float, default=0.5
        An upper bound on the fraction of outliers and a lower bound on the fraction of support
        vectors, above 0 and at most 1.
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
    precision, memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        The threshold: ``decision_function = score_samples - offset_``.
    intercept_ : ndarray of shape (1,)
        The negative threshold.
    dual_coef_ : ndarray of shape (1, n_SV)
        The coefficients, read-only.
    n_iter_ : int
        Iterations of the solver.
    support_, support_vectors_, n_support_, coef_, fit_status_, shape_fit_
        As for :class:`mercer.SVC`.
    gamma_, kernel_, report_, scaling_, n_features_in_, feature_names_in_
        As for :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(nu=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    _task = "one_class"
    # Whether the support vectors are a sparse matrix.
    _sparse = False

    offset_: np.ndarray
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
    _reads_blocks = False
    coef_ = property(_svm_model.coef)
    _gamma = property(_svm_model.gamma_alias)
    to_libsvm = _svm_model.to_libsvm
    _params_from_file = classmethod(_svm_model.params_from_file)
    _notes_to_save = _svm_model.notes

    def __init__(
        self,
        *,
        kernel: str | Kernel | Callable[..., object] = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
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

    def fit(self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        A fit that fails leaves the estimator unchanged. One that is interrupted keeps what it has
        reached, with a ``fit_status_`` of 1, and raises KeyboardInterrupt: the model can be used,
        and with `warm_start` the next fit continues from there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : object
            Not used.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples. 0 is equivalent to leaving the sample out.

        Returns
        -------
        self : OneClassSVM
            The estimator itself.
        """
        return _svm_fit.fit(self, X, None, sample_weight)

    @by_blocks
    def decision_function(self, X: Samples) -> np.ndarray:
        """Return the decision values: positive inside the region.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Positive inside, negative outside.
        """
        return _svm_model.decision_values(self, X)[:, 0]

    @by_blocks
    def score_samples(self, X: Samples) -> np.ndarray:
        """Return the values of f, before the threshold is subtracted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Higher is further inside.
        """
        return self.decision_function(X) + self.offset_

    @by_blocks
    def predict(self, X: Samples) -> np.ndarray:
        """Classify samples as inliers or outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            1 inside and on the boundary, -1 outside.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _targets(self, y, weights: np.ndarray | None, X) -> tuple:
        return None, weights

    def _set_model(self, model: _core.Model) -> None:
        _svm_fit.set_attributes(self, model)
        self.offset_ = -self.intercept_
