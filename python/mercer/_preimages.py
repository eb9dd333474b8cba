"""Pre-images: samples whose images in feature space are near given components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import update_wrapper
from types import MethodType
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from mercer import _core, _fit, _params, _predict
from mercer._arrays import as_contiguous, dense, dtype_of
from mercer._kernel_base import Kernel, canonical
from mercer._kernel_choice import is_precomputed
from mercer._pairwise import kernel_matrix
from mercer._params import ParameterError, is_real, refuse
from mercer._reports import warn
from mercer._samples import Checked

_METHODS = ("ridge", "fixed_point", "neighbors", "gradient")
_NO_MAP = "no inverse map was fitted: set fit_inverse_transform=True"


@dataclass
class InverseTransform:
    """The settings of a search for pre-images."""

    method: str
    n_neighbors: int
    n_restarts: int
    max_iter: int
    tol: float

    def settings(self) -> dict[str, object]:
        """The settings as the extension module takes them, validated."""
        _params.at_least(self, "n_neighbors", 1, integer=True)
        _params.at_least(self, "n_restarts", 1, integer=True)
        _params.at_least(self, "max_iter", 1, integer=True)
        _params.positive(self, "tol")
        names = ("method", "neighbours", "restarts", "max_rounds", "tolerance")
        return dict(zip(names, asdict(self).values(), strict=True))


class unless_precomputed:  # noqa: N801
    """Hide a method of estimators whose kernel is precomputed.

    The error is an AttributeError too, so that pipelines see that there is no such method.
    """

    def __init__(self, function: Callable) -> None:
        self._function = function
        update_wrapper(self, function)

    def __get__(self, instance: object, owner: type | None = None) -> Callable:
        if instance is None:
            return self._function
        if is_precomputed(instance.kernel):
            raise NotFittedError(
                "the kernel is precomputed: there are no samples to map back to, by any method"
            )
        return MethodType(self._function, instance)


if TYPE_CHECKING:
    # To a type checker the method is the method.
    _Method = TypeVar("_Method", bound=Callable)

    def unless_precomputed(function: _Method) -> _Method:
        return function


def method_of(estimator, method: object) -> str:
    """Return the method that is asked for, if the model has it."""
    if method is not None and (not isinstance(method, str) or method not in _METHODS):
        expected = "one of " + ", ".join(map(repr, _METHODS)) + ", or None"
        raise refuse(estimator, "method", expected, method)
    if method in (None, "ridge") and _inverse(estimator, "dual_coef") is None:
        raise NotFittedError(
            "The fit_inverse_transform parameter was not set to True when instantiating and "
            "hence the inverse transform by method='ridge' is not available: set it, or choose "
            "method='fixed_point', 'neighbors' or 'gradient', which need no fitted map."
        )
    if estimator._choice.functions and method not in (None, "ridge"):
        raise ValueError(
            f"method={method!r} needs a kernel given by a name or spec, not the function "
            f"{estimator._choice.name!r}"
        )
    return method or "ridge"


def preimages(
    estimator, Y: np.ndarray, search: InverseTransform, return_error: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return samples, and if wanted their errors, for given components."""
    settings, model = search.settings(), estimator._model
    precision = dtype_of(model.precision)
    Y = Y.astype(precision, copy=False)
    out = np.empty((len(Y), estimator.n_features_in_), dtype=precision)
    with _fit.run_of(estimator) as run:
        unconverged = _core.preimages(model, Y, out, settings, run)
        errors = _core.preimage_errors(model, Y, out, run) if return_error else None
    if unconverged:
        warn(
            f"{len(unconverged)} of {len(Y)} samples did not converge in {search.max_iter} "
            f"iterations, the first in row {unconverged[0]}: raise max_iter or tol",
            ConvergenceWarning,
        )
    model.unscale(out)
    return out.astype(dtype_of(model.dtype), copy=False), errors


