"""Support vector machines that learn where samples are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OutlierMixin

from mercer._arrays import Samples
from mercer._progress import Step
from mercer._svm_fit import SvmFit
from mercer.kernels import Kernel


class OneClassSVM(OutlierMixin, SvmFit):
    """The region where samples are, for finding outliers.

    Finds the f(x) = Σ_i c_i k(x, x_i) that is largest on the samples for its norm, and a threshold
    below which about the share `nu` of them lies. Parameters, attributes and defaults are those of
    scikit-learn's estimator of the same name but for `cache_size`; parameters after `max_iter` are
    additions. Those not told here are those of :class:`mercer.SVC`.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        The kernel.
    tol : float, default=1e-3
        The violation of the optimality conditions at which the solver stops.
    nu : float, default=0.5
        The share, above 0 and at most 1, that bounds the share of outliers from above and that of
        support vectors from below.
    shrinking, cache_size, verbose, max_iter, warm_start, max_time
        How the problem is solved.
    precision, memory_budget, progress, n_jobs
        How the work is run.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        The threshold: ``decision_function = score_samples - offset_``.
    intercept_ : ndarray of shape (1,)
        The threshold with the other sign.
    dual_coef_ : ndarray of shape (1, n_SV)
        The coefficients, not to be written to.
    n_iter_ : int
        Steps of the solver.
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

    offset_: np.ndarray

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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        A fit that fails leaves the estimator as it was. One that is interrupted keeps what it has
        reached, with a ``fit_status_`` of 1, and raises KeyboardInterrupt: the model can be used,
        and with `warm_start` the next fit goes on from there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : object
            Not used.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts. 0 is as if the sample were not there.

        Returns
        -------
        self : OneClassSVM
            The estimator itself.
        """
        return self._fit_whole(X, None, sample_weight)

    def _aims(self, y, weights, X) -> tuple:
        return None, weights

    def _describe(self, facts: dict, problems: list[dict]) -> None:
        super()._describe(facts, problems)
        self.offset_ = -self.intercept_

    def decision_function(self, X: Samples) -> np.ndarray:
        """Return how far inside samples are.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Positive inside, negative outside.
        """
        return self._decisions(X)[:, 0]

    def score_samples(self, X: Samples) -> np.ndarray:
        """Return the values of f, from which the threshold is not subtracted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The larger, the further inside.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Samples) -> np.ndarray:
        """Tell inliers from outliers.

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
