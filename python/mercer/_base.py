"""What all estimators share: the fitted model, its file, its report, and how work is run."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from mercer import _core
from mercer._run import RUN_PARAMETERS, running

# The report says that components of no variance are 0; as in scikit-learn, that is no warning.
_NO_WARNING = "have zero variance"


class Fitted(BaseEstimator):
    """The base of all estimators. After fit, ``_model`` is the compiled part's model."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _run(self):
        return running(self.n_jobs, self.memory_budget, self.progress)

    def _keep(self, model: _core.Model) -> None:
        """Keep a fitted model and, after a fit, say what a user should know of it."""
        self._model = model
        self.report_ = json.loads(model.report)
        if hasattr(self, "_is_restored"):
            return  # whoever fitted the model was told
        for note in self.report_["notes"]:
            if _NO_WARNING not in note:
                warnings.warn(note, self._category(note), stacklevel=5)

    @staticmethod
    def _category(note: str) -> type[Warning]:
        """What a warning of this note is."""
        return ConvergenceWarning if "did not converge" in note else UserWarning

    @property
    def scaling_(self) -> dict | None:
        """The scaling that is applied to each column first, or None.

        Only models that the command line fitted with scaling have one: a dictionary with ``kind``,
        ``shift`` and ``factor``; a value becomes ``(value - shift) * factor``.
        """
        scaling = self._fitted().scaling
        return None if scaling is None else json.loads(scaling)

    def _fitted(self) -> _core.Model:
        if not hasattr(self, "_model"):
            raise AttributeError("the estimator is not fitted yet: call fit first")
        return self._model

    @contextmanager
    def _whole_or_not_at_all(self) -> Iterator[None]:
        """Leave the estimator as it was if what is done meanwhile fails or is interrupted."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to a file, whole or not at all.

        The file is read by :func:`mercer.load`, by the command line and by the Rust library.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.mercer``.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        names = self._model.feature_names if names is None else [str(name) for name in names]
        if names is not None and len(names) != self._model.shape[1]:
            # A kernel on columns keeps the names of those that it reads, and of no others.
            names = None
        notes = json.dumps({"python": self._plain_params()} | self._notes())
        self._model.with_notes(names, notes).save(os.fspath(path))

    def _notes(self) -> dict[str, object]:
        """What else the file must tell a later Python."""
        return {}

    def _plain_params(self) -> dict[str, object]:
        """The parameters that a file can hold."""
        given = self.get_params(deep=False).items()
        plain = {name: _plain(value) for name, value in given if name not in RUN_PARAMETERS}
        return {name: value for name, value in plain.items() if value is not NotImplemented}


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Fitted):
    """The base of the estimators that transform samples."""

    @property
    def _n_features_out(self) -> int:
        return self._fitted().shape[2]


def _plain(value: object) -> object:
    """The value as JSON can hold it, or NotImplemented."""
    from mercer.kernels import Kernel

    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, Kernel):
        return {"spec": value.spec}
    if isinstance(value, Mapping):
        # The keys of a JSON object are strings; those of class weights need not be.
        pairs = _plain([list(pair) for pair in value.items()])
        return pairs if pairs is NotImplemented else {"items": pairs}
    if isinstance(value, (list, tuple)):
        parts = [_plain(part) for part in value]
        return NotImplemented if NotImplemented in parts else parts
    if isinstance(value, float) and not math.isfinite(value):
        return NotImplemented  # JSON has no word for it.
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return NotImplemented
