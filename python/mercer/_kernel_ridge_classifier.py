"""Classification by kernel ridge regression."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.metaestimators import available_if

from mercer import _core, _fit, _landmarks, _linear, _predict, _ridge, _stream
from mercer._arrays import Samples, validate_weights
from mercer._base import Estimator
from mercer._files import class_notes, classes_of
from mercer._labels import (
    class_names,
    classes_given,
    codes_among,
    indicators_of,
    validate_labels,
)
from mercer._params import refuse
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer._stream import by_blocks
from mercer.kernels import Kernel
from mercer.reports import RegressionReport


class KernelRidgeClassifier(ClassifierMixin, Estimator):
    """Classification by kernel ridge regression on targets of 1 and -1.

    Each class has a target that is 1 for its samples and -1 for others, and the prediction is the
    class with the largest value. Two classes need one target, 1 for the second. Samples with
    several labels each are given as an indicator matrix, as in scikit-learn's ``RidgeClassifier``:
    each label has a target, and the prediction is the labels with a positive value. Parameters that
    are not described here are those of :class:`mercer.KernelRidge`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_classes,), default=1.0
        The penalty, at least 0: one for all classes or, with three or more, one each; also one for
        each of several labels.
    kernel : str, Kernel or callable, default="linear"
        The kernel.
    gamma, degree, coef0, kernel_params
        Parameters of a kernel given by its name.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    class_weight : dict or "balanced", optional
        Weights of the classes, 1 for those not listed; ``"balanced"`` gives all classes the same
        total weight. They are multiplied by the sample weights. With several labels per sample,
        ``"balanced"`` multiplies the weights of all labels, and a dictionary is refused.
    solver, tol, max_iter, random_state, warm_start, max_time
        As for :class:`mercer.KernelRidge`.
    precision, memory_budget, progress, n_jobs
        How the system is solved, and how the work is run.
    landmarks : int, "auto" or array-like of samples, optional
        Approximates the kernel matrix by so many of the samples, or by the samples given: memory
        and time grow with the number of samples times that of landmarks, never with its square.
        ``"auto"`` adds landmarks until at most `landmark_tol` of the trace of the kernel matrix is
        left, estimated on a sample of the rows. None, the default, is exact.
        ``report_["landmarks"]`` says how good the approximation is.
    landmark_tol : float, default=0.01
        The share of the trace that ``landmarks="auto"`` may leave.
    landmark_method : {"pivoted_cholesky", "uniform", "kmeans"}, default="pivoted_cholesky"
        How landmarks are chosen: by randomly pivoted Cholesky, which prefers samples that the
        others represent badly; each sample with the same probability; or as the means of as many
        clusters, for rows of numbers that are not sparse.
    device : {"cpu", "cuda", "cuda:1", "auto"}, default="cpu"
        Where the kernel matrix is computed and held, in a fit and in predictions: on the processor,
        on a CUDA device (with a number where there are several), or, with ``"auto"``, on the first
        device if there is one that computes the kernel. Devices take kernels on dense rows of
        numbers, in double precision, without `landmarks`; results agree with the processor's to
        rounding errors. Needs ``pip install mercer[cuda]`` or cuBLAS. A model from a file predicts
        on the processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; with several labels per sample, the columns of y: 0, 1, ….
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The coefficients, 1-D for two classes; read-only.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights of the features, only with a linear kernel; one row for two classes. Read-only.
    intercept_ : float or ndarray of shape (n_classes,)
        The intercepts.
    X_fit_, kernel_, gamma_, n_iter_, report_, scaling_
        As for :class:`mercer.KernelRidge`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRidgeClassifier(alpha=0.1, kernel="rbf").fit(X, y)
    >>> model.predict(X[[0, 70, 140]])
    array([0, 1, 2])
    >>> model.decision_function(X[:2]).shape
    (2, 3)
    """

    # Whether samples have several labels each.
    _multilabel = False

    classes_: np.ndarray
    intercept_: float | np.ndarray
    gamma_: float
    kernel_: str
    n_iter_: int
    report_: RegressionReport

    coef_ = property(_linear.weights)
    dual_coef_ = property(_ridge.dual_coef)
    X_fit_ = property(_predict.training_set)
    landmarks_ = property(_landmarks.landmarks)
    _params_from_file = classmethod(_ridge.params_from_file)

    _reads_again = True

    def __init__(
        self,
        alpha: float | ArrayLike = 1.0,
        *,
        kernel: str | Kernel | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict | None = None,
        fit_intercept: bool = True,
        class_weight: Mapping | str | None = None,
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        device: str = "cpu",
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.warm_start = warm_start
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.device = device

    @_fit.unchanged_on_error
    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed; with `landmarks`, also a
            table that does not fit into memory: see :func:`mercer.scan`.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            The class of each sample: numbers, booleans or strings; or a matrix of 0 and 1 that says
            which labels each sample has, dense or sparse.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        self : KernelRidgeClassifier
            The estimator itself.
        """
        return self._fit_classes(X, y, sample_weight)

    def _fit_classes(self, X, y, sample_weight, known: np.ndarray | None = None) -> Self:
        """Fit the model; the classes are those of y, or the known ones."""
        _ridge.check_params(self)
        X = _fit.training_samples(self, X, y, sample_weight)
        if isinstance(X, _stream.Streamed):
            return self._fit_blocks(X, known)
        weights = validate_weights(sample_weight, X.shape[0])
        labels = indicators_of(self, y, X)
        if labels is None:
            if known is None:
                classes, codes = validate_labels(self, y, X)
            else:
                classes, codes = known, codes_among(self, y, X, known)
            targets, names = _targets(codes, len(classes)), class_names(classes)
            weights = self._weights(classes[codes], weights)
        else:
            classes, names = np.arange(labels.shape[1]), None
            targets, weights = 2.0 * labels - 1, self._label_weights(labels, weights)
        model, choice = _ridge.fit(self, X, (targets, weights), names)
        self._choice, self._multilabel = choice, labels is not None
        self._flat = targets.shape[1] == 1
        self.classes_ = classes
        self._set_model(model)
        warn_of_notes(self.report_)
        return self

    @available_if(_landmarks.are_set)
    @_fit.unchanged_on_error
    def partial_fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit on more samples; requires `landmarks`.

        The first call chooses the landmarks among its samples, unless they are given, and later
        calls keep them: the model is that of all samples so far. It also goes on from a file.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            The class of each sample, or its labels; those of a table in blocks come with it.
        classes : array-like of shape (n_classes,), optional
            All classes, in the first call: by default those of its samples. Later calls may leave
            it out.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        self : KernelRidgeClassifier
            The estimator itself.
        """
        if isinstance(self.class_weight, str):
            expected = "a dictionary or None in partial_fit, which does not see all samples"
            raise refuse(self, "class_weight", expected, self.class_weight)
        known = None if classes is None else classes_given(classes)
        if not hasattr(self, "_model"):
            return _landmarks.first_fit(self, lambda: self._fit_classes(X, y, sample_weight, known))
        if known is not None and not np.array_equal(known, self.classes_):
            raise ValueError(
                f"classes={known.tolist()!r} are not those of the first call: "
                f"{self.classes_.tolist()!r}"
            )
        self._set_model(self._continued(X, y, sample_weight))
        warn_of_notes(self.report_)
        return self

    def _continued(self, X, y, sample_weight) -> _core.Model:
        """The model of all samples so far and these."""
        if _stream.fits_in_blocks(self, X):

            def prepare(rows: _stream.Streamed) -> None:
                _stream.encode_classes(rows, self.classes_, self._known_factors())

            return _landmarks.continue_fit(self, X, (y, sample_weight), prepare)
        samples = _predict.new_samples(self, X)
        weights = validate_weights(sample_weight, samples.shape[0])
        labels = indicators_of(self, y, samples)
        if (labels is not None) != self._multilabel:
            raise ValueError("y must be of the kind of the first call: classes, or several labels")
        if labels is not None:
            targets, weights = 2.0 * labels - 1, self._label_weights(labels, weights)
        else:
            codes = codes_among(self, y, samples, self.classes_)
            targets = _targets(codes, len(self.classes_))
            weights = self._weights(self.classes_[codes], weights)
        return _landmarks.continue_fit(self, X, (np.ascontiguousarray(targets), weights))

    def _known_factors(self) -> np.ndarray | None:
        """The weights of known classes, which do not depend on their samples."""
        return self._class_factors(self.classes_, np.ones(len(self.classes_)))

    def _fit_blocks(self, X: _stream.Streamed, known: np.ndarray | None) -> Self:
        """Fit on samples in blocks, after a pass that finds the classes if they are not known."""
        if known is None:
            classes = _stream.class_targets(self, X, self._class_factors)
        else:
            classes = known
            factors = self._class_factors(classes, np.ones(len(classes)))
            _stream.encode_classes(X, classes, factors)
        model, choice = _ridge.fit(self, X, None, class_names(classes))
        self._choice, self._multilabel = choice, False
        self._flat, self.classes_ = len(classes) == 2, classes
        self._set_model(model)
        warn_of_notes(self.report_)
        return self

    def _class_factors(self, classes: np.ndarray, sums: np.ndarray) -> np.ndarray | None:
        """The weights of the classes, given the sums of the weights of their samples."""
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, Mapping):
            return compute_sample_weight(self.class_weight, classes).astype(np.float64)
        if self.class_weight != "balanced":
            expected = "a dictionary, 'balanced' or None"
            raise refuse(self, "class_weight", expected, self.class_weight)
        return sums.sum() / len(sums) / np.where(sums == 0, 1, sums)

    def _label_weights(self, y: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        """The weights of samples with several labels each."""
        if self.class_weight is None:
            return weights
        if not (isinstance(self.class_weight, str) and self.class_weight == "balanced"):
            expected = "'balanced' or None for several labels per sample"
            raise refuse(self, "class_weight", expected, self.class_weight)
        found = compute_sample_weight("balanced", y)
        return found if weights is None else found * weights

    def _weights(self, y: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        """The weights of samples and of their classes, multiplied."""
        if self.class_weight is None:
            return weights
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return _balanced(y, np.ones(len(y)) if weights is None else weights)
        if not isinstance(self.class_weight, Mapping):
            expected = "a dictionary, 'balanced' or None"
            raise refuse(self, "class_weight", expected, self.class_weight)
        found = compute_sample_weight(self.class_weight, y).astype(np.float64, copy=False)
        return found if weights is None else found * weights

    @by_blocks
    def decision_function(self, X: Samples) -> np.ndarray:
        """Return the decision values of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            The predicted targets. For two classes, positive values mean the second; for several
            labels per sample, that it has the label.
        """
        return _ridge.predict(self, _predict.new_samples(self, X))

    @by_blocks
    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_labels)
            The classes, or 1 for each label of a sample and 0 for others.
        """
        scores = self.decision_function(X)
        if self._multilabel:
            return (scores > 0).astype(np.int64)
        codes = scores > 0 if self._flat else scores.argmax(axis=1)
        return self.classes_[codes.astype(np.intp)]

    def _set_model(self, model: _core.Model) -> None:
        _ridge.set_attributes(self, model)
        if hasattr(self, "classes_"):
            return
        names = json.loads(_core.remarks(model))["classes"]
        self._multilabel = names is None
        if self._multilabel:
            self.classes_ = np.arange(model.shape[2])
        else:
            self.classes_ = classes_of(names, model.notes)

    def _notes_to_save(self) -> dict[str, object]:
        return _ridge.notes(self) | ({} if self._multilabel else class_notes(self.classes_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _targets(codes: np.ndarray, classes: int) -> np.ndarray:
    """The targets of the classes: one for two classes, else one for each."""
    columns = [1] if classes == 2 else np.arange(classes)
    return np.where(codes[:, None] == columns, 1.0, -1.0)


def _balanced(y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weights, scaled to the same sum in each class. Classes of weight 0 stay at 0, and invalid
    weights are left for the extension module to find.
    """
    if not (weights >= 0).all():
        return weights
    _, codes = np.unique(y, return_inverse=True)
    sums = np.bincount(codes, weights)
    sums[sums == 0] = 1
    return weights * (weights.sum() / len(sums) / sums)[codes]
