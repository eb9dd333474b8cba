"""The kernel that a user's parameters stand for: a spec, with the user-defined functions that it
names, or a precomputed matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS
from sklearn.metrics.pairwise import pairwise_kernels as sklearn_kernels

from mercer import _core
from mercer._custom import Function, name_of, quoted
from mercer._kernel_base import Kernel, canonical
from mercer._kernel_parts import Custom
from mercer._params import ParameterError, is_real

FAMILIES = {
    name: family for family in _core.families() for name in (family["name"], *family["aliases"])
}
_RULES = ("scale", "auto", "median")
# The defaults of gamma, degree and coef0.
DEFAULTS = {"gamma": None, "degree": 3, "coef0": 1}


@dataclass
class Precomputed:
    """The samples are kernel values already."""

    name = "precomputed"
    functions = ()


@dataclass
class Described:
    """A kernel given by its spec.

    `functions` are the user-defined ones that the spec names; where there are some, `given` and
    `params` are what the user passed. `alone` says that the kernel is just one function.
    """

    text: str
    functions: tuple[Function, ...] = ()
    given: object = None
    params: dict = field(default_factory=dict)
    alone: bool = False

    @property
    def name(self) -> str:
        """The name to display."""
        return self.functions[0].name if self.alone else self.text


Choice = Precomputed | Described


def kernel_argument(choice: Choice) -> str | tuple[str, list[Function]]:
    """Return the kernel as the extension module takes it; a precomputed matrix ignores it."""
    if isinstance(choice, Precomputed):
        return "linear"
    return (choice.text, list(choice.functions)) if choice.functions else choice.text


def is_precomputed(kernel: object) -> bool:
    """Whether the parameter says that samples are kernel values."""
    return isinstance(kernel, str) and kernel == "precomputed"


def invalid_kernel(kernel: object) -> ParameterError:
    """Return the error for a kernel of an invalid type."""
    return ParameterError(f"kernel must be a name, a spec or a function, not {kernel!r}")


def choose(
    kernel: object,
    n_features: int,
    *,
    gamma: float | str | None = None,
    degree: float = 3,
    coef0: float = 1,
    kernel_params: Mapping | None = None,
    open_gamma: bool = False,
    defaults: Mapping = DEFAULTS,
    form: str = "pair",
) -> Choice:
    """Return the kernel with these parameters, for samples of `n_features` features.

    With `open_gamma`, a named family whose gamma is not given keeps it open in its spec. `defaults`
    are the estimator's defaults of gamma, degree and coef0; other values fill in the parts of the
    kernel that have such a parameter and leave it open, and are refused if there are none. Only for
    scikit-learn's kernel names are parameters without effect ignored, as scikit-learn does. `form`
    is what a plain function takes: a ``"pair"`` of samples, or a ``"block"`` of two sets.
    """
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise ParameterError(f"kernel_params must be a dictionary or None, not {kernel_params!r}")
    params = dict(kernel_params or {})
    _check(gamma, degree, coef0)
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    chosen = {name: v for name, v in given.items() if v is not None and v != defaults[name]}
    if isinstance(kernel, Custom) or (callable(kernel) and not isinstance(kernel, Kernel)):
        return _plain_function(kernel, form, params, chosen)
    if isinstance(kernel, Kernel):
        functions = _distinct(kernel._functions())
        return Described(_filled(kernel.spec, chosen, params), functions, kernel)
    if not isinstance(kernel, str):
        raise invalid_kernel(kernel)
    if is_precomputed(kernel):
        return Precomputed()
    if kernel in FAMILIES:
        _refuse_unused(kernel, chosen)
        return _named(kernel, given, params, None if open_gamma else n_features)
    if kernel in PAIRWISE_KERNEL_FUNCTIONS:
        numbers = {"gamma": _gamma(gamma, n_features), "degree": degree, "coef0": coef0}
        return _of_scikit_learn(kernel, numbers | params)
    return Described(_filled(canonical(kernel), chosen, params))


def choose_with(kernel: object, n_features: int, params: Mapping) -> Choice:
    """Return the kernel with the keywords of a function such as ``pairwise_kernels``.

    They are parameters of a named kernel or arguments of a user-defined function. Beside an object
    or a spec, gamma, degree and coef0 have the meaning that they have in estimators.
    """
    if not (params and _is_expression(kernel)):
        return choose(kernel, n_features, kernel_params=params or None)
    choice = choose(kernel, n_features)
    for name, value in params.items():
        if name not in DEFAULTS:
            raise ParameterError(
                f"{name}={value!r} cannot be combined with the kernel {choice.text}: write it into "
                "the spec, as in 'matern(nu=2.5)'"
            )
    _check(**DEFAULTS | params)
    given = {name: value for name, value in params.items() if value is not None}
    return replace(choice, text=_filled(choice.text, given, {}))


def _is_expression(kernel: object) -> bool:
    """Whether the kernel is an object or a spec, and not a name or a function."""
    if isinstance(kernel, str):
        return not (is_name(kernel) or is_precomputed(kernel))
    return isinstance(kernel, Kernel) and not isinstance(kernel, Custom)


def _plain_function(kernel: object, form: str, params: dict, chosen: dict) -> Described:
    """A user-defined function; its only parameters are the arguments it is called with."""
    for name, value in chosen.items():
        raise ParameterError(
            f"{name}={value!r} has no effect on a kernel that is a function: omit it"
        )
    if isinstance(kernel, Custom):
        return _function(kernel.function, kernel.form, params, kernel, kernel.name)
    return _function(kernel, form, params, kernel)


def _function(call: Callable, form: str, params: dict, given: object, name=None) -> Described:
    """A kernel that is just one function."""
    function = Function(name or name_of(call), call, form, params, plain=given is call)
    text = _core.canonical(f"custom({quoted(function.name)})")
    return Described(text, (function,), given, params, alone=True)


def _of_scikit_learn(name: str, params: dict) -> Described:
    """A kernel that is not built in, evaluated by scikit-learn."""
    call = partial(sklearn_kernels, metric=name, filter_params=True)
    return _function(call, "block", params, name, name)


def _distinct(functions: list[Function]) -> tuple[Function, ...]:
    """The functions, whose names must differ."""
    found: dict[str, Function] = {}
    for function in functions:
        if found.setdefault(function.name, function) != function:
            raise ParameterError(
                f"two functions in one kernel are called {function.name!r}: give them different "
                "names, as in kernels.pair(f, name='overlap')"
            )
    return tuple(found.values())


def _check(gamma: object, degree: object, coef0: object) -> None:
    if isinstance(gamma, (list, tuple, np.ndarray)):
        raise ParameterError(
            f"The 'gamma' parameter must be one number. Got {gamma!r} instead: for one of each "
            "column, write them into the kernel, as in kernel='rbf(gamma=[0.1, 2, 0.5])'"
        )
    known = isinstance(gamma, str) and gamma in _RULES
    if gamma is not None and not known and not (is_real(gamma) and gamma >= 0):
        rules = ", ".join(map(repr, _RULES))
        raise ParameterError(
            f"The 'gamma' parameter must be a number of at least 0, {rules} or None. "
            f"Got {gamma!r} instead."
        )
    if not (is_real(degree) and degree >= 0):
        raise ParameterError(
            f"The 'degree' parameter must be a number of at least 0. Got {degree!r} instead."
        )
    if not is_real(coef0):
        raise ParameterError(f"The 'coef0' parameter must be a number. Got {coef0!r} instead.")


def _filled(text: str, chosen: dict, params: dict) -> str:
    """A spec with the given parameters filled in."""
    if params:
        raise ParameterError(
            f"kernel_params cannot be combined with the spec {text}: write them into the spec, as "
            "in 'matern(nu=2.5)'"
        )
    for name, value in chosen.items():
        number = value if isinstance(value, str) else float(value)
        found, filled, already_set = _core.filled(text, name, number)
        if not filled and already_set:
            raise ParameterError(
                f"{name}={value!r} conflicts with the kernel {text}, which already sets {name}: "
                "give it once"
            )
        if not filled:
            raise _no_effect(name, value, text)
        text = found
    return text


def _refuse_unused(name: str, chosen: dict) -> None:
    """Refuse parameters that a family lacks, except for scikit-learn's, which ignores them."""
    for key, value in chosen.items():
        if name not in PAIRWISE_KERNEL_FUNCTIONS and not _has(FAMILIES[name], key):
            raise _no_effect(key, value, name)


