"""How outliers are detected by kernel PCA."""

from __future__ import annotations

import numpy as np

from mercer import _core, _params
from mercer._kernel_components import ComponentsFit
from mercer._samples import Checked

_CRITERIA = ("reconstruction", "projections")


class DetectorFit(ComponentsFit):
    """The private half of :class:`mercer.KernelPCADetector`.

    After fit, ``_needs_own`` says whether the scores of samples need their own kernel values.
    """

    n_components_: int
    n_iter_: int
    offset_: float
    training_scores_: np.ndarray

    def _fit(self, X) -> None:
        self._check_search()
        _params.one_of(self, "criterion", _CRITERIA)
        _params.positive(self, "contamination", 0.5)
        X = self._samples(X)
        choice = self._choose(X)
        choices = self._choices(X, choice)
        rule = (self.criterion, float(self.contamination))
        with self._run() as run:
            model = _core.fit_detector(self._values(X, choice), choices, rule, run)
        self._choice = choice
        self._restore(model)

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        if not hasattr(self, "_choice"):
            self._choice = self._choice_of(model)
        self._keep(model)
        self._tell_kernel(model)
        self._tell_components(model)
        facts = _core.detector_facts(model)
        self._needs_own = facts["criterion"] == "reconstruction"
        self.n_components_ = model.shape[2]
        self.n_iter_ = max(1, self.report_["passes"])
        self.offset_ = -facts["threshold"]
        self.training_scores_ = -facts["training"]

    @staticmethod
    def _params_of(stored: dict, model: _core.Model) -> dict[str, object]:
        facts = _core.detector_facts(model)
        rule = {name: facts[name] for name in ("criterion", "contamination")}
        return ComponentsFit._params_of(stored, model) | rule

    def _scores(self, X, diagonal) -> np.ndarray:
        """How unusual new samples are."""
        X = self._rows(X)
        own = self._own(X, diagonal)
        with self._run() as run:
            return _core.detector_scores(self._model, self._tiles(X), own, run)

    def _own(self, X: Checked, diagonal) -> np.ndarray | None:
        """The samples' own kernel values, which projections do without."""
        unneeded = not self._needs_own and diagonal is None
        return None if unneeded else self._own_values(X, diagonal)
