"""Parameters of the parts of an estimator's kernel, as in ``set_params(kernel__gamma=0.5)``.

scikit-learn reaches into objects only. Here a kernel that is given as a spec has such parameters
too, and stays a spec when they are set.
"""

from __future__ import annotations

from typing import TypeVar

from sklearn.base import BaseEstimator

from mercer._kernel_base import Kernel
from mercer._kernel_choice import DEFAULTS, is_name, is_precomputed
from mercer._params import ParameterError
from mercer.kernels import from_spec

_Estimator = TypeVar("_Estimator", bound=BaseEstimator)

_PREFIX = "kernel__"


def get_params(self: BaseEstimator, deep: bool = True) -> dict:
    """Return the parameters of the estimator.

    Parameters
    ----------
    deep : bool, default=True
        Whether to return the parameters of the kernel's parts too, as ``kernel__gamma`` or
        ``kernel__left__gamma``, if it is an object or a spec.

    Returns
    -------
    params : dict
        The parameters by their names.
    """
    found = BaseEstimator.get_params(self, deep)
    parts = _parts(found.get("kernel")) if deep else {}
    return found | {f"{_PREFIX}{name}": value for name, value in parts.items()}


def set_params(self: _Estimator, **params: object) -> _Estimator:
    """Set parameters of the estimator, or of the parts of its kernel.

    Parameters
    ----------
    **params
        Values by the names that :meth:`get_params` returns. A kernel that is a spec stays one:
        with ``kernel="rbf(gamma=1)"``, ``kernel__gamma=0.5`` makes it ``"rbf(gamma=0.5)"``.

    Returns
    -------
    self : estimator
        The estimator itself.
    """
    if "kernel" not in self._get_param_names():
        return BaseEstimator.set_params(self, **params)
    nested = {name: value for name, value in params.items() if name.startswith(_PREFIX)}
    others = {name: value for name, value in params.items() if name not in nested}
    BaseEstimator.set_params(self, **others)
    if nested:
        values = {name.removeprefix(_PREFIX): value for name, value in nested.items()}
        self.kernel = _with(self, values)
    return self


def _parts(kernel: object) -> dict[str, object]:
    """The parameters of a spec; none for a name, and for a spec that cannot be read."""
    if not _is_spec(kernel):
        return {}
    try:
        return from_spec(kernel).get_params()
    except ValueError:
        return {}


def _is_spec(kernel: object) -> bool:
    return isinstance(kernel, str) and not is_name(kernel) and not is_precomputed(kernel)


def _with(estimator, values: dict[str, object]) -> object:
    """The kernel of an estimator with other values of its parameters."""
    kernel = estimator.kernel
    if isinstance(kernel, Kernel):
        return kernel.set_params(**values)
    if not _is_spec(kernel):
        raise _no_parts(estimator, *next(iter(values.items())))
    before, after = from_spec(kernel), from_spec(kernel).set_params(**values)
    return kernel if after == before else after.spec


def _no_parts(estimator, name: str, value: object) -> ParameterError:
    """The error for a parameter of a kernel that has none."""
    kernel, known = estimator.kernel, estimator._get_param_names()
    if is_name(kernel):
        beside = f"set {name}={value!r}, or " if name in DEFAULTS and name in known else ""
        return ParameterError(
            f"{_PREFIX}{name} does not exist for kernel={kernel!r}, which is only a name: {beside}"
            f"use mercer.kernels.from_spec({kernel!r}) as the kernel"
        )
    shown = repr(kernel) if isinstance(kernel, str) else f"a {type(kernel).__name__}"
    return ParameterError(
        f"{_PREFIX}{name} does not exist for a kernel that is {shown}: use a spec, or an object of "
        "mercer.kernels"
    )
