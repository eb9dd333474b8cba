"""Kernels as objects, with the algebra of kernels.

One class for each built-in family: for rows of numbers (:class:`RBF`, :class:`Poly`,
:class:`Linear`, :class:`Laplacian`, :class:`Matern`, :class:`RationalQuadratic`,
:class:`Periodic`, :class:`Cosine`, :class:`Sigmoid`,
:class:`Energy`), for categories and mixed rows
(:class:`Overlap`, :class:`Gower`), for histograms and for strings; user-defined functions
(:func:`pair`, :func:`block`); kernels on some columns of a table (:func:`columns`); and sums,
products, positive multiples, powers and normalised forms of them all. A number that is added is a
constant kernel, which gives a model an intercept. The ``repr`` of a kernel is its spec, a string
that is accepted wherever a kernel is, also as an operand.

>>> from mercer.kernels import RBF, Linear, Poly
>>> k = 0.5 * RBF(sigma=2) + Poly(2) * Linear()
>>> k
0.5*rbf(sigma=2) + poly(degree=2)*linear
>>> k([[0.0, 1.0], [2.0, 0.0]]).round(3)
array([[  4.5  ,   0.268],
       [  0.268, 100.5  ]])
>>> (Linear() + 1) ** 2 / 4 + "cosine"
0.25*(linear + constant)*(linear + constant) + cosine
"""

from __future__ import annotations

import inspect
from functools import reduce

from mercer import _core
from mercer._kernel_base import Kernel, Normalize, Product, Scale, Spec, Sum, _value
from mercer._kernel_parts import Columns, Custom, block, columns, pair

# The classes of the families are made below, from the registry of the extension module.
__all__ = [
    "Columns",
    "Custom",
    "Kernel",
    "Normalize",
    "Product",
    "Scale",
    "Spec",
    "Sum",
    "block",
    "columns",
    "from_spec",
    "pair",
]


class _Member(Kernel):
    """A member of a family."""

    _family = ""

    def _text(self) -> str:
        given = [(name, getattr(self, name)) for name in self._names()]
        values = [f"{name}={_value(value)}" for name, value in given if value is not None]
        return f"{self._family}({', '.join(values)})"


def _class_name(family: str) -> str:
    return "RBF" if family == "rbf" else "".join(part.title() for part in family.split("_"))


def _document(family: dict) -> str:
    lines = [family["doc"], "", f"``{family['formula']}``", ""]
    if family["parameters"]:
        lines += ["Parameters", "----------"]
    for parameter in family["parameters"]:
        kinds = [parameter["domain"], *(repr(rule) for rule in parameter["rules"])]
        kinds += ["a list with one number per column"] * parameter["per_column"]
        lines.append(f"{parameter['name']} : {' or '.join(kinds)}, optional")
        lines.append(f"    {parameter['doc']}")
        if parameter["default"] is not None:
            lines.append(f"    Default: {parameter['default']}.")
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


_MEMBERS: dict[str, type[_Member]] = {}
for _described in _core.families():
    _made = _member(_described)
    globals()[_made.__name__] = _made
    _MEMBERS[_described["name"]] = _made
    __all__.append(_made.__name__)
del _described, _made


def from_spec(text: str) -> Kernel:
    """Make a kernel object from a spec.

    Parameters
    ----------
    text : str
        The spec, without user-defined functions.

    Returns
    -------
    kernel : Kernel
        The same kernel as ``Spec(text)``, as an expression whose parts can be accessed.

    Examples
    --------
    >>> from mercer.kernels import from_spec
    >>> from_spec("2*rbf(gamma=0.5) + linear").get_params()["left__kernel__gamma"]
    0.5
    """
    operation, operands = _core.shape(text)
    match operation:
        case "member":
            family, values = operands
            return _MEMBERS[family](**values)
        case "sum":
            return reduce(Sum, map(from_spec, operands))
        case "product":
            return reduce(Product, map(from_spec, operands))
        case "scale":
            return Scale(operands[0], from_spec(operands[1]))
        case "normalize":
            return Normalize(from_spec(operands[0]))
        case "columns":
            return Columns(operands[0], from_spec(operands[1]))
    raise ValueError(f"custom({operands[0]!r}) is a function, which a text cannot hold")