def custom_preimages(estimator, Y: np.ndarray, return_error: bool) -> np.ndarray:
    """Return samples by the ridge map of a kernel with user-defined functions."""
    if return_error:
        raise ValueError("return_error=True needs a kernel given by a name or spec")
    inverse = estimator._custom_inverse
    return _custom_matrix(estimator, Y, inverse["scores"]) @ inverse["dual_coef"]


def _inverse(estimator, name: str) -> np.ndarray | None:
    """A part of the fitted ridge map; that of user-defined functions is computed here."""
    if estimator._choice.functions:
        return estimator._custom_inverse.get(name)
    model = estimator._model
    return model.inverse_coef if name == "dual_coef" else model.inverse_anchors


def inverse_coef(estimator) -> np.ndarray:
    """Coefficients of the inverse map."""
    estimator._fitted_model()
    return _predict.present(_inverse(estimator, "dual_coef"), _NO_MAP)


def inverse_components(estimator) -> np.ndarray:
    """The components that the inverse map was fitted on."""
    estimator._fitted_model()
    return _predict.present(_inverse(estimator, "scores"), _NO_MAP)


def _chooses_alpha(estimator) -> bool:
    return isinstance(estimator.alpha, str) and estimator.alpha == "loo"


def check_inverse_params(estimator) -> None:
    """Check the parameters of the inverse map."""
    _params.boolean(estimator, "fit_inverse_transform")
    if estimator.inverse_center is not None:
        _params.boolean(estimator, "inverse_center")
    alpha = estimator.alpha
    if not _chooses_alpha(estimator) and not (is_real(alpha) and alpha >= 0):
        raise refuse(estimator, "alpha", "a number of at least 0 or 'loo'", alpha)
    if not estimator.fit_inverse_transform:
        if estimator.inverse_kernel is not None:
            raise ParameterError("inverse_kernel is given, but fit_inverse_transform is False")
    elif is_precomputed(estimator.kernel):
        raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")


def inverse_settings(estimator) -> tuple | None:
    """Return the spec, the penalty and the centring of the inverse map, if one is wanted."""
    if not estimator.fit_inverse_transform:
        return None
    text = None
    if estimator.inverse_kernel is not None:
        text = _inverse_text(estimator.inverse_kernel)
    alpha = None if _chooses_alpha(estimator) else float(estimator.alpha)
    linear = str(estimator.kernel) == "linear" and text in (None, "linear")
    center = estimator.inverse_center
    return text, alpha, linear if center is None else bool(center)


def _inverse_text(kernel: str | Kernel) -> str:
    if isinstance(kernel, Kernel):
        return kernel.spec
    if isinstance(kernel, str):
        return canonical(kernel)
    raise ParameterError(f"inverse_kernel must be a spec or a kernel object, not {kernel!r}")


def inverse_targets(estimator, X: Checked) -> np.ndarray:
    """Return the samples that the inverse map is fitted to."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return as_contiguous(dense(X, estimator.memory_budget))
    raise ValueError(
        "fit_inverse_transform=True needs rows of numbers: other samples have no inverse map"
    )


def fit_custom_inverse(estimator, X: np.ndarray, scores: np.ndarray) -> None:
    """Fit the inverse map of a user-defined function, as scikit-learn does."""
    if (
        estimator.inverse_kernel is not None
        or estimator.inverse_center
        or _chooses_alpha(estimator)
    ):
        raise ParameterError(
            "inverse_kernel, inverse_center and alpha='loo' need a kernel given by a name or spec"
        )
    K = _custom_matrix(estimator, scores)
    K.flat[:: len(K) + 1] += estimator.alpha
    estimator.alpha_ = float(estimator.alpha)
    coef = linalg.solve(K, X, assume_a="pos", overwrite_a=True)
    estimator._custom_inverse = {"scores": scores, "dual_coef": coef}


def _custom_matrix(estimator, X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
    with _fit.run_of(estimator) as run:
        return kernel_matrix(estimator._choice, X, Y, estimator.memory_budget, run)
