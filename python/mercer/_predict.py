"""New samples on their way to a fitted model, and the training samples that it keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._arrays import as_contiguous, scaled, validate_diagonal
from mercer._columns import table_of
from mercer._kernel_choice import Described, Precomputed
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._samples import Checked, to_core, validate_samples


def new_samples(estimator, X) -> Checked:
    """Return validated samples, or kernel values, for a fitted estimator."""
    check_is_fitted(estimator)
    return validate_samples(estimator, X, purpose_of(estimator._choice), reset=False)


def to_model(estimator, X: Checked) -> _core.Samples | np.ndarray:
    """Return validated samples or kernel values, scaled and in the model's precision."""
    model, choice = estimator._model, estimator._choice
    X = scaled(model, X)
    if isinstance(choice, Described):
        return to_core(X, single=model.precision == "f32", custom=is_custom(choice))
    dtype = np.float32 if model.precision == "f32" else np.float64
    return as_contiguous(X.astype(dtype, copy=False))


def diagonal_of(estimator, X: Checked, diagonal) -> np.ndarray | None:
    """Return k(x, x) of new samples where the extension module cannot compute it."""
    if isinstance(estimator._choice, Precomputed):
        if diagonal is None:
            raise ValueError(
                "the kernel is precomputed, and distances in feature space also need k(x, x) of "
                "each new sample: pass these values as diagonal="
            )
        return validate_diagonal(diagonal, X.shape[0])
    if diagonal is not None:
        raise ValueError("diagonal is given, but the kernel is not precomputed: omit it")
    return None


def kept_samples(estimator) -> Any:
    """Return the samples that a model keeps; those of a kernel on columns as a table."""
    found, choice = estimator._fitted_model().anchors, estimator._choice
    if not isinstance(choice, Described) or purpose_of(choice).kind != "columns":
        return found
    # A file does not say which library's data frames a model was fitted on.
    return table_of(found, *getattr(estimator, "_table", ("dict", ())))


def training_set(estimator) -> Any:
    """The training samples; for a kernel on columns, a table of these columns."""
    return present(kept_samples(estimator), "a model with a precomputed kernel keeps no samples")


def present(found: np.ndarray | None, otherwise: str) -> np.ndarray:
    """Return what was found; an AttributeError says why it was not."""
    if found is None:
        raise AttributeError(otherwise)
    return found
