"""The best of several kernel methods for a table, within a time budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from mercer._arrays import Samples
from mercer._auto_candidates import resolved
from mercer._auto_compare import Comparison, Result
from mercer._auto_notes import noting
from mercer._auto_report import code_of, report_text
from mercer._auto_setup import check_params, comparison_of, pipeline_of, target_of
from mercer._auto_texts import column_of, texts_of
from mercer._progress import Step
from mercer._table_encoder import TableEncoder


def _has_decisions(auto: AutoKernel) -> bool:
    return hasattr(auto.best_estimator_, "decision_function")


class AutoKernel(BaseEstimator):
    """The best of several kernel methods and baselines for a table, within a time budget.

    Columns of any type are encoded and standardised (:class:`mercer.TableEncoder`). Support vector
    machines and kernel ridge regression with the kernels RBF, Laplacian, Matérn, linear and
    polynomial are compared with baselines by nested cross-validation: each chooses its width and
    penalty within the training part of an outer fold, whose other samples score it. The best is
    fitted on all samples. Whether it is a classifier or a regressor depends on y.

    For a sequence of texts, or a table whose only column has more than 30 different strings, the
    kernels are those on strings: substrings of one length, of several lengths, and words.

    Parameters
    ----------
    time_budget : float, default=60
        Seconds for the comparison and the final fit. It is checked between fits, so that a fit that
        has begun may exceed it; baselines are always compared.
    task : {"auto", "classification", "regression"}, default="auto"
        What is learned. ``"auto"``: classes for strings, booleans, categories and whole numbers of
        at most 20 different values, else numbers.
    scoring : str or callable, optional
        The name of a scikit-learn scorer of predictions or decision values, or a function of
        estimator, X and y. By default the accuracy, or R².
    cv : int, default=5
        Outer folds, shuffled, and stratified for classes.
    max_samples : int, default=2000
        At most so many samples, drawn at random, are used to compare models. The best model is
        fitted on all.
    dates : {"refuse", "expand"}, default="refuse"
        What to do with columns of dates, as for :class:`mercer.TableEncoder`.
    random_state : int, RandomState instance, optional
        Seed of folds and draws. None stands for 0.
    progress : bool or callable, default=False
        Whether to show a bar, or a function that is called with each :class:`mercer.Step`.
    n_jobs : int, optional
        Threads of the kernel methods; see :func:`mercer.set_num_threads`.

    Attributes
    ----------
    best_estimator_ : Pipeline
        The best model, fitted on all samples: encoder, scaler, model; for texts the model alone.
    best_name_ : str
        Its name in the leaderboard.
    best_score_, best_score_std_error_ : float
        Its mean score over the outer folds, and the standard error of that mean.
    leaderboard_ : list of dict
        All models, the best first: ``model``, ``score``, ``std_error``, ``seconds``, ``folds``
        (those that were scored), ``baseline`` and ``status``: ``"done"``, ``"out of time"``,
        ``"interrupted"``, ``"not started"`` or ``"failed: …"``.
    task_ : str
        ``"classification"`` or ``"regression"``.
    scoring_ : str
        The name of the score.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted, for a classification.
    n_splits_, n_samples_, n_compared_ : int
        Outer folds, samples, and samples of the comparison.
    seconds_, refit_seconds_ : float
        Seconds of the comparison and of the final fit.
    notes_ : list of str
        What the search for the parameters of the best model reported, such as a best value at an
        end of its grid.
    interrupted_ : bool
        Whether the comparison was interrupted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import AutoKernel
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> auto = AutoKernel(time_budget=5).fit(X, y)
    >>> auto.task_, auto.best_score_ > 0.9
    ('classification', True)
    >>> auto.predict(X[:2])
    array([0, 0])
    >>> print(auto.report().splitlines()[0])
    Best of ... models: ...
    """

    def __init__(
        self,
        time_budget: float = 60,
        *,
        task: str = "auto",
        scoring: str | Callable[..., float] | None = None,
        cv: int = 5,
        max_samples: int = 2000,
        dates: str = "refuse",
        random_state: int | np.random.RandomState | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.time_budget = time_budget
        self.task = task
        self.scoring = scoring
        self.cv = cv
        self.max_samples = max_samples
        self.dates = dates
        self.random_state = random_state
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: ArrayLike) -> Self:
        """Compare the models, and fit the best on all samples.

        A fit that fails leaves the estimator unchanged. One that is interrupted by Ctrl-C fits the
        best model so far, sets ``interrupted_`` and raises KeyboardInterrupt: the estimator can be
        used.

        Parameters
        ----------
        X : array-like, data frame or dictionary of columns
            The table: numbers, booleans, strings, categories; missing values are imputed. Or texts,
            a sequence of strings, of which none may be missing.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        self : AutoKernel
            The estimator itself.
        """
        check_params(self)
        task, y = target_of(self, X, y)
        texts = texts_of(X)
        encoder = TableEncoder(dates=self.dates).fit(X) if texts is None else None
        X = X if texts is None else texts
        comparison, candidates = comparison_of(self, X, y, task, texts=encoder is None)
        comparison.run(candidates, self.progress)
        best = comparison.best()
        if best is None:
            if comparison.interrupted:
                raise KeyboardInterrupt
            raise ValueError(f"no model could be compared: {comparison.results[0].status}")
        seconds = comparison.seconds
        model = self._refitted(X, y, comparison, candidates[best.name][0])
        self._set_results(comparison, best, task)
        self.best_estimator_, self.n_samples_ = model, len(y)
        self.seconds_, self.refit_seconds_ = seconds, comparison.seconds - seconds
        vars(self).pop("classes_", None)
        if task == "classification":
            self.classes_ = np.unique(y)
        self.n_features_in_ = 1 if encoder is None else encoder.n_features_in_
        vars(self).pop("feature_names_in_", None)
        if hasattr(encoder, "feature_names_in_"):
            self.feature_names_in_ = encoder.feature_names_in_
        if comparison.interrupted:
            raise KeyboardInterrupt
        return self

    def _set_results(self, comparison: Comparison, best: Result, task: str) -> None:
        done = sorted(
            comparison.results, key=lambda one: (-one.finished, -np.nan_to_num(one.score))
        )
        self._ranked = done
        self.leaderboard_ = [
            {
                "model": one.name,
                "score": one.score,
                "std_error": one.std_error,
                "seconds": one.seconds,
                "folds": len(one.scores),
                "baseline": one.baseline,
                "status": one.status,
            }
            for one in done
        ]
        self.best_name_, self.task_ = best.name, task
        self.best_score_, self.best_score_std_error_ = best.score, best.std_error
        usual = "accuracy" if task == "classification" else "R²"
        self.scoring_ = usual if self.scoring is None else str(self.scoring)
        self.n_splits_, self.interrupted_ = len(comparison.splits), comparison.interrupted
        self.n_compared_ = len(comparison.y)

    def _refitted(
        self, X: Samples, y: np.ndarray, comparison: Comparison, pipeline: Pipeline
    ) -> Pipeline:
        """Choose the parameters on the samples of the comparison, and fit on all."""
        if "model__deadline" in pipeline.get_params():
            pipeline.set_params(model__deadline=None)
        with threadpool_limits(1), noting() as notes:
            tuned = pipeline.fit(comparison.X, comparison.y)
        self.notes_ = notes
        return pipeline_of(self, resolved(tuned[-1]), texts=len(tuned) == 1).fit(X, y)

    def _rows(self, X: Samples) -> Samples:
        """The samples as the best model takes them."""
        check_is_fitted(self, "best_estimator_")
        return column_of(X) if len(self.best_estimator_) == 1 else X

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes or numbers of samples, by the best model."""
        X = self._rows(X)
        return self.best_estimator_.predict(X)

    @available_if(_has_decisions)
    def decision_function(self, X: Samples) -> np.ndarray:
        """Return the decision values of samples, by the best model."""
        X = self._rows(X)
        return self.best_estimator_.decision_function(X)

    def score(self, X: Samples, y: ArrayLike) -> float:
        """Return the score of the best model on samples, by the measure of the comparison."""
        X = self._rows(X)
        usual = "accuracy" if self.task_ == "classification" else "r2"
        measure = check_scoring(self.best_estimator_, scoring=self.scoring or usual)
        return float(measure(self.best_estimator_, X, y))

    def report(self) -> str:
        """Return a text: the winner, how sure that is, the cost, and the code to repeat it."""
        check_is_fitted(self, "best_estimator_")
        return report_text(self)

    def code(self) -> str:
        """Return the Python code that fits the best pipeline again."""
        check_is_fitted(self, "best_estimator_")
        return code_of(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        task = getattr(self, "task_", self.task)
        if task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        elif task == "regression":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
