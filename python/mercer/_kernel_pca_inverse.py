"""The way back from components to samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import update_wrapper
from types import MethodType
from typing import TYPE_CHECKING, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import dense, dtype_of, plain, scores
from mercer._kernel_model import present, stored
from mercer._kernel_pca_fit import KernelPcaFit
from mercer._pairwise import kernel_matrix
from mercer._params import ParameterError, is_real, refuse
from mercer._samples import Checked
from mercer.kernels import Kernel

_METHODS = ("ridge", "fixed_point", "neighbors", "gradient")
_NO_MAP = "no map back was learned: set fit_inverse_transform=True"


@dataclass
class InverseTransform:
    """How samples are looked for that have given components."""

    method: str
    n_neighbors: int
    n_restarts: int
    max_iter: int
    tol: float

    def choices(self) -> dict[str, object]:
        """The parameters as the compiled part takes them, checked."""
        _params.at_least(self, "n_neighbors", 1, integer=True)
        _params.at_least(self, "n_restarts", 1, integer=True)
        _params.at_least(self, "max_iter", 1, integer=True)
        _params.positive(self, "tol")
        names = ("method", "neighbours", "restarts", "max_rounds", "tolerance")
        return dict(zip(names, asdict(self).values(), strict=True))


class unless_precomputed:  # noqa: N801
    """Make a method one that an estimator of a precomputed kernel does not have.

    As an AttributeError, the error also tells pipelines that there is no way back.
    """

    def __init__(self, function: Callable) -> None:
        self._function = function
        update_wrapper(self, function)

    def __get__(self, instance: object, owner: type | None = None) -> Callable:
        if instance is None:
            return self._function
        if isinstance(instance.kernel, str) and instance.kernel == "precomputed":
            raise NotFittedError(
                "the kernel is precomputed: there are no samples to go back to, whatever the method"
            )
        return MethodType(self._function, instance)


if TYPE_CHECKING:
    # To a type checker the method is the method.
    _Method = TypeVar("_Method", bound=Callable)

    def unless_precomputed(function: _Method) -> _Method:
        return function


class KernelPcaInverse(KernelPcaFit):
    """The half of :class:`mercer.KernelPCA` that goes back to samples."""

    alpha_: float

    @overload
    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        return_error: Literal[False] = False,
    ) -> np.ndarray: ...
    @overload
    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        return_error: Literal[True],
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @unless_precomputed
    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        method: str | None = None,
        n_neighbors: int = 10,
        n_restarts: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        return_error: bool = False,
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Map components back to samples.

        Few points of the feature space are images of samples, so that there is mostly no sample
        with just these components. Each method finds one whose image is near.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.
        method : {"ridge", "fixed_point", "neighbors", "gradient"}, optional
            How: by the map that was learned with `fit_inverse_transform`; by a fixed-point
            iteration, for ``"rbf"`` only; by distances to training samples, as a weighted mean of
            those nearest; or by descent, for kernels that have a gradient. By default by the map
            that was learned.
        n_neighbors : int, default=10
            How many training samples ``"neighbors"`` is made of, and where the others begin.
        n_restarts : int, default=3
            From how many starting points ``"fixed_point"`` and ``"gradient"`` set out for each
            sample; the end whose image is nearest is kept.
        max_iter : int, default=300
            Rounds from each starting point at most. If they do not suffice, a
            ``ConvergenceWarning`` says for how many samples.
        tol : float, default=1e-6
            The step at which they stop, as a share of the spread of the training samples.
        return_error : bool, default=False
            Whether to return the squared distance in feature space between each sample's image and
            the point with these components too.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Samples whose components these nearly are.
        errors : ndarray of shape (n_samples,)
            The squared distances, if `return_error`.

        Raises
        ------
        NotFittedError
            If no method is named and `fit_inverse_transform` is False. With a precomputed kernel
            ``hasattr`` finds no such method either.
        """
        check_is_fitted(self)
        way = InverseTransform(self._method(method), n_neighbors, n_restarts, max_iter, tol)
        Y = scores(X, self._n_features_out)
        if self._choice.functions:
            return self._own_samples(Y, return_error)
        found, errors = self._samples_of(Y, way.choices(), bool(return_error))
        return (found, errors) if return_error else found

    def _method(self, method: object) -> str:
        """The method that is asked for, if it can be had."""
        if method is not None and (not isinstance(method, str) or method not in _METHODS):
            expected = "one of " + ", ".join(map(repr, _METHODS)) + ", or None"
            raise refuse(self, "method", expected, method)
        learned = self._learned("dual_coef", self._model.inverse_coef)
        if method in (None, "ridge") and learned is None:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and "
                "hence the inverse transform by method='ridge' is not available: set it, or choose "
                "method='fixed_point', 'neighbors' or 'gradient', which need no map."
            )
        if self._choice.functions and method not in (None, "ridge"):
            raise ValueError(
                f"method={method!r} needs a kernel that is given by a name or spec, and not the "
                f"function {self._choice.name!r}"
            )
        return method or "ridge"

    def _samples_of(self, Y, choices: dict, wanted: bool) -> tuple[np.ndarray, np.ndarray | None]:
        """Samples, and their errors if they are wanted, by the compiled part."""
        tile = dtype_of(self._model.precision)
        Y = Y.astype(tile, copy=False)
        out = np.empty((len(Y), self.n_features_in_), dtype=tile)
        with self._run() as run:
            left = _core.preimages(self._model, Y, out, choices, run)
            errors = _core.preimage_errors(self._model, Y, out, run) if wanted else None
        if left:
            warnings.warn(
                f"{len(left)} of {len(Y)} samples did not converge in {choices['max_rounds']} "
                f"rounds, the first in row {left[0]}: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._model.unscale(out)
        return out.astype(dtype_of(self._model.dtype), copy=False), errors

    def _own_samples(self, Y, return_error: bool) -> np.ndarray:
        if return_error:
            raise ValueError("return_error=True needs a kernel that is given by a name or spec")
        K = self._own_matrix(Y, self._own_inverse["scores"])
        return K @ self._own_inverse["dual_coef"]

    def _learned(self, name: str, otherwise: np.ndarray | None) -> np.ndarray | None:
        """What belongs to the map back, which the compiled part learns but of own functions."""
        return self._own_inverse.get(name) if self._choice.functions else otherwise

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of the map back to samples."""
        return present(self._learned("dual_coef", self._fitted().inverse_coef), _NO_MAP)

    @property
    def X_transformed_fit_(self) -> np.ndarray:  # noqa: N802
        """The components that the map back was learned on."""
        return present(self._learned("scores", self._fitted().inverse_anchors), _NO_MAP)

    def _restore(self, model: _core.Model) -> None:
        super()._restore(model)
        vars(self).pop("alpha_", None)
        learned = stored(model)["inverse"]
        if learned is not None:
            self.alpha_ = learned["alpha"]

    @property
    def _chooses_alpha(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha == "loo"

    def _check_inverse(self) -> None:
        _params.boolean(self, "fit_inverse_transform")
        if self.inverse_center is not None:
            _params.boolean(self, "inverse_center")
        if not self._chooses_alpha and not (is_real(self.alpha) and self.alpha >= 0):
            raise refuse(self, "alpha", "a number of at least 0 or 'loo'", self.alpha)
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
        alpha = None if self._chooses_alpha else float(self.alpha)
        linear = str(self.kernel) == "linear" and text in (None, "linear")
        center = linear if self.inverse_center is None else bool(self.inverse_center)
        return text, alpha, center

    def _targets_of_inverse(self, X: Checked) -> np.ndarray:
        """The samples that a map back shall lead to."""
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            return plain(dense(X, self.memory_budget))
        raise ValueError(
            "fit_inverse_transform=True needs rows of numbers: no way leads back to other samples"
        )

    def _learn_own_inverse(self, X: np.ndarray) -> None:
        """The map back with a function of the user's, as scikit-learn does it."""
        if not self.fit_inverse_transform:
            return
        if self.inverse_kernel is not None or self.inverse_center or self._chooses_alpha:
            raise ParameterError(
                "inverse_kernel, inverse_center and alpha='loo' need a kernel that is given by a "
                "name or spec"
            )
        fitted = self._training_scores()
        K = self._own_matrix(fitted)
        K.flat[:: len(K) + 1] += self.alpha
        self._own_inverse["scores"], self.alpha_ = fitted, float(self.alpha)
        self._own_inverse["dual_coef"] = linalg.solve(K, X, assume_a="pos", overwrite_a=True)

    def _own_matrix(self, X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
        with self._run() as run:
            return kernel_matrix(self._choice, X, Y, self.memory_budget, run)


def _inverse_text(kernel: str | Kernel) -> str:
    """Return the spec of the map back's kernel."""
    if isinstance(kernel, Kernel):
        return kernel.spec
    if isinstance(kernel, str):
        return _core.canonical(kernel)
    raise ParameterError(f"inverse_kernel must be a spec or a kernel object, not {kernel!r}")
