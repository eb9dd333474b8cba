"""What a user's choice of kernel means: a text, with functions of the user's own if it names some,
or a matrix that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS
from sklearn.metrics.pairwise import pairwise_kernels as sklearn_kernels

from mercer import _core
from mercer._kernel_base import Kernel
from mercer._kernel_parts import Own, name_of, quoted
from mercer._own import Function
from mercer._params import ParameterError, is_real

FAMILIES = {
    name: family for family in _core.families() for name in (family["name"], *family["aliases"])
}
_RULES = ("scale", "auto", "median")
# What gamma, degree and coef0 are where nobody chose them.
USUAL = {"gamma": None, "degree": 3, "coef0": 1}


@dataclass
class Precomputed:
    """The samples are kernel values already."""

    name = "precomputed"
    functions = ()


@dataclass
class Described:
    """A kernel that the library evaluates.

    `functions` are those of the user's own that the text names; where there are some, `given` and
    `params` are what the user passed. `alone` says that the kernel is nothing but a function.
    """

    text: str
    functions: tuple[Function, ...] = ()
    given: object = None
    params: dict = field(default_factory=dict)
    alone: bool = False

    @property
    def name(self) -> str:
        """The kernel's name for people."""
        return self.functions[0].name if self.alone else self.text


Choice = Precomputed | Described


def written(choice: Choice) -> str | tuple[str, list[Function]]:
    """Return the kernel as the compiled part takes it; beside a given matrix it means nothing."""
    if isinstance(choice, Precomputed):
        return "linear"
    return (choice.text, list(choice.functions)) if choice.functions else choice.text


def no_kernel(kernel: object) -> ParameterError:
    """Return the error for what is no kernel at all."""
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
    usual: Mapping = USUAL,
    form: str = "pair",
) -> Choice:
    """Return what a kernel with these parameters is, for samples of `n_features` features.

    With `open_gamma`, the gamma of a named family is left out of its text where none is given.
    `usual` are the values of an estimator's gamma, degree and coef0 that nobody chose. Others are
    for the parts of the kernel that have such a parameter and leave it open; where there are none,
    they are refused. Only beside scikit-learn's names, those without meaning are ignored, as there.
    `form` is what a plain function takes: a ``"pair"`` of samples, or a ``"block"`` of two sets.
    """
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise ParameterError(f"kernel_params must be a dictionary or None, not {kernel_params!r}")
    params = dict(kernel_params or {})
    _check(gamma, degree, coef0)
    own = {"gamma": gamma, "degree": degree, "coef0": coef0}
    chosen = {name: v for name, v in own.items() if v is not None and v != usual[name]}
    if isinstance(kernel, Own) or (callable(kernel) and not isinstance(kernel, Kernel)):
        return _plain_function(kernel, form, params, chosen)
    if isinstance(kernel, Kernel):
        functions = _distinct(kernel._functions())
        return Described(_filled(kernel.spec, chosen, params), functions, kernel)
    if not isinstance(kernel, str):
        raise no_kernel(kernel)
    if kernel == "precomputed":
        return Precomputed()
    if kernel in FAMILIES:
        _refuse_meaningless(kernel, chosen)
        return _named(kernel, own, params, None if open_gamma else n_features)
    if kernel in PAIRWISE_KERNEL_FUNCTIONS:
        numbers = {"gamma": _gamma(gamma, n_features), "degree": degree, "coef0": coef0}
        return _of_scikit_learn(kernel, numbers | params)
    return Described(_filled(_core.canonical(kernel), chosen, params))


def _plain_function(kernel: object, form: str, params: dict, chosen: dict) -> Described:
    """A function of the user's, which has no parameters but those that it is called with."""
    for name, value in chosen.items():
        raise ParameterError(
            f"{name}={value!r} has no meaning for a kernel that is a function: leave it out"
        )
    if isinstance(kernel, Own):
        return _function(kernel.function, kernel.form, params, kernel, kernel.name)
    return _function(kernel, form, params, kernel)


def _function(call: Callable, form: str, params: dict, given: object, name=None) -> Described:
    """A kernel that is nothing but a function of the user's."""
    function = Function(name or name_of(call), call, form, params, plain=given is call)
    text = _core.canonical(f"custom({quoted(function.name)})")
    return Described(text, (function,), given, params, alone=True)


def _of_scikit_learn(name: str, params: dict) -> Described:
    """A kernel that scikit-learn evaluates for want of one here."""
    call = partial(sklearn_kernels, metric=name, filter_params=True)
    return _function(call, "block", params, name, name)


