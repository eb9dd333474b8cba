"""Outliers by kernel PCA, with scikit-learn's interface of outlier detectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OutlierMixin

from mercer._arrays import Samples
from mercer._detector_fit import DetectorFit
from mercer._progress import Step
from mercer.kernels import Kernel


class KernelPCADetector(OutlierMixin, DetectorFit):
    """Outliers as samples that the principal components of a kernel do not explain.

    Kernel PCA finds the directions in feature space in which the samples spread most. A sample is
    unusual if it lies far from their span, or far out in it. Those of the share `contamination` of
    the training samples that are most unusual are outliers, and so are new samples beyond the same
    threshold. In the manner of scikit-learn's detectors, the larger a score, the more normal a
    sample. Results repeat from run to run and do not depend on the number of threads.

    Parameters
    ----------
    n_components : int or float, optional, default=20
        How many components: a count (more than there are samples means as many as samples), a
        share of the variance between 0 and 1, or, with None, all of positive variance.
    kernel, gamma, degree, coef0, kernel_params
        The kernel, by default ``"rbf"`` with a gamma of 1 / n_features, as for
        :class:`mercer.KernelPCA`.
    criterion : {"reconstruction", "projections"}, default="reconstruction"
        What makes a sample unusual: the squared distance in feature space to the span of the
        components, ``k̄(x, x) − Σ_i f_i(x)²``, or the sum ``Σ_i |f_i(x)|``, with k̄ the centred
        kernel and f the components.
    contamination : float, default=0.1
        The share of outliers, above 0 and at most 0.5. It places the threshold: the quantile of the
        scores of the training samples.
    center : bool, default=True
        Whether to take the mean away in feature space.
    eigen_solver, tol, max_iter, random_state
        How eigenpairs are found, as for :class:`mercer.KernelPCA`.
    precision, memory_budget, progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`. Scores are float64.

    Attributes
    ----------
    training_scores_ : ndarray of shape (n_samples,)
        What :meth:`score_samples` gives for the training samples, at most 0.
    offset_ : float
        The threshold: ``decision_function = score_samples - offset_``.
    n_components_ : int
        How many components there are.
    n_iter_ : int
        Passes over the kernel matrix; 1 where it was decomposed.
    eigenvalues_, explained_variance_ratio_, X_fit_, gamma_, kernel_, report_
        As for :class:`mercer.KernelPCA`.
    scaling_, n_features_in_, feature_names_in_
        As for :class:`mercer.KernelPCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCADetector
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = KernelPCADetector(contamination=0.05).fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    >>> int((model.training_scores_ < model.offset_).sum())
    10
    """

    def __init__(
        self,
        n_components: float | None = 20,
        *,
        kernel: str | Kernel | Callable[..., float] = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict | None = None,
        criterion: str = "reconstruction",
        contamination: float = 0.1,
        center: bool = True,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        # Not `score`: scikit-learn calls what an estimator has under that name.
        self.criterion = criterion
        self.contamination = contamination
        self.center = center
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: object = None) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : None
            Not used.

        Returns
        -------
        self : KernelPCADetector
            The estimator itself.
        """
        with self._whole_or_not_at_all():
            self._fit(X)
        return self

    def fit_predict(self, X: Samples, y: object = None) -> np.ndarray:
        """Fit the model and tell inliers from outliers among the training samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : None
            Not used.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.
        """
        self.fit(X)
        return _signs(self.training_scores_ - self.offset_)

    def score_samples(self, X: Samples, *, diagonal: ArrayLike | None = None) -> np.ndarray:
        """Return how normal samples are.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.
        diagonal : array-like of shape (n_samples,), optional
            For a precomputed kernel, and needed there for ``"reconstruction"``: the kernel value of
            each sample with itself.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The criterion with the other sign: the larger, the more normal.
        """
        return -self._scores(X, diagonal)

    def decision_function(self, X: Samples, *, diagonal: ArrayLike | None = None) -> np.ndarray:
        """Return how far samples are from the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`score_samples`.
        diagonal : array-like of shape (n_samples,), optional
            As for :meth:`score_samples`.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Negative for outliers.
        """
        return self.score_samples(X, diagonal=diagonal) - self.offset_

    def predict(self, X: Samples, *, diagonal: ArrayLike | None = None) -> np.ndarray:
        """Tell inliers from outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`score_samples`.
        diagonal : array-like of shape (n_samples,), optional
            As for :meth:`score_samples`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.
        """
        return _signs(self.decision_function(X, diagonal=diagonal))


def _signs(decisions: np.ndarray) -> np.ndarray:
    return np.where(decisions >= 0, 1, -1)
