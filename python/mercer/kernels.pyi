from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "RBF",
    "AdditiveChi2",
    "AllSubstrings",
    "Chi2",
    "Columns",
    "Constant",
    "Cosine",
    "Custom",
    "Edit",
    "Energy",
    "Exponential",
    "Gappy",
    "Gower",
    "Hellinger",
    "Intersection",
    "JensenShannon",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Mismatch",
    "Normalize",
    "Overlap",
    "Periodic",
    "Poly",
    "Product",
    "RationalQuadratic",
    "Scale",
    "Sigmoid",
    "Spec",
    "Spectrum",
    "Subsequences",
    "Substrings",
    "Sum",
    "block",
    "columns",
    "from_spec",
    "pair",
]

class Kernel:
    @property
    def spec(self) -> str: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Kernel: ...
    def normalize(self) -> Normalize: ...
    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.floating[Any]]: ...
    def __add__(self, other: Kernel | float | str) -> Kernel: ...
    def __radd__(self, other: float | str) -> Kernel: ...
    def __mul__(self, other: Kernel | float | str) -> Kernel: ...
    def __rmul__(self, other: float | str) -> Kernel: ...
    def __truediv__(self, other: float) -> Kernel: ...
    def __pow__(self, exponent: int) -> Kernel: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Sum(Kernel):
    left: Kernel
    right: Kernel
    def __init__(self, left: Kernel, right: Kernel) -> None: ...

class Product(Kernel):
    left: Kernel
    right: Kernel
    def __init__(self, left: Kernel, right: Kernel) -> None: ...

class Scale(Kernel):
    factor: float
    kernel: Kernel
    def __init__(self, factor: float, kernel: Kernel) -> None: ...

class Normalize(Kernel):
    kernel: Kernel
    def __init__(self, kernel: Kernel) -> None: ...

class Spec(Kernel):
    text: str
    def __init__(self, text: str) -> None: ...

class Custom(Kernel):
    function: Callable[..., Any]
    form: Literal["pair", "block"]
    name: str | None
    def __init__(
        self,
        function: Callable[..., Any],
        form: Literal["pair", "block"] = "pair",
        name: str | None = None,
    ) -> None: ...

class Columns(Kernel):
    names: Sequence[str]
    kernel: Kernel
    def __init__(self, names: Sequence[str], kernel: Kernel) -> None: ...

def pair(function: Callable[..., float], name: str | None = None) -> Custom: ...
def block(function: Callable[..., Any], name: str | None = None) -> Custom: ...
def columns(names: str | Sequence[str], kernel: Kernel | str) -> Columns: ...
def from_spec(text: str) -> Kernel: ...

class Linear(Kernel):
    def __init__(self) -> None: ...

class Poly(Kernel):
    degree: int | None
    gamma: float | Literal["scale", "auto"] | None
    coef0: float | None
    def __init__(
        self,
        degree: int | None = None,
        *,
        gamma: float | Literal["scale", "auto"] | None = None,
        coef0: float | None = None,
    ) -> None: ...

class RBF(Kernel):
    gamma: float | Sequence[float] | Literal["scale", "auto"] | None
    sigma: float | Sequence[float] | Literal["median"] | None
    width: float | Sequence[float] | Literal["median"] | None
    def __init__(
        self,
        *,
        gamma: float | Sequence[float] | Literal["scale", "auto"] | None = None,
        sigma: float | Sequence[float] | Literal["median"] | None = None,
        width: float | Sequence[float] | Literal["median"] | None = None,
    ) -> None: ...

class Laplacian(Kernel):
    gamma: float | Sequence[float] | Literal["auto"] | None
    def __init__(self, gamma: float | Sequence[float] | Literal["auto"] | None = None) -> None: ...

class Matern(Kernel):
    nu: float | None
    length: float | Sequence[float] | Literal["median"] | None
    def __init__(
        self,
        nu: float | None = None,
        *,
        length: float | Sequence[float] | Literal["median"] | None = None,
    ) -> None: ...

class RationalQuadratic(Kernel):
    alpha: float | None
    length: float | Sequence[float] | Literal["median"] | None
    def __init__(
        self,
        alpha: float | None = None,
        *,
        length: float | Sequence[float] | Literal["median"] | None = None,
    ) -> None: ...

class Periodic(Kernel):
    period: float | Sequence[float] | None
    length: float | Sequence[float] | None
    def __init__(
        self,
        period: float | Sequence[float] | None = None,
        *,
        length: float | Sequence[float] | None = None,
    ) -> None: ...

class Cosine(Kernel):
    def __init__(self) -> None: ...

class Gower(Kernel):
    def __init__(self) -> None: ...

class Overlap(Kernel):
    def __init__(self) -> None: ...

class Sigmoid(Kernel):
    gamma: float | Literal["scale", "auto"] | None
    coef0: float | None
    def __init__(
        self, gamma: float | Literal["scale", "auto"] | None = None, *, coef0: float | None = None
    ) -> None: ...

class Energy(Kernel):
    exponent: float | None
    def __init__(self, exponent: float | None = None) -> None: ...

class Hellinger(Kernel):
    def __init__(self) -> None: ...

class Intersection(Kernel):
    def __init__(self) -> None: ...

class AdditiveChi2(Kernel):
    def __init__(self) -> None: ...

class Chi2(Kernel):
    gamma: float | Literal["mean"] | None
    def __init__(self, gamma: float | Literal["mean"] | None = None) -> None: ...

class JensenShannon(Kernel):
    def __init__(self) -> None: ...

class Constant(Kernel):
    def __init__(self) -> None: ...

class Spectrum(Kernel):
    p: int | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self, p: int | None = None, *, unit: Literal["chars", "bytes", "words"] | None = None
    ) -> None: ...

class Substrings(Kernel):
    p: int | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self, p: int | None = None, *, unit: Literal["chars", "bytes", "words"] | None = None
    ) -> None: ...

class Exponential(Kernel):
    decay: float | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self, decay: float | None = None, *, unit: Literal["chars", "bytes", "words"] | None = None
    ) -> None: ...

class AllSubstrings(Kernel):
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(self, unit: Literal["chars", "bytes", "words"] | None = None) -> None: ...

class Mismatch(Kernel):
    k: int | None
    m: int | None
    alphabet: int | Literal["auto"] | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self,
        k: int | None = None,
        *,
        m: int | None = None,
        alphabet: int | Literal["auto"] | None = None,
        unit: Literal["chars", "bytes", "words"] | None = None,
    ) -> None: ...

class Gappy(Kernel):
    g: int | None
    m: int | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self,
        g: int | None = None,
        *,
        m: int | None = None,
        unit: Literal["chars", "bytes", "words"] | None = None,
    ) -> None: ...

class Subsequences(Kernel):
    p: int | None
    decay: float | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self,
        p: int | None = None,
        *,
        decay: float | None = None,
        unit: Literal["chars", "bytes", "words"] | None = None,
    ) -> None: ...

class Edit(Kernel):
    width: float | Literal["median"] | None
    gamma: float | None
    unit: Literal["chars", "bytes", "words"] | None
    def __init__(
        self,
        *,
        width: float | Literal["median"] | None = None,
        gamma: float | None = None,
        unit: Literal["chars", "bytes", "words"] | None = None,
    ) -> None: ...