def _no_effect(name: str, value: object, kernel: str) -> ParameterError:
    return ParameterError(
        f"{name}={value!r} has no effect on the kernel {kernel}, which has no {name}: omit it"
    )


def takes(kernel: object, name: str) -> bool:
    """Whether a parameter given beside a kernel has an effect on it."""
    if is_name(kernel):
        return _has(FAMILIES[kernel], name) if kernel in FAMILIES else name == "gamma"
    if (
        isinstance(kernel, Custom)
        or is_precomputed(kernel)
        or not isinstance(kernel, (Kernel, str))
    ):
        return False
    text = kernel.spec if isinstance(kernel, Kernel) else kernel
    return _core.filled(text, name, 1.0)[1] > 0


def _gamma(gamma: float | str | None, n_features: int) -> float:
    if isinstance(gamma, str) and gamma != "auto":
        raise ParameterError(f"gamma={gamma!r} is not supported for this kernel: give a number")
    return 1.0 / n_features if gamma is None or gamma == "auto" else float(gamma)


def is_name(kernel: object) -> bool:
    """Whether the kernel is given by its name only, which leaves its parameters open."""
    return isinstance(kernel, str) and (kernel in FAMILIES or kernel in PAIRWISE_KERNEL_FUNCTIONS)


def _has(family: dict, name: str) -> bool:
    return any(parameter["name"] == name for parameter in family["parameters"])


