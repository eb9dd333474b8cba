"""How support vector machines are fitted, as functions of the estimator."""

from __future__ import annotations

import json
import sys

import numpy as np
from scipy import sparse

from mercer import _core, _fit, _landmarks, _params, _stream, _svm_probability
from mercer._arrays import require_finite, svm_weights
from mercer._kernel_choice import (
    FAMILIES,
    Choice,
    choose,
    is_name,
    kernel_argument,
    knows_scale,
)
from mercer._params import ParameterError
from mercer._reports import print_problems, problems_of, warn_of_stops
from mercer._samples import Checked, features

DEFAULTS = {"gamma": "scale", "degree": 3, "coef0": 0.0}
# The unit of `cache_size` in scikit-learn and LIBSVM.
MEGABYTE = 2**20


def fit(estimator, X, y, sample_weight):
    """Fit the estimator; an interrupted fit keeps what it has reached before it raises."""
    raised = _fitted_part(estimator, X, y, sample_weight)
    if raised is not None:
        raise raised
    warn_of_stops(estimator)
    return estimator


@_fit.unchanged_on_error
def _fitted_part(estimator, X, y, sample_weight) -> BaseException | None:
    if _stream.is_stream(X) or (_stream.fits_in_blocks(estimator, X) and not estimator.polish):
        return _fitted_blocks(estimator, X, y, sample_weight)
    X, targets, choice = prepare(estimator, X, y, sample_weight)
    start = _warm_start(estimator, X.shape[0], targets[0])
    with _fit.run_of(estimator) as run:
        data, params = _fit.training_data(estimator, X, choice), settings(estimator, X, choice)
        elsewhere = vars(estimator).get("_elsewhere")
        if elsewhere is not None:
            model, raised = _core.fit_svm_cells(data, targets, params, elsewhere, run), None
        else:
            model, raised = _core.fit_svm(data, targets, start, params, run)
    set_fitted(estimator, model, choice, X)
    if estimator.verbose:
        print_problems(estimator.report_)
    return raised


def _fitted_blocks(estimator, X, y, sample_weight) -> BaseException | None:
    """Fit on samples in blocks, of classifiers after a pass that finds the classes."""
    check_params(estimator)
    X = _stream.opened(estimator, X, y, sample_weight)
    if _svm_probability.wants_probabilities(estimator):
        raise ParameterError(
            "probability=True is not available for rows in blocks: call calibrate with other "
            "samples and cv='prefit'"
        )
    target = estimator._block_target(X)
    choice = choose_kernel(estimator, X)
    start = _warm_start(estimator, X.shape[0], target)
    with _fit.run_of(estimator) as run:
        data, params = _fit.training_data(estimator, X, choice), settings(estimator, X, choice)
        model, raised = _core.fit_svm(data, (target, None), start, params, run)
    estimator._choice = choice
    estimator.shape_fit_ = (_core.svm_facts(model)["trained_on"], X.shape[1])
    estimator._set_model(model)
    if estimator.verbose:
        print_problems(estimator.report_)
    return raised


def prepare(estimator, X, y, sample_weight) -> tuple[Checked, tuple, Choice]:
    """Return what a fit needs, validated: the samples, the targets with weights, the kernel."""
    check_params(estimator)
    if _stream.is_stream(X):
        raise ParameterError(
            "machines on rows in blocks are not compared: fit one of them, or pass the samples as "
            "one set"
        )
    X = np.asarray(X) if _stream.is_mapped(X) else X
    X = _fit.training_samples(estimator, X)
    weights = svm_weights(sample_weight, X.shape[0])
    return X, estimator._targets(y, weights, X), choose_kernel(estimator, X)


def set_fitted(estimator, model: _core.Model, choice: Choice, X: Checked) -> None:
    """Set the attributes of a fresh model of these samples."""
    estimator._choice, estimator.shape_fit_ = choice, tuple(X.shape)
    estimator._set_model(model)


def check_params(estimator) -> None:
    """Check the parameters of a support vector machine."""
    _params.boolean(estimator, "shrinking", "warm_start")
    _params.one_of(estimator, "precision", _fit.PRECISIONS)
    _params.positive(estimator, "tol")
    _params.none_or_positive(estimator, "cache_size")
    _params.none_or_positive(estimator, "max_time")
    _check_landmarks(estimator)
    _params.at_least(estimator, "max_iter", -1, integer=True)
    if hasattr(estimator, "C"):
        _params.positive_or_infinite(estimator, "C")
    if hasattr(estimator, "nu"):
        _params.positive(estimator, "nu", 1)
    if hasattr(estimator, "epsilon"):
        _params.at_least(estimator, "epsilon", 0)
    if hasattr(estimator, "probability"):
        _svm_probability.check_classifier_params(estimator)
    if not isinstance(estimator.verbose, (bool, np.bool_)):
        _params.at_least(estimator, "verbose", 0, integer=True)


def _check_landmarks(estimator) -> None:
    _params.boolean(estimator, "polish")
    _check_approximation(estimator)
    _landmarks.check_params(estimator)
    cells = getattr(estimator, "cells", None)
    if cells is not None:
        _params.at_least(estimator, "cells", 10, integer=True)
        _params.at_least(estimator, "cell_overlap", 0)
        if estimator.landmarks is not None or estimator.warm_start:
            raise _params.refuse(estimator, "cells", "None with landmarks or warm_start", cells)
    if hasattr(estimator, "one_vs_rest"):
        _check_one_vs_rest(estimator)
    if estimator.polish and estimator.landmarks is None:
        raise _params.refuse(estimator, "polish", "False without landmarks to start from", True)


