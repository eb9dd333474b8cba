"""Kernel k-means with the interface of scikit-learn's k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from mercer import _core, _fit, _landmarks, _linear, _params, _predict
from mercer._arrays import Samples, Table, dtype_of, finite_weights, validate_weights
from mercer._base import Estimator
from mercer._kernel_choice import Choice, Precomputed, kernel_argument
from mercer._params import ParameterError, is_integer, refuse
from mercer._progress import Step
from mercer._reports import warn, warn_of_notes
from mercer._samples import Checked
from mercer._stream import Streamed, by_blocks
from mercer._time_limit import Clock, fitting
from mercer.kernels import Kernel
from mercer.reports import ClusteringReport

_INITS = ("k-means++", "random", "spectral")
# How often n_init="auto" starts, where it starts more than once.
_STARTS = 10


class KernelKMeans(ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, Estimator):
    """Clusters around means in the feature space of a kernel.

    Alternately assigns each sample to the cluster with the nearest mean and recomputes the means,
    until nothing changes: Σ_i w_i ‖φ(x_i) − m_{c(i)}‖², the inertia, never increases. Distances
    need kernel values only. Parameters, attributes and defaults are those of scikit-learn's KMeans
    where both have them. A linear kernel is k-means itself; with weights, k-means in feature space
    is spectral clustering by normalised cuts, whose relaxation ``init="spectral"`` starts from.

    Results are repeatable and do not depend on the number of threads: ties between centres go to
    the first. A cluster that loses all its samples gets the one that is farthest from its centre.
    If there are fewer distinct samples than clusters, some clusters stay empty, and a
    ``ConvergenceWarning`` says so.

    There is no ``partial_fit``, also with landmarks: every iteration assigns all samples anew, so
    that sums over earlier ones are of no use. Cluster the features of :class:`mercer.Nystroem` by a
    method that takes samples in parts.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of samples.
    kernel, gamma, degree, coef0, kernel_params
        The kernel, by default ``"rbf"`` with a gamma of 1 / n_features, as for
        :class:`mercer.KernelPCA`.
    init : {"k-means++", "random", "spectral"} or array of shape (n_samples,), default="k-means++"
        Initialisation: samples far from each other in feature space, random samples, k-means on the
        leading eigenvectors of the kernel matrix, or a cluster, from 0 to n_clusters − 1, for each
        sample.
    n_init : int or "auto", default="auto"
        Number of starts, of which the one with the lowest inertia is kept; the kernel matrix is
        computed once. ``"auto"`` is 10, but 1 for ``"k-means++"`` with a linear kernel, as in
        scikit-learn's KMeans. Deterministic initialisations have one start.
    max_iter : int, default=300
        Maximum number of iterations of one start. If they do not suffice, a ``ConvergenceWarning``
        says so.
    tol : float, default=0.0
        Stop when the sum of squared movements of the centres is at most this fraction of the mean
        squared distance of the samples from their mean. 0, unlike scikit-learn's default, stops
        when no sample changes its cluster: ``predict(X)`` is then ``labels_``.
    random_state : int, RandomState instance, optional
        Seed of the initialisation. None stands for 0, so that results are repeatable.
    max_time : float, optional
        Time limit of the fit in seconds. The best clusters found by then are kept, with a
        ``ConvergenceWarning``; a limit that passes before the first iteration raises a
        TimeoutError.
    precision, memory_budget, progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`. If the matrix does not fit in the
        budget, only the columns of samples that changed their cluster are recomputed.
    landmarks, landmark_tol, landmark_method
        Approximates the kernel matrix by landmarks, as for :class:`mercer.KernelPCA`; None, the
        default, is exact. Memory then grows with the number of samples alone. Starts are made on a
        sample of the rows, of at least 5,000 and 50 for each cluster: there each is run to its end
        and the best is chosen, and all rows are read once in each iteration from there on.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training sample.
    inertia_ : float
        The sum of squared distances to the centres, in feature space, weighted. With landmarks, the
        centres lie in the landmarks' span; with centres anywhere, the sum of these clusters lies
        between ``report_["clusters"]["low_rank_objective"]`` and this.
    n_iter_ : int
        Iterations of the best start.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of training samples in each cluster.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The means of the clusters, after scaling if there is any; only with a linear kernel, since
        other kernels have their centres in feature space. Read-only.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The training samples, or the landmarks, read-only. A model with a precomputed kernel has
        none.
    landmarks_ : ndarray of shape (n_landmarks, n_features), sparse array or table
        The landmarks, if there are any.
    gamma_ : float
        The resolved gamma.
    kernel_ : str
        The kernel with all its parameters, as a spec.
    report_ : dict
        Details of the fit: storage and why, seconds, notes, and under ``"clusters"`` the inertia
        after each iteration, samples that changed their cluster, and clusters that were refilled.
    scaling_, n_features_in_, feature_names_in_
        As for :class:`mercer.KernelPCA`.

    Examples
    --------
    Two rings, which no straight line separates:

    >>> from sklearn.datasets import make_circles
    >>> from mercer import KernelKMeans
    >>> X, y = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> rings = KernelKMeans(n_clusters=2, gamma=3.0).fit(X)
    >>> rings.cluster_sizes_
    array([100, 100], dtype=int32)
    >>> rings.predict([[0.0, 0.3], [0.3, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    array([1, 1, 0, 0], dtype=int32)
    """

    labels_: np.ndarray
    inertia_: float
    n_iter_: int
    cluster_sizes_: np.ndarray
    gamma_: float
    kernel_: str
    report_: ClusteringReport

    X_fit_ = property(_predict.training_set)
    landmarks_ = property(_landmarks.landmarks)
    _reads_again = True
    cluster_centers_ = property(_linear.centers)

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
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
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
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method

    @_fit.unchanged_on_error
    def fit(self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Compute the clusters. A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : None
            Not used.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples: 2 is equivalent to two copies, 0 to leaving the sample out.

        Returns
        -------
        self : KernelKMeans
            The estimator itself.
        """
        clock = Clock(self)
        self._check_params()
        X = _fit.training_samples(self, X, None, sample_weight)
        _check_count(self, X.shape[0])
        choice = _fit.choose_kernel(self, X)
        data = _fit.training_data(self, X, choice)
        with fitting(self, clock, "raise max_time, or fit on fewer samples") as run:
            settings = self._settings(X, choice)
            in_blocks = isinstance(X, Streamed)  # whose weights come with the blocks
            weights = None if in_blocks else validate_weights(sample_weight, X.shape[0])
            model = _core.fit_kernel_kmeans(data, weights, settings, run)
        self._choice = choice
        self._set_model(model)
        warn_of_notes(self.report_, ConvergenceWarning)
        return self

    def fit_predict(
        self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None
    ) -> np.ndarray:
        """Compute the clusters and return that of each sample; parameters as for :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The clusters, equal to ``labels_``.
        """
        return self.fit(X, y, sample_weight).labels_

    def fit_transform(
        self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None
    ) -> Table:
        """Compute the clusters and return the distances of each sample, as :meth:`transform` does.

        Parameters are those of :meth:`fit`. For a precomputed kernel, k(x, x) is read from the
        diagonal of the matrix.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Distances to the centres.
        """
        X = _predict.new_samples(self.fit(X, y, sample_weight), X)
        is_matrix = isinstance(self._choice, Precomputed)
        return self._distances(X, np.diagonal(X) if is_matrix else None)

    @by_blocks
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
        X = _predict.new_samples(self, X)
        with _fit.run_of(self) as run:
            return _core.kmeans_labels(self._model, _predict.to_model(self, X), run)

    landmark_residual = _landmarks.landmark_residual

    @by_blocks
    def transform(self, X: Samples, *, diagonal: ArrayLike | None = None) -> Table:
        """Return the distances of samples to the centres, in feature space.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.
        diagonal : array-like of shape (n_samples,), optional
            k(x, x) of each sample; required for a precomputed kernel.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Distances, not squared.
        """
        return self._distances(_predict.new_samples(self, X), diagonal)

    def score(
        self,
        X: Samples,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        *,
        diagonal: ArrayLike | None = None,
    ) -> float:
        """Return the negative inertia of samples: higher is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`transform`.
        y : None
            Not used.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples.
        diagonal : array-like of shape (n_samples,), optional
            As for :meth:`transform`.

        Returns
        -------
        score : float
            − Σ_i w_i ‖φ(x_i) − m‖² with m the nearest centre of each.
        """
        nearest = self._squared_distances(_predict.new_samples(self, X), diagonal).min(axis=1)
        weights = finite_weights(sample_weight, len(nearest))
        return -float(nearest.sum() if weights is None else weights @ nearest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_params(self) -> None:
        _params.at_least(self, "n_clusters", 1, integer=True)
        _params.at_least(self, "max_iter", 1, integer=True)
        _params.at_least(self, "tol", 0)
        _params.one_of(self, "precision", _fit.PRECISIONS)
        _landmarks.check_params(self)
        if isinstance(self.init, str):
            _params.one_of(self, "init", _INITS)
        if not (isinstance(self.n_init, str) and self.n_init == "auto") and not (
            is_integer(self.n_init) and self.n_init >= 1
        ):
            raise refuse(self, "n_init", "'auto' or an integer of at least 1", self.n_init)

    def _settings(self, X: Checked, choice: Choice) -> dict[str, object]:
        """The parameters as the extension module takes them."""
        return {
            "clusters": int(self.n_clusters),
            "kernel": kernel_argument(choice),
            "init": self.init if isinstance(self.init, str) else _labels(self, X.shape[0]),
            "starts": self._starts(choice),
            "max_rounds": int(self.max_iter),
            "tolerance": float(self.tol),
            "seed": _params.seed(self.random_state),
            "landmarks": _landmarks.settings(self, X, choice),
            "dtype": _fit.result_type(self, X),
        }

    def _starts(self, choice: Choice) -> int:
        init = self.init if isinstance(self.init, str) else "an array"
        drawn = init in ("k-means++", "random")
        if self.n_init == "auto":
            is_kmeans = init == "k-means++" and getattr(choice, "text", None) == "linear"
            return _STARTS if drawn and not is_kmeans else 1
        if drawn or self.n_init == 1:
            return int(self.n_init)
        warn(
            f"n_init={self.n_init!r} has no effect with init={init!r}, which is deterministic: "
            "there is only one start"
        )
        return 1

    def _set_model(self, model: _core.Model) -> None:
        _fit.set_kernel_attributes(self, model)
        facts = _core.kmeans_facts(model)
        self.labels_, self.inertia_ = facts["labels"], facts["inertia"]
        self.n_iter_, self.cluster_sizes_ = facts["rounds"], facts["sizes"]

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        names = {"PlusPlus": "k-means++", "Random": "random", "Spectral": "spectral"}
        init = stored["init"]
        landmarks = _landmarks.params_from_file(stored, model)
        return (
            _fit.file_kernel_params(model)
            | landmarks
            | {
                "n_clusters": stored["clusters"],
                "init": "k-means++" if isinstance(init, dict) else names[init],
                "n_init": stored["starts"],
                "max_iter": stored["max_rounds"],
                "tol": stored["tolerance"],
                "random_state": stored["seed"],
            }
        )

    def _params_to_save(self) -> dict[str, object]:
        # One number per sample would exceed the size limit of a file's header.
        params = super()._params_to_save()
        return params if isinstance(self.init, str) else params | {"init": "k-means++"}

    def _squared_distances(self, X: Checked, diagonal) -> np.ndarray:
        """The squared distances of validated samples to the centres: rows × clusters."""
        diagonal = _predict.diagonal_of(self, X, diagonal)
        with _fit.run_of(self) as run:
            return _core.kmeans_distances(self._model, _predict.to_model(self, X), diagonal, run)

    def _distances(self, X: Checked, diagonal) -> np.ndarray:
        found = np.sqrt(self._squared_distances(X, diagonal))
        return found.astype(dtype_of(self._model.dtype), copy=False)


def _check_count(estimator, n: int) -> None:
    if estimator.n_clusters > n:
        raise ValueError(
            f"n_samples={n} should be >= n_clusters={estimator.n_clusters}: ask for fewer clusters"
        )


def _labels(estimator, n: int) -> np.ndarray:
    """Return the initial cluster of each of n samples."""
    try:
        found = np.asarray(estimator.init)
    except ValueError:
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in "iu" or found.shape != (n,):
        raise ParameterError(
            "The 'init' parameter of KernelKMeans must be 'k-means++', 'random', 'spectral', or an "
            f"array of {n} integers, the cluster of each sample; centres are points in feature "
            f"space and cannot be given. Got {found.dtype} of shape {found.shape} instead."
        )
    wrong = np.flatnonzero((found < 0) | (found >= estimator.n_clusters))
    if wrong.size:
        raise ParameterError(
            f"init assigns row {wrong[0]} to cluster {found[wrong[0]]}, but with "
            f"n_clusters={estimator.n_clusters} clusters are numbered from 0 to "
            f"{estimator.n_clusters - 1}"
        )
    return np.ascontiguousarray(found, dtype=np.int64)
