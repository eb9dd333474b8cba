"""Searches for kernel parameters by gradient, as parameters of estimators."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.multiclass import type_of_target

from mercer import _params
from mercer._arrays import validate_targets
from mercer._params import ParameterError, is_integer, is_real

_DEFAULTS = {
    "alpha": True,
    "ard": False,
    "restarts": 0,
    "max_evaluations": 200,
    "tol": 1e-5,
    "bounds": (1e-5, 1e5),
}


def settings(estimator, objectives: tuple[str, ...]) -> dict[str, object] | None:
    """Return how kernel parameters are searched for, as the extension module takes it; None if
    they are not.
    """
    objective = getattr(estimator, "optimize", None)
    if objective is None:
        _refuse_without_effect(estimator)
        return None
    if objective not in objectives:
        known = ", ".join(map(repr, objectives))
        raise ParameterError(f"optimize must be one of {known} or None, not {objective!r}")
    if getattr(estimator, "landmarks", None) is not None:
        raise ParameterError(
            f"optimize={objective!r} is not available with landmarks: search on a sample of the "
            "rows first, and fit with the kernel that it finds"
        )
    return search(objective, estimator.optimize_params, estimator.random_state)


def search(objective: str, given: Mapping | None, random_state: object) -> dict[str, object]:
    """Return a search as the extension module takes it."""
    options = _options(given)
    return {
        "objective": objective,
        "alpha": options["alpha"],
        "per_column": options["ard"],
        "restarts": options["restarts"],
        "seed": _params.seed(random_state),
        "max_evaluations": options["max_evaluations"],
        "tolerance": float(options["tol"]),
        "bounds": tuple(map(float, options["bounds"])),
    }


def _refuse_without_effect(estimator) -> None:
    if getattr(estimator, "optimize_params", None) is not None:
        raise ParameterError("optimize_params has no effect without optimize: set it, or omit both")


def _options(given: object) -> dict:
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"optimize_params must be a dictionary or None, not {given!r}")
    for name in given or {}:
        if name not in _DEFAULTS:
            raise ParameterError(
                f"optimize_params has no key {name!r}: it has {', '.join(_DEFAULTS)}"
            )
    options = _DEFAULTS | dict(given or {})
    for name in ("alpha", "ard"):
        if not isinstance(options[name], (bool, np.bool_)):
            raise _invalid(name, "True or False", options[name])
    for name, least in (("restarts", 0), ("max_evaluations", 1)):
        if not (is_integer(options[name]) and options[name] >= least):
            raise _invalid(name, f"an integer of at least {least}", options[name])
    if not (is_real(options["tol"]) and options["tol"] > 0):
        raise _invalid("tol", "a positive number", options["tol"])
    bounds = options["bounds"]
    pair = isinstance(bounds, (tuple, list)) and len(bounds) == 2 and all(map(is_real, bounds))
    if not (pair and 0 < bounds[0] <= 1 <= bounds[1] < np.inf):
        raise _invalid("bounds", "two factors 0 < low <= 1 <= high", bounds)
    return options


def _invalid(name: str, wanted: str, value: object) -> ParameterError:
    return ParameterError(f"optimize_params[{name!r}] must be {wanted}, not {value!r}")


def aligned_targets(estimator, X, y) -> np.ndarray:
    """Return what a kernel is aligned with: numbers as they are, classes as a column for each."""
    if y is None:
        raise ValueError(
            'optimize="alignment" needs targets or classes y, which the kernel is aligned with'
        )
    if type_of_target(y).startswith("continuous"):
        return validate_targets(estimator, y, X)[0]
    classes, places = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError("y has only one class; at least two are required")
    columns = np.eye(len(classes))[places]
    return validate_targets(estimator, columns, X)[0]
