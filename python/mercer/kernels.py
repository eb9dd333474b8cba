"""Kernels as objects, with the algebra of kernels.

One class for each family the library knows (:class:`RBF`, :class:`Poly`, :class:`Linear`,
:class:`Laplacian`, :class:`Matern`, :class:`RationalQuadratic`, :class:`Cosine`,
:class:`Sigmoid`), and their sums, products, positive multiples and normalised forms. The ``repr``
of a kernel is its spec, the text that is accepted wherever a kernel is.

>>> from mercer.kernels import RBF, Linear, Poly
>>> k = 0.5 * RBF(sigma=2) + Poly(2) * Linear()
>>> k
0.5*rbf(sigma=2) + poly(degree=2)*linear
>>> k([[0.0, 1.0], [2.0, 0.0]]).round(3)
array([[  4.5  ,   0.268],
       [  0.268, 100.5  ]])
"""

from __future__ import annotations

import inspect
from numbers import Real

import numpy as np

from mercer import _core

# The classes of the families are made below, from what the compiled part says of them.
__all__ = ["Kernel", "Normalize", "Product", "Scale", "Spec", "Sum"]


class Kernel:
    """A kernel on vectors: the base class of all others.

    Kernels are compared by their spec. They have scikit-learn's ``get_params`` and ``set_params``,
    so that a grid search reaches their parameters as ``kernel__gamma`` or ``kernel__left__sigma``.
    """

    # Without this, numpy would multiply a number of its own with a kernel as if with an array.
    __array_ufunc__ = None

    @property
    def spec(self) -> str:
        """The kernel as text."""
        return _core.canonical(self._text())

    def _text(self) -> str:
        raise NotImplementedError("a kernel says its own text")

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
        known = self.get_params()
        before = dict(vars(self))
        for key, value in params.items():
            if key not in known:
                names = ", ".join(known) or "none"
                raise ValueError(f"{self} has no parameter {key!r}; it has {names}")
            name, _, rest = key.partition("__")
            if rest:
                getattr(self, name).set_params(**{rest: value})
            else:
                setattr(self, name, value)
        try:
            self._check()
        except ValueError:
            vars(self).update(before)
            raise
        return self

    def _check(self) -> None:
        _core.canonical(self._text())

    def normalize(self) -> Normalize:
        """Return k(x, x') / √(k(x, x)·k(x', x'))."""
        return Normalize(self)

    def __call__(self, X, Y=None) -> np.ndarray:
        """Return the matrix of kernel values of the rows of X with those of Y, or of X."""
        from mercer._pairwise import pairwise_kernels

        return pairwise_kernels(X, Y, kernel=self)

    def __add__(self, other: object) -> Kernel:
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Kernel:
        if isinstance(other, Kernel):
            return Product(self, other)
        return self.__rmul__(other)

    def __rmul__(self, other: object) -> Kernel:
        return Scale(other, self) if isinstance(other, Real) else NotImplemented

    def __repr__(self) -> str:
        return self.spec

    def __eq__(self, other: object) -> bool:
        return self.spec == other.spec if isinstance(other, Kernel) else NotImplemented

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


class _Member(Kernel):
    """A member of a family."""

    _family = ""

    def _text(self) -> str:
        given = [(name, getattr(self, name)) for name in self._names()]
        written = [f"{name}={_value(value)}" for name, value in given if value is not None]
        return f"{self._family}({', '.join(written)})"


def _text(part: object) -> str:
    if not isinstance(part, Kernel):
        raise TypeError(f"a kernel is needed here, not {part!r}")
    return part._text()


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"a number or the name of a rule is needed here, not {value!r}")
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _class_name(family: str) -> str:
    return "RBF" if family == "rbf" else "".join(part.title() for part in family.split("_"))


def _document(family: dict) -> str:
    lines = [family["doc"], "", f"``{family['formula']}``", ""]
    if family["parameters"]:
        lines += ["Parameters", "----------"]
    for parameter in family["parameters"]:
        kinds = [parameter["domain"], *(repr(rule) for rule in parameter["rules"])]
        lines.append(f"{parameter['name']} : {' or '.join(kinds)}, optional")
        lines.append(f"    {parameter['doc']}")
        if parameter["default"] is not None:
            lines.append(f"    Without a word: {parameter['default']}.")
        if parameter["instead_of"] is not None:
            lines.append(f"    Instead of ``{parameter['instead_of']}``.")
    return "\n".join(lines)


def _member(family: dict) -> type[_Member]:
    """Make the class of a family, with a constructor that has the family's parameters."""
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(
            parameter["name"],
            positional if place == 0 and family["positional"] else keyword,
            default=None,
        )
        for place, parameter in enumerate(family["parameters"])
    ]
    signature = inspect.Signature(parameters)

    def __init__(self, *args, **values):  # noqa: N807
        bound = signature.bind(*args, **values)
        bound.apply_defaults()
        vars(self).update(bound.arguments)
        self._check()

    name = _class_name(family["name"])
    body = {
        "__init__": __init__,
        "__signature__": signature,
        "__doc__": _document(family),
        "__module__": __name__,
        "_family": family["name"],
    }
    return type(name, (_Member,), body)


for _described in _core.families():
    _made = _member(_described)
    globals()[_made.__name__] = _made
    __all__.append(_made.__name__)
del _described, _made
