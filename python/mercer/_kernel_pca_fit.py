"""How a fit of kernel PCA goes: checks, the way to the compiled part, and what is kept of it."""

from __future__ import annotations

import numpy as np

from mercer import _core, _params
from mercer._arrays import dtype_of
from mercer._base import Estimator
from mercer._kernel_choice import Choice, Described
from mercer._kernel_components import ComponentsFit
from mercer._samples import Checked


class KernelPcaFit(ComponentsFit, Estimator):
    """The half of :class:`mercer.KernelPCA` that fits one."""

    def _fit(self, X) -> None:
        self._check_params()
        X = self._samples(X)
        if self.fit_inverse_transform:
            X = self._targets_of_inverse(X)
        choice = self._choose(X)
        self._choice, self._eigenvectors, self._own_inverse = choice, None, {}
        with self._run() as run:
            model = _core.fit_kernel_pca(self._values(X, choice), self._choices(X, choice), run)
        self._restore(model)
        if choice.functions:
            self._learn_own_inverse(X)

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        if not hasattr(self, "_choice"):
            self._choice, self._own_inverse, self._eigenvectors = self._choice_of(model), {}, None
        self._keep(model)
        self._tell_components(model)
        self._tell_kernel(model)

    @staticmethod
    def _params_of(stored: dict, model: _core.Model) -> dict[str, object]:
        params = ComponentsFit._params_of(stored, model)
        params["remove_zero_eig"] = stored["remove_zero"]
        if stored["inverse"] is not None:
            params["fit_inverse_transform"] = True
            params["inverse_kernel"] = stored["inverse"]["kernel"]
            params["alpha"] = stored["inverse"]["alpha"]
            params["inverse_center"] = stored["inverse"]["center"]
        return params

    def _check_params(self) -> None:
        self._check_search()
        _params.boolean(self, "remove_zero_eig", "copy_X")
        _params.auto_or_count(self, "iterated_power")
        _params.warn_without_effect(self, iterated_power="auto")
        self._check_inverse()

    def _choices(self, X: Checked, choice: Choice) -> dict[str, object]:
        learned = isinstance(choice, Described) and not choice.functions
        return super()._choices(X, choice) | {
            "remove_zero": bool(self.remove_zero_eig),
            "inverse": self._inverse_choices() if learned else None,
        }

    def _training_scores(self) -> np.ndarray:
        n, _, k = self._model.shape
        out = np.empty((n, k), dtype=dtype_of(self._model.dtype))
        self._model.training_scores(out)
        return out
