"""What the estimators share that find components in the feature space of a kernel."""

from __future__ import annotations

import numpy as np

from mercer import _core, _params
from mercer._arrays import dtype_of
from mercer._kernel_choice import Choice, written
from mercer._kernel_model import PRECISIONS, SampleModel, is_mixed
from mercer._params import is_integer, is_real, refuse
from mercer._samples import Checked
from mercer.reports import Report

_SOLVERS = {
    "auto": "auto",
    "dense": "full",
    "full": "full",
    "arpack": "krylov",
    "randomized": "krylov",
    "krylov": "krylov",
}


class ComponentsFit(SampleModel):
    """The base of the estimators that find components."""

    eigenvalues_: np.ndarray
    explained_variance_ratio_: np.ndarray
    gamma_: float
    kernel_: str
    report_: Report
    n_features_in_: int
    feature_names_in_: np.ndarray

    def _check_search(self) -> None:
        """Check which components are asked for, and how they are to be found."""
        _check_components(self)
        _params.boolean(self, "center")
        _params.one_of(self, "eigen_solver", tuple(_SOLVERS))
        _params.one_of(self, "precision", PRECISIONS)
        _params.at_least(self, "tol", 0)
        if self.max_iter is not None:
            _params.at_least(self, "max_iter", 1, integer=True)

    def _choices(self, X: Checked, choice: Choice) -> dict[str, object]:
        """The parameters as the compiled part takes them."""
        count = self.n_components
        return {
            "components": min(int(count), X.shape[0]) if is_integer(count) else count,
            "kernel": written(choice),
            "center": bool(self.center),
            "solver": _SOLVERS[self.eigen_solver],
            "tolerance": float(self.tol) or None,
            "max_passes": None if self.max_iter is None else int(self.max_iter),
            "seed": _params.seed(self.random_state),
            "remove_zero": False,
            "inverse": None,
            "dtype": "f64" if self._results(X) == np.float64 else "f32",
        }

    def _tell_components(self, model: _core.Model) -> None:
        dtype = dtype_of(model.dtype)
        self.eigenvalues_ = model.eigenvalues.astype(dtype, copy=False)
        self.explained_variance_ratio_ = model.variance_ratio.astype(dtype, copy=False)

    @staticmethod
    def _params_of(stored: dict, model: _core.Model) -> dict[str, object]:
        """The parameters that mean the same as those in a file."""
        from mercer._load import components_of

        return {
            "n_components": components_of(stored["components"]),
            "kernel": "precomputed" if model.anchors is None else stored["kernel"],
            "center": stored["center"],
            "eigen_solver": stored["solver"],
            "tol": stored["tolerance"] or 0,
            "max_iter": stored["max_passes"],
            "random_state": stored["seed"],
            "precision": "mixed" if is_mixed(model) else "auto",
        }


def _check_components(estimator) -> None:
    count = estimator.n_components
    fine = count is None or (is_integer(count) and count >= 1)
    if not fine and not (is_real(count) and not is_integer(count) and 0 < count < 1):
        expected = "an integer of at least 1, a share between 0 and 1, or None"
        raise refuse(estimator, "n_components", expected, count)
