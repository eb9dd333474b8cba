"""The way back from components to samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import dtype_of, scores
from mercer._kernel_choice import Foreign
from mercer._kernel_model import present
from mercer._kernel_pca_fit import KernelPcaFit
from mercer._params import ParameterError
from mercer.kernels import Kernel


class when_learned:  # noqa: N801
    """Make a method one that only an estimator with ``fit_inverse_transform`` has.

    As an AttributeError, the error also tells pipelines that there is no way back.
    """

    def __init__(self, function: Callable) -> None:
        self._function = function
        update_wrapper(self, function)

    def __get__(self, instance: object, owner: type | None = None) -> Callable:
        if instance is None:
            return self._function
        if not instance.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and "
                "hence the inverse transform is not available."
            )
        return MethodType(self._function, instance)


class KernelPcaInverse(KernelPcaFit):
    """The half of :class:`mercer.KernelPCA` that goes back to samples."""

    @when_learned
    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Map components back to samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Samples whose components these nearly are.

        Raises
        ------
        NotFittedError
            If `fit_inverse_transform` is False; then ``hasattr`` finds no such method either.
        """
        check_is_fitted(self)
        if isinstance(self._choice, Foreign):
            K = self._choice.matrix(
                scores(X, self._n_features_out), self._foreign["scores"], self.n_jobs
            )
            return K @ self._foreign["dual_coef"]
        tile = dtype_of(self.report_["precision"])
        X = scores(X, self._n_features_out).astype(tile, copy=False)
        out = np.empty((len(X), self.n_features_in_), dtype=tile)
        with self._run() as run:
            self._model.inverse_transform(X, out, run)
        self._model.unscale(out)
        return out.astype(dtype_of(self._model.dtype), copy=False)

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of the map back to samples."""
        model = self._fitted()
        found = self._foreign.get("dual_coef") if self._foreign else model.inverse_coef
        return present(found, "no map back was learned: set fit_inverse_transform=True")

    @property
    def X_transformed_fit_(self) -> np.ndarray:  # noqa: N802
        """The components that the map back was learned on."""
        model = self._fitted()
        found = self._foreign.get("scores") if self._foreign else model.inverse_anchors
        return present(found, "no map back was learned: set fit_inverse_transform=True")

    def _check_inverse(self) -> None:
        _params.boolean(self, "fit_inverse_transform", "inverse_center")
        _params.at_least(self, "alpha", 0)
        if not self.fit_inverse_transform:
            if self.inverse_kernel is not None:
                raise ParameterError("inverse_kernel is given, but fit_inverse_transform is False")
        elif isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")

    def _inverse_choices(self) -> tuple | None:
        if not self.fit_inverse_transform:
            return None
        text = None
        if self.inverse_kernel is not None:
            text = _inverse_text(self.inverse_kernel)
        return text, float(self.alpha), bool(self.inverse_center)

    def _learn_foreign_inverse(self, X) -> None:
        """The map back with a kernel that only scikit-learn can evaluate, as it is done there."""
        if not self.fit_inverse_transform:
            return
        if self.inverse_kernel is not None or self.inverse_center:
            raise ParameterError(
                "inverse_kernel and inverse_center need a kernel that is given by a name or spec"
            )
        fitted = self._training_scores()
        K = self._choice.matrix(fitted, None, self.n_jobs)
        K.flat[:: len(K) + 1] += self.alpha
        self._foreign["scores"] = fitted
        self._foreign["dual_coef"] = linalg.solve(K, X, assume_a="pos", overwrite_a=True)


def _inverse_text(kernel: str | Kernel) -> str:
    """Return the spec of the map back's kernel."""
    if isinstance(kernel, Kernel):
        return kernel.spec
    if isinstance(kernel, str):
        return _core.canonical(kernel)
    raise ParameterError(f"inverse_kernel must be a spec or a kernel object, not {kernel!r}")
