"""Prediction intervals of regressors with a coverage that does not rest on a model of the noise."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from mercer import _conformal_scores, _params
from mercer._arrays import Samples
from mercer._fit import unchanged_on_error
from mercer._left_out import LeftOut, closed_form, final_step
from mercer._params import ParameterError
from mercer._rows import count_rows, fold_of
from mercer._scan_part import ScanPart
from mercer._stream import BlockResults, is_stream, refuse_once
from mercer._time_limit import Clock

_ONE_TARGET = (
    "intervals are computed for one target, but y has several columns: fit one ConformalRegressor "
    "for each"
)
_METHODS = ("auto", "jackknife+", "cv+", "split")


class ConformalRegressor(MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """Prediction intervals for any regressor, by conformal prediction.

    Residuals of samples that a model was not trained on say how wide an interval must be to
    contain a stated fraction of new targets, whatever the distribution of the noise, as long as
    training and new samples are exchangeable. The coverage holds on average over new samples, not
    for each x.

    Parameters
    ----------
    estimator : regressor
        The regressor; it is cloned. In a ``Pipeline`` whose last step is a kernel ridge regression,
        that step has the closed form.
    method : {"auto", "jackknife+", "cv+", "split"}, default="auto"
        ``"jackknife+"`` leaves out one sample at a time: in closed form, without refitting, for
        :class:`mercer.KernelRidge` and :class:`mercer.KernelRidgeCV`, with kernel, penalty and
        earlier steps of a pipeline as fitted on all samples; for others with a fit for each
        sample. ``"cv+"`` leaves out a fold at a time. ``"split"`` holds out calibration samples
        once. ``"auto"`` is ``"jackknife+"`` where it has the closed form, else ``"cv+"``, and
        ``"split"`` for rows that come in blocks, which know no other.
    coverage : float, default=0.9
        The fraction of new targets that intervals are to contain.
    cv : int, splitter or iterable, default=20
        Folds of ``"cv+"``. An integer is a number of shuffled folds. With few, the models that lack
        a fold are worse than that of all samples, and intervals wider than need be.
    calibration_size : float, default=0.25
        The fraction of samples that ``"split"`` holds out. Of rows in blocks, each is held out or
        not by its number and the seed, whatever the blocks.
    random_state : int, RandomState instance, optional
        Seed of folds and splits. None stands for 0, so that results are repeatable.
    max_time : float, optional
        Time limit of the fit in seconds, checked between the fits of folds, so that one that has
        begun may exceed it. A fit that takes longer raises a TimeoutError: residuals of some of the
        folds have no guaranteed coverage. A limit of the estimator itself is that of each fit.

    Attributes
    ----------
    estimator_ : regressor
        The regressor that predicts: fitted on all samples, or on the training part of
        ``"split"``.
    method_ : str
        The method used.
    residuals_ : ndarray of shape (n_calibration,)
        Absolute residuals of samples, each from a model that was not trained on it.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Notes
    -----
    The coverage of ``"split"`` is at least `coverage`; that of jackknife+ and cv+ with refits is at
    least 1 - 2 (1 - `coverage`) (for cv+ up to a term that vanishes with n), and in practice about
    `coverage` (Barber, Candès, Ramdas and Tibshirani, Annals of Statistics 2021). The closed form
    keeps the kernel and penalty chosen on all samples, so for it the coverage is an observation,
    not a theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import ConformalRegressor, KernelRidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 6, size=(200, 1))
    >>> y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=200)
    >>> model = ConformalRegressor(KernelRidgeCV()).fit(X[:100], y[:100])
    >>> model.method_
    'jackknife+'
    >>> lower, upper = model.predict_interval(X[100:])
    >>> bool(0.8 < np.mean((lower <= y[100:]) & (y[100:] <= upper)) <= 1)
    True
    """

    estimator_: Any
    method_: str
    residuals_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        *,
        method: str = "auto",
        coverage: float = 0.9,
        cv: object = 20,
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
    def fit(self, X: Samples, y: ArrayLike | None = None) -> Self:
        """Fit the regressor, and compute residuals of samples that were left out.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or rows in blocks
            Samples, as the regressor takes them; :func:`mercer.scan` describes rows in blocks.
        y : array-like of shape (n_samples,), optional
            Targets; those of rows in blocks come with them.

        Returns
        -------
        self : ConformalRegressor
            The estimator itself.
        """
        clock = Clock(self)
        _params.one_of(self, "method", _METHODS)
        if is_classifier(self.estimator):
            raise TypeError(
                f"the estimator {type(self.estimator).__name__} is a classifier: pass a regressor, "
                "or use ConformalClassifier"
            )
        _conformal_scores.check_coverage(self, self.coverage)
        if is_stream(X):
            self._fit_stream(X, y)
            return self._checked()
        y = _targets(self, y, X)
        if self.method == "split":
            self._fit_folds(X, y, _conformal_scores.one_split(self, len(y)), clock)
            self.estimator_, self.method_ = self._folds[0].model, "split"
        else:
            self.estimator_ = clone(self.estimator).fit(X, y)
            self._fit_without(X, y, clock)
        return self._checked()

    def _checked(self) -> Self:
        _conformal_scores.check_coverage(self, self.coverage, len(self.residuals_))
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _fit_stream(self, X: Any, y: ArrayLike | None) -> None:
        """Fit on rows in blocks without some of them, which the intervals are calibrated on."""
        if y is not None:
            raise ParameterError(
                "targets come with the blocks: name their column, as in "
                "mercer.scan(path, target='y'), or give blocks (X, y)"
            )
        if self.method not in ("auto", "split"):
            raise ParameterError(
                f"method={self.method!r} needs all rows at once: use 'split' for rows in blocks"
            )
        refuse_once(X)
        seed = _conformal_scores.seed_of(self)
        share = _conformal_scores.held_share(self)
        self.estimator_ = clone(self.estimator).fit(ScanPart(X, share, seed, held=False))
        found = []
        for block, targets, _ in ScanPart(X, share, seed, held=True):
            y = check_array(targets, ensure_2d=False, dtype=np.float64, input_name="y")
            if y.ndim > 1 and y.shape[1] > 1:
                raise ValueError(_ONE_TARGET)
            found.append(np.abs(y.ravel() - self.estimator_.predict(block)))
        self.residuals_ = np.concatenate(found) if found else np.empty(0)
        self.method_, self._folds, self._left_out = "split", [], None

    def _fit_without(self, X: Samples, y: np.ndarray, clock: Clock) -> None:
        """Compute the residuals of jackknife+ or cv+."""
        self._left_out = closed_form(self.estimator_, X, y) if self.method != "cv+" else None
        if self._left_out is not None:
            self.residuals_, self.method_ = np.abs(self._left_out.residuals), "jackknife+"
            self._folds = []
        elif self.method == "jackknife+":
            self._fit_folds(X, y, _conformal_scores.one_by_one(len(y)), clock)
            self.method_ = "jackknife+"
        else:
            splits = _conformal_scores.splits_for(self, X, y, classifier=False)
            self._fit_folds(X, y, splits, clock)
            self.method_ = "cv+"

    def _fit_folds(self, X: Samples, y: np.ndarray, splits: list, clock: Clock) -> None:
        self._folds = _conformal_scores.fold_models(self, X, y, splits, clock)
        self._left_out = None
        found = []
        for one in self._folds:
            held = fold_of(X, one.train, one.test, pairwise=one.pairwise)
            found.append(np.abs(y[one.test] - one.model.predict(held)))
        self.residuals_ = np.concatenate(found)

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the targets of samples, by the regressor alone."""
        check_is_fitted(self, "estimator_")
        only = self._folds[0] if self.method_ == "split" and self._folds else None
        return self.estimator_.predict(X if only is None else only.samples(X))

    def predict_interval(
        self, X: Samples, coverage: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return an interval for the target of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or rows in blocks
            Samples. For rows in blocks (:func:`mercer.scan`) the result is a
            :class:`mercer.BlockResults`, whose file has the columns ``lower`` and ``upper``.
        coverage : float, optional
            Another coverage than that of the constructor; nothing is fitted again.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples,)
            The ends of the intervals.
        """
        check_is_fitted(self, "estimator_")
        n = len(self.residuals_)
        given = self.coverage if coverage is None else coverage
        share = _conformal_scores.check_coverage(self, given, n)
        if is_stream(X):
            results = BlockResults(
                lambda rows: self.predict_interval(rows, coverage), X, lambda _: ["lower", "upper"]
            )
            # As of all predictions, the type is that of rows in memory.
            return cast("tuple[np.ndarray, np.ndarray]", results)
        if self.method_ == "split":
            # One model: all intervals are as wide.
            residuals = self.residuals_[None]
            low, high = _conformal_scores.interval(-residuals, residuals, share)
            predicted = self.predict(X)
            return predicted + low, predicted + high
        ends = [
            _conformal_scores.interval(block - self.residuals_, block + self.residuals_, share)
            for block in self._centres(X)
        ]
        lower, upper = (np.concatenate(side) for side in zip(*ends, strict=True))
        return lower, upper

    def _centres(self, X: Samples):
        """Yield blocks of (rows, n) predictions, each by the model that lacks one sample."""
        if isinstance(self._left_out, LeftOut):
            yield from self._left_out.predictions(final_step(self.estimator_, X)[1])
            return
        by_fold = [one.model.predict(one.samples(X)) for one in self._folds]
        sizes = [len(one.test) for one in self._folds]
        rows = max(1, 2**22 // sum(sizes))
        for start in range(0, count_rows(X), rows):
            part = [predicted[start : start + rows] for predicted in by_fold]
            yield np.repeat(np.column_stack(part), sizes, axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _targets(owner, y: ArrayLike, X: Samples) -> np.ndarray:
    """One finite number for each sample."""
    if y is None:
        name = type(owner).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    if y.ndim > 1 and y.shape[1] > 1:
        raise ValueError(_ONE_TARGET)
    y = column_or_1d(y, warn=True)
    if len(y) != count_rows(X):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{count_rows(X)}, "
            f"{len(y)}]"
        )
    return y
