"""Landmarks of low-rank fits: parameters, attributes, and fits that are continued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from mercer import _core, _fit, _params, _predict
from mercer._arrays import dense, validate_targets, validate_weights
from mercer._kernel_choice import Choice, Described
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._params import is_integer, is_real, refuse
from mercer._predict import kept_samples, present
from mercer._samples import Checked, to_core, validate_samples
from mercer._stream import Streamed, continued, fits_in_blocks

_METHODS = ("pivoted_cholesky", "uniform", "kmeans")


def check_params(estimator, name: str = "landmarks") -> None:
    """Check how many landmarks are wanted, or which, by the parameter of this name."""
    wanted = getattr(estimator, name)
    _params.one_of(estimator, "landmark_method", _METHODS)
    if not (is_real(estimator.landmark_tol) and 0 < estimator.landmark_tol < 1):
        expected = "a number strictly between 0 and 1"
        raise refuse(estimator, "landmark_tol", expected, estimator.landmark_tol)
    named = isinstance(wanted, str) and wanted != "auto"
    number = isinstance(wanted, bool) or (is_real(wanted) and not is_integer(wanted))
    if named or number or (is_integer(wanted) and wanted < 1):
        expected = "an integer of at least 1, 'auto', samples, or None"
        raise refuse(estimator, name, expected, wanted)


def settings(
    estimator, X: Checked, choice: Choice, name: str = "landmarks"
) -> dict[str, object] | None:
    """Return the landmarks as the extension module takes them; None for an exact fit."""
    wanted = getattr(estimator, name)
    if wanted is None:
        return None
    if not isinstance(choice, Described):
        raise ValueError(
            "landmarks are chosen among samples, which a precomputed kernel does not have: "
            "set landmarks=None"
        )
    automatic = isinstance(wanted, str)
    own = not automatic and not is_integer(wanted)
    return {
        "count": int(wanted) if is_integer(wanted) else None,
        "tolerance": float(estimator.landmark_tol) if automatic else None,
        "samples": _own_landmarks(estimator, wanted, X, choice) if own else None,
        "method": estimator.landmark_method,
        "seed": _params.seed(estimator.random_state),
        "keep_sums": bool(getattr(estimator, "_continues", False)),
    }


def _own_landmarks(estimator, wanted, X: Checked, choice: Described) -> _core.Samples:
    given = validate_samples(estimator, wanted, purpose_of(choice), reset=False)
    if sparse.issparse(X) and isinstance(given, np.ndarray):
        given = sparse.csr_array(given)
    elif isinstance(X, np.ndarray) and sparse.issparse(given):
        given = dense(given, estimator.memory_budget)
    single = _fit.is_single(estimator, X)
    return to_core(given, single=single, custom=is_custom(choice), copy=True)


def landmarks(estimator) -> Any:
    """The landmarks of a low-rank fit."""
    found = kept_samples(estimator) if is_low_rank(estimator) else None
    return present(found, "the model was fitted without landmarks")


def is_low_rank(estimator) -> bool:
    """Whether the model was fitted on landmarks."""
    estimator._fitted_model()
    return "landmarks" in estimator.report_


def params_from_file(stored: dict, model: _core.Model) -> dict[str, object]:
    """Return the parameters that are equivalent to those in a file."""
    found = stored.get("landmarks")
    if found is None:
        return {}
    (kind, value), params = next(iter(found["count"].items())), {}
    if kind == "tolerance":
        params["landmark_tol"] = value
    wanted = {"count": value, "tolerance": "auto", "given": None}[kind]
    params["landmarks"] = model.anchors if wanted is None else wanted
    return params | {"landmark_method": found["method"]}


def first_fit(estimator, fit: Callable[[], Any]) -> Any:
    """Fit so that the model keeps what more samples are added to."""
    estimator._continues = True
    try:
        return fit()
    finally:
        vars(estimator).pop("_continues", None)


def continue_fit(
    estimator,
    X,
    targets: tuple | None,
    prepare: Callable[[Streamed], None] | None = None,
) -> _core.Model:
    """Return the model of all rows so far and X; of a source of blocks, which `prepare` prepares,
    `targets` are y and weights as they were given.
    """
    if fits_in_blocks(estimator, X):
        blocks = continued(estimator, X, *(targets or (None, None)), prepare=prepare)
        with _fit.run_of(estimator) as run:
            return _core.continue_fit(estimator._model, blocks, None, run)
    X = validate_samples(estimator, X, purpose_of(estimator._choice), reset=False)
    model = estimator._model
    custom = is_custom(estimator._choice)
    rows = to_core(X, single=model.precision == "f32", custom=custom, copy=True)
    with _fit.run_of(estimator) as run:
        return _core.continue_fit(model, rows, targets, run)


def continue_search(
    estimator, X, targets: tuple, penalties: tuple[list[float] | None, bool]
) -> tuple:
    """Return what a search by generalised cross-validation finds among the penalties for all rows
    so far and X; `targets` are y and weights as they were given.
    """
    if fits_in_blocks(estimator, X):
        rows, values = continued(estimator, X, *targets), None
    else:
        X = validate_samples(estimator, X, purpose_of(estimator._choice), reset=False)
        y, _ = validate_targets(estimator, targets[0], X)
        values = (y, validate_weights(targets[1], X.shape[0]))
        custom = is_custom(estimator._choice)
        rows = to_core(X, single=estimator._model.precision == "f32", custom=custom, copy=True)
    with _fit.run_of(estimator) as run:
        return _core.continue_search(estimator._model, rows, values, penalties, run)


def landmark_residual(self, X) -> np.ndarray:
    """Return what the landmarks do not represent of samples: k(x, x) − ‖φ̂(x)‖².

    It is the squared distance, in feature space, of a sample to the span of the landmarks; in
    the words of Gaussian processes, its variance given the landmarks. Over the training
    samples it sums to ``report_["landmarks"]["residual_trace"]``. A sample with a large
    residual is unlike all landmarks: the approximation says little about it, and it may be
    an outlier. Computed in float64; 0 where it is lost in rounding. Requires `landmarks`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, training samples or new ones.

    Returns
    -------
    residual : ndarray of shape (n_samples,)
        The residuals, none negative.
    """
    if not is_low_rank(self):
        raise AttributeError("the model was fitted without landmarks: there is no residual")
    X = _predict.new_samples(self, X)
    with _fit.run_of(self) as run:
        return _core.landmark_residuals(self._model, _predict.to_model(self, X), run)


def are_set(estimator) -> bool:
    """Whether there is a ``partial_fit``: only with landmarks."""
    if estimator.landmarks is None:
        raise AttributeError(
            "partial_fit needs landmarks: set landmarks to their number. An exact model depends "
            "on all samples together"
        )
    return True
