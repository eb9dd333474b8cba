"""Sets of classes with a stated coverage, for any classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from mercer import _conformal_scores, _params
from mercer._arrays import Samples
from mercer._fit import unchanged_on_error
from mercer._labels import validate_labels
from mercer._rows import count_rows, fold_of
from mercer._time_limit import Clock

_METHODS = ("cv+", "split")


class ConformalClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Sets of classes that contain the true one with a stated frequency, for any classifier.

    Parameters
    ----------
    estimator : classifier
        The classifier; it is cloned. Classes are compared by ``predict_proba`` where it has one,
        else by ``decision_function``.
    method : {"cv+", "split"}, default="cv+"
        ``"cv+"`` leaves out a fold at a time; ``"split"`` holds out calibration samples once.
    coverage : float, default=0.9
        The fraction of new samples whose set is to contain their class.
    cv : int, splitter or iterable, default=10
        Folds of ``"cv+"``. An integer is a number of shuffled, stratified folds.
    calibration_size : float, default=0.25
        The fraction of samples that ``"split"`` holds out.
    random_state : int, RandomState instance, optional
        Seed of folds and splits. None stands for 0, so that results are repeatable.
    max_time : float, optional
        Time limit of the fit in seconds, checked between the fits of folds, so that one that has
        begun may exceed it. A fit that takes longer raises a TimeoutError: scores of some of the
        folds have no guaranteed coverage. A limit of the estimator itself is that of each fit.

    Attributes
    ----------
    estimator_ : classifier
        The classifier that predicts: fitted on all samples, or on the training part of
        ``"split"``.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted: the columns of :meth:`predict_set`.
    scores_ : ndarray of shape (n_calibration,)
        How little the true class of each sample conforms, by a model that was not trained on it:
        1 - its probability, or the largest decision value of another class minus its own.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Notes
    -----
    Sets may be empty where no class conforms, and contain several classes where the sample could
    be of any of them. The guarantees are those of :class:`mercer.ConformalRegressor` (Romano, Sesia
    and Candès, NeurIPS 2020, for cv+).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(SVC(), coverage=0.95).fit(X[::2], y[::2])
    >>> sets = model.predict_set(X[1::2])
    >>> sets.shape
    (75, 3)
    >>> bool(sets[range(75), y[1::2]].mean() > 0.9)
    True
    """

    estimator_: Any
    classes_: np.ndarray
    scores_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        *,
        method: str = "cv+",
        coverage: float = 0.9,
        cv: object = 10,
        calibration_size: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
        max_time: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.coverage = coverage
        self.cv = cv
        self.calibration_size = calibration_size
        self.random_state = random_state
        self.max_time = max_time

    @unchanged_on_error
    def fit(self, X: Samples, y: ArrayLike) -> Self:
        """Fit the classifier, and compute the scores of samples that were left out.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as the classifier takes them.
        y : array-like of shape (n_samples,)
            The class of each sample.

        Returns
        -------
        self : ConformalClassifier
            The estimator itself.
        """
        clock = Clock(self)
        _params.one_of(self, "method", _METHODS)
        if is_regressor(self.estimator):
            raise TypeError(
                f"the estimator {type(self.estimator).__name__} is a regressor: pass a classifier, "
                "or use ConformalRegressor"
            )
        _conformal_scores.check_coverage(self, self.coverage)
        n = count_rows(X)
        if n == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        self.classes_, codes = validate_labels(self, y, np.zeros((n, 1)))
        y, split = self.classes_[codes], self.method == "split"
        whole = None if split else clone(self.estimator).fit(X, y)
        splits = (
            _conformal_scores.one_split(self, len(y))
            if split
            else _conformal_scores.splits_for(self, X, y, classifier=True)
        )
        _refuse_missing(self.classes_, y, splits)
        self._folds = _conformal_scores.fold_models(self, X, y, splits, clock)
        self._scores = []
        for one in self._folds:
            held = fold_of(X, one.train, one.test, pairwise=one.pairwise)
            found = self._nonconformity(one.model, held)
            self._scores.append(np.sort(found[np.arange(len(one.test)), codes[one.test]]))
        self.scores_ = np.concatenate(self._scores)
        self.estimator_ = self._folds[0].model if split else whole
        _conformal_scores.check_coverage(self, self.coverage, len(self.scores_))
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _nonconformity(self, model: Any, X: Samples) -> np.ndarray:
        """How little each class conforms to the samples, of shape (n_samples, n_classes)."""
        if hasattr(model, "predict_proba"):
            return 1 - model.predict_proba(X)
        decisions = model.decision_function(X)
        if decisions.ndim == 1:
            return np.column_stack([decisions, -decisions])
        params = self.estimator.get_params()
        shapes = [v for name, v in params.items() if name.endswith("decision_function_shape")]
        if "ovo" in shapes or decisions.shape[1] != len(self.classes_):
            raise ValueError(
                "the classifier has a decision value for each pair of classes: set "
                "decision_function_shape='ovr'"
            )
        largest = np.sort(decisions, axis=1)
        others = np.where(decisions == largest[:, -1:], largest[:, -2:-1], largest[:, -1:])
        return others - decisions

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes of samples, by the classifier alone."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(self._folds[0].samples(X) if self.method == "split" else X)

    def predict_set(self, X: Samples, coverage: float | None = None) -> np.ndarray:
        """Return which classes are in the set of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        coverage : float, optional
            Another coverage than that of the constructor; nothing is fitted again.

        Returns
        -------
        sets : ndarray of bool of shape (n_samples, n_classes)
            Whether each of ``classes_`` is in the set.
        """
        check_is_fitted(self, "estimator_")
        given = self.coverage if coverage is None else coverage
        n = len(self.scores_)
        share = _conformal_scores.check_coverage(self, given, n)
        # In how many of the left-out samples the true class conforms better than this one here.
        better = sum(
            np.searchsorted(scores, self._nonconformity(one.model, one.samples(X)), side="left")
            for one, scores in zip(self._folds, self._scores, strict=True)
        )
        return better < _conformal_scores.upper_rank(n, share)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _refuse_missing(classes: np.ndarray, y: np.ndarray, splits: list) -> None:
    """Refuse training sets without one of the classes, whose scores would be unknown."""
    for train, _ in splits:
        missing = np.setdiff1d(classes, y[train])
        if missing.size:
            raise ValueError(
                f"a training set has no sample of class {missing.tolist()[0]!r}: use more samples "
                "of it, or leave the class out"
            )
