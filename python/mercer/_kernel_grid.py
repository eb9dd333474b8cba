"""The kernels that a search compares: those given, with all values of their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mercer import _core, _fit, _landmarks
from mercer._kernel_choice import DEFAULTS, Choice, Described, Precomputed, choose, is_name, takes
from mercer._params import ParameterError
from mercer._samples import Checked, features, to_core
from mercer._stream import Streamed


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
    given = {name: _several(getattr(estimator, name), name) for name in DEFAULTS}
    if len(kernels) > 1:
        _refuse_unused(kernels, given)
    for kernel in kernels:
        # One of several kernels takes the parameters it has; the others are for the others.
        tuned = {
            name: values if len(kernels) == 1 or takes(kernel, name) else [DEFAULTS[name]]
            for name, values in given.items()
        }
        params = None if len(kernels) > 1 and not is_name(kernel) else estimator.kernel_params
        for values in product(*tuned.values()):
            given_now = dict(zip(tuned, values, strict=True)) | {"kernel_params": params}
            yield from _one(estimator, kernel, X, given_now)


def _refuse_unused(kernels: list, given: dict[str, list]) -> None:
    """Refuse parameters that have an effect on none of the kernels."""
    for name, values in given.items():
        if values != [DEFAULTS[name]] and not any(takes(kernel, name) for kernel in kernels):
            value = values[0] if len(values) == 1 else values
            raise ParameterError(f"{name}={value!r} has no effect on any of the kernels")


def _one(estimator, kernel: object, X: Checked | Streamed, params: dict) -> Iterator[Choice]:
    """A kernel with its parameters, in several widths if its width was left open."""
    choice = choose(kernel, features(X), **params)
    built_in = isinstance(choice, Described) and not choice.functions
    if built_in and is_name(kernel) and params["gamma"] is None:
        left_open = choose(kernel, features(X), **params, open_gamma=True)
        widths = _widths(estimator, X, left_open)
        if len(widths) > 1:
            yield from map(Described, widths)
            return
    yield choice


def _widths(estimator, X: Checked | Streamed, kernel: Choice) -> list[str]:
    """The widths that suit the samples; with landmarks, those that landmarks are chosen among."""
    if estimator.landmarks is None:
        return _core.widths(kernel.text, to_core(X, single=False))
    landmarks = _landmarks.settings(estimator, X, kernel)
    data = _fit.training_data(estimator, X, kernel)
    with _fit.run_of(estimator) as run:
        return _core.sampled_widths(kernel.text, data, landmarks, run)


def _several(value: object, name: str) -> list:
    """The values of a parameter that may have several."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return [value]
    found = value.ravel().tolist() if isinstance(value, np.ndarray) else list(value)
    if not found:
        raise ParameterError(f"{name} is an empty list: give at least one value")
    return found
