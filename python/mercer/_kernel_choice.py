"""What a user's choice of kernel means: a spec, a matrix of the user's own, or a function that
scikit-learn evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS
from sklearn.metrics.pairwise import pairwise_kernels as sklearn_kernels

from mercer import _core
from mercer._params import ParameterError, is_real
from mercer.kernels import Kernel

_FAMILIES = {
    name: family for family in _core.families() for name in (family["name"], *family["aliases"])
}
_RULES = ("scale", "auto", "median")
# What gamma, degree and coef0 are where nobody chose them.
_USUAL = {"gamma": None, "degree": 3, "coef0": 1}


@dataclass
class Precomputed:
    """The samples are kernel values already."""

    name = "precomputed"


@dataclass
class Described:
    """A kernel that the library evaluates."""

    text: str


@dataclass
class Foreign:
    """A kernel that scikit-learn evaluates: a function of two rows, or one of its own."""

    metric: str | Callable
    params: dict = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The kernel's name for people."""
        if callable(self.metric):
            return getattr(self.metric, "__name__", type(self.metric).__name__)
        return self.metric

    def matrix(self, X, Y=None, n_jobs=None):
        """Return the kernel values of the rows of X with those of Y, or of X."""
        return sklearn_kernels(
            X, Y, metric=self.metric, filter_params=True, n_jobs=n_jobs, **self.params
        )

    def diagonal(self, X) -> np.ndarray:
        """Return the kernel value of each row of X with itself."""
        return np.array([self.matrix(row[None])[0, 0] for row in X], dtype=np.float64)


def choose(
    kernel: object,
    n_features: int,
    *,
    gamma: float | str | None = None,
    degree: float = 3,
    coef0: float = 1,
    kernel_params: Mapping | None = None,
    open_gamma: bool = False,
    usual: Mapping = _USUAL,
) -> Precomputed | Described | Foreign:
    """Return what a kernel with these parameters is, for samples of `n_features` features.

    With `open_gamma`, the gamma of a named family is left out of its text where none is given.
    `usual` are the values of an estimator's gamma, degree and coef0 that nobody chose: others
    beside a kernel that says its own parameters are refused.
    """
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise ParameterError(f"kernel_params must be a dictionary or None, not {kernel_params!r}")
    params = dict(kernel_params or {})
    _check(gamma, degree, coef0)
    own = {"gamma": gamma, "degree": degree, "coef0": coef0}
    if isinstance(kernel, Kernel):
        _refuse_extras(own, params, usual, "a kernel object")
        return Described(kernel.spec)
    if callable(kernel):
        return Foreign(kernel, params)
    if not isinstance(kernel, str):
        raise ParameterError(f"kernel must be a name, a spec or a function, not {kernel!r}")
    if kernel == "precomputed":
        return Precomputed()
    if kernel in _FAMILIES:
        return _named(kernel, own, params, None if open_gamma else n_features)
    if kernel in PAIRWISE_KERNEL_FUNCTIONS:
        numbers = {"gamma": _gamma(gamma, n_features), "degree": degree, "coef0": coef0}
        return Foreign(kernel, numbers | params)
    text = _core.canonical(kernel)
    _refuse_extras(own, params, usual, "a spec")
    return Described(text)


def _check(gamma: object, degree: object, coef0: object) -> None:
    if gamma is not None and gamma not in _RULES and not (is_real(gamma) and gamma >= 0):
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


def _refuse_extras(own: dict, params: dict, usual: Mapping, what: str) -> None:
    """Refuse parameters beside a kernel that says its own."""
    given = [name for name, default in usual.items() if own[name] != default]
    given += ["kernel_params"] * bool(params)
    if given:
        raise ParameterError(
            f"{', '.join(given)} given beside {what}: write the parameters into the kernel, as in "
            "'rbf(gamma=0.1)'"
        )


def _gamma(gamma: float | str | None, n_features: int) -> float:
    if isinstance(gamma, str) and gamma != "auto":
        raise ParameterError(f"gamma={gamma!r} is not known for this kernel: give a number")
    return 1.0 / n_features if gamma is None or gamma == "auto" else float(gamma)


def is_name(kernel: object) -> bool:
    """Whether the kernel is given by its name alone, which leaves its parameters open."""
    return isinstance(kernel, str) and (kernel in _FAMILIES or kernel in PAIRWISE_KERNEL_FUNCTIONS)


def has_gamma(kernel: object) -> bool:
    """Whether the kernel is given by a name, and has a gamma that can be given beside it."""
    if not is_name(kernel):
        return False
    family = _FAMILIES.get(kernel)
    return kernel == "chi2" if family is None else _has(family, "gamma")


def _has(family: dict, name: str) -> bool:
    return any(parameter["name"] == name for parameter in family["parameters"])


def knows_scale(name: str, degree: float) -> bool:
    """Whether the library itself works out ``gamma="scale"`` for a kernel given by its name."""
    if name not in _FAMILIES:
        return False
    rules = {parameter["name"]: parameter["rules"] for parameter in _FAMILIES[name]["parameters"]}
    if "degree" in rules and _beyond_us({"degree": degree}):
        return False
    return "gamma" not in rules or "scale" in rules["gamma"]


def _named(name: str, own: dict, params: dict, n_features: int | None) -> Described | Foreign:
    """A family by its name: it takes those of gamma, degree and coef0 that it has, unless
    `params` has them or an alternative to them. Without `n_features`, no gamma is filled in.
    """
    family = _FAMILIES[name]
    known = {parameter["name"]: parameter for parameter in family["parameters"]}
    group = {key: parameter["instead_of"] or key for key, parameter in known.items()}
    taken = {group.get(key, key) for key in params}
    values = dict(params)
    for key, value in own.items():
        if key in known and key not in taken:
            values[key] = value
    if values.get("gamma", 1) is None:
        values.pop("gamma")
        if n_features is not None:
            values["gamma"] = 1.0 / n_features
    if values.get("gamma") == "median" and "sigma" in known:
        values["sigma"] = values.pop("gamma")
    if _beyond_us(values):
        gamma = _gamma(own["gamma"], n_features or 1)
        return Foreign(family["name"], {**own, "gamma": gamma, **params})
    written = ", ".join(f"{key}={_text(value)}" for key, value in values.items())
    return Described(_core.canonical(f"{family['name']}({written})"))


def _beyond_us(values: dict) -> bool:
    """scikit-learn evaluates kernels with a gamma of 0 and powers that are no positive integers."""
    degree = values.get("degree", 1)
    odd_degree = is_real(degree) and (degree < 1 or degree != int(degree))
    gamma = values.get("gamma", 1)
    return odd_degree or (is_real(gamma) and gamma == 0)


def _text(value: object) -> str:
    return value if isinstance(value, str) else repr(float(value))
