"""Repairs of kernel matrices that are none, as a step before an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import Table, own_values, plain
from mercer._base import Fitted
from mercer._kernel_purpose import Purpose
from mercer._progress import Step
from mercer._samples import checked
from mercer.reports import Report

_METHODS = ("clip", "flip", "shift", "nearest")


class KernelRepair(OneToOneFeatureMixin, TransformerMixin, Fitted):
    """Make a matrix of kernel values positive semi-definite, and those of new samples alike.

    Of a matrix that is not symmetric the mean with its mirror image is repaired. For a similarity
    that is no kernel (see :func:`mercer.check_kernel`), as a step of a pipeline
    before an estimator with ``kernel="precomputed"``. ``save`` writes a fitted repair to a model
    file of its own, beside that of the estimator; :func:`mercer.load` reads both.

    Parameters
    ----------
    method : {"clip", "flip", "shift", "nearest"}, default="clip"
        Negative eigenvalues become 0, which gives the nearest positive semi-definite matrix; or
        change their sign; or all eigenvalues grow until the smallest is 0, which leaves the values
        of different samples as they are; or the nearest such matrix with the same diagonal is
        looked for.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Attributes
    ----------
    change_ : float
        How far the matrix moved: ‖K' − K‖ / ‖K‖.
    converged_ : bool
        Whether the search for ``"nearest"`` reached its tolerance.
    report_ : dict
        How the fit went.
    n_features_in_ : int
        How many training samples there are.

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
    n_features_in_: int

    def __init__(
        self,
        method: str = "clip",
        *,
        n_jobs: int | None = None,
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
    ) -> None:
        self.method = method
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn how to repair.

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
        self._repaired(X)
        return self

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
            The nearest of its kind, symmetric, without negative eigenvalues.
        """
        return self._repaired(X)

    def _repaired(self, X) -> np.ndarray:
        _params.one_of(self, "method", _METHODS)
        X = checked(self, X, Purpose("matrix"), reset=True)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"a square matrix is needed, and this one has the shape {X.shape}")
        with self._run() as run:
            found, model = _core.repair(X, self.method, run)
        self._restore(model)
        return found.astype(X.dtype, copy=False)

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted repair, fresh or from a file."""
        self._keep(model)
        _, self.change_ = _core.repair_facts(model)
        self.converged_ = self.report_["converged"]

    @staticmethod
    def _params_of(saved: dict, model: _core.Model) -> dict[str, object]:
        return {"method": saved["method"]}

    def transform(self, X: ArrayLike) -> Table:
        """Return the repaired kernel values of new samples with the training samples.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples)
            Their kernel values.

        Returns
        -------
        K : ndarray of shape (n_new, n_samples)
            The repaired ones. A shift concerns the value of a sample with itself alone, so that it
            leaves these as they are.
        """
        X = self._rows(X)
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
            The repaired ones, which distances in feature space need.
        """
        X = self._rows(X)
        return _core.repaired_own(self._model, X, own_values(diagonal, X.shape[0]))

    def _rows(self, X) -> np.ndarray:
        check_is_fitted(self)
        return plain(checked(self, X, Purpose("matrix"), reset=False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
