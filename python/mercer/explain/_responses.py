"""What a fitted estimator says of samples, as one number each."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from mercer._params import ParameterError


def response_of(estimator: Any, target: object = None):
    """Return a function from samples to numbers.

    For a regressor these are predictions, for a detector of outliers ``score_samples``, for a
    classifier decision values, or probabilities if it has no decision values. `target` is the
    class that they are for; of two classes it is the second if it is not given.
    """
    check_is_fitted(estimator)
    if is_classifier(estimator):
        return _of_classes(estimator, _place(estimator, target))
    if target is not None:
        raise ParameterError(f"target={target!r} has no effect: the estimator has no classes")
    if is_outlier_detector(estimator) or not hasattr(estimator, "predict"):
        return lambda X: np.asarray(estimator.score_samples(X), dtype=np.float64)
    return lambda X: np.asarray(estimator.predict(X), dtype=np.float64)


def _place(estimator: Any, target: object) -> int:
    classes = list(estimator.classes_)
    if target is None and len(classes) == 2:
        return 1
    if target not in classes:
        listed = ", ".join(repr(one) for one in estimator.classes_.tolist()[:12])
        raise ParameterError(f"target must be one of the classes {listed}, not {target!r}")
    return classes.index(target)


def _of_classes(estimator: Any, place: int):
    def values(X: Any) -> np.ndarray:
        if not hasattr(estimator, "decision_function"):
            return np.asarray(estimator.predict_proba(X))[:, place]
        found = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if found.ndim == 2 and found.shape[1] != len(estimator.classes_):
            raise ParameterError("explanations of a class need decision_function_shape='ovr'")
        if found.ndim == 2:
            return found[:, place]
        return found if place == 1 else -found

    return values
