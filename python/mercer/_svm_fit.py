"""How support vector machines are fitted, whatever they learn."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer import _core, _params
from mercer._arrays import counted_weights
from mercer._kernel_choice import Choice, written
from mercer._kernel_model import PRECISIONS
from mercer._samples import Checked
from mercer._svm_kernel import choose_for
from mercer._svm_model import MEGABYTE, SvmModel
from mercer._svm_report import show, tell_stops


class SvmFit(SvmModel):
    """The half of the support vector machines that fits one.

    ``_task`` is what is learned, as model files call it.
    """

    _task: str

    def _fit_whole(self, X, y, sample_weight) -> Self:
        """Fit the model, and raise what cut the fit short once its part is kept."""
        with self._whole_or_not_at_all():
            raised = self._fit(X, y, sample_weight)
        if raised is not None:
            raise raised
        tell_stops(self)
        return self

    def _fit(self, X, y, sample_weight) -> BaseException | None:
        X, aims, choice = self._prepare(X, y, sample_weight)
        start = self._start(X.shape[0], aims[0])
        with self._run() as run:
            values, choices = self._values(X, choice), self._choices(X, choice)
            model, raised = _core.fit_svm(values, aims, start, choices, run)
        self._adopt(model, choice, X)
        if self.verbose:
            show(self.report_)
        return raised

    def _prepare(self, X, y, sample_weight) -> tuple:
        """What a fit is given, checked: the samples, what is learned from them, the kernel."""
        self._check_params()
        X = self._samples(X)
        own = counted_weights(sample_weight, X.shape[0])
        return X, self._aims(y, own, X), choose_for(self, X)

    def _adopt(self, model: _core.Model, choice: Choice, X: Checked) -> None:
        """Take over a fresh model of these samples."""
        self._choice, self.shape_fit_ = choice, tuple(X.shape)
        self._restore(model)

    def _aims(self, y, weights: np.ndarray | None, X) -> tuple:
        """What is learned from the samples, as the compiled part takes it, and their weights."""
        raise NotImplementedError("an estimator says what it learns")

    def _check_params(self) -> None:
        _params.boolean(self, "shrinking", "warm_start")
        _params.one_of(self, "precision", PRECISIONS)
        _params.positive(self, "tol")
        _params.none_or_positive(self, "cache_size")
        _params.none_or_positive(self, "max_time")
        _params.at_least(self, "max_iter", -1, integer=True)
        if hasattr(self, "C"):
            _params.positive_or_infinite(self, "C")
        if hasattr(self, "nu"):
            _params.positive(self, "nu", 1)
        if not isinstance(self.verbose, (bool, np.bool_)):
            _params.at_least(self, "verbose", 0, integer=True)

    def _start(self, n: int, target: object) -> _core.Model | None:
        """The machine to go on from, if the last fit was of as many samples and these classes."""
        if not self.warm_start or not hasattr(self, "_model"):
            return None
        facts = _core.svm_facts(self._model)
        names = target[0] if isinstance(target, tuple) else None
        same = (facts["trained_on"], facts["classes"]) == (n, names)
        return self._model if same else None

    def _choices(self, X: Checked, choice: Choice) -> dict[str, object]:
        """The parameters as the compiled part takes them."""
        cache = None if self.cache_size is None else max(1, int(self.cache_size * MEGABYTE))
        return {
            "task": self._task,
            "kernel": written(choice),
            "c": float(getattr(self, "C", 1.0)),
            "nu": float(getattr(self, "nu", 0.5)),
            "epsilon": float(getattr(self, "epsilon", 0.1)),
            "tolerance": float(self.tol),
            "shrinking": bool(self.shrinking),
            "cache": cache,
            "max_iterations": None if self.max_iter == -1 else int(self.max_iter),
            "max_seconds": None if self.max_time is None else float(self.max_time),
            "calibration": self._calibrating(),
            "dtype": "f64" if self._results(X) == np.float64 else "f32",
        }

    def _calibrating(self) -> tuple[str, int, int] | None:
        """How decisions become probabilities: a curve, folds and a seed."""
        return None
