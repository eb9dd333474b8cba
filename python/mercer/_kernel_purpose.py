"""What kind of samples a kernel is for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from mercer import _core
from mercer._kernel_base import Kernel
from mercer._kernel_choice import FAMILIES, Described, Precomputed, no_kernel
from mercer._params import ParameterError


@dataclass(frozen=True)
class Purpose:
    """What samples a kernel is for: ``"matrix"``, ``"numbers"``, ``"texts"``, ``"columns"`` or
    ``"anything"``, which a user's function takes; and the groups of columns with what each holds.
    """

    kind: str
    groups: tuple[tuple[tuple[str, ...], str], ...] = ()


def purpose_of(kernel: object) -> Purpose:
    """Return what samples a kernel is for, as a user gives it or as it was chosen."""
    if isinstance(kernel, (list, tuple)):
        return _common([purpose_of(one) for one in kernel])
    if isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed"):
        return Purpose("matrix")
    if isinstance(kernel, Described):
        return _purpose(kernel.text)
    if isinstance(kernel, Kernel):
        return _purpose(kernel.spec)
    if callable(kernel):
        return Purpose("anything")
    if not isinstance(kernel, str):
        raise no_kernel(kernel)
    if kernel in FAMILIES:
        return Purpose(FAMILIES[kernel]["input"])
    return Purpose("numbers") if kernel in PAIRWISE_KERNEL_FUNCTIONS else _purpose(kernel)


@lru_cache(maxsize=256)
def _purpose(text: str) -> Purpose:
    groups, whole = _core.purpose(text)
    if not groups:
        return Purpose(whole or "anything")
    return Purpose("columns", tuple((tuple(names), kind or "anything") for names, kind in groups))


def _common(purposes: list[Purpose]) -> Purpose:
    """What samples several kernels are for that are compared."""
    found = set(purposes)
    if found == {Purpose("numbers"), Purpose("anything")}:
        return Purpose("numbers")
    if Purpose("matrix") in found and len(found) > 1:
        raise ParameterError("kernel='precomputed' cannot be compared with other kernels")
    if len(found) > 1:
        kinds = ", ".join(sorted({purpose.kind for purpose in found}))
        raise ParameterError(f"kernels for different samples cannot be compared: {kinds}")
    return found.pop() if found else Purpose("numbers")
