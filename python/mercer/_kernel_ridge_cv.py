"""Kernel ridge regression with kernel and penalty chosen by cross-validation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from mercer import _core, _fit, _landmarks, _params, _ridge
from mercer._arrays import Samples
from mercer._kernel_grid import kernels_of
from mercer._kernel_ridge import RidgeRegressor
from mercer._kernel_ridge_search import (
    params_of,
    result_of,
    scorer,
    search,
    validation,
    validation_in_blocks,
)
from mercer._params import ParameterError, refuse
from mercer._progress import Step
from mercer._reports import warn_of_notes
from mercer.kernels import Kernel


class KernelRidgeCV(RidgeRegressor):
    """Kernel ridge regression with kernel and penalty chosen by cross-validation.

    Every combination of kernel and penalty is scored by its out-of-fold predictions, and the best
    is refitted on all samples. The default is exact leave-one-out: one decomposition per kernel
    gives the predictions for all penalties, without any further fit. Of equally good penalties the
    largest is taken.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), optional
        The penalties to compare, all positive. By default three per decade, from far below the
        magnitude of the kernel values up to where only the intercept is left.
    kernel : str, Kernel, callable or list of these, default="rbf"
        The kernel, or the kernels to compare: names, specs, kernel objects and functions, as for
        :class:`mercer.KernelRidge`.
    gamma : float, {"scale", "auto", "median"}, list of these, optional
        For kernels given by a name that have a gamma. By default, a kernel with a length scale
        (``"rbf"``, ``"laplacian"``, ``"matern"``, ``"rational_quadratic"``) is compared at several
        length scales around the one that the data suggest, a factor of 2 apart; others use
        1 / n_features.
    degree : float or list of floats, default=3
        The exponents of ``"poly"``.
    coef0 : float or list of floats, default=1
        The constants of ``"poly"`` and ``"sigmoid"``. All combinations of gamma, degree and coef0
        are compared. Kernels given by a spec or as objects are used as they are.
    kernel_params : dict, optional
        Further parameters of functions, and of kernels given by their names.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    cv : int, "gcv", splitter or iterable, optional
        The cross-validation. None is leave-one-out, in closed form. ``"gcv"`` is generalised
        cross-validation, a smoother estimate of the same error. An integer is a number of folds; a
        scikit-learn splitter or an iterable of (train, test) row indices defines them.
    scoring : str or callable, optional
        A scikit-learn scorer, by its name or as a function of an estimator, samples and targets;
        higher is better. It gets the out-of-fold predictions, and the sample weights if there are
        any. None is the negative mean squared error. Not with ``"gcv"``.
    store_cv_results : bool, default=False
        Whether to keep all scores in ``cv_results_``.
    alpha_per_target : bool, default=False
        Whether each target gets a penalty of its own. All share the kernel. Without a scorer, the
        errors of several targets are taken relative to their variances, so that no target dominates
        the others.
    solver, tol, max_iter, random_state
        For the final fit, as for :class:`mercer.KernelRidge`.
    max_time : float, optional
        Time limit of the comparison in seconds. The kernels that were scored by then are compared,
        with a warning; if there is none, a TimeoutError is raised. The final fit, which takes less
        than the scores of one kernel, follows.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values, as for :class:`mercer.KernelRidge`.
    memory_budget : int or str, optional
        Bytes that the search may take, such as ``"2GiB"``; by default all free memory. A search by
        folds works within any budget, by products with the matrix.
    progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`.
    landmarks : int, "auto" or array-like of samples, optional
        Compares low-rank fits on so many of the samples, as for :class:`mercer.KernelRidge`. One
        decomposition per kernel serves all penalties and targets. Leave-one-out takes one more pass
        over the samples and is exact for the landmarks that were chosen from all of them; with
        folds, landmarks are chosen from each training part. `solver`, `tol` and `max_iter` are
        refused.
    landmark_tol, landmark_method
        How landmarks are chosen, as for :class:`mercer.KernelRidge`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty chosen, or one for each target.
    best_score_ : float
        Its score, the mean over targets.
    best_score_std_ : float
        The standard error of the score, over samples or folds; NaN if unknown.
    best_params_ : dict
        ``alpha`` and ``kernel`` as :class:`mercer.KernelRidge` takes them.
    cv_results_ : dict
        With `store_cv_results`, arrays with an entry for each combination: ``param_alpha``,
        ``param_kernel``, ``mean_test_score``, ``std_test_score`` (its standard error),
        ``rank_test_score``, and ``target_test_scores``, a column for each target or one for all.
        A loaded estimator has none.
    dual_coef_, coef_, intercept_, X_fit_, kernel_, gamma_, n_iter_, report_, scaling_
        As for :class:`mercer.KernelRidge`.
    landmarks_ : ndarray of shape (n_landmarks, n_features), sparse array or table
        The landmarks, if there are any.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import KernelRidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelRidgeCV(kernel=["rbf", "linear"]).fit(X, y)
    >>> model.kernel_
    'rbf(gamma=...)'
    >>> 0 < model.alpha_ < 1
    True
    >>> int((-model.best_score_) ** 0.5)
    54
    """

    alpha_: float | np.ndarray
    best_score_: float
    best_score_std_: float
    best_params_: dict[str, object]
    cv_results_: dict[str, object]

    landmarks_ = property(_landmarks.landmarks)
    _reads_again = True

    def __init__(
        self,
        alphas: ArrayLike | None = None,
        *,
        kernel: str | Kernel | Callable[..., float] | Sequence = "rbf",
        gamma: float | str | Sequence | None = None,
        degree: float | Sequence[float] = 3,
        coef0: float | Sequence[float] = 1,
        kernel_params: dict | None = None,
        fit_intercept: bool = True,
        cv: object = None,
        scoring: str | Callable[..., float] | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_time: float | None = None,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.scoring = scoring
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.max_time = max_time
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method

    @_fit.unchanged_on_error
    def fit(
        self, X: Samples, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose kernel and penalty, and fit the model with them on all samples.

        A fit that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; None for rows in blocks, which come with them.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples, in fits and in scores. 0 is equivalent to leaving the sample
            out.

        Returns
        -------
        self : KernelRidgeCV
            The estimator itself.
        """
        _ridge.check_params(self)
        _params.boolean(self, "store_cv_results", "alpha_per_target")
        self._refuse_solvers()
        X = _fit.training_samples(self, X, y, sample_weight)
        if X.shape[0] < 2:
            raise ValueError("cross-validation needs at least 2 samples, but there is 1 sample")
        targets, flat = _fit.training_targets(self, X, y, sample_weight)
        settings = self._search_settings(X, targets, flat=flat)
        kernels = kernels_of(self, X)
        if hasattr(self, "_continues") and len(kernels) > 1:
            raise ParameterError(
                f"partial_fit goes on with one kernel, but there are {len(kernels)}: name one with "
                "its width, as in kernel='rbf', gamma=0.1"
            )
        found = search(self, X, targets, kernels, settings)
        self._choice, self._flat = found.choice, flat
        self._set_model(found.model)
        warn_of_notes(self.report_)
        vars(self).pop("cv_results_", None)
        if self.store_cv_results:
            self.cv_results_ = found.results()
        return self

    @available_if(_landmarks.are_set)
    @_fit.unchanged_on_error
    def partial_fit(
        self, X: Samples, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit on more samples; requires `landmarks`, one kernel and ``cv="gcv"``.

        The first call chooses the landmarks among its samples, unless they are given, and later
        calls keep them, and the kernel. Generalised cross-validation needs nothing of the samples
        but sums over them, so that the penalty is chosen anew from those of all samples so far;
        leave-one-out and folds would read all of them again. Leave samples of weight 0 out: the
        number of samples counts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as for :meth:`fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; None for rows in blocks, which come with them.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        self : KernelRidgeCV
            The estimator itself.
        """
        if not (isinstance(self.cv, str) and self.cv == "gcv"):
            expected = "'gcv' in partial_fit, since other scores read all samples again"
            raise refuse(self, "cv", expected, self.cv)
        if not hasattr(self, "_model"):
            return _landmarks.first_fit(self, lambda: self.fit(X, y, sample_weight))
        penalties = self.alphas
        if penalties is not None:
            penalties = _params.penalties(self, "alphas", positive=True)
        found = _landmarks.continue_search(
            self, X, (y, sample_weight), (penalties, bool(self.alpha_per_target))
        )
        result = result_of([self._choice], found)
        self._set_model(result.model)
        warn_of_notes(self.report_)
        vars(self).pop("cv_results_", None)
        if self.store_cv_results:
            self.cv_results_ = result.results()
        return self

    def _refuse_solvers(self) -> None:
        """Refuse parameters of exact solvers, which a search on landmarks does not use."""
        defaults = {"solver": "auto", "tol": None, "max_iter": None}
        for name, default in defaults.items():
            if self.landmarks is not None and getattr(self, name) != default:
                raise refuse(self, name, f"{default!r} with landmarks", getattr(self, name))

    def _search_settings(self, X, targets: tuple | None, *, flat: bool) -> dict[str, object]:
        """The settings of the search as the extension module takes them, kernels aside."""
        penalties = self.alphas
        if penalties is not None:
            penalties = _params.penalties(self, "alphas", positive=True)
        if targets is None:
            compared, score = validation_in_blocks(self), None
        else:
            y, weights = targets
            compared = validation(self, X, y[:, 0] if flat else y)
            score = scorer(self, y, weights, flat=flat)
        return {
            "alphas": penalties,
            "validation": compared,
            "per_target": bool(self.alpha_per_target),
            "scorer": score,
            "measure": str(self.scoring),
        }

    def _set_model(self, model: _core.Model) -> None:
        super()._set_model(model)
        self.alpha_ = _ridge.stored_alpha(_fit.stored_params(model))
        selection = json.loads(_core.remarks(model))["selection"]
        std_error = selection["spread"]
        self.best_score_ = selection["score"]
        self.best_score_std_ = float("nan") if std_error is None else std_error
        self.best_params_ = {"alpha": self.alpha_} | params_of(self._choice, self.kernel_)
