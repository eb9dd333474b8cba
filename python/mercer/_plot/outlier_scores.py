"""What a detector says of samples."""

from __future__ import annotations

import numpy as np

from mercer._arrays import Samples
from mercer._plot.samples import has_plane, last_step
from mercer._plot.tables import columns_of_numbers, is_mixed


def threshold_of(estimator: object) -> float:
    """Return the score below which an estimator flags samples."""
    offset = getattr(last_step(estimator), "offset_", None)
    if offset is None:
        raise TypeError(
            f"{type(last_step(estimator)).__name__} has no threshold offset_: pass its scores and "
            "a threshold to OutlierDisplay.from_predictions"
        )
    return float(np.asarray(offset).reshape(-1)[0])


def scores_of(estimator: object, X: Samples) -> np.ndarray:
    """Return the scores of samples."""
    model = last_step(estimator)
    if getattr(model, "kernel", None) == "precomputed" and getattr(model, "_needs_diagonal", False):
        shape = np.shape(X)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(
                f"X must be the square kernel matrix of the training samples, but has shape "
                f"{shape}: pass scores of other samples to OutlierDisplay.from_predictions"
            )
        return np.asarray(estimator.score_samples(X, diagonal=np.diagonal(X)))
    return np.asarray(estimator.score_samples(X), dtype=np.float64)


def is_wide(estimator: object, X: Samples) -> bool:
    """Whether samples can be drawn over a plane without choosing its columns."""
    if is_mixed(estimator, X):
        return columns_of_numbers(estimator, X).table.shape[1] >= 2
    return has_plane(estimator, X) and np.shape(X)[1] >= 2
