"""Kernel k-means with the interface of scikit-learn's k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin

from mercer._arrays import Samples, Table, checked_weights
from mercer._kernel_choice import Precomputed
from mercer._kernel_kmeans_fit import KernelKMeansFit
from mercer._progress import Step
from mercer.kernels import Kernel


class KernelKMeans(ClusterMixin, KernelKMeansFit):
    """Clusters around means in the feature space of a kernel.

    Puts each sample into the cluster whose mean is nearest, and means where their samples are,
    until nothing moves: Σ_i w_i ‖φ(x_i) − m_{c(i)}‖², the inertia, never rises. Distances need
    kernel values only. Parameters, attributes and defaults are those of scikit-learn's KMeans where
    both have them. A linear kernel is k-means itself; with weights, k-means in feature space is
    spectral clustering by normalised cuts, whose relaxation ``init="spectral"`` begins with.

    Results repeat from run to run and do not depend on the number of threads: of centres at the
    same distance the first counts. A cluster that loses all its samples gets the one that is
    farthest from its centre. If fewer samples are distinct than there are clusters, some clusters
    stay empty, and a ``ConvergenceWarning`` says so.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters, at most as many as samples.
    kernel, gamma, degree, coef0, kernel_params
        The kernel, by default ``"rbf"`` with a gamma of 1 / n_features, as for
        :class:`mercer.KernelPCA`.
    init : {"k-means++", "random", "spectral"} or array of shape (n_samples,), default="k-means++"
        How to begin: samples far from each other in feature space, samples at random, k-means on
        the leading eigenvectors of the kernel matrix, or a cluster, from 0 to n_clusters − 1, for
        each sample.
    n_init : int or "auto", default="auto"
        How many beginnings are tried, of which the one of the lowest inertia is kept. ``"auto"`` is
        10 for ``"random"`` and 1 for others. Beginnings that are always the same are tried once.
    max_iter : int, default=300
        Rounds of one start at most. If they do not suffice, a ``ConvergenceWarning`` says so.
    tol : float, default=0.0
        When to stop: when the squared distances that the centres moved, summed, are at most this
        share of the mean squared distance of the samples from their mean. With 0, unlike
        scikit-learn's default, when no sample moves: ``predict(X)`` is then ``labels_``.
    random_state : int, RandomState instance, optional
        Seed of the beginnings. None stands for 0, so that results repeat.
    precision, memory_budget, progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`. Of a matrix that does not fit the
        budget, only the columns of samples that moved are computed anew.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training sample.
    inertia_ : float
        The sum of squared distances to the centres, in feature space, weighted.
    n_iter_ : int
        Rounds of the start that was kept.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        How many training samples each cluster has.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training samples, not to be written to. A model of a precomputed kernel has none.
    gamma_ : float
        The gamma that was used.
    kernel_ : str
        The kernel with all its numbers, as a spec.
    report_ : dict
        How the fit went: storage and why, seconds, notes, and under ``"clusters"`` the inertia
        after each round, samples that moved, and clusters that were filled again.
    scaling_, n_features_in_, feature_names_in_
        As for :class:`mercer.KernelPCA`.

    Examples
    --------
    Two rings, which no straight line separates:

    >>> from sklearn.datasets import make_circles
    >>> from mercer import KernelKMeans
    >>> X, y = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> rings = KernelKMeans(n_clusters=2, gamma=3.0, n_init=10).fit(X)
    >>> rings.cluster_sizes_
    array([100, 100], dtype=int32)
    >>> rings.predict([[0.0, 0.3], [0.3, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    array([1, 1, 0, 0], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: str | Kernel | Callable[..., float] = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict | None = None,
        init: str | ArrayLike = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the clusters. A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : None
            Not used.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts: 2 as if it were there twice, 0 as if it were not there.

        Returns
        -------
        self : KernelKMeans
            The estimator itself.
        """
        with self._whole_or_not_at_all():
            self._fit(X, sample_weight)
        return self

    def fit_predict(
        self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None
    ) -> np.ndarray:
        """Find the clusters and return that of each sample: parameters are those of :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The clusters, which are ``labels_`` too.
        """
        return self.fit(X, y, sample_weight).labels_

    def fit_transform(
        self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None
    ) -> Table:
        """Find the clusters and return the distances of each sample, as :meth:`transform` does.

        Parameters are those of :meth:`fit`. The samples' own kernel values stand on the diagonal of
        a matrix that is given.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Distances to the centres.
        """
        X = self.fit(X, y, sample_weight)._rows(X)
        given = isinstance(self._choice, Precomputed)
        return self._distances(X, np.diagonal(X) if given else None)

    def predict(self, X: Samples) -> np.ndarray:
        """Return the cluster of each sample: that of the nearest centre.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The clusters.
        """
        return self._nearest(X)

    def transform(self, X: Samples, *, diagonal: ArrayLike | None = None) -> Table:
        """Return the distances of samples to the centres, in feature space.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.
        diagonal : array-like of shape (n_samples,), optional
            For a precomputed kernel, and needed there: the kernel value of each sample with itself.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Distances, not squared.
        """
        return self._distances(self._rows(X), diagonal)

    def score(
        self,
        X: Samples,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        *,
        diagonal: ArrayLike | None = None,
    ) -> float:
        """Return the inertia of samples with the other sign: the larger, the better they fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`transform`.
        y : None
            Not used.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts.
        diagonal : array-like of shape (n_samples,), optional
            As for :meth:`transform`.

        Returns
        -------
        score : float
            − Σ_i w_i ‖φ(x_i) − m‖² with m the nearest centre of each.
        """
        nearest = self._squares(self._rows(X), diagonal).min(axis=1)
        counts = checked_weights(sample_weight, len(nearest))
        return -float(nearest.sum() if counts is None else counts @ nearest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
