"""How a fit of kernel PCA goes: checks, the way to the compiled part, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType

import numpy as np
from scipy import linalg
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import dtype_of, finite, plain, samples, scaled
from mercer._base import Estimator
from mercer._kernel_choice import Described, Foreign
from mercer._kernel_model import PRECISIONS, SampleModel, is_mixed
from mercer._params import ParameterError, is_integer, is_real, refuse
from mercer.kernels import Kernel

_SOLVERS = {
    "auto": "auto",
    "dense": "full",
    "full": "full",
    "arpack": "krylov",
    "randomized": "krylov",
    "krylov": "krylov",
}


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


class KernelPcaFit(SampleModel, Estimator):
    """The private half of :class:`mercer.KernelPCA`."""

    def _fit(self, X) -> None:
        self._check_params()
        X = samples(self, X, reset=True, accept_sparse=True)
        choice = self._choose(X.shape[1])
        self._choice, self._foreign, self._eigenvectors = choice, {}, None
        with self._run() as run:
            if isinstance(choice, Described):
                model = _core.fit_kernel_pca(X, self._choices(X, choice.text), run)
            else:
                model = self._fit_matrix(X, choice, run)
        self._restore(model)
        if isinstance(choice, Foreign):
            self._learn_foreign_inverse(X)

    def _fit_matrix(self, X, choice, run) -> _core.Model:
        finite(X)
        if isinstance(choice, Foreign):
            self._foreign = {"X": X.copy()}
            X = choice.matrix(X, None, self.n_jobs)
        elif X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed metric requires a square matrix. Got {X.shape} instead.")
        single = self._tile_is_single(X)
        X = plain(X.astype(np.float32 if single else np.float64, copy=False))
        return _core.fit_gram(X, self._choices(X, "linear"), run)

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        if not hasattr(self, "_choice"):
            self._choice, self._foreign, self._eigenvectors = self._choice_of(model), {}, None
        self._keep(model)
        dtype = dtype_of(model.dtype)
        self.eigenvalues_ = model.eigenvalues.astype(dtype, copy=False)
        self.explained_variance_ratio_ = model.variance_ratio.astype(dtype, copy=False)
        self._tell_kernel(model)

    @staticmethod
    def _params_of(stored: dict, model: _core.Model) -> dict[str, object]:
        """The parameters that mean the same as those in a file."""
        from mercer._load import components_of

        params = {
            "n_components": components_of(stored["components"]),
            "kernel": "precomputed" if model.anchors is None else stored["kernel"],
            "center": stored["center"],
            "eigen_solver": stored["solver"],
            "tol": stored["tolerance"] or 0,
            "max_iter": stored["max_passes"],
            "random_state": stored["seed"],
            "remove_zero_eig": stored["remove_zero"],
            "precision": "mixed" if is_mixed(model) else "auto",
        }
        if stored["inverse"] is not None:
            params["fit_inverse_transform"] = True
            params["inverse_kernel"] = stored["inverse"]["kernel"]
            params["alpha"] = stored["inverse"]["alpha"]
            params["inverse_center"] = stored["inverse"]["center"]
        return params

    def _check_params(self) -> None:
        _check_components(self)
        _params.boolean(
            self, "fit_inverse_transform", "remove_zero_eig", "copy_X", "center", "inverse_center"
        )
        _params.one_of(self, "eigen_solver", tuple(_SOLVERS))
        _params.one_of(self, "precision", PRECISIONS)
        _params.at_least(self, "alpha", 0)
        _params.at_least(self, "tol", 0)
        _params.auto_or_count(self, "iterated_power")
        _params.warn_without_effect(self, iterated_power="auto")
        if self.max_iter is not None:
            _params.at_least(self, "max_iter", 1, integer=True)
        if not self.fit_inverse_transform:
            if self.inverse_kernel is not None:
                raise ParameterError("inverse_kernel is given, but fit_inverse_transform is False")
        elif isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")

    def _choices(self, X, text: str) -> dict[str, object]:
        """The parameters as the compiled part takes them."""
        count = self.n_components
        return {
            "components": min(int(count), len(X)) if is_integer(count) else count,
            "kernel": text,
            "center": bool(self.center),
            "solver": _SOLVERS[self.eigen_solver],
            "tolerance": float(self.tol) or None,
            "max_passes": None if self.max_iter is None else int(self.max_iter),
            "seed": _params.seed(self.random_state),
            "remove_zero": bool(self.remove_zero_eig),
            "inverse": self._inverse_choices() if self._described else None,
            "single": self._tile_is_single(X),
            "dtype": "f64" if self._results(X) == np.float64 else "f32",
        }

    def _inverse_choices(self) -> tuple | None:
        if not self.fit_inverse_transform:
            return None
        text = None
        if self.inverse_kernel is not None:
            text = inverse_text(self.inverse_kernel)
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

    def _training_scores(self) -> np.ndarray:
        n, _, k = self._model.shape
        out = np.empty((n, k), dtype=dtype_of(self._model.dtype))
        self._model.training_scores(out)
        return out

    def _tiles(self, X) -> np.ndarray:
        """New samples, or kernel values, as the model takes them."""
        check_is_fitted(self)
        given = not self._described
        X = samples(self, X, reset=False, accept_sparse=True, check_finite=given)
        if isinstance(self._choice, Foreign):
            X = self._choice.matrix(X, self._foreign["X"], self.n_jobs)
        X = scaled(self._model, X)
        return plain(X.astype(dtype_of(self.report_["precision"]), copy=False))


def _check_components(estimator) -> None:
    count = estimator.n_components
    fine = count is None or (is_integer(count) and count >= 1)
    if not fine and not (is_real(count) and not is_integer(count) and 0 < count < 1):
        expected = "an integer of at least 1, a share between 0 and 1, or None"
        raise refuse(estimator, "n_components", expected, count)


def inverse_text(kernel: str | Kernel) -> str:
    """Return the spec of the map back's kernel."""
    if isinstance(kernel, Kernel):
        return kernel.spec
    if isinstance(kernel, str):
        return _core.canonical(kernel)
    raise ParameterError(f"inverse_kernel must be a spec or a kernel object, not {kernel!r}")
