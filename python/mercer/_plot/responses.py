"""What the number that a fitted estimator says of a sample is called."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier, is_outlier_detector

from mercer._plot.samples import last_step
from mercer.explain._influence import model_of


def response_name(estimator: Any, target: object) -> str:
    """Return the name of what :func:`mercer.explain.contributions` explains."""
    if is_classifier(estimator):
        kind = "decision value" if hasattr(estimator, "decision_function") else "probability"
        return f"{kind} for {estimator.classes_[1] if target is None else target}"
    if is_outlier_detector(estimator) or not hasattr(estimator, "predict"):
        return "score"
    return "prediction"


def function_name(estimator: Any, target: object) -> str:
    """Return the name of the function that a kernel expansion computes."""
    model = _model(estimator)
    classes = list(getattr(model, "classes_", ()))
    if isinstance(target, (tuple, list)):
        return f"decision value for {target[0]} against {target[1]}"
    if classes:
        return f"decision value for {classes[1] if target is None else target}"
    if is_outlier_detector(model):
        return "decision value"
    return "prediction" if target is None else f"prediction of target {target}"


def has_landmarks(estimator: Any) -> bool:
    """Whether the terms of a kernel expansion are those of landmarks."""
    return getattr(_model(estimator), "landmarks", None) is not None


def _model(estimator: Any) -> Any:
    return model_of(last_step(estimator), [])[0]
