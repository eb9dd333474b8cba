"""How kernel ridge regression is fitted and evaluated, as functions of the estimator."""

from __future__ import annotations

import json

import numpy as np

from mercer import _core, _device, _fit, _landmarks, _optimize, _params, _predict
from mercer._arrays import dtype_of
from mercer._kernel_choice import Choice, kernel_argument
from mercer._samples import Checked
from mercer._time_limit import Clock, fitting

_SOLVERS = ("auto", "cholesky", "eigen", "cg")


def check_params(estimator) -> None:
    """Check the parameters that all kernel ridge estimators have."""
    _params.boolean(estimator, "fit_intercept")
    _params.one_of(estimator, "solver", _SOLVERS)
    _params.one_of(estimator, "precision", _fit.PRECISIONS)
    _params.none_or_positive(estimator, "tol")
    _params.none_or_positive(estimator, "max_iter", integer=True)
    if hasattr(estimator, "landmarks"):
        _landmarks.check_params(estimator)


def fit(estimator, X: Checked, targets: tuple, classes: list[str] | None = None) -> tuple:
    """Fit on validated samples; return the model and its kernel."""
    clock = Clock(estimator)
    choice, start = _fit.choose_kernel(estimator, X), _start(estimator)
    alpha = _params.penalties(estimator, "alpha")
    params = settings(estimator, X, choice, alpha=alpha, classes=classes)
    data = _fit.training_data(estimator, X, choice)
    advice = "raise max_time, fit on fewer samples, or set solver='cg', which keeps what it reached"
    with fitting(estimator, clock, advice) as run:
        return _core.fit_kernel_ridge(data, targets, start, params, run), choice


def _start(estimator) -> np.ndarray | None:
    """The coefficients of a warm start; the extension module ignores those of another shape."""
    _params.boolean(estimator, "warm_start")
    warm = estimator.warm_start and hasattr(estimator, "_model")
    return _core.coefficients(estimator._model) if warm else None


def settings(
    estimator, X: Checked, choice: Choice, *, alpha: list[float], classes: list[str] | None = None
) -> dict[str, object]:
    """Return the parameters as the extension module takes them."""
    low_rank = hasattr(estimator, "landmarks")
    return {
        "kernel": kernel_argument(choice),
        "alpha": alpha,
        "intercept": bool(estimator.fit_intercept),
        "solver": estimator.solver,
        "tolerance": None if estimator.tol is None else float(estimator.tol),
        "max_passes": None if estimator.max_iter is None else int(estimator.max_iter),
        "seed": _params.seed(estimator.random_state),
        "classes": classes,
        "landmarks": _landmarks.settings(estimator, X, choice) if low_rank else None,
        "device": _device.setting(estimator),
        "optimize": _optimize.settings(estimator, ("loo", "evidence", "alignment")),
        "dtype": _fit.result_type(estimator, X),
    }


def set_attributes(estimator, model: _core.Model) -> None:
    """Keep the model, and set the attributes that describe it.

    ``_flat`` says whether the targets were 1-D.
    """
    if not hasattr(estimator, "_choice"):
        flat = json.loads(model.notes).get("flat_targets")
        estimator._flat = model.shape[2] == 1 if flat is None else bool(flat)
    _fit.set_kernel_attributes(estimator, model)
    estimator.n_iter_ = max(1, estimator.report_["passes"])
    offsets = _core.offsets(model)
    estimator.intercept_ = float(offsets[0]) if estimator._flat else offsets


def notes(estimator) -> dict[str, object]:
    """Return what a model file notes of the estimator."""
    return {"estimator": type(estimator).__name__, "flat_targets": estimator._flat}


def params_from_file(cls: type, stored: dict, model: _core.Model) -> dict[str, object]:
    """Return the parameters of the class that are equivalent to those in a file."""
    searches = "alphas" in cls._get_param_names()
    alpha = {"alphas": stored["alpha"]} if searches else {"alpha": stored_alpha(stored)}
    return (
        alpha
        | _fit.file_kernel_params(model)
        | {
            "fit_intercept": stored["intercept"],
            "solver": stored["solver"],
            "tol": stored["tolerance"],
            "max_iter": stored["max_passes"],
            "random_state": stored["seed"],
        }
        | _landmarks.params_from_file(stored, model)
    )


def stored_alpha(stored: dict) -> float | np.ndarray:
    """Return the penalty as a file stores it: one for all targets, or one each."""
    alpha = stored["alpha"]
    return alpha[0] if len(alpha) == 1 else np.asarray(alpha)


def dual_coef(estimator) -> np.ndarray:
    """The coefficients of the training samples."""
    return flattened(estimator, _core.coefficients(estimator._fitted_model()))


def flattened(estimator, values: np.ndarray) -> np.ndarray:
    """Return one column as a 1-D array if the targets were 1-D."""
    return values[:, 0] if estimator._flat else values


def predict(estimator, X: Checked) -> np.ndarray:
    """Return the predictions for validated samples, in the shape of the targets."""
    model = estimator._model
    out = np.empty((X.shape[0], model.shape[2]), dtype_of(model.precision))
    with _fit.run_of(estimator) as run:
        _core.predict(model, _predict.to_model(estimator, X), out, run)
    return flattened(estimator, out.astype(dtype_of(model.dtype), copy=False))


def posterior_std(estimator, X: Checked) -> np.ndarray:
    """Return the standard deviations of the predictions, in the shape of the targets."""
    with _fit.run_of(estimator) as run:
        if estimator._posterior is None:
            estimator._posterior = _core.PosteriorStd(estimator._model, run)
        found = estimator._posterior.deviations(_predict.to_model(estimator, X), run)
    return flattened(estimator, found.astype(dtype_of(estimator._model.dtype), copy=False))