def _distinct(functions: list[Function]) -> tuple[Function, ...]:
    """The functions, of which no two may have one name."""
    found: dict[str, Function] = {}
    for function in functions:
        if found.setdefault(function.name, function) != function:
            raise ParameterError(
                f"two functions in one kernel are called {function.name!r}: give them names, as in "
                "kernels.pair(f, name='overlap')"
            )
    return tuple(found.values())


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


def _filled(text: str, chosen: dict, params: dict) -> str:
    """A kernel's text with the parameters that are given beside it."""
    if params:
        raise ParameterError(
            f"kernel_params are given beside the kernel {text}: write them into the kernel, as in "
            "'matern(nu=2.5)'"
        )
    for name, value in chosen.items():
        value = value if isinstance(value, str) else float(value)
        found, taken, said = _core.filled(text, name, value)
        if not taken and said:
            raise ParameterError(
                f"{name}={value!r} is given beside the kernel {text}, which says it already: give "
                "it once"
            )
        if not taken:
            raise _meaningless(name, value, text)
        text = found
    return text


def _refuse_meaningless(name: str, chosen: dict) -> None:
    """Refuse parameters that a family has not, unless scikit-learn has it, which ignores them."""
    for key, value in chosen.items():
        if name not in PAIRWISE_KERNEL_FUNCTIONS and not _has(FAMILIES[name], key):
            raise _meaningless(key, value, name)


def _meaningless(name: str, value: object, kernel: str) -> ParameterError:
    return ParameterError(
        f"{name}={value!r} has no meaning for the kernel {kernel}, which has no {name}: leave it "
        "out"
    )


def takes(kernel: object, name: str) -> bool:
    """Whether a parameter that is given beside a kernel means something to it."""
    if is_name(kernel):
        return _has(FAMILIES[kernel], name) if kernel in FAMILIES else name == "gamma"
    if isinstance(kernel, Own) or kernel == "precomputed" or not isinstance(kernel, (Kernel, str)):
        return False
    text = kernel.spec if isinstance(kernel, Kernel) else kernel
    return _core.filled(text, name, 1.0)[1] > 0


def _gamma(gamma: float | str | None, n_features: int) -> float:
    if isinstance(gamma, str) and gamma != "auto":
        raise ParameterError(f"gamma={gamma!r} is not known for this kernel: give a number")
    return 1.0 / n_features if gamma is None or gamma == "auto" else float(gamma)


def is_name(kernel: object) -> bool:
    """Whether the kernel is given by its name alone, which leaves its parameters open."""
    return isinstance(kernel, str) and (kernel in FAMILIES or kernel in PAIRWISE_KERNEL_FUNCTIONS)


def _has(family: dict, name: str) -> bool:
    return any(parameter["name"] == name for parameter in family["parameters"])


def knows_scale(name: str, degree: float) -> bool:
    """Whether the library itself works out ``gamma="scale"`` for a kernel given by its name."""
    if name not in FAMILIES:
        return False
    rules = {parameter["name"]: parameter["rules"] for parameter in FAMILIES[name]["parameters"]}
    if "degree" in rules and _beyond_us({"degree": degree}):
        return False
    return "gamma" not in rules or "scale" in rules["gamma"]


def _named(name: str, own: dict, params: dict, n_features: int | None) -> Described:
    """A family by its name: it takes those of gamma, degree and coef0 that it has, unless
    `params` has them or an alternative to them. Without `n_features`, no gamma is filled in.
    """
    family = FAMILIES[name]
    known = {parameter["name"]: parameter for parameter in family["parameters"]}
    group = {key: parameter["instead_of"] or key for key, parameter in known.items()}
    taken = {group.get(key, key) for key in params}
    values = dict(params)
    for key, value in own.items():
        if key in known and key not in taken:
            values[key] = value
    if values.get("gamma", 1) is None:
        values.pop("gamma")
        if n_features is not None and family["input"] == "numbers":
            values["gamma"] = 1.0 / n_features
    if values.get("gamma") == "median" and "sigma" in known:
        values["sigma"] = values.pop("gamma")
    if _beyond_us(values):
        gamma = _gamma(own["gamma"], n_features or 1)
        return _of_scikit_learn(family["name"], {**own, "gamma": gamma, **params})
    written = ", ".join(f"{key}={_text(value)}" for key, value in values.items())
    return Described(_core.canonical(f"{family['name']}({written})"))


def _beyond_us(values: dict) -> bool:
    """scikit-learn evaluates kernels with powers that are no positive integers."""
    degree = values.get("degree", 1)
    return is_real(degree) and (degree < 1 or degree != int(degree))


def _text(value: object) -> str:
    return value if isinstance(value, str) else repr(float(value))
