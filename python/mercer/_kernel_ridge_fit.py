"""How kernel ridge regression is fitted and evaluated, whatever its targets stand for."""

from __future__ import annotations

import json

import numpy as np

from mercer import _core, _params
from mercer._arrays import dtype_of
from mercer._kernel_choice import Choice, written
from mercer._kernel_model import PRECISIONS, SampleModel, is_mixed
from mercer._samples import Checked
from mercer.reports import RegressionReport

_SOLVERS = ("auto", "cholesky", "eigen", "cg")


class RidgeFit(SampleModel):
    """The private half of the kernel ridge estimators.

    After fit, ``_flat`` says whether the targets came with one axis, and ``_spread`` is what
    standard deviations need, once they were asked for.
    """

    report_: RegressionReport

    def _check_params(self) -> None:
        _params.boolean(self, "fit_intercept")
        _params.one_of(self, "solver", _SOLVERS)
        _params.one_of(self, "precision", PRECISIONS)
        _params.none_or_positive(self, "tol")
        _params.none_or_positive(self, "max_iter", integer=True)

    def _learn(self, X: Checked, aims: tuple, classes: list[str] | None = None) -> tuple:
        """Fit on checked samples; return the model and the kernel's choice."""
        choice, start = self._choose(X), self._start()
        choices = self._choices(X, choice) | {"classes": classes}
        values = self._values(X, choice)
        with self._run() as run:
            return _core.fit_kernel_ridge(values, aims, start, choices, run), choice

    def _start(self) -> np.ndarray | None:
        """The coefficients to begin with; those of another shape are passed over."""
        _params.boolean(self, "warm_start")
        warm = self.warm_start and hasattr(self, "_model")
        return _core.coefficients(self._model) if warm else None

    def _choices(self, X: Checked, choice: Choice) -> dict[str, object]:
        """The parameters as the compiled part takes them, classes aside."""
        return {
            "kernel": written(choice),
            "alpha": self._alphas(),
            "intercept": bool(self.fit_intercept),
            "solver": self.solver,
            "tolerance": None if self.tol is None else float(self.tol),
            "max_passes": None if self.max_iter is None else int(self.max_iter),
            "seed": _params.seed(self.random_state),
            "dtype": "f64" if self._results(X) == np.float64 else "f32",
        }

    def _alphas(self) -> list[float]:
        return _params.penalties(self, "alpha")

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        if not hasattr(self, "_choice"):
            noted = json.loads(model.notes).get("flat_targets")
            flat = model.shape[2] == 1 if noted is None else bool(noted)
            self._choice, self._flat = self._choice_of(model), flat
        self._spread = None
        self._keep(model)
        self._describe(model)

    def _describe(self, model: _core.Model) -> None:
        """Set the attributes that tell of the model."""
        self._tell_kernel(model)
        self.n_iter_ = max(1, self.report_["passes"])
        offsets = _core.offsets(model)
        self.intercept_ = float(offsets[0]) if self._flat else offsets

    def _notes(self) -> dict[str, object]:
        return {"estimator": type(self).__name__, "flat_targets": self._flat}

    @staticmethod
    def _common_params_of(saved: dict, model: _core.Model) -> dict[str, object]:
        """The parameters that mean the same as those in a file, penalties aside."""
        return {
            "kernel": "precomputed" if model.anchors is None else saved["kernel"],
            "fit_intercept": saved["intercept"],
            "solver": saved["solver"],
            "tol": saved["tolerance"],
            "max_iter": saved["max_passes"],
            "random_state": saved["seed"],
            "precision": "mixed" if is_mixed(model) else "auto",
        }

    @classmethod
    def _params_of(cls, saved: dict, model: _core.Model) -> dict[str, object]:
        alpha = saved["alpha"]
        alpha = alpha[0] if len(alpha) == 1 else np.asarray(alpha)
        return {"alpha": alpha} | cls._common_params_of(saved, model)

    @property
    def dual_coef_(self) -> np.ndarray:
        """The coefficients of the training samples."""
        found = _core.coefficients(self._fitted())
        return found[:, 0] if self._flat else found

    def _predicted(self, X: Checked) -> np.ndarray:
        """The predictions for checked samples: rows × targets."""
        out = np.empty((X.shape[0], self._model.shape[2]), dtype_of(self._model.precision))
        with self._run() as run:
            _core.predict(self._model, self._tiles(X), out, run)
        return out.astype(dtype_of(self._model.dtype), copy=False)

    def _deviations(self, X: Checked) -> np.ndarray:
        """The standard deviations of the predictions for checked samples: rows × targets."""
        with self._run() as run:
            if self._spread is None:
                self._spread = _core.Spread(self._model, run)
            found = self._spread.deviations(self._tiles(X), run)
        return found.astype(dtype_of(self._model.dtype), copy=False)

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_spread" in state:
            state["_spread"] = None
        return state
