"""Parameters and attributes of the estimators that find components in feature space."""

from __future__ import annotations

from mercer import _core, _device, _fit, _landmarks, _params
from mercer._arrays import dtype_of
from mercer._kernel_choice import Choice, kernel_argument
from mercer._params import is_integer, is_real, refuse
from mercer._samples import Checked

_SOLVERS = {
    "auto": "auto",
    "dense": "full",
    "full": "full",
    "arpack": "krylov",
    "randomized": "krylov",
    "krylov": "krylov",
}

# What to do about a time limit that is too short for an eigenproblem.
TAKES_LONG = "raise max_time, ask for fewer components, or fit on fewer samples"


def check_params(estimator) -> None:
    """Check which components are wanted, and how they are to be found."""
    count = estimator.n_components
    fine = count is None or (is_integer(count) and count >= 1)
    if not fine and not (is_real(count) and not is_integer(count) and 0 < count < 1):
        expected = "an integer of at least 1, a fraction between 0 and 1, or None"
        raise refuse(estimator, "n_components", expected, count)
    _params.boolean(estimator, "center")
    _params.one_of(estimator, "eigen_solver", tuple(_SOLVERS))
    _params.one_of(estimator, "precision", _fit.PRECISIONS)
    _params.at_least(estimator, "tol", 0)
    if estimator.max_iter is not None:
        _params.at_least(estimator, "max_iter", 1, integer=True)
    _landmarks.check_params(estimator)


def settings(estimator, X: Checked, choice: Choice) -> dict[str, object]:
    """Return the parameters as the extension module takes them."""
    count = estimator.n_components
    return {
        "components": min(int(count), X.shape[0]) if is_integer(count) else count,
        "kernel": kernel_argument(choice),
        "center": bool(estimator.center),
        "solver": _SOLVERS[estimator.eigen_solver],
        "tolerance": float(estimator.tol) or None,
        "max_passes": None if estimator.max_iter is None else int(estimator.max_iter),
        "seed": _params.seed(estimator.random_state),
        "remove_zero": False,
        "inverse": None,
        "landmarks": _landmarks.settings(estimator, X, choice),
        "device": _device.setting(estimator),
        "dtype": _fit.result_type(estimator, X),
    }


def set_attributes(estimator, model: _core.Model) -> None:
    """Set the attributes that describe the components."""
    dtype = dtype_of(model.dtype)
    estimator.eigenvalues_ = model.eigenvalues.astype(dtype, copy=False)
    estimator.explained_variance_ratio_ = model.variance_ratio.astype(dtype, copy=False)


def params_from_file(stored: dict, model: _core.Model) -> dict[str, object]:
    """Return the parameters that are equivalent to those in a file."""
    params = {
        "n_components": stored_count(stored["components"]),
        "center": stored["center"],
        "eigen_solver": stored["solver"],
        "tol": stored["tolerance"] or 0,
        "max_iter": stored["max_passes"],
        "random_state": stored["seed"],
    }
    landmarks = _landmarks.params_from_file(stored, model)
    return _fit.file_kernel_params(model) | params | landmarks


def stored_count(stored: object) -> int | float | str | None:
    """Return ``n_components`` as a file stores it."""
    if isinstance(stored, dict):
        return next(iter(stored.values()))
    return None if stored == "all" else stored
