"""Fitted support vector machines: what they tell, decide and write, whatever they learned."""

from __future__ import annotations

import json
import os
import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._kernel_model import KernelModel
from mercer._svm_report import problems_of

# scikit-learn and LIBSVM count a cache in these.
MEGABYTE = 2**20


class SvmModel(KernelModel):
    """The half of the support vector machines that holds a model.

    As in scikit-learn, a plain function given as kernel takes two sets of samples.
    """

    _form = "block"

    support_: np.ndarray
    n_support_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int | np.ndarray
    fit_status_: int
    shape_fit_: tuple[int, ...]
    gamma_: float
    kernel_: str
    report_: dict[str, object]
    n_features_in_: int
    feature_names_in_: np.ndarray

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        facts = _core.svm_facts(model)
        if not hasattr(self, "_choice"):
            self._choice = self._choice_of(model)
            noted = json.loads(model.notes).get("shape_fit")
            self.shape_fit_ = (facts["trained_on"], model.shape[1]) if noted is None else (*noted,)
        self._model, self._single = model, facts["single"]
        self.report_ = json.loads(model.report)
        self._tell_kernel(model)
        self.support_, self.n_support_ = facts["support"], facts["counts"]
        self.intercept_ = facts["offsets"]
        self._describe(facts, problems_of(self.report_))

    def _describe(self, facts: dict, problems: list[dict]) -> None:
        """Set the attributes that tell of the model."""
        self.n_iter_ = problems[0]["iterations"] if problems else 0
        self.fit_status_ = int(any(problem["stop"] != "Converged" for problem in problems))

    def _notes(self) -> dict[str, object]:
        return {"estimator": type(self).__name__, "shape_fit": list(self.shape_fit_)}

    @classmethod
    def _params_of(cls, saved: dict, model: _core.Model) -> dict[str, object]:
        """The parameters that mean the same as those in a file."""
        limit, cache = saved["max_iterations"], saved["cache"]
        mixed = model.dtype == "f64" and _core.svm_facts(model)["single"]
        found = {
            "C": float(saved["c"]),
            "nu": saved["nu"],
            "epsilon": saved["epsilon"],
            "kernel": "precomputed" if model.anchors is None else saved["kernel"],
            "tol": saved["tolerance"],
            "shrinking": saved["shrinking"],
            "cache_size": None if cache is None else cache / MEGABYTE,
            "max_iter": -1 if limit is None else limit,
            "max_time": saved["max_seconds"],
            "precision": "mixed" if mixed else "auto",
        }
        return {name: value for name, value in found.items() if name in cls._get_param_names()}

    def to_libsvm(self, path: str | os.PathLike) -> None:
        """Write the fitted model as a model file of LIBSVM, whole or not at all.

        LIBSVM knows the kernels ``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"`` and
        ``"precomputed"``, and classes that are integers; others are refused. What it cannot hold
        besides, such as probabilities of two slopes, is left out with a warning.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.model``.
        """
        check_is_fitted(self)
        self._refuse_function("LIBSVM's model files")
        for note in _core.write_libsvm(self._model, os.fspath(path)):
            warnings.warn(note, UserWarning, stacklevel=2)

    @property
    def dual_coef_(self) -> np.ndarray:
        """The coefficients of the support vectors."""
        return _core.svm_coefficients(self._fitted())

    @property
    def support_vectors_(self) -> np.ndarray:
        """The support vectors, none where the kernel is not of the library's."""
        model = self._fitted()
        if not self._described or self._choice.alone:
            return np.empty((0, 0))
        found = model.anchors
        return np.empty((0, self.shape_fit_[1])) if found is None else found

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features, of a linear kernel."""
        self._fitted()
        if self.kernel_ != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        found = self._primal()
        found.flags.writeable = False
        return found

    def _primal(self) -> np.ndarray:
        return self.dual_coef_ @ self.support_vectors_

    def _decisions(self, X, form: str = "pairs") -> np.ndarray:
        """Decisions, numbers for each class, or probabilities of samples."""
        X = self._rows(X)
        with self._run() as run:
            return _core.svm_decisions(self._model, self._tiles(X), form, run)
