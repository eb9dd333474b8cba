"""The base of the support vector classifiers."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import (
    _core,
    _fit,
    _landmarks,
    _predict,
    _svm_fit,
    _svm_model,
    _svm_probability,
)
from mercer._arrays import Samples, svm_weights
from mercer._base import Estimator
from mercer._files import class_notes, classes_of
from mercer._labels import (
    class_names,
    class_weights,
    class_weights_of,
    refuse_empty,
    validate_labels,
)
from mercer._reports import problems_of
from mercer._stream import Streamed, by_blocks, class_targets
from mercer.reports import MachineReport


class SvmClassifier(ClassifierMixin, Estimator):
    """The base of :class:`mercer.SVC` and :class:`mercer.NuSVC`.

    After fit, ``_calibrated`` says whether the model has probabilities.
    """

    # Whether the support vectors are a sparse matrix.
    _sparse = False

    classes_: np.ndarray
    class_weight_: np.ndarray
    support_: np.ndarray
    n_support_: np.ndarray
    intercept_: np.ndarray
    n_iter_: np.ndarray
    fit_status_: int
    shape_fit_: tuple[int, ...]
    gamma_: float
    kernel_: str
    report_: MachineReport

    dual_coef_ = property(_svm_model.dual_coef)
    support_vectors_ = property(_svm_model.support_vectors)
    landmarks_ = property(_landmarks.landmarks)
    _reads_again = True
    coef_ = property(_svm_model.coef)
    _gamma = property(_svm_model.gamma_alias)
    to_libsvm = _svm_model.to_libsvm
    _params_from_file = classmethod(_svm_model.params_from_file)

    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        A fit that fails leaves the estimator unchanged. One that is interrupted keeps what it has
        reached, with a ``fit_status_`` of 1, and raises KeyboardInterrupt: the model can be used,
        and with `warm_start` the next fit continues from there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed. float32 and float64 are
            used as they are, in any memory order; a sparse matrix stays sparse. Kernels on strings
            take a list or a column of strings, those on columns a data frame or a dictionary of
            columns, and functions any sequence. With `landmarks`, also a table that does not fit
            into memory: see :func:`mercer.scan`.
        y : array-like of shape (n_samples,)
            The class of each sample: numbers, booleans or strings. Those of a table in blocks come
            with it.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples, which multiply C. 0 is equivalent to leaving the sample out.

        Returns
        -------
        self : object
            The estimator itself.
        """
        _svm_probability.warn_of_deprecation(self)
        return _svm_fit.fit(self, X, y, sample_weight)

    @by_blocks
    def decision_function(self, X: Samples) -> np.ndarray:
        """Return the decision values of the classes, or of each pair of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        decisions : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            For two classes one value, positive for the second. For more, with a
            `decision_function_shape` of ``"ovr"`` a value for each class; with ``"ovo"`` one for
            each pair of classes, positive for the first.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return _svm_model.decision_values(self, X)[:, 0]
        return _svm_model.decision_values(
            self, X, "rest" if self.decision_function_shape == "ovr" else "pairs"
        )

    @by_blocks
    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class with the most votes of all pairs; in a tie, the first or, with `break_ties`,
            the one with the largest decision value.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[self.decision_function(X).argmax(axis=1)]
        X = _predict.new_samples(self, X)
        with _fit.run_of(self) as run:
            return self.classes_[_core.svm_classes(self._model, _predict.to_model(self, X), run)]

    @available_if(_svm_probability.has_probabilities)
    @by_blocks
    def predict_proba(self, X: Samples) -> np.ndarray:
        """Return the probabilities of the classes.

        The most probable class is the one that :meth:`predict` returns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Positive, with a sum of 1 for each sample.
        """
        check_is_fitted(self)
        if not self._calibrated:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False: fit again, or "
                "call calibrate"
            )
        return _svm_model.decision_values(self, X, "probabilities")

    @available_if(_svm_probability.has_probabilities)
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
        cv: int | Literal["prefit"] = 5,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Calibrate probabilities for a model that was fitted without.

        The result is bit-identical to that of `probability` within a fit: out-of-fold decision
        values are computed by `cv`-fold cross-validation, and an increasing curve is fitted to
        them. With ``cv="prefit"`` the curve is fitted to the decision values of `X` itself, which
        must be samples that the model was not fitted on. Predicted classes and decision values do
        not change.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The training samples of the fit, or their kernel matrix. With ``cv="prefit"``: other
            samples, or their kernel values with those of the fit.
        y : array-like of shape (n_samples,)
            Their classes. All classes of the fit must occur.
        method : {"sigmoid", "isotonic"}, default="sigmoid"
            The shape of the curve: a sigmoid with a slope on each side of the boundary, or a step
            function, for many samples.
        cv : int or "prefit", default=5
            Folds, at least 2.
        sample_weight : float or array-like of shape (n_samples,), optional
            The weights that the model was fitted with, or of the held-out samples.

        Returns
        -------
        self : object
            The estimator itself.
        """
        check_is_fitted(self)
        settings = _svm_probability.settings(self, method, cv)
        X = _predict.new_samples(self, X)
        n = X.shape[0]
        if cv != _svm_probability.PREFIT and n != self.shape_fit_[0]:
            raise ValueError(
                f"the model was fitted on {self.shape_fit_[0]} samples, but X has {n}: calibrate "
                "needs the samples of the fit, or cv='prefit' for others"
            )
        targets = _svm_probability.targets(self, y, svm_weights(sample_weight, n), X)
        _svm_probability.calibrate(self, X, targets, settings)
        return self

    @property
    def probA_(self) -> np.ndarray:  # noqa: N802
        """Deprecated; empty, as in scikit-learn for a model without probabilities."""
        return _svm_probability.empty_slopes(self, "probA_")

    @property
    def probB_(self) -> np.ndarray:  # noqa: N802
        """Deprecated; empty, as in scikit-learn for a model without probabilities."""
        return _svm_probability.empty_slopes(self, "probB_")

    def _targets(self, y, weights: np.ndarray | None, X) -> tuple:
        """The labels with class weights, as the extension module takes them, and the weights."""
        classes, codes = validate_labels(self, y, X)
        class_weight = class_weights(self, classes, codes)
        refuse_empty(self, classes, codes, class_weight, weights)
        self.classes_, self.class_weight_ = classes, class_weight
        return (class_names(classes), codes, class_weight.tolist()), weights

    def _block_target(self, X: Streamed) -> tuple:
        """The classes of samples in blocks with their weights, without labels."""

        def weigh(classes: np.ndarray, counts: np.ndarray) -> None:
            self.class_weight_ = class_weights_of(self, classes, counts)

        self.classes_ = class_targets(self, X, weigh, counted=True)
        return class_names(self.classes_), np.empty(0, np.int64), self.class_weight_.tolist()

    def _set_model(self, model: _core.Model) -> None:
        facts = _svm_fit.set_attributes(self, model)
        problems = problems_of(self.report_)
        self.n_iter_ = np.array([problem["iterations"] for problem in problems], dtype=np.int32)
        self._calibrated = facts["calibration"] is not None
        if not hasattr(self, "classes_"):
            self.classes_ = classes_of(facts["classes"], model.notes)
            self.class_weight_ = np.asarray(facts["class_weights"] or np.ones(len(self.classes_)))

    def _params_to_save(self) -> dict[str, object]:
        params = super()._params_to_save()
        if self.probability == _svm_probability.DEPRECATED:
            del params["probability"]
        return params

    def _notes_to_save(self) -> dict[str, object]:
        return _svm_model.notes(self) | class_notes(self.classes_)
