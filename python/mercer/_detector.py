"""Outlier detection by kernel PCA, with scikit-learn's interface of outlier detectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OutlierMixin
from sklearn.utils.metaestimators import available_if

from mercer import _components, _core, _fit, _landmarks, _params, _predict
from mercer._arrays import Samples
from mercer._base import Estimator
from mercer._contamination import check_contamination, fraction_above, robust_threshold
from mercer._params import refuse
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._stream import by_blocks
from mercer._time_limit import Clock, fitting
from mercer.kernels import Kernel
from mercer.reports import Report

_CRITERIA = ("reconstruction", "projections")


class KernelPCADetector(OutlierMixin, Estimator):
    """Outlier detection: samples that the principal components of a kernel do not explain.

    Kernel PCA finds the directions of largest variance in feature space. A sample is an outlier if
    it is far from their span, or far out within it. The fraction `contamination` of the training
    samples with the most extreme scores are outliers, and so are new samples beyond the same
    threshold. As for scikit-learn's detectors, higher scores are more normal. Results are
    repeatable and do not depend on the number of threads.

    Parameters
    ----------
    n_components : int or float, optional, default=20
        Number of components (at most the number of samples), a fraction of the variance between 0
        and 1, or None for all components of positive variance.
    kernel, gamma, degree, coef0, kernel_params
        The kernel, by default ``"rbf"`` with a gamma of 1 / n_features, as for
        :class:`mercer.KernelPCA`.
    criterion : {"reconstruction", "projections"}, default="reconstruction"
        What is measured: the squared distance in feature space to the span of the components,
        ``k̄(x, x) − Σ_i f_i(x)²``, or the sum ``Σ_i |f_i(x)|``, with k̄ the centred kernel and f the
        components.
    contamination : float or "auto", default=0.1
        The fraction of outliers, above 0 and at most 0.5. It sets the threshold, a quantile of the
        scores of the training samples. ``"auto"`` finds the threshold without such a fraction, as
        ``(median + 3·σ)³`` of the cube roots of the criterion, with σ their median absolute
        deviation divided by 0.6745, or as the largest criterion of the training samples if that is
        less. Cube roots of sums of squares are nearly normal, of which one in 740 lies beyond.
    center : bool, default=True
        Whether to centre the samples in feature space.
    eigen_solver, tol, max_iter, random_state
        How eigenpairs are found, as for :class:`mercer.KernelPCA`.
    max_time, precision, memory_budget, progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`. Scores are float64.
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

    Attributes
    ----------
    training_scores_ : ndarray of shape (n_samples,)
        The result of :meth:`score_samples` for the training samples, at most 0.
    offset_ : float
        The threshold: ``decision_function = score_samples - offset_``.
    n_components_ : int
        Number of components.
    n_iter_ : int
        Passes over the kernel matrix; 1 for a full decomposition.
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

    landmarks_ = property(_landmarks.landmarks)
    eigenvalues_: np.ndarray
    explained_variance_ratio_: np.ndarray
    n_components_: int
    n_iter_: int
    offset_: float
    training_scores_: np.ndarray
    gamma_: float
    kernel_: str
    report_: Report

    _reads_again = True

    X_fit_ = property(_predict.training_set)

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
        contamination: float | str = 0.1,
        center: bool = True,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
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
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        # Not `score`: scikit-learn expects a method of that name.
        self.criterion = criterion
        self.contamination = contamination
        self.center = center
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
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
    def fit(self, X: Samples, y: object = None) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed; with `landmarks`, also a
            table that does not fit into memory: see :func:`mercer.scan`.
        y : None
            Not used.

        Returns
        -------
        self : KernelPCADetector
            The estimator itself.
        """
        clock = Clock(self)
        _components.check_params(self)
        _params.one_of(self, "criterion", _CRITERIA)
        check_contamination(self)
        X = _fit.training_samples(self, X)
        choice = _fit.choose_kernel(self, X)
        model = self._fit_model(
            _fit.training_data(self, X, choice), _components.settings(self, X, choice), clock
        )
        self._choice = choice
        self._set_model(model)
        warn_of_notes(self.report_)
        return self

    @available_if(_landmarks.are_set)
    @_fit.unchanged_on_error
    def partial_fit(self, X: Samples, y: object = None) -> Self:
        """Fit on more samples; requires `landmarks` and a number as `contamination`.

        The first call chooses the landmarks among its samples, unless they are given, and later
        calls keep them: the components are those of all samples so far. Earlier samples are not
        kept, so that their scores in ``training_scores_`` stay those of the call that added them,
        and the threshold is the quantile of all of these. It also goes on from a file.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : None
            Not used.

        Returns
        -------
        self : KernelPCADetector
            The estimator itself.
        """
        if self.contamination == "auto":
            raise refuse(self, "contamination", "a number in partial_fit", self.contamination)
        if not hasattr(self, "_model"):
            return _landmarks.first_fit(self, lambda: self.fit(X))
        self._set_model(_landmarks.continue_fit(self, X, None))
        warn_of_notes(self.report_)
        return self

    def _fit_model(
        self, data: _core.Samples | np.ndarray, settings: dict, clock: Clock
    ) -> _core.Model:
        def fitted(fraction: float) -> _core.Model:
            with fitting(self, clock, _components.TAKES_LONG) as run:
                return _core.fit_detector(data, settings, (self.criterion, fraction), run)

        if self.contamination != "auto":
            return fitted(float(self.contamination))
        # Files store the threshold as the quantile that it is of the training scores.
        model = fitted(0.5)
        scores = _core.detector_facts(model)["training"]
        return _core.with_contamination(model, fraction_above(scores, robust_threshold(scores)))

    def fit_predict(self, X: Samples, y: object = None) -> np.ndarray:
        """Fit the model and classify the training samples as inliers or outliers.

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

    landmark_residual = _landmarks.landmark_residual

    @by_blocks
    def score_samples(self, X: Samples, *, diagonal: ArrayLike | None = None) -> np.ndarray:
        """Return the scores of samples: higher is more normal.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.
        diagonal : array-like of shape (n_samples,), optional
            k(x, x) of each sample; required for a precomputed kernel and ``"reconstruction"``.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The negative criterion.
        """
        X = _predict.new_samples(self, X)
        if self._needs_diagonal or diagonal is not None:
            diagonal = _predict.diagonal_of(self, X, diagonal)
        with _fit.run_of(self) as run:
            return -_core.detector_scores(self._model, _predict.to_model(self, X), diagonal, run)

    @by_blocks
    def decision_function(self, X: Samples, *, diagonal: ArrayLike | None = None) -> np.ndarray:
        """Return the scores relative to the threshold.

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

    @by_blocks
    def predict(self, X: Samples, *, diagonal: ArrayLike | None = None) -> np.ndarray:
        """Classify samples as inliers or outliers.

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

    def _set_model(self, model: _core.Model) -> None:
        _fit.set_kernel_attributes(self, model)
        _components.set_attributes(self, model)
        facts = _core.detector_facts(model)
        self._needs_diagonal = facts["criterion"] == "reconstruction"
        self.n_components_ = model.shape[2]
        self.n_iter_ = max(1, self.report_["passes"])
        self.offset_ = -facts["threshold"]
        self.training_scores_ = -facts["training"]

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        facts = _core.detector_facts(model)
        rule = {name: facts[name] for name in ("criterion", "contamination")}
        if json.loads(model.notes).get("threshold") == "auto":
            rule["contamination"] = "auto"
        return _components.params_from_file(stored, model) | rule

    def _params_to_save(self) -> dict[str, object]:
        # As a parameter, model files take a number only.
        params = super()._params_to_save()
        if self.contamination == "auto":
            params.pop("contamination")
        return params

    def _notes_to_save(self) -> dict[str, object]:
        return {"threshold": "auto"} if self.contamination == "auto" else {}


def _signs(decisions: np.ndarray) -> np.ndarray:
    return np.where(decisions >= 0, 1, -1)
