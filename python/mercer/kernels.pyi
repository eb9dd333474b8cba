from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "RBF",
    "Cosine",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Normalize",
    "Poly",
    "Product",
    "RationalQuadratic",
    "Scale",
    "Sigmoid",
    "Spec",
    "Sum",
]

class Kernel:
    @property
    def spec(self) -> str: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Kernel: ...
    def normalize(self) -> Normalize: ...
    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> NDArray[np.floating[Any]]: ...
    def __add__(self, other: Kernel) -> Kernel: ...
    def __mul__(self, other: Kernel | float) -> Kernel: ...
    def __rmul__(self, other: float) -> Kernel: ...
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
    gamma: float | Literal["scale", "auto"] | None
    sigma: float | Literal["median"] | None
    width: float | Literal["median"] | None
    def __init__(
        self,
        *,
        gamma: float | Literal["scale", "auto"] | None = None,
        sigma: float | Literal["median"] | None = None,
        width: float | Literal["median"] | None = None,
    ) -> None: ...

class Laplacian(Kernel):
    gamma: float | Literal["auto"] | None
    def __init__(self, gamma: float | Literal["auto"] | None = None) -> None: ...

class Matern(Kernel):
    nu: float | None
    length: float | Literal["median"] | None
    def __init__(
        self, nu: float | None = None, *, length: float | Literal["median"] | None = None
    ) -> None: ...

class RationalQuadratic(Kernel):
    alpha: float | None
    length: float | Literal["median"] | None
    def __init__(
        self, alpha: float | None = None, *, length: float | Literal["median"] | None = None
    ) -> None: ...

class Cosine(Kernel):
    def __init__(self) -> None: ...

class Sigmoid(Kernel):
    gamma: float | Literal["scale", "auto"] | None
    coef0: float | None
    def __init__(
        self,
        gamma: float | Literal["scale", "auto"] | None = None,
        *,
        coef0: float | None = None,
    ) -> None: ...
