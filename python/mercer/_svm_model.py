"""Fitted support vector machines: what they tell, decide and write, whatever they learned."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer._arrays import as_scikit_learn
from mercer._kernel_model import KernelModel
from mercer._samples import Checked
from mercer._svm_report import problems_of
from mercer.reports import MachineReport

# scikit-learn and LIBSVM count a cache in these.
MEGABYTE = 2**20


class SvmModel(KernelModel):
    """The half of the support vector machines that holds a model.

    As in scikit-learn, a plain function given as kernel takes two sets of samples.
    """

    _form = "block"
    # Whether the support vectors are kept as a sparse matrix.
    _sparse = False

    support_: np.ndarray
    n_support_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int | np.ndarray
    fit_status_: int
    shape_fit_: tuple[int, ...]
    gamma_: float
    kernel_: str
    report_: MachineReport
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _samples(self, X) -> Checked:
        if sparse.issparse(X) and isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported.")
        return super()._samples(X)

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        facts = _core.svm_facts(model)
        if not hasattr(self, "_choice"):
            self._choice = self._choice_of(model)
            noted = json.loads(model.notes).get("shape_fit")
            self.shape_fit_ = (facts["trained_on"], model.shape[1]) if noted is None else (*noted,)
        self._model, self._single, self._sparse = model, facts["single"], facts["sparse"]
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
            # JSON has no infinity: a file has the word for it.
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
    def dual_coef_(self) -> np.ndarray | sparse.csr_matrix:
        """The coefficients of the support vectors, sparse if these are."""
        found = _core.svm_coefficients(self._fitted())
        return as_scikit_learn(sparse.csr_array(found)) if self._sparse else found

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, none where the kernel is not of the library's.

        They are sparse for sparse fits. Those of a kernel on columns are a table of these columns:
        a data frame if the model was fitted on one, else a dictionary of columns.
        """
        self._fitted()
        if not self._described or self._choice.alone:
            return np.empty((0, 0))
        found = self._anchors()
        return np.empty((0, self.shape_fit_[1])) if found is None else as_scikit_learn(found)

    @property
    def _gamma(self) -> float:
        # scikit-learn's private name, which programs use nevertheless.
        return self.gamma_

    @property
    def coef_(self) -> np.ndarray | sparse.csr_matrix:
        """The weights of the features, of a linear kernel; sparse if the support vectors are."""
        self._fitted()
        if self.kernel_ != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        found = self._primal()
        numbers = found.data if sparse.issparse(found) else found
        numbers.flags.writeable = False
        return found

    def _primal(self) -> np.ndarray | sparse.csr_matrix:
        return self.dual_coef_ @ self.support_vectors_

    def _decisions(self, X, form: str = "pairs") -> np.ndarray:
        """Decisions, numbers for each class, or probabilities of samples."""
        X = self._rows(X)
        with self._run() as run:
            return _core.svm_decisions(self._model, self._tiles(X), form, run)
