"""The operators of kernels: sums, products, multiples and powers of kernels are kernels.

An operand is a kernel, a spec, or a number: a number that is added is a multiple of the constant
kernel, one that multiplies is a scale.
"""

from __future__ import annotations

from functools import reduce
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

import mercer
from mercer import _core
from mercer._params import ParameterError, is_real

if TYPE_CHECKING:
    from mercer._kernel_base import Kernel


# Powers are products of as many factors, and specs have a limit of nested parentheses.
_MOST = 32


class Operators:
    """What ``+``, ``*``, ``/`` and ``**`` mean for kernels, and why ``-`` means nothing."""

    # Without this, numpy scalars would multiply kernels as if they were arrays.
    __array_ufunc__ = None

    def __add__(self, other: object) -> Kernel:
        return _sum(self, other, _term(self, other))

    def __radd__(self, other: object) -> Kernel:
        return _sum(self, other, _term(self, other), reverse=True)

    def __mul__(self, other: object) -> Kernel:
        if _is_number(other):
            return _scaled(self, other)
        factor = _operand(self, other)
        return NotImplemented if factor is None else mercer.kernels.Product(self, factor)

    def __rmul__(self, other: object) -> Kernel:
        if isinstance(other, str):
            return mercer.kernels.Product(mercer.kernels.from_spec(other), self)
        return _scaled(self, other) if _is_number(other) else NotImplemented

    def __truediv__(self, other: object) -> Kernel:
        if not _is_number(other):
            raise TypeError(f"{self} can only be divided by a positive number, not by {other!r}")
        if not (is_real(other) and other > 0):
            raise ParameterError(f"{self} / {other!r} is not a kernel: divide by a positive number")
        return _scaled(self, 1 / other)

    def __rtruediv__(self, other: object) -> Kernel:
        raise TypeError(f"{other!r} / ({self}) is not a kernel: a kernel cannot be a divisor")

    def __pow__(self, exponent: object) -> Kernel:
        if not _is_number(exponent):
            return NotImplemented
        if not (is_real(exponent) and exponent >= 1 and float(exponent).is_integer()):
            raise ParameterError(
                f"({self}) ** {exponent!r} is not a kernel for all samples: the exponent must be "
                "an integer of at least 1"
            )
        if exponent > _MOST:
            raise ParameterError(
                f"({self}) ** {exponent!r} is too long a product: the exponent must be at most "
                f"{_MOST}"
            )
        copies = [copied(self) for _ in range(int(exponent) - 1)]
        return reduce(mercer.kernels.Product, copies, self)

    def __sub__(self, other: object) -> Kernel:
        raise _difference(f"{self} - {_shown(other)}")

    def __rsub__(self, other: object) -> Kernel:
        raise _difference(f"{_shown(other)} - {self}")

    def __neg__(self) -> Kernel:
        raise _difference(f"-({self})")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _shown(value: object) -> str:
    return f"({value})" if isinstance(value, Operators) else repr(value)


def _difference(text: str) -> TypeError:
    return TypeError(
        f"{text} is not a kernel: differences of kernels have negative eigenvalues; add kernels, "
        "or subtract their matrices"
    )


def _operand(kernel: Kernel, other: object) -> Kernel | None:
    """The kernel that an operand stands for; None if it is neither a kernel nor a spec.

    The parts of an expression are different objects, so that parameters are set one by one.
    """
    if isinstance(other, str):
        return mercer.kernels.from_spec(other)
    if not isinstance(other, Operators):
        return None
    return copied(other) if other is kernel else other


def copied(kernel: Kernel) -> Kernel:
    """Return the same expression of other objects.

    Functions are not copied: a copy would be another function.
    """
    params = kernel.get_params(deep=False).items()
    parts = {name: copied(v) if isinstance(v, Operators) else v for name, v in params}
    return type(kernel)(**parts)


def _scaled(kernel: Kernel, factor: Real) -> Kernel:
    if not (is_real(factor) and factor > 0):
        raise ParameterError(
            f"{factor!r} * ({kernel}) is not a kernel: a scale must be a positive number"
        )
    return mercer.kernels.Scale(factor, kernel)


def _term(kernel: Kernel, other: object) -> Kernel | None:
    """The kernel that is added; None if there is none."""
    if not _is_number(other):
        return _operand(kernel, other)
    if not (is_real(other) and other >= 0):
        raise ParameterError(
            f"{kernel} + {other!r} is not a kernel: an added number must be positive"
        )
    return None if other == 0 else _constant(kernel, other)


def _sum(kernel: Kernel, other: object, term: Kernel | None, *, reverse: bool = False) -> Kernel:
    if term is None:
        # The sum of a list of kernels begins with 0.
        return kernel if _is_number(other) else NotImplemented
    return mercer.kernels.Sum(*((term, kernel) if reverse else (kernel, term)))


def _constant(kernel: Kernel, value: Real) -> Kernel:
    """The kernel whose values are all `value`, on the samples of another kernel."""
    groups, whole = _core.purpose(kernel.spec)
    numbers = [names for names, kind in groups if kind in ("numbers", "categories")]
    if not numbers and (groups or whole == "strings"):
        raise TypeError(
            f"{kernel} + {value!r}: a number can be added to a kernel on rows of numbers, but "
            "this one compares strings; fit an intercept instead"
        )
    found = mercer.kernels.Constant()
    if numbers:
        found = mercer.kernels.Columns(numbers[0], found)
    return found if value == 1 else mercer.kernels.Scale(value, found)
