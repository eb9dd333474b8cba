"""What the support vector machines for classes share."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import Samples
from mercer._class_notes import classes_of, noted
from mercer._svm_labels import labels, names, prices, refuse_empty
from mercer._svm_probability import CURVES, DEPRECATED, Probabilities

_SHAPES = ("ovr", "ovo")


class SvmClassifier(ClassifierMixin, Probabilities):
    """The base of :class:`mercer.SVC` and :class:`mercer.NuSVC`."""

    classes_: np.ndarray
    class_weight_: np.ndarray

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        A fit that fails leaves the estimator as it was. One that is interrupted keeps what it has
        reached, with a ``fit_status_`` of 1, and raises KeyboardInterrupt: the model can be used,
        and with `warm_start` the next fit goes on from there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            taken as they are, in any memory order; a sparse matrix stays one. Kernels for texts
            take a list or a column of texts, those on columns a data frame or a dictionary of
            columns, and functions anything that has a length.
        y : array-like of shape (n_samples,)
            The class of each sample: numbers, truth values or texts.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts: it multiplies C. 0 is as if the sample were not there.

        Returns
        -------
        self : object
            The estimator itself.
        """
        self._tell_deprecation()
        return self._fit_whole(X, y, sample_weight)

    def _check_params(self) -> None:
        super()._check_params()
        _params.boolean(self, "break_ties")
        if self.probability != DEPRECATED:
            _params.boolean(self, "probability")
        _params.one_of(self, "calibration", CURVES)
        _params.one_of(self, "decision_function_shape", _SHAPES)

    def _aims(self, y, weights, X) -> tuple:
        classes, places = labels(self, y, X)
        own = prices(self, classes, places)
        refuse_empty(self, classes, places, own, weights)
        self.classes_, self.class_weight_ = classes, own
        return (names(classes), places, own.tolist()), weights

    def _describe(self, facts: dict, problems: list[dict]) -> None:
        super()._describe(facts, problems)
        self.n_iter_ = np.array([problem["iterations"] for problem in problems], dtype=np.int32)
        if not hasattr(self, "classes_"):
            note = json.loads(self._model.notes).get("classes")
            self.classes_ = classes_of(facts["classes"], note)
            self.class_weight_ = np.asarray(facts["class_weights"] or np.ones(len(self.classes_)))

    def _notes(self) -> dict[str, object]:
        """The classes in their own type, where JSON has it: a model file holds their names."""
        notes = super()._notes()
        note = noted(self.classes_)
        return notes if note is None else notes | {"classes": note}

    def decision_function(self, X: Samples) -> np.ndarray:
        """Return how much speaks for each class, or for the first class of each pair.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        decisions : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Of two classes one number, positive for the second. Of more, with a
            `decision_function_shape` of ``"ovr"`` a number for each class; with ``"ovo"`` one for
            each pair of classes, positive for the first.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return self._decisions(X)[:, 0]
        return self._decisions(X, "rest" if self.decision_function_shape == "ovr" else "pairs")

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class that most pairs of classes speak for; of several, the first or, with
            `break_ties`, the one of the largest decision.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[self.decision_function(X).argmax(axis=1)]
        X = self._rows(X)
        with self._run() as run:
            return self.classes_[_core.svm_classes(self._model, self._tiles(X), run)]

    def _primal(self) -> np.ndarray | sparse.csr_matrix:
        if len(self.classes_) == 2:
            return super()._primal()
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        parts = [slice(*pair) for pair in pairwise(ends)]
        c, vectors = self.dual_coef_, self.support_vectors_
        rows = [
            c[[j - 1], parts[i]] @ vectors[parts[i]] + c[[i], parts[j]] @ vectors[parts[j]]
            for i in range(len(parts))
            for j in range(i + 1, len(parts))
        ]
        return sparse.vstack(rows, format="csr") if self._sparse else np.concatenate(rows)
