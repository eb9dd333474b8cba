"""The base of all estimators: what each of them has, whatever it learns."""

from __future__ import annotations

import json
import os

import numpy as np
from sklearn.base import BaseEstimator

from mercer import _core, _kernel_nested
from mercer._files import save
from mercer._kernel_choice import is_precomputed

# Attributes that earlier versions pickled under another name.
_RENAMED = {"_own_inverse": "_custom_inverse", "_needs_own": "_needs_diagonal"}


class Estimator(BaseEstimator):
    """The base of all estimators.

    After fit, ``_model`` is the model in the extension module and, of an estimator with a kernel,
    ``_choice`` says which kernel it is. Each estimator has a method ``_set_model(model)``, which
    sets the fitted attributes from a model, fresh or from a file, and a class method
    ``_params_from_file(stored, model)``, which returns its parameters.
    """

    n_features_in_: int
    feature_names_in_: np.ndarray

    # The problem that a support vector machine solves, as model files call it.
    _task: str | None = None
    # Whether a fit on rows in blocks reads them again, after it chose landmarks and added them up.
    _reads_again = False
    # The parameter that says how many landmarks, or which.
    _landmark_name = "landmarks"
    # Attributes that are computed on demand, and not pickled.
    _cached: tuple[str, ...] = ()

    get_params = _kernel_nested.get_params
    set_params = _kernel_nested.set_params

    def _params_to_save(self) -> dict[str, object]:
        """The parameters that a model file stores, as far as JSON can hold them."""
        return self.get_params(deep=False)

    def _notes_to_save(self) -> dict[str, object]:
        """What else :func:`mercer.load` needs to restore the estimator."""
        return {}

    def _fitted_model(self) -> _core.Model:
        if not hasattr(self, "_model"):
            raise AttributeError("the estimator is not fitted yet: call fit first")
        return self._model

    @property
    def _n_features_out(self) -> int:
        return self._fitted_model().shape[2]

    @property
    def scaling_(self) -> dict | None:
        """The scaling that is applied to each column first, or None.

        Only models that the command line fitted with scaling have one: a dictionary with ``kind``,
        ``shift`` and ``factor``; a value becomes ``(value - shift) * factor``.
        """
        scaling = self._fitted_model().scaling
        return None if scaling is None else json.loads(scaling)

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to a file, atomically.

        The file is read by :func:`mercer.load`, by the command line and by the Rust library. A
        kernel that is a Python function cannot be saved: pickle the estimator instead.

        Parameters
        ----------
        path : str or path-like
            The file, conventionally with the extension ``.mercer``.
        """
        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self, "kernel"):
            tags.input_tags.pairwise = is_precomputed(self.kernel)
            # As in scikit-learn, a support vector machine takes no sparse kernel matrix.
            tags.input_tags.sparse = not (self._task and tags.input_tags.pairwise)
        return tags

    def __getstate__(self):
        state = super().__getstate__().items()
        return {name: value for name, value in state if name not in self._cached}

    def __setstate__(self, state):
        super().__setstate__({_RENAMED.get(name, name): value for name, value in state.items()})
