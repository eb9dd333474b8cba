"""Models that are sums of functions of some columns each."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import _predict, kernels
from mercer._arrays import dense
from mercer._kernel_choice import Described
from mercer._kernel_purpose import purpose_of
from mercer._pairwise import pairwise_kernels
from mercer.explain._influence import expansion_of
from mercer.explain._tables import column_names, column_of

Parts = tuple[list[str], np.ndarray, float]


def additive_parts(estimator: Any, X: Any, background: Any, target: object) -> Parts | None:
    """Return names, contributions and the mean prediction of an additive model, else None."""
    model = getattr(estimator, "best_estimator_", estimator)
    choice = getattr(model, "_choice", None)
    if not hasattr(model, "dual_coef_") or not isinstance(choice, Described) or choice.functions:
        return None
    classes = list(getattr(model, "classes_", ()))
    if len(classes) > 2 and hasattr(model, "support_"):
        return None  # votes of pairs of classes
    sign = -1.0 if len(classes) == 2 and target is not None and target == classes[0] else 1.0
    _, coef, intercept = expansion_of(model, target if len(classes) > 2 else None)
    terms = _terms(model, X)
    if terms is None:
        return None
    values, means = [], []
    for of_samples, of_background in (term(coef, X, background) for _, term in terms):
        means.append(sign * of_background.mean())
        values.append(sign * of_samples - means[-1])
    return [name for name, _ in terms], np.column_stack(values), sign * intercept + sum(means)


def _terms(model: Any, X: Any) -> list[tuple[str, Any]] | None:
    """The terms of an additive model: names, and functions of coefficients and samples."""
    if model.kernel_ == "linear" and purpose_of(model._choice).kind == "numbers":
        anchors = _predict.kept_samples(model)
        names = column_names(X)
        return [(name, _linear(anchors, place)) for place, name in enumerate(names)]
    groups: dict[tuple[str, ...], list[str]] = {}
    for term in _summands(kernels.from_spec(model.kernel_)):
        columns = tuple(dict.fromkeys(_columns(term)))
        if not columns:
            return None
        groups.setdefault(columns, []).append(term.spec)
    if len(groups) < 2:
        return None
    anchors = _predict.kept_samples(model)
    return [
        (", ".join(columns), _kernel(" + ".join(specs), anchors))
        for columns, specs in groups.items()
    ]


def _linear(anchors: Any, place: int):
    column = dense(anchors[:, [place]], None)[:, 0]

    def term(coef: np.ndarray, X: Any, background: Any) -> tuple[np.ndarray, np.ndarray]:
        weight = float(column @ coef)
        return tuple(weight * _numbers(rows, place) for rows in (X, background))

    return term


def _numbers(X: Any, place: int) -> np.ndarray:
    return np.asarray(column_of(X, place), dtype=np.float64)


def _kernel(spec: str, anchors: Any):
    def term(coef: np.ndarray, X: Any, background: Any) -> tuple[np.ndarray, np.ndarray]:
        of_samples = pairwise_kernels(X, anchors, kernel=spec) @ coef
        if background is X:
            return of_samples, of_samples
        return of_samples, pairwise_kernels(background, anchors, kernel=spec) @ coef

    return term


def _summands(kernel: kernels.Kernel) -> list[kernels.Kernel]:
    """The terms of a sum, with the factors of sums multiplied out."""
    if isinstance(kernel, kernels.Sum):
        return _summands(kernel.left) + _summands(kernel.right)
    if isinstance(kernel, kernels.Scale):
        return [kernels.Scale(kernel.factor, one) for one in _summands(kernel.kernel)]
    return [kernel]


def _columns(kernel: kernels.Kernel) -> list[str]:
    """The columns that a kernel reads; none for one that reads all."""
    if isinstance(kernel, kernels.Columns):
        return list(kernel.names)
    inner = [part for part in kernel.get_params(deep=False).values() if _is_kernel(part)]
    found = [_columns(part) for part in inner]
    return [] if not all(found) else [name for names in found for name in names]


def _is_kernel(part: object) -> bool:
    return isinstance(part, kernels.Kernel)
