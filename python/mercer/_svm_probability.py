"""Probabilities of classes from the decisions of support vector machines."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import _core, _params
from mercer._arrays import Samples, counted_weights
from mercer._svm_fit import SvmFit
from mercer._svm_labels import labels, names, refuse_empty

# The default of `probability`, by which scikit-learn tells whether it was given.
DEPRECATED = "deprecated"
CURVES = ("sigmoid", "isotonic")
# How many parts the samples are dealt to for the probabilities of a fit, as in LIBSVM.
_FOLDS = 5


def wants_probabilities(estimator) -> bool:
    """Whether a fit learns probabilities; the default of the parameter says that nobody asked."""
    asked = estimator.probability
    return not isinstance(asked, str) and bool(asked)


def _has_probabilities(estimator) -> bool:
    if wants_probabilities(estimator) or getattr(estimator, "_calibrated", False):
        return True
    raise AttributeError(
        "predict_proba is not available when probability=False: set it, or call calibrate"
    )


class Probabilities(SvmFit):
    """The half of the classifiers that turns decisions into probabilities.

    After fit, ``_calibrated`` says whether the model can.
    """

    classes_: np.ndarray
    class_weight_: np.ndarray

    def _calibrating(self) -> tuple[str, int, int] | None:
        if not wants_probabilities(self):
            return None
        return self.calibration, _FOLDS, _params.seed(self.random_state)

    def _describe(self, facts: dict, problems: list[dict]) -> None:
        super()._describe(facts, problems)
        self._calibrated = facts["calibration"] is not None

    def _plain_params(self) -> dict[str, object]:
        params = super()._plain_params()
        if self.probability == DEPRECATED:
            params.pop("probability", None)
        return params

    def _tell_deprecation(self) -> None:
        """Warn of `probability` where it is given, as scikit-learn does since 1.9."""
        if self.probability != DEPRECATED:
            name = type(self).__name__
            warnings.warn(
                "The `probability` parameter is deprecated, as it is in scikit-learn 1.9: call "
                f"`calibrate(X, y)` after fit, or use `CalibratedClassifierCV({name}(), "
                "ensemble=False)`",
                FutureWarning,
                stacklevel=3,
            )

    @property
    def probA_(self) -> np.ndarray:  # noqa: N802
        """Deprecated; empty, as in scikit-learn for a model without probabilities."""
        return self._slopes("probA_")

    @property
    def probB_(self) -> np.ndarray:  # noqa: N802
        """Deprecated; empty, as in scikit-learn for a model without probabilities."""
        return self._slopes("probB_")

    def _slopes(self, name: str) -> np.ndarray:
        if not hasattr(self, "_calibrated"):
            raise AttributeError(f"{type(self).__name__} is not fitted yet and has no {name}")
        warnings.warn(
            f"Attribute `{name}` was deprecated in scikit-learn 1.9 and will be removed",
            FutureWarning,
            stacklevel=3,
        )
        if self._calibrated:
            raise AttributeError(
                f"there is no {name}: the probabilities are no sigmoids of one slope"
            )
        return np.empty(0)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Samples) -> np.ndarray:
        """Return the probabilities of the classes.

        The most probable class is the one that :meth:`predict` names.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            They are positive, and those of a sample sum to 1.
        """
        check_is_fitted(self)
        if not self._calibrated:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False: fit again, or "
                "call calibrate"
            )
        return self._decisions(X, "probabilities")

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Samples) -> np.ndarray:
        """Return the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            See :meth:`predict_proba`.
        """
        return np.log(self.predict_proba(X))

    def calibrate(
        self,
        X: Samples,
        y: ArrayLike,
        method: str = "sigmoid",
        cv: int = 5,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn probabilities for a model that was fitted without.

        What `probability` does within a fit, and the same to the last bit: the samples are dealt to
        `cv` parts, each is decided by a machine that learned from the others, and a rising curve
        is laid through these decisions. Classes and decisions stay as they are.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples that the model was fitted on, or their kernel matrix.
        y : array-like of shape (n_samples,)
            Their classes.
        method : {"sigmoid", "isotonic"}, default="sigmoid"
            The shape of the curve: a sigmoid with a slope on each side of the boundary, or steps,
            for many samples.
        cv : int, default=5
            Parts, at least 2.
        sample_weight : float or array-like of shape (n_samples,), optional
            The weights that the model was fitted with.

        Returns
        -------
        self : object
            The estimator itself.
        """
        check_is_fitted(self)
        asked = _asked(self, method, cv)
        X = self._rows(X)
        n = X.shape[0]
        if n != self.shape_fit_[0]:
            raise ValueError(
                f"the model was fitted on {self.shape_fit_[0]} samples, and these are {n}: "
                "calibrate needs the samples of the fit"
            )
        self._calibrate(X, self._lesson_again(y, counted_weights(sample_weight, n), X), asked)
        return self

    def _calibrate(self, X, aims: tuple, asked: tuple[str, int, int]) -> None:
        """Calibrate the model with the checked samples that it was fitted on."""
        with self._run() as run:
            tiles = self._tiles(X)
            values = tiles if self._described else self._symmetric(tiles)
            self._model = _core.calibrate_svm(self._model, values, aims, asked, run)
        self._calibrated = True

    def _lesson_again(self, y, own: np.ndarray | None, X) -> tuple:
        classes, places = labels(self, y, X)
        if not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"the model knows the classes {self.classes_.tolist()}, and these are "
                f"{classes.tolist()}"
            )
        refuse_empty(self, classes, places, self.class_weight_, own)
        return (names(classes), places, self.class_weight_.tolist()), own


def _asked(estimator, method: object, cv: object) -> tuple[str, int, int]:
    if not isinstance(method, str) or method not in CURVES:
        raise _params.refuse(estimator, "method", "one of 'sigmoid', 'isotonic'", method)
    if not _params.is_integer(cv) or cv < 2:
        raise _params.refuse(estimator, "cv", "an integer of at least 2", cv)
    return method, int(cv), _params.seed(estimator.random_state)
