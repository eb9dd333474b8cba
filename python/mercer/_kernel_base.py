"""Kernels as objects, and the algebra of kernels."""

from __future__ import annotations

import inspect
from functools import lru_cache
from numbers import Real

import numpy as np

from mercer import _core
from mercer._kernel_operators import Operators, copied


@lru_cache(maxsize=256)
def canonical(text: str) -> str:
    """Return a spec in canonical form; parsed once, however often a fit asks for it."""
    return _core.canonical(text)


class Kernel(Operators):
    """The base class of all kernels.

    Kernels are compared by their spec. They have scikit-learn's ``get_params`` and ``set_params``,
    so that a grid search reaches their parameters as ``kernel__gamma`` or ``kernel__left__sigma``.
    """

    @property
    def spec(self) -> str:
        """The kernel as text."""
        return canonical(self._text())

    def _text(self) -> str:
        raise NotImplementedError

    def _functions(self) -> list:
        """The user-defined functions that the text names, in order."""
        inner = (value for value in self.get_params(deep=False).values())
        return [
            function for part in inner if isinstance(part, Kernel) for function in part._functions()
        ]

    def _names(self) -> tuple[str, ...]:
        return tuple(inspect.signature(type(self)).parameters)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters, with those of nested kernels as ``left__gamma`` if `deep`."""
        params: dict[str, object] = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(params.items()):
                if isinstance(value, Kernel):
                    nested = value.get_params().items()
                    params.update({f"{name}__{key}": inner for key, inner in nested})
        return params

    def set_params(self, **params: object) -> Kernel:
        """Set parameters by their names, as :meth:`get_params` gives them."""
        # What is refused is refused here, before anything has changed.
        copied(self)._assign(params)
        self._assign(params)
        return self

    def _assign(self, params: dict[str, object]) -> None:
        known = self.get_params()
        nested: dict[str, dict[str, object]] = {}
        for key, value in params.items():
            if key not in known:
                raise ValueError(self._unknown(key, known))
            name, _, rest = key.partition("__")
            if rest:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, values in nested.items():
            getattr(self, name)._assign(values)
        self._check()

    def _unknown(self, key: str, known: dict[str, object]) -> str:
        """What is wrong with the name of a parameter, and which names there are."""
        ends = [name for name in known if name.endswith(f"__{key}")]
        hint = f": did you mean {' or '.join(map(repr, ends))}?" if ends else ""
        names = f"; it has {', '.join(known) or 'none'}"
        return f"{self} has no parameter {key!r}{hint or names}"

    def _check(self) -> None:
        canonical(self._text())

    def normalize(self) -> Normalize:
        """Return k(x, x') / √(k(x, x)·k(x', x'))."""
        return Normalize(self)

    def __call__(self, X, Y=None) -> np.ndarray:
        """Return the matrix of kernel values of the samples of X with those of Y, or of X."""
        from mercer._pairwise import pairwise_kernels

        return pairwise_kernels(X, Y, kernel=self)

    def __repr__(self) -> str:
        return self.spec

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return self.spec == other.spec and self._functions() == other._functions()

    def __hash__(self) -> int:
        return hash(self.spec)


class _Pair(Kernel):
    """Two kernels combined."""

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right
        self._check()


class Sum(_Pair):
    """The sum of two kernels; ``k1 + k2`` makes one."""

    def _text(self) -> str:
        return f"{_text(self.left)} + {_text(self.right)}"


class Product(_Pair):
    """The product of two kernels; ``k1 * k2`` makes one."""

    def _text(self) -> str:
        return f"({_text(self.left)})*({_text(self.right)})"


class Scale(Kernel):
    """A positive multiple of a kernel; ``0.5 * k`` makes one."""

    def __init__(self, factor: float, kernel: Kernel):
        self.factor = factor
        self.kernel = kernel
        self._check()

    def _text(self) -> str:
        return f"{_value(self.factor)}*({_text(self.kernel)})"


class Normalize(Kernel):
    """A kernel divided by the lengths of its feature vectors; ``k.normalize()`` makes one."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self._check()

    def _text(self) -> str:
        return f"normalize({_text(self.kernel)})"


class Spec(Kernel):
    """A kernel from its text.

    Parameters
    ----------
    text : str
        The spec.

    Examples
    --------
    >>> from mercer.kernels import RBF, Spec
    >>> Spec("2 * gaussian(sigma=1)") == 2 * RBF(sigma=1)
    True
    """

    def __init__(self, text: str):
        self.text = text
        self._check()

    def _text(self) -> str:
        return self.text

    def _unknown(self, key: str, known: dict[str, object]) -> str:
        return (
            f"Spec({self.text!r}) has no parameter {key!r}, only its text: use "
            f"mercer.kernels.from_spec({self.text!r}), whose parts have parameters"
        )


def _text(part: object) -> str:
    if not isinstance(part, Kernel):
        raise TypeError(f"expected a kernel, not {part!r}")
    return part._text()


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"[{', '.join(_value(number) for number in value)}]"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"expected a number or the name of a rule, not {value!r}")
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
