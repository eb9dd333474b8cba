"""The steps that fits have in common, as functions of the estimator."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

import numpy as np
from scipy import sparse

from mercer import _core
from mercer._arrays import as_contiguous, validate_targets, validate_weights
from mercer._kernel_choice import Choice, Described, Precomputed, choose, is_precomputed
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._pairwise import require_memory
from mercer._params import is_real
from mercer._reports import warn
from mercer._run import running
from mercer._samples import Checked, features, to_core, validate_samples
from mercer._stream import Streamed, fits_in_blocks, opened

_Fit = TypeVar("_Fit", bound=Callable)

PRECISIONS = ("auto", "f64", "f32", "mixed")


def run_of(estimator):
    """Return a context manager of the threads, budget and progress that the estimator names."""
    return running(estimator.n_jobs, estimator.memory_budget, estimator.progress)


def unchanged_on_error(fit: _Fit) -> _Fit:
    """Make a fit that fails or is interrupted restore the estimator's attributes."""

    @wraps(fit)
    def restoring(estimator, *args, **kwargs):
        before = dict(vars(estimator))
        try:
            return fit(estimator, *args, **kwargs)
        except BaseException:
            vars(estimator).clear()
            vars(estimator).update(before)
            raise

    return cast(_Fit, restoring)


def choose_kernel(estimator, X: Checked) -> Choice:
    """Return the kernel that the estimator's parameters stand for."""
    return choose(
        estimator.kernel,
        features(X),
        gamma=estimator.gamma,
        degree=estimator.degree,
        coef0=estimator.coef0,
        kernel_params=estimator.kernel_params,
    )


def training_samples(estimator, X, y=None, sample_weight=None) -> Checked | Streamed:
    """Return the validated samples of a fit, or the kernel matrix; a source of blocks with its
    targets and weights.
    """
    if fits_in_blocks(estimator, X):
        return opened(estimator, X, y, sample_weight)
    if estimator._task and sparse.issparse(X) and is_precomputed(estimator.kernel):
        raise TypeError("Sparse precomputed kernels are not supported.")
    return validate_samples(estimator, X, purpose_of(estimator.kernel), reset=True)


def training_targets(estimator, X, y, sample_weight) -> tuple[tuple | None, bool]:
    """Return validated targets and weights, and whether the targets were 1-D; those of a source of
    blocks come with the blocks.
    """
    if isinstance(X, Streamed):
        return None, X.flat
    y, flat = validate_targets(estimator, y, X)
    return (y, validate_weights(sample_weight, X.shape[0])), flat


def training_data(
    estimator, X: Checked | Streamed, choice: Choice
) -> _core.Samples | _core.Blocks | np.ndarray:
    """Return what the extension module fits on: samples, or a symmetric kernel matrix."""
    single = is_single(estimator, X)
    if isinstance(X, Streamed):
        return X.core(single=single, custom=is_custom(choice))
    if isinstance(choice, Described):
        return to_core(X, single=single, custom=is_custom(choice), copy=True)
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "Precomputed metric requires a square matrix: Precomputed matrix must be a square "
            f"matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
        )
    dtype = np.float32 if single else np.float64
    return symmetrized(estimator, as_contiguous(X.astype(dtype, copy=False)))


def symmetrized(estimator, K: np.ndarray) -> np.ndarray:
    """Return a kernel matrix if it is symmetric up to rounding, else its symmetric part.

    scikit-learn accepts any matrix, and which triangle it reads depends on the solver.
    """
    with running(estimator.n_jobs, estimator.memory_budget, False) as run:
        fault = _core.asymmetry(K, run)
    if fault is None:
        return K
    require_memory(K.nbytes, estimator.memory_budget)
    warn(f"{fault}; the mean of the matrix and its transpose is used")
    return as_contiguous((K + K.T) / 2)


def is_single(estimator, X) -> bool:
    """Whether kernel values are computed in single precision."""
    if estimator.precision == "auto":
        return getattr(X, "dtype", None) == np.float32
    return estimator.precision in ("f32", "mixed")


def result_type(estimator, X) -> str:
    """Return the type of results, as the extension module names it."""
    return "f32" if estimator.precision != "mixed" and is_single(estimator, X) else "f64"


def is_mixed(model: _core.Model) -> bool:
    """Whether kernel values are in single precision, and results in double."""
    return model.dtype == "f64" and model.precision == "f32"


def stored_params(model: _core.Model) -> dict:
    """Return the parameters that the model was fitted with."""
    return json.loads(model.params)


def stored_choice(model: _core.Model) -> Choice:
    """Return the kernel of a model from a file."""
    return Precomputed() if model.kernel is None else Described(model.kernel)


def file_kernel_params(model: _core.Model) -> dict[str, object]:
    """Return the parameters `kernel` and `precision` of a model from a file."""
    kernel = model.kernel or "precomputed"
    return {"kernel": kernel, "precision": "mixed" if is_mixed(model) else "auto"}


def set_kernel_attributes(estimator, model: _core.Model) -> None:
    """Set ``report_``, ``kernel_`` and ``gamma_``, and keep the model."""
    if not hasattr(estimator, "_choice"):
        estimator._choice = stored_choice(model)
    choice = estimator._choice
    estimator._model, estimator.report_ = model, json.loads(model.report)
    has_spec = isinstance(choice, Described) and not choice.alone
    estimator.kernel_ = model.kernel if has_spec else choice.name
    estimator.gamma_ = _resolved_gamma(estimator, model)


def _resolved_gamma(estimator, model: _core.Model) -> float | np.ndarray:
    choice = estimator._choice
    if "gamma" in getattr(choice, "params", {}):
        return choice.params["gamma"]
    values = model.kernel_parameters if isinstance(choice, Described) else None
    for name, unit in (("gamma", None), ("sigma", 0.5), ("width", 1.0)):
        if values and name in values:
            # A list has a number for each column.
            found = np.asarray(values[name]) if isinstance(values[name], list) else values[name]
            return found if unit is None else unit / found**2
    return float(estimator.gamma) if is_real(estimator.gamma) else 1.0 / model.shape[1]
