"""What samples a kernel takes: rows of numbers, strings, columns of a table, or anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from mercer import _core
from mercer._kernel_base import Kernel
from mercer._kernel_choice import (
    FAMILIES,
    Described,
    Precomputed,
    invalid_kernel,
    is_precomputed,
)
from mercer._params import ParameterError


@dataclass(frozen=True)
class Purpose:
    """What samples a kernel takes: ``"matrix"``, ``"numbers"``, ``"categories"``, ``"strings"``,
    ``"columns"`` or ``"anything"``, for user-defined functions; and the groups of columns with
    their kinds. Where ``"categories"`` are taken, numbers are, too.
    `untouched` says that a function gets the elements of lists unchanged.
    """

    kind: str
    groups: tuple[tuple[tuple[str, ...], str], ...] = ()
    untouched: bool = False


def purpose_of(kernel: object) -> Purpose:
    """Return what samples a kernel takes, given as a parameter or as a choice."""
    if isinstance(kernel, (list, tuple)):
        return _common([purpose_of(one) for one in kernel])
    if isinstance(kernel, Precomputed) or is_precomputed(kernel):
        return Purpose("matrix")
    if isinstance(kernel, Described):
        found = _purpose(kernel.text)
        return _untouched(found) if isinstance(kernel.given, Kernel) else found
    if isinstance(kernel, Kernel):
        return _untouched(_purpose(kernel.spec))
    if callable(kernel):
        return Purpose("anything")
    if not isinstance(kernel, str):
        raise invalid_kernel(kernel)
    if kernel in FAMILIES:
        return Purpose(FAMILIES[kernel]["input"])
    return Purpose("numbers") if kernel in PAIRWISE_KERNEL_FUNCTIONS else _purpose(kernel)


def _untouched(purpose: Purpose) -> Purpose:
    return replace(purpose, untouched=True) if purpose.kind == "anything" else purpose


def is_custom(choice: object) -> bool:
    """Whether only user-defined functions compare whole samples."""
    return bool(choice.functions) and _purpose(choice.text).kind == "anything"


@lru_cache(maxsize=256)
def _purpose(text: str) -> Purpose:
    groups, whole = _core.purpose(text)
    if not groups:
        return Purpose(whole or "anything")
    return Purpose("columns", tuple((tuple(names), kind or "anything") for names, kind in groups))


def _of_numbers(purpose: Purpose) -> Purpose:
    """The purpose with numbers in the place of categories, which other kernels do not take."""
    groups = tuple(
        (names, "numbers" if kind == "categories" else kind) for names, kind in purpose.groups
    )
    kind = "numbers" if purpose.kind == "categories" else purpose.kind
    return replace(purpose, kind=kind, groups=groups)


def _common(purposes: list[Purpose]) -> Purpose:
    """What samples all of several kernels take."""
    found = set(purposes)
    untouched = any(purpose.untouched for purpose in found)
    found = {replace(purpose, untouched=False) for purpose in found}
    if found == {Purpose("anything")}:
        return Purpose("anything", untouched=untouched)
    # Functions take anything, including what built-in kernels take.
    found = found - {Purpose("anything")} if len(found) == 2 else found
    if Purpose("matrix") in found and len(found) > 1:
        raise ParameterError("kernel='precomputed' cannot be compared with other kernels")
    if len(found) > 1 and all(purpose.groups for purpose in found):
        # Each kernel finds its groups of columns among those of all.
        groups = dict.fromkeys(group for purpose in purposes for group in purpose.groups)
        return Purpose("columns", tuple(groups))
    if len(found) > 1:
        found = {_of_numbers(purpose) for purpose in found}
    if len(found) > 1:
        kinds = ", ".join(sorted({purpose.kind for purpose in found}))
        raise ParameterError(f"kernels on different kinds of samples cannot be compared: {kinds}")
    return found.pop() if found else Purpose("numbers")
