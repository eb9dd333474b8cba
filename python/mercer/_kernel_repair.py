"""Repair of indefinite kernel matrices, as a step before an estimator."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _fit, _params
from mercer._arrays import Table, as_contiguous, validate_diagonal
from mercer._base import Estimator
from mercer._kernel_purpose import Purpose
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._samples import validate_samples
from mercer._time_limit import Clock, fitting
from mercer.reports import Report

_METHODS = ("clip", "flip", "shift", "nearest")


class KernelRepair(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Make a kernel matrix positive semi-definite, and kernel values of new samples consistent.

    For a similarity that is not a kernel (see :func:`mercer.check_kernel`), as a step of a pipeline
    before an estimator with ``kernel="precomputed"``. Of an asymmetric matrix, the mean with its
    transpose is repaired. ``save`` writes a fitted repair to a model file of its own;
    :func:`mercer.load` reads it like that of any estimator.

    Parameters
    ----------
    method : {"clip", "flip", "shift", "nearest"}, default="clip"
        ``"clip"`` sets negative eigenvalues to 0, which gives the nearest positive semi-definite
        matrix; ``"flip"`` changes their sign; ``"shift"`` adds to all eigenvalues until the
        smallest is 0, which leaves off-diagonal values unchanged; ``"nearest"`` searches for the
        nearest positive semi-definite matrix with the same diagonal.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.
    max_time : float, optional
        Time limit of the fit in seconds; a fit that takes longer raises a TimeoutError.

    Attributes
    ----------
    change_ : float
        The relative change of the matrix: ‖K' − K‖ / ‖K‖.
    converged_ : bool
        Whether the search for ``"nearest"`` reached its tolerance.
    report_ : dict
        How the fit went.
    n_features_in_ : int
        Number of training samples.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRepair, SVC
    >>> from sklearn.pipeline import make_pipeline
    >>> K = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    >>> np.linalg.eigvalsh(K).round(2)
    array([-0.8,  1.9,  1.9])
    >>> np.linalg.eigvalsh(KernelRepair().fit_transform(K)).round(2) + 0.0
    array([0. , 1.9, 1.9])
    >>> make_pipeline(KernelRepair(), SVC(kernel="precomputed")).fit(K, [0, 0, 1]).predict(K)
    array([0, 0, 1])
    """

    change_: float
    converged_: bool
    report_: Report

    def __init__(
        self,
        method: str = "clip",
        *,
        n_jobs: int | None = None,
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        max_time: float | None = None,
    ) -> None:
        self.method = method
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress
        self.max_time = max_time

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit the repair.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples)
            The matrix of kernel values.
        y : None
            Not used.

        Returns
        -------
        self : KernelRepair
            The estimator itself.
        """
        self.fit_transform(X)
        return self

    @_fit.unchanged_on_error
    def fit_transform(self, X: ArrayLike, y: object = None) -> Table:
        """Return the repaired matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples)
            The matrix of kernel values.
        y : None
            Not used.

        Returns
        -------
        K : ndarray of shape (n_samples, n_samples)
            The repaired matrix: symmetric, without negative eigenvalues.
        """
        clock = Clock(self)
        _params.one_of(self, "method", _METHODS)
        X = validate_samples(self, X, Purpose("matrix"), reset=True)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"expected a square matrix, but X has shape {X.shape}")
        with fitting(self, clock, "raise max_time or repair fewer samples") as run:
            found, model = _core.repair(X, self.method, run)
        self._set_model(model)
        warn_of_notes(self.report_)
        return found.astype(X.dtype, copy=False)

    def _set_model(self, model: _core.Model) -> None:
        self._model, self.report_ = model, json.loads(model.report)
        _, self.change_ = _core.repair_facts(model)
        self.converged_ = self.report_["converged"]

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        return {"method": stored["method"]}

    def transform(self, X: ArrayLike) -> Table:
        """Return the repaired kernel values of new samples with the training samples.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples)
            Their kernel values.

        Returns
        -------
        K : ndarray of shape (n_new, n_samples)
            The repaired ones. A shift changes only the kernel value of a sample with itself, so it
            leaves these unchanged.
        """
        X = self._new_rows(X)
        out = np.empty_like(X, order="C")
        _core.repaired(self._model, X, out)
        return out

    def transform_diagonal(self, X: ArrayLike, diagonal: ArrayLike) -> np.ndarray:
        """Return the repaired kernel values of new samples with themselves.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples)
            Their kernel values with the training samples.
        diagonal : array-like of shape (n_new,)
            Their kernel values with themselves.

        Returns
        -------
        diagonal : ndarray of shape (n_new,)
            The repaired ones, which distances in feature space require.
        """
        X = self._new_rows(X)
        return _core.repaired_diagonal(self._model, X, validate_diagonal(diagonal, X.shape[0]))

    def _new_rows(self, X) -> np.ndarray:
        check_is_fitted(self)
        return as_contiguous(validate_samples(self, X, Purpose("matrix"), reset=False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
