"""Classification by kernel ridge regression."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from mercer import _core
from mercer._arrays import Samples, weights
from mercer._class_notes import classes_of, noted
from mercer._kernel_ridge_fit import RidgeFit
from mercer._params import refuse
from mercer._progress import Step
from mercer._svm_labels import labels, names
from mercer.kernels import Kernel


class KernelRidgeClassifier(ClassifierMixin, RidgeFit):
    """Classification by kernel ridge regression on targets of 1 and -1.

    Each class has a target that is 1 for its samples and -1 for others, and a sample is given the
    class of the largest prediction. Two classes need one target, 1 for the second. The parameters
    that are not told here are those of :class:`mercer.KernelRidge`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_classes,), default=1.0
        The penalty, of at least 0: one for all classes or, with three or more, one each.
    kernel : str, Kernel or callable, default="linear"
        The kernel.
    gamma, degree, coef0, kernel_params
        Parameters of a kernel that is given by its name.
    fit_intercept : bool, default=True
        Whether to learn a constant too, which costs no penalty.
    class_weight : dict or "balanced", optional
        Weights of the classes, 1 for those not named; ``"balanced"`` gives all classes the same
        weight in sum. They are multiplied with the weights of samples.
    solver, tol, max_iter, random_state, warm_start, precision, memory_budget, progress, n_jobs
        How the equations are solved, and how the work is run.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in order.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The coefficients, with one axis for two classes. Not to be written to.
    intercept_ : float or ndarray of shape (n_classes,)
        The constants.
    X_fit_, kernel_, gamma_, n_iter_, report_, scaling_
        As for :class:`mercer.KernelRidge`.
    n_features_in_ : int
        Columns of X.
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

    classes_: np.ndarray
    intercept_: float | np.ndarray
    gamma_: float
    kernel_: str

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
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model. A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            The class of each sample: numbers, truth values or texts.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts.

        Returns
        -------
        self : KernelRidgeClassifier
            The estimator itself.
        """
        with self._whole_or_not_at_all():
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X, y, sample_weight) -> None:
        self._check_params()
        X = self._samples(X)
        classes, places = _labels(self, y, X)
        own = self._weights(classes[places], weights(sample_weight, X.shape[0]))
        aims = _targets(places, len(classes)), own
        model, choice = self._learn(X, aims, names(classes))
        self._choice, self._flat = choice, len(classes) == 2
        self.classes_ = classes
        self._restore(model)

    def _weights(self, y: np.ndarray, own: np.ndarray | None) -> np.ndarray | None:
        """The weights of samples and of their classes, multiplied."""
        if self.class_weight is None:
            return own
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return _balanced(y, np.ones(len(y)) if own is None else own)
        if not isinstance(self.class_weight, Mapping):
            expected = "a dictionary, 'balanced' or None"
            raise refuse(self, "class_weight", expected, self.class_weight)
        found = compute_sample_weight(self.class_weight, y).astype(np.float64, copy=False)
        return found if own is None else found * own

    def decision_function(self, X: Samples) -> np.ndarray:
        """Return how much speaks for each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            The predicted targets. Of two classes, positive values speak for the second.
        """
        found = self._predicted(self._rows(X))
        return found[:, 0] if self._flat else found

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel values with the training samples if the kernel is precomputed.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The classes.
        """
        scores = self.decision_function(X)
        places = scores > 0 if self._flat else scores.argmax(axis=1)
        return self.classes_[places.astype(np.intp)]

    def _describe(self, model: _core.Model) -> None:
        super()._describe(model)
        if not hasattr(self, "classes_"):
            names = json.loads(_core.remarks(model))["classes"]
            self.classes_ = classes_of(names, json.loads(model.notes).get("classes"))

    def _notes(self) -> dict[str, object]:
        """The classes in their own type, where JSON has it: a model file holds their names."""
        notes = super()._notes()
        note = noted(self.classes_)
        return notes if note is None else notes | {"classes": note}


def _labels(estimator, y, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order, and the place of each sample's among them."""
    shape = np.asarray(y).shape if not hasattr(y, "shape") else y.shape
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            "samples with several labels are not known here: fit one KernelRidgeClassifier for "
            "each, as sklearn.multioutput.MultiOutputClassifier does"
        )
    return labels(estimator, y, X)


def _targets(places: np.ndarray, classes: int) -> np.ndarray:
    """The targets that stand for the classes: one for two, one for each of more."""
    columns = [1] if classes == 2 else np.arange(classes)
    return np.where(places[:, None] == columns, 1.0, -1.0)


def _balanced(y: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The weights, with those of each class brought to the same sum. Classes that count for
    nothing are left at that, and weights that are none, for the compiled part to find.
    """
    if not (own >= 0).all():
        return own
    _, places = np.unique(y, return_inverse=True)
    sums = np.bincount(places, own)
    sums[sums == 0] = 1
    return own * (own.sum() / len(sums) / sums)[places]
