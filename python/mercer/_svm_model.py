"""Fitted support vector machines: their attributes, decisions and files."""

from __future__ import annotations

import os
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _fit, _landmarks, _predict, _svm_fit
from mercer._arrays import as_scikit_learn
from mercer._files import refuse_categories, refuse_function
from mercer._kernel_choice import Described
from mercer._reports import warn


def decision_values(estimator, X, form: str = "pairs") -> np.ndarray:
    """Return decision values, values of each class, or probabilities of samples."""
    X = _predict.new_samples(estimator, X)
    with _fit.run_of(estimator) as run:
        return _core.svm_decisions(estimator._model, _predict.to_model(estimator, X), form, run)


def dual_coef(estimator) -> np.ndarray | sparse.csr_matrix:
    """The coefficients of the support vectors, sparse if these are."""
    found = _core.svm_coefficients(estimator._fitted_model())
    return as_scikit_learn(sparse.csr_array(found)) if estimator._sparse else found


def support_vectors(estimator) -> Any:
    """The support vectors; empty for a precomputed kernel or a user-defined function.

    They are sparse for sparse fits. Those of a kernel on columns are a table of these columns: a
    data frame if the model was fitted on one, else a dictionary of columns.
    """
    if _landmarks.is_low_rank(estimator) or is_divided(estimator):
        raise AttributeError(
            "an SVM on landmarks or cells keeps no support vectors: they are the rows support_ of X"
        )
    choice = estimator._choice
    if not isinstance(choice, Described) or choice.alone:
        return np.empty((0, 0))
    found = _predict.kept_samples(estimator)
    return np.empty((0, estimator.shape_fit_[1])) if found is None else as_scikit_learn(found)


def is_divided(estimator) -> bool:
    """Whether there is a machine for each of several cells."""
    return estimator.report_["storage"] == "cells"


def coef(estimator) -> np.ndarray | sparse.csr_matrix:
    """The weights of the features, for a linear kernel; sparse if the support vectors are."""
    estimator._fitted_model()
    if _landmarks.is_low_rank(estimator) or is_divided(estimator):
        raise AttributeError("coef_ is not available with landmarks or cells")
    if estimator.kernel_ != "linear":
        raise AttributeError("coef_ is only available when using a linear kernel")
    found = _primal_coef(estimator)
    numbers = found.data if sparse.issparse(found) else found
    numbers.flags.writeable = False
    return found


def _primal_coef(estimator) -> np.ndarray | sparse.csr_matrix:
    c, vectors = estimator.dual_coef_, estimator.support_vectors_
    if len(getattr(estimator, "classes_", ())) <= 2:
        return c @ vectors
    ends = np.concatenate([[0], np.cumsum(estimator.n_support_)])
    parts = [slice(*pair) for pair in pairwise(ends)]
    rows = [
        c[[j - 1], parts[i]] @ vectors[parts[i]] + c[[i], parts[j]] @ vectors[parts[j]]
        for i, j in combinations(range(len(parts)), 2)
    ]
    return sparse.vstack(rows, format="csr") if estimator._sparse else np.concatenate(rows)


def gamma_alias(estimator) -> float:
    """scikit-learn's private name of ``gamma_``, which programs use nevertheless."""
    return estimator.gamma_


def to_libsvm(self, path: str | os.PathLike) -> None:
    """Write the fitted model as a LIBSVM model file, atomically.

    LIBSVM supports the kernels ``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"`` and
    ``"precomputed"``, and integer classes; others are refused. Anything else that it cannot store,
    such as probabilities with two slopes, is omitted with a warning.

    Parameters
    ----------
    path : str or path-like
        The file, conventionally with the extension ``.model``.
    """
    check_is_fitted(self)
    refuse_function(self, "a LIBSVM model file")
    refuse_categories(self, "a LIBSVM model file")
    for note in _core.write_libsvm(self._model, os.fspath(path)):
        warn(note)


def notes(estimator) -> dict[str, object]:
    """Return what a model file notes of the estimator."""
    return {"estimator": type(estimator).__name__, "shape_fit": list(estimator.shape_fit_)}


def params_from_file(cls: type, stored: dict, model: _core.Model) -> dict[str, object]:
    """Return the parameters of the class that are equivalent to those in a file."""
    limit, cache = stored["max_iterations"], stored["cache"]
    found = (
        _fit.file_kernel_params(model)
        | {
            # JSON has no infinity: the file has it as a string.
            "C": float(stored["c"]),
            "nu": stored["nu"],
            "epsilon": stored["epsilon"],
            "tol": stored["tolerance"],
            "shrinking": stored["shrinking"],
            "cache_size": None if cache is None else cache / _svm_fit.MEGABYTE,
            "max_iter": -1 if limit is None else limit,
            "max_time": stored["max_seconds"],
            "polish": stored.get("polish", False),
            "cells": (stored.get("cells") or {}).get("rows"),
            "cell_overlap": (stored.get("cells") or {}).get("overlap", 0.25),
            "random_state": (stored.get("cells") or {}).get("seed"),
        }
        | _landmarks.params_from_file(stored, model)
    )
    return {name: value for name, value in found.items() if name in cls._get_param_names()}
