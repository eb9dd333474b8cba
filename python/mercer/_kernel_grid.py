"""The kernels that a search compares: those that are named, in all values of their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mercer import _core
from mercer._kernel_choice import Choice, Described, Precomputed, choose, is_name
from mercer._params import ParameterError
from mercer._samples import Checked, features, held


def kernels_of(estimator, X: Checked) -> list[Choice]:
    """Return the kernels that the estimator's parameters stand for, each once."""
    found: list[Choice] = []
    for choice in _all(estimator, X):
        if choice not in found:
            found.append(choice)
    if len(found) > 1 and any(isinstance(choice, Precomputed) for choice in found):
        raise ParameterError("kernel='precomputed' cannot be compared with other kernels")
    return found


def _all(estimator, X: Checked) -> Iterator[Choice]:
    kernels = _several(estimator.kernel, "kernel")
    values = [_several(getattr(estimator, name), name) for name in ("gamma", "degree", "coef0")]
    # Beside kernels given by their names, those that say their own parameters stay as they are.
    names_alone = not any(is_name(kernel) for kernel in kernels)
    for kernel in kernels:
        if is_name(kernel) or names_alone or callable(kernel):
            for gamma, degree, coef0 in product(*values):
                own = {"gamma": gamma, "degree": degree, "coef0": coef0}
                yield from _one(kernel, X, own | {"kernel_params": estimator.kernel_params})
        else:
            yield choose(kernel, features(X))


def _one(kernel: object, X: Checked, params: dict) -> Iterator[Choice]:
    """A kernel with its parameters, in several widths if it has a width that nobody chose."""
    choice = choose(kernel, features(X), **params)
    plain = isinstance(choice, Described) and not choice.functions
    if plain and is_name(kernel) and params["gamma"] is None:
        left_open = choose(kernel, features(X), **params, open_gamma=True)
        widths = _core.widths(left_open.text, held(X, single=False))
        if len(widths) > 1:
            yield from map(Described, widths)
            return
    yield choice


def _several(value: object, name: str) -> list:
    """The values of a parameter that may have several."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return [value]
    found = value.ravel().tolist() if isinstance(value, np.ndarray) else list(value)
    if not found:
        raise ParameterError(f"{name} is an empty list: there is nothing to choose from")
    return found
