"""scikit-learn's own test modules, with mercer's estimators in the place of scikit-learn's.

A test module is executed from its source while the packages that it imports from are replaced by
copies that hold mercer's classes, so that also estimators named in parametrisations are swapped.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

import mercer

SWAPPED = {
    "svm": ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"),
    "decomposition": ("PCA", "KernelPCA"),
    "kernel_ridge": ("KernelRidge",),
    "kernel_approximation": ("Nystroem",),
}
NAMES = frozenset(name for names in SWAPPED.values() for name in names)


def names_of(module: str) -> dict[str, object]:
    """Return what a test module of scikit-learn defines, on mercer's estimators."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        pytest.skip(f"{module} is not installed", allow_module_level=True)
    # Whatever it imports is loaded first, so that nothing but the test module is swapped.
    importlib.import_module(module)
    copy = ModuleType(f"swapped.{module}")
    copy.__file__, copy.__package__ = spec.origin, module.rpartition(".")[0]
    with _swapped():
        exec(compile(Path(spec.origin).read_text(), spec.origin, "exec"), vars(copy))
    return {name: value for name, value in vars(copy).items() if not name.startswith("__")}


@contextmanager
def _swapped() -> Iterator[None]:
    """Replace scikit-learn's packages by copies that hold mercer's classes."""
    sklearn = importlib.import_module("sklearn")
    originals = {name: importlib.import_module(f"sklearn.{name}") for name in SWAPPED}
    try:
        for name, original in originals.items():
            _place(sklearn, name, _copy(original, SWAPPED[name]))
        yield
    finally:
        for name, original in originals.items():
            _place(sklearn, name, original)


def _place(sklearn: ModuleType, name: str, module: ModuleType) -> None:
    sys.modules[f"sklearn.{name}"] = module
    setattr(sklearn, name, module)


def _copy(original: ModuleType, names: tuple[str, ...]) -> ModuleType:
    copy = ModuleType(original.__name__)
    vars(copy).update(vars(original))
    vars(copy).update({name: getattr(mercer, name) for name in names})
    return copy


def concerns_mercer(item: pytest.Function) -> bool:
    """Whether a test uses one of the estimators that were swapped."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(map(_is_ours, given)) or _uses(item.function, set())


def _is_ours(value: object) -> bool:
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__.startswith("mercer.")


def _uses(function: FunctionType, seen: set[FunctionType]) -> bool:
    """Whether a function, or one of the same module that it calls, names a swapped estimator."""
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or function in seen:
        return False
    seen.add(function)
    names = set(_names_in(function.__code__))
    called = (function.__globals__.get(name) for name in names)
    return bool(names & NAMES) or any(
        _uses(other, seen)
        for other in called
        if getattr(other, "__globals__", None) is function.__globals__
    )


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
