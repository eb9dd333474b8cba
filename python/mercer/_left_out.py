"""Kernel ridge predictions with each training sample left out in turn, in closed form.

With A = K + αI and H = A⁻¹, the coefficients of the fit without sample i are c - (c_i / H_ii) H_i,
so that one matrix is inverted instead of n. With an intercept, H is the block of the inverse of
the system bordered by ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from sklearn.pipeline import Pipeline

from mercer import _fit, _predict, _ridge
from mercer._kernel_choice import Choice, Described
from mercer._kernel_ridge import RidgeRegressor
from mercer._pairwise import kernel_matrix, require_memory
from mercer._samples import Checked, take

# Rows of new samples whose values with all training samples are in memory at a time.
_BLOCK = 512
# Relative difference from the model's predictions beyond which the closed form is not used.
_AGREES = 1e-6


def final_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the last step of a pipeline, and the samples as it sees them."""
    if not isinstance(estimator, Pipeline):
        return estimator, X
    return estimator.steps[-1][1], estimator[:-1].transform(X) if len(estimator) > 1 else X


def closed_form(estimator: Any, X: Any, y: np.ndarray) -> LeftOut | None:
    """Return the predictions without each sample, or None if there is no closed form."""
    model, seen = final_step(estimator, X)
    if not isinstance(model, RidgeRegressor) or not model._flat or model.scaling_ is not None:
        return None
    try:
        found = LeftOut(model, seen, y)
    except (linalg.LinAlgError, MemoryError):
        # A penalty that is lost in the rounding of kernel values, or too many samples.
        return None
    return found if found.agrees(model.predict(seen)) else None


class LeftOut:
    """The fits of a kernel ridge regression without one of its n training samples."""

    def __init__(self, model: RidgeRegressor, X: Any, y: np.ndarray) -> None:
        self._model = model
        self._X = _predict.new_samples(model, X)
        n = self._X.shape[0]
        require_memory(3 * 8 * n * n, model.memory_budget)
        K = self._values(self._X, self._X)
        alpha = float(np.ravel(model.alpha_ if hasattr(model, "alpha_") else model.alpha)[0])
        self._inverse = _inverse(K + alpha * np.eye(n))
        self._row = np.zeros(n)
        if model.fit_intercept:
            sums = self._inverse.sum(axis=0)
            self._row = sums / sums.sum()
            self._inverse -= np.outer(sums, self._row)
        coef = self._inverse @ y
        self.residuals = coef / self._inverse.diagonal()
        self._fitted = K @ coef + self._row @ y

    def agrees(self, predicted: np.ndarray) -> bool:
        """Whether the inverse gives the model's predictions for the training samples."""
        scale = max(float(np.ptp(predicted)), float(np.abs(predicted).max()) * 1e-6, 1e-300)
        return bool(np.abs(self._fitted - predicted).max() <= _AGREES * scale)

    def predictions(self, X: Any):
        """Yield blocks of predictions for new samples, of shape (rows, n): column i without i."""
        X = _predict.new_samples(self._model, X)
        for start in range(0, X.shape[0], _BLOCK):
            rows = np.arange(start, min(start + _BLOCK, X.shape[0]))
            yield self._without(take(X, rows))

    def _without(self, X: Checked) -> np.ndarray:
        predicted = _ridge.predict(self._model, X).astype(np.float64)
        change = self._values(X, self._X) @ self._inverse + self._row
        return predicted[:, None] - change * self.residuals

    def _values(self, X: Checked, Y: Checked) -> np.ndarray:
        return kernel_values(self._model, X, Y).astype(np.float64, copy=False)


def kernel_values(model: Any, X: Checked, Y: Checked) -> np.ndarray:
    """Return the kernel values of validated samples with others, by the kernel of a fitted model.

    Samples for a precomputed kernel are these values.
    """
    choice: Choice = model._choice
    if not isinstance(choice, Described):
        return X
    resolved = choice if choice.functions else Described(model._model.kernel)
    with _fit.run_of(model) as run:
        return kernel_matrix(resolved, X, None if Y is X else Y, model.memory_budget, run)


def _inverse(matrix: np.ndarray) -> np.ndarray:
    factor = linalg.cho_factor(matrix, lower=True, overwrite_a=True)
    return linalg.cho_solve(factor, np.eye(len(matrix)), overwrite_b=True)
