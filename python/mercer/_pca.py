"""PCA with scikit-learn's interface."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import log, pi
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _components, _core, _fit, _params
from mercer._arrays import (
    Samples,
    Table,
    as_contiguous,
    dense,
    dtype_of,
    listing_values,
    scaled,
    validate_rows,
    validate_scores,
)
from mercer._base import Estimator
from mercer._params import is_integer, is_real, refuse
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._stream import by_blocks
from mercer._time_limit import Clock, fitting
from mercer.reports import Report

_SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")
_SPARSE_SOLVERS = ("auto", "arpack", "covariance_eigh")
_NORMALIZERS = ("auto", "QR", "LU", "none")


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Principal components: the directions of largest variance of samples.

    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name;
    parameters after `random_state` are additions. Results are exact to the tolerance whichever
    solver is chosen, repeatable, and do not depend on the number of threads. Samples are read in
    place, in any memory order, without a copy.

    Parameters
    ----------
    n_components : int, float or "mle", optional
        Number of components (0 keeps only the mean and the noise), a fraction of the variance
        between 0 and 1, ``"mle"`` for Minka's maximum likelihood estimate, or, by default,
        min(n_samples, n_features).
    copy : bool, default=True
        Has no effect: X is never modified.
    whiten : bool, default=False
        Whether components are divided by their standard deviations.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        Which matrix is decomposed; all solvers are exact. ``"full"`` takes the smaller of the
        covariance matrix (n_features²) and the Gram matrix (n_samples²), ``"covariance_eigh"`` the
        covariance matrix; ``"arpack"`` and ``"randomized"`` only multiply by X and iterate until
        residuals are below `tol`, and like ``"full"`` take the smaller matrix if all components
        are wanted; ``"auto"`` takes the cheapest. As in scikit-learn, ``"arpack"`` finds
        fewer than min(n_samples, n_features) components, and neither it nor ``"randomized"``
        takes a share or ``"mle"``.
    tol : float, default=0.0
        Relative residuals to reach with products; 0 stands for 1e-8.
    iterated_power : int or "auto", default="auto"
        Has no effect, with a warning if set: the solver iterates until its residuals are small.
    n_oversamples : int, default=10
        Has no effect, with a warning if set, for the same reason.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Has no effect, with a warning if set, for the same reason.
    random_state : int, RandomState instance, optional
        Seed of the solver's starting vectors. None stands for 0, so that results are repeatable.
    n_jobs : int, optional
        Number of threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.
    max_time : float, optional
        Time limit of the fit in seconds. A fit that takes longer raises a TimeoutError, since there
        are no components before all are found.
    memory_budget : int or str, optional
        Bytes that the fit may take in addition to X, such as ``"2GiB"``; by default all free
        memory.
    progress : bool or callable, default=False
        Whether to show a progress bar, or a function that is called with each :class:`mercer.Step`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Unit directions, by descending variance.
    explained_variance_ : ndarray of shape (n_components,)
        The variance along each, with n_samples - 1 degrees of freedom.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Its fraction of the total variance.
    singular_values_ : ndarray of shape (n_components,)
        The singular values of the centred samples that belong to the components.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.
    n_components_ : int
        The number of components.
    n_samples_ : int
        The number of training samples.
    noise_variance_ : float
        The mean variance along the directions left out.
    report_ : dict
        Details of the fit: solver, decomposition and why, passes, residual, seconds, notes.
    scaling_ : dict or None
        Scaling of columns, for models that the command line fitted with one.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> pca = PCA(n_components=2).fit(X)
    >>> pca.explained_variance_ratio_.round(4)
    array([0.9924, 0.0076])
    >>> pca.singular_values_.round(3)
    array([6.301, 0.55 ])
    """

    components_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    singular_values_: np.ndarray
    mean_: np.ndarray
    noise_variance_: float
    n_components_: int
    n_samples_: int
    report_: Report

    def __init__(
        self,
        n_components: float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        max_time: float | None = None,
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_time = max_time
        self.memory_budget = memory_budget
        self.progress = progress

    def fit(self, X: Samples, y: object = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. float32 and float64 are used as they are, in any memory order. A sparse matrix
            is converted to a dense one if that fits in the memory budget.
        y : None
            Not used.

        Returns
        -------
        self : PCA
            The estimator itself.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Samples, y: object = None) -> Table:
        """Fit the model and return the components of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : None
            Not used.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The components.
        """
        return self._project(self._fit(X))

    @by_blocks
    def transform(self, X: Samples) -> Table:
        """Return the components of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The components.
        """
        return self._project(self._new(X))

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Return the samples that have given components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            The samples.
        """
        check_is_fitted(self)
        X = validate_scores(X, self._n_features_out)
        out = np.empty((len(X), self.n_features_in_), dtype=X.dtype)
        with _fit.run_of(self) as run:
            self._model.inverse_transform(X, out, run)
        self._model.unscale(out)
        return out

    def get_covariance(self) -> np.ndarray:
        """Return the covariance matrix of the model with its noise.

        Returns
        -------
        covariance : ndarray of shape (n_features, n_features)
            Components with their variances, and the noise variance on the diagonal.
        """
        check_is_fitted(self)
        weights = self._variance_beyond_noise()
        covariance = (self.components_.T * weights) @ self.components_
        covariance.flat[:: len(covariance) + 1] += self.noise_variance_
        return covariance

    def get_precision(self) -> np.ndarray:
        """Return the inverse of the covariance matrix of the model.

        Returns
        -------
        precision : ndarray of shape (n_features, n_features)
            The inverse.
        """
        check_is_fitted(self)
        noise, weights = self.noise_variance_, self._variance_beyond_noise()
        # The components are orthonormal, so the inverse acts on each direction alone.
        if noise == 0.0 and len(weights) == self.n_features_in_ and weights.all():
            return (self.components_.T / weights) @ self.components_
        if noise == 0.0:
            return linalg.inv(self.get_covariance())
        shrink = weights / (weights + noise)
        precision = (self.components_.T * -shrink) @ self.components_
        precision.flat[:: len(precision) + 1] += 1.0
        return precision / noise

    @by_blocks
    def score_samples(self, X: Samples) -> np.ndarray:
        """Return the log-likelihood of each sample under the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
            The log-likelihood of each.
        """
        X = self._new(X) - self.mean_
        precision = self.get_precision()
        sign, log_determinant = np.linalg.slogdet(precision)
        log_determinant = log_determinant if sign > 0 else -np.inf
        distances = np.einsum("ij,ij->i", X @ precision, X)
        return -0.5 * (distances + X.shape[1] * log(2.0 * pi) - log_determinant)

    def score(self, X: Samples, y: object = None) -> float:
        """Return the mean log-likelihood of samples under the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.

        Returns
        -------
        log_likelihood : float
            The mean.
        """
        return float(np.mean(self.score_samples(X)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver in _SPARSE_SOLVERS
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # How a fit goes.

    @_fit.unchanged_on_error
    def _fit(self, X) -> np.ndarray:
        clock = Clock(self)
        self._check_params()
        takes_sparse = self.svd_solver in _SPARSE_SOLVERS
        if sparse.issparse(X) and not takes_sparse:
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, '
                f'while "{self.svd_solver}" was passed. See TruncatedSVD for a possible '
                "alternative."
            )
        X = validate_rows(self, X, reset=True, accept_sparse=takes_sparse)
        self._fit_svd_solver = self._named_solver(*X.shape, is_sparse=sparse.issparse(X))
        X = as_contiguous(dense(X, self.memory_budget))
        settings = self._settings(*X.shape)
        with fitting(self, clock, _components.TAKES_LONG) as run, listing_values(X):
            model = _core.fit_pca(X, settings, run)
        self._set_model(model)
        warn_of_notes(self.report_)
        return X

    def _set_model(self, model: _core.Model) -> None:
        self._model, self.report_ = model, json.loads(model.report)
        dtype = dtype_of(model.dtype)
        self.components_ = model.components.astype(dtype, copy=False)
        self.explained_variance_ = model.variance.astype(dtype, copy=False)
        self.explained_variance_ratio_ = model.variance_ratio.astype(dtype, copy=False)
        self.singular_values_ = model.singular_values.astype(dtype, copy=False)
        self.mean_ = model.mean.astype(dtype, copy=False)
        self.noise_variance_ = model.noise_variance
        self.n_samples_, _, self.n_components_ = model.shape

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        solver = {"primal": "covariance_eigh", "dual": "full", "truncated": "arpack"}
        return {
            "n_components": _components.stored_count(stored["components"]),
            "whiten": stored["whiten"],
            "svd_solver": solver.get(stored["road"], "auto"),
            "tol": stored["tolerance"] or 0.0,
            "random_state": stored["seed"],
        }

    def _check_params(self) -> None:
        _params.boolean(self, "copy", "whiten")
        _params.one_of(self, "svd_solver", _SOLVERS)
        _params.one_of(self, "power_iteration_normalizer", _NORMALIZERS)
        _params.at_least(self, "tol", 0)
        _params.at_least(self, "n_oversamples", 1, integer=True)
        _params.auto_or_count(self, "iterated_power")
        _params.warn_without_effect(
            self, iterated_power="auto", n_oversamples=10, power_iteration_normalizer="auto"
        )
        count = self.n_components
        fine = count is None or (isinstance(count, str) and count == "mle")
        fine = fine or (is_integer(count) and count >= 0)
        if not fine and not (is_real(count) and not is_integer(count) and 0 < count < 1):
            expected = "an integer of at least 0, a fraction between 0 and 1, 'mle' or None"
            raise refuse(self, "n_components", expected, count)

    def _settings(self, n: int, d: int) -> dict[str, object]:
        """The parameters as the extension module takes them."""
        count, least = self.n_components, min(n, d)
        if count is None and self.svd_solver == "arpack":
            count = max(least - 1, 1)
        self._check_count(count, n, d)
        smaller = "primal" if d <= n else "dual"
        truncated = "truncated" if is_integer(count) and count < least else smaller
        decompositions = {
            "auto": "auto",
            "full": smaller,
            "covariance_eigh": "primal",
            "arpack": truncated,
            "randomized": truncated,
        }
        return {
            "components": int(count) if is_integer(count) else count,
            "decomposition": decompositions[self.svd_solver],
            "whiten": bool(self.whiten),
            "tolerance": float(self.tol) or None,
            "seed": _params.seed(self.random_state),
        }

    def _named_solver(self, n: int, d: int, *, is_sparse: bool) -> str:
        """The solver that scikit-learn would choose for ``"auto"``, which its messages name;
        results do not depend on it.
        """
        count, least = self.n_components, min(n, d)
        if self.svd_solver != "auto":
            return self.svd_solver
        if is_sparse:
            return "arpack"
        if d <= 1000 and n >= 10 * d:
            return "covariance_eigh"
        few = count is not None and count != "mle" and 1 <= count < 0.8 * least
        return "randomized" if few and max(n, d) > 500 else "full"

    def _check_count(self, count, n: int, d: int) -> None:
        least, shape = min(n, d), f"n_samples={n}, n_features={d}"
        truncated = self.svd_solver in ("arpack", "randomized")
        if truncated and isinstance(count, str):
            raise ValueError(
                f"n_components={count!r} cannot be a string with svd_solver='{self.svd_solver}'"
            )
        if isinstance(count, str) and n < d:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        too_few = truncated and count is not None and count < 1
        if too_few or (is_integer(count) and count > least):
            raise ValueError(
                f"n_components={count!r} must be between {int(truncated)} and "
                f"min(n_samples, n_features)={least} with svd_solver={self._fit_svd_solver!r} "
                f"({shape})"
            )
        if self.svd_solver == "arpack" and self.n_components == least:
            raise ValueError(
                f"n_components={count!r} must be strictly less than min(n_samples, n_features)="
                f"{least} with svd_solver='arpack' ({shape})"
            )

    def _new(self, X) -> np.ndarray:
        """Validated new samples, scaled."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse=True, check_finite=True)
        return scaled(self._model, as_contiguous(dense(X, self.memory_budget)))

    def _project(self, X: np.ndarray) -> np.ndarray:
        out = np.empty((len(X), self._n_features_out), dtype=X.dtype)
        with _fit.run_of(self) as run:
            self._model.transform(X, out, run)
        return out

    def _variance_beyond_noise(self) -> np.ndarray:
        variance, noise = self.explained_variance_, self.noise_variance_
        beyond = np.where(variance > noise, variance - noise, 0.0)
        # With whitening, scikit-learn's model scales its directions by their standard deviations.
        return variance * beyond if self.whiten else beyond