def knows_scale(name: str, degree: float) -> bool:
    """Whether the extension module resolves ``gamma="scale"`` for a kernel given by its name."""
    if name not in FAMILIES:
        return False
    rules = {parameter["name"]: parameter["rules"] for parameter in FAMILIES[name]["parameters"]}
    if "degree" in rules and _needs_scikit_learn({"degree": degree}):
        return False
    return "gamma" not in rules or "scale" in rules["gamma"]


def _named(name: str, given: dict, params: dict, n_features: int | None) -> Described:
    """A family by its name, with those of gamma, degree and coef0 that it has, unless `params`
    has them or an alternative to them. Without `n_features`, gamma stays open.
    """
    family = FAMILIES[name]
    known = {parameter["name"]: parameter for parameter in family["parameters"]}
    group = {key: parameter["instead_of"] or key for key, parameter in known.items()}
    taken = {group.get(key, key) for key in params}
    values = dict(params)
    for key, value in given.items():
        if key in known and key not in taken:
            values[key] = value
    if values.get("gamma", 1) is None:
        values.pop("gamma")
        if n_features is not None and family["input"] != "strings":
            values["gamma"] = 1.0 / n_features
    if values.get("gamma") == "median" and "sigma" in known:
        values["sigma"] = values.pop("gamma")
    if _needs_scikit_learn(values):
        gamma = _gamma(given["gamma"], n_features or 1)
        return _of_scikit_learn(family["name"], {**given, "gamma": gamma, **params})
    arguments = ", ".join(f"{key}={_text(value)}" for key, value in values.items())
    return Described(canonical(f"{family['name']}({arguments})"))


def _needs_scikit_learn(values: dict) -> bool:
    """Kernels with powers that are not positive integers are evaluated by scikit-learn."""
    degree = values.get("degree", 1)
    return is_real(degree) and (degree < 1 or degree != int(degree))


def _text(value: object) -> str:
    return value if isinstance(value, str) else repr(float(value))
