"""Validation of parameters. Errors say which one is wrong, what it may be, and what it is."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from mercer._reports import warn


class ParameterError(ValueError, TypeError):
    """A parameter has an invalid value. As in scikit-learn, either base class catches it."""


def refuse(owner: object, name: str, expected: str, value: object) -> ParameterError:
    """Return the error for a parameter that is not as expected."""
    kind = type(owner).__name__
    return ParameterError(
        f"The {name!r} parameter of {kind} must be {expected}. Got {value!r} instead."
    )


def is_integer(value: object) -> bool:
    """Whether the value is an integer and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def is_real(value: object) -> bool:
    """Whether the value is a finite real number and not a boolean."""
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return number and bool(np.isfinite(value))


def boolean(owner: object, *names: str) -> None:
    """Refuse parameters that are not booleans."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, (bool, np.bool_)):
            raise refuse(owner, name, "True or False", value)


def at_least(owner: object, name: str, least: float, *, integer: bool = False) -> None:
    """Refuse a parameter that is not a number of at least `least`."""
    value = getattr(owner, name)
    kind = is_integer if integer else is_real
    if not kind(value) or value < least:
        noun = "an integer" if integer else "a number"
        raise refuse(owner, name, f"{noun} of at least {least}", value)


def one_of(owner: object, name: str, options: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of the options."""
    value = getattr(owner, name)
    if not isinstance(value, str) or value not in options:
        raise refuse(owner, name, "one of " + ", ".join(map(repr, options)), value)


def warn_without_effect(owner: object, **defaults: object) -> None:
    """Warn of parameters of randomised solvers that were set and have no effect here."""
    for name, default in defaults.items():
        value = getattr(owner, name)
        if value != default:
            warn(
                f"{name}={value!r} has no effect: the solver iterates until its residuals are "
                "below tol, so set tol instead"
            )


def none_or_positive(owner: object, name: str, *, integer: bool = False) -> None:
    """Refuse a parameter that is neither None nor a positive number."""
    value = getattr(owner, name)
    kind = is_integer if integer else is_real
    if value is not None and not (kind(value) and value > 0):
        noun = "a positive integer" if integer else "a positive number"
        raise refuse(owner, name, f"{noun} or None", value)


def positive_or_infinite(owner: object, name: str) -> None:
    """Refuse a parameter that is neither a positive number nor infinity."""
    value = getattr(owner, name)
    if not (isinstance(value, (float, np.floating)) and value == np.inf):
        positive(owner, name)


def positive(owner: object, name: str, most: float = np.inf) -> None:
    """Refuse a parameter that is not a positive number of at most `most`."""
    value = getattr(owner, name)
    if not is_real(value) or not 0 < value <= most:
        limit = "" if most == np.inf else f" of at most {most}"
        raise refuse(owner, name, f"a positive number{limit}", value)


def penalties(owner: object, name: str, *, positive: bool = False) -> list[float]:
    """Return a number or a sequence of numbers, all of at least 0, as a list."""
    value = getattr(owner, name)
    try:
        found = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        found = np.empty(0)
    sign = found > 0 if positive else found >= 0
    fine = found.ndim == 1 and found.size and np.all(sign & np.isfinite(found))
    if not fine or isinstance(value, (bool, np.bool_, str)):
        least = "greater than 0" if positive else "of at least 0"
        raise refuse(owner, name, f"a finite number {least}, or a sequence of such numbers", value)
    return found.tolist()


def auto_or_count(owner: object, name: str) -> None:
    """Refuse a parameter that is neither ``"auto"`` nor an integer of at least 0."""
    value = getattr(owner, name)
    if isinstance(value, str) and value == "auto":
        return
    if not is_integer(value) or value < 0:
        raise refuse(owner, name, "'auto' or an integer of at least 0", value)


def seed(random_state: object) -> int:
    """Return the seed that `random_state` stands for: 0 for None, for repeatable results."""
    if random_state is None:
        return 0
    if is_integer(random_state):
        check_random_state(int(random_state))
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
