"""The kernels and gammas that a search over support vector machines compares."""

from __future__ import annotations

import numpy as np

from mercer import _svm_fit
from mercer._kernel_choice import is_name, is_precomputed, takes
from mercer._params import ParameterError, refuse
from mercer._samples import Checked, Strings

_FACTORS = [4.0**power for power in range(-3, 3)]


def kernels_of(estimator) -> list:
    """Return the kernels to compare."""
    given = estimator.kernel
    if not isinstance(given, (list, tuple)):
        return [given]
    if not len(given):
        raise ParameterError("kernel is an empty list: give at least one kernel")
    if len(given) > 1 and any(map(is_precomputed, given)):
        raise ParameterError("kernel='precomputed' cannot be compared with other kernels")
    return list(given)


def gammas_of(estimator, kernel: object, kernels: list, X: Checked) -> list:
    """Return the gammas to compare for a kernel; only None for one that takes none."""
    given = estimator.gammas
    if given is None:
        by_name = is_name(kernel) and takes(kernel, "gamma") and not isinstance(X, Strings)
        return [float(_svm_fit.scale(X)) * factor for factor in _FACTORS] if by_name else [None]
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or not len(given):
        raise refuse(estimator, "gammas", "a sequence of gammas or None", given)
    if not takes(kernel, "gamma"):
        if any(takes(other, "gamma") for other in kernels):
            return [None]
        raise ParameterError(
            f"gammas have no effect on the kernel {kernel!r}, which has no gamma or already sets "
            "it: omit them"
        )
    return given.tolist() if isinstance(given, np.ndarray) else list(given)
