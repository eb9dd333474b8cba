"""Calibration: probabilities of classes from the decision values of support vector machines."""

from __future__ import annotations

import numpy as np

from mercer import _core, _fit, _params, _predict
from mercer._kernel_choice import Described
from mercer._labels import class_names, refuse_empty, validate_labels
from mercer._reports import warn

# The default of `probability`, which reveals whether it was given.
DEPRECATED = "deprecated"
CURVES = ("sigmoid", "isotonic")
# Calibration on samples that the model was not fitted on, as scikit-learn calls it.
PREFIT = "prefit"
# Folds of the calibration within a fit, as in LIBSVM.
_FOLDS = 5


def check_classifier_params(estimator) -> None:
    """Check the parameters that only classifiers have."""
    _params.boolean(estimator, "break_ties")
    if estimator.probability != DEPRECATED:
        _params.boolean(estimator, "probability")
    _params.one_of(estimator, "calibration", CURVES)
    _params.one_of(estimator, "decision_function_shape", ("ovr", "ovo"))


def wants_probabilities(estimator) -> bool:
    """Whether a fit is to calibrate probabilities."""
    given = getattr(estimator, "probability", DEPRECATED)
    return not isinstance(given, str) and bool(given)


def has_probabilities(estimator) -> bool:
    """Whether there is a predict_proba, as ``available_if`` asks."""
    if wants_probabilities(estimator) or getattr(estimator, "_calibrated", False):
        return True
    raise AttributeError(
        "predict_proba is not available when probability=False: set it, or call calibrate"
    )


def fit_calibration(estimator) -> tuple[str, int, int] | None:
    """Return the curve, the number of folds and the seed of the calibration within a fit."""
    if not wants_probabilities(estimator):
        return None
    return estimator.calibration, _FOLDS, _params.seed(estimator.random_state)


def settings(estimator, method: object, cv: object) -> tuple[str, int | None, int]:
    """Return the validated arguments of ``calibrate``; no folds for samples outside of the fit."""
    if not isinstance(method, str) or method not in CURVES:
        raise _params.refuse(estimator, "method", "one of 'sigmoid', 'isotonic'", method)
    if isinstance(cv, str) and cv == PREFIT:
        return method, None, 0
    if not _params.is_integer(cv) or cv < 2:
        raise _params.refuse(estimator, "cv", "an integer of at least 2 or 'prefit'", cv)
    return method, int(cv), _params.seed(estimator.random_state)


def targets(estimator, y, weights: np.ndarray | None, X) -> tuple:
    """Return the labels of ``calibrate``, which must have the classes of the fit."""
    classes, codes = validate_labels(estimator, y, X)
    if not np.array_equal(classes, estimator.classes_):
        raise ValueError(
            f"the model was fitted with the classes {estimator.classes_.tolist()}, but y has "
            f"{classes.tolist()}"
        )
    refuse_empty(estimator, classes, codes, estimator.class_weight_, weights)
    return (class_names(classes), codes, estimator.class_weight_.tolist()), weights


def calibrate(estimator, X, targets: tuple, settings: tuple[str, int | None, int]) -> None:
    """Calibrate the model with validated samples."""
    with _fit.run_of(estimator) as run:
        data = _predict.to_model(estimator, X)
        if settings[1] is not None and not isinstance(estimator._choice, Described):
            data = _fit.symmetrized(estimator, data)
        estimator._model = _core.calibrate_svm(estimator._model, data, targets, settings, run)
    estimator._calibrated = True


def warn_of_deprecation(estimator) -> None:
    """Warn of `probability` if it was given, as scikit-learn does since 1.9."""
    if estimator.probability != DEPRECATED:
        name = type(estimator).__name__
        warn(
            "The `probability` parameter is deprecated, as it is in scikit-learn 1.9: call "
            f"`calibrate(X, y)` after fit, or use `CalibratedClassifierCV({name}(), "
            "ensemble=False)`",
            FutureWarning,
        )


def empty_slopes(estimator, name: str) -> np.ndarray:
    """Return the deprecated ``probA_`` or ``probB_``: empty, if there are no probabilities."""
    if not hasattr(estimator, "_calibrated"):
        raise AttributeError(f"{type(estimator).__name__} is not fitted yet and has no {name}")
    warn(
        f"Attribute `{name}` was deprecated in scikit-learn 1.9 and will be removed", FutureWarning
    )
    if estimator._calibrated:
        raise AttributeError(f"there is no {name}: the sigmoids have more than one slope")
    return np.empty(0)