def _check_one_vs_rest(estimator) -> None:
    _params.boolean(estimator, "one_vs_rest")
    if not estimator.one_vs_rest:
        return
    if estimator.landmarks is None:
        raise _params.refuse(estimator, "one_vs_rest", "False without landmarks", True)
    if estimator.polish:
        raise _params.refuse(estimator, "polish", "False with one_vs_rest", True)
    if _svm_probability.wants_probabilities(estimator):
        raise _params.refuse(estimator, "probability", "False with one_vs_rest", True)


def _check_approximation(estimator) -> None:
    if getattr(estimator, "approximation", None) is None:
        return
    _params.one_of(estimator, "approximation", ("auto",))
    given = [name for name in ("landmarks", "cells") if getattr(estimator, name, None) is not None]
    if given or estimator.warm_start:
        name = given[0] if given else "warm_start"
        expected = f"None with {name}"
        raise _params.refuse(estimator, "approximation", expected, estimator.approximation)


def _warm_start(estimator, n: int, target: object) -> _core.Model | None:
    """The model to start from, if it has the same number of samples and the same classes."""
    if not estimator.warm_start or not hasattr(estimator, "_model"):
        return None
    facts = _core.svm_facts(estimator._model)
    names = target[0] if isinstance(target, tuple) else None
    # The rows of a text file are not known before the fit.
    rows = (n, facts["trained_on"]) if n == sys.maxsize else (n,)
    same = facts["trained_on"] in rows and facts["classes"] == names
    return estimator._model if same else None


def settings(estimator, X: Checked, choice: Choice) -> dict[str, object]:
    """Return the parameters as the extension module takes them."""
    size, limit, seconds = estimator.cache_size, estimator.max_iter, estimator.max_time
    return {
        "task": estimator._task,
        "kernel": kernel_argument(choice),
        "c": float(getattr(estimator, "C", 1.0)),
        "nu": float(getattr(estimator, "nu", 0.5)),
        "epsilon": float(getattr(estimator, "epsilon", 0.1)),
        "tolerance": float(estimator.tol),
        "shrinking": bool(estimator.shrinking),
        "cache": None if size is None else max(1, int(size * MEGABYTE)),
        "max_iterations": None if limit == -1 else int(limit),
        "max_seconds": None if seconds is None else float(seconds),
        "calibration": _svm_probability.fit_calibration(estimator),
        "dtype": _fit.result_type(estimator, X),
        "landmarks": _landmarks.settings(estimator, X, choice),
        "polish": bool(estimator.polish),
        "one_vs_rest": bool(getattr(estimator, "one_vs_rest", False)),
        "cells": _cells(estimator),
        "auto": getattr(estimator, "approximation", None) == "auto",
    }


def _cells(estimator) -> tuple[int, float, int] | None:
    if getattr(estimator, "cells", None) is None:
        return None
    seed = _params.seed(estimator.random_state)
    return int(estimator.cells), float(estimator.cell_overlap), seed


def set_attributes(estimator, model: _core.Model) -> dict:
    """Keep the model, set the attributes that describe it, and return its facts."""
    facts = _core.svm_facts(model)
    if not hasattr(estimator, "_choice"):
        shape = json.loads(model.notes).get("shape_fit")
        estimator.shape_fit_ = tuple(shape or (facts["trained_on"], model.shape[1]))
    _fit.set_kernel_attributes(estimator, model)
    estimator._sparse = facts["sparse"]
    estimator.support_, estimator.n_support_ = facts["support"], facts["counts"]
    estimator.intercept_ = facts["offsets"]
    problems = problems_of(estimator.report_)
    estimator.n_iter_ = problems[0]["iterations"] if problems else 0
    estimator.fit_status_ = int(any(problem["stop"] != "Converged" for problem in problems))
    return facts


def choose_kernel(estimator, X: Checked) -> Choice:
    """Return the kernel of the estimator; the default of its gamma depends on the samples."""
    kernel, gamma = estimator.kernel, estimator.gamma
    by_rule = is_name(kernel) and isinstance(gamma, str) and gamma == "scale"
    if by_rule and FAMILIES.get(kernel, {}).get("input") == "strings":
        gamma = None
    elif by_rule and not knows_scale(kernel, estimator.degree):
        gamma = scale(X)
    given = {"gamma": gamma, "degree": estimator.degree, "coef0": estimator.coef0}
    # As in scikit-learn, a plain function takes two sets of samples.
    return choose(kernel, features(X), **given, defaults=DEFAULTS, form="block")


def scale(X: Checked) -> float:
    """Return 1 / (n_features · variance of X), or 1 if the variance is 0."""
    if isinstance(X, _stream.Streamed):
        raise ParameterError(
            "gamma='scale' of this kernel needs all samples at once: give gamma as a number"
        )
    require_finite(X)
    if sparse.issparse(X):
        squares = X.multiply(X).mean(dtype=np.float64)
        variance = float(squares - X.mean(dtype=np.float64) ** 2)
    else:
        variance = X.var(dtype=np.float64)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
