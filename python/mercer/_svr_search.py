"""Support vector regression with C, epsilon and gamma chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.utils.validation import check_is_fitted

from mercer import _kernel_nested
from mercer._arrays import Samples
from mercer._kernel_choice import is_precomputed
from mercer._progress import Step
from mercer._svm_cells import choices_of
from mercer._svr import SVR
from mercer._svr_grid import search
from mercer.kernels import Kernel

# Parameters of the search; all others are those of the machines that it compares.
_SEARCH = (
    *("Cs", "epsilons", "gammas", "kernel", "cv", "scoring", "strategy", "refine"),
    *("per_cell", "max_time"),
)


class SVRSearch(RegressorMixin, BaseEstimator):
    """Support vector regression with C, epsilon and gamma chosen by cross-validation.

    Equivalent to a ``GridSearchCV`` over
    ``TransformedTargetRegressor(SVR(), transformer=StandardScaler())``: C, epsilon and tol are in
    units of the standard deviation of y, which each fold takes from its training samples, so that
    one grid suits targets of any scale. Predictions are in the units of y. Every combination is
    scored on held-out samples, averaged over the folds, and the best is refitted on all samples. In
    a tie the first is taken.

    Parameters
    ----------
    Cs : array-like of shape (n_Cs,), optional
        The values of C to compare, in standard deviations of y. By default 2⁻¹ to 2⁷, in steps of a
        factor of 4.
    epsilons : array-like of shape (n_epsilons,), optional
        The values of epsilon to compare, at least 0, in standard deviations of y. By default 0.02,
        0.1 and 0.3.
    gammas : sequence of float, {"scale", "auto", "median"}, optional
        The gammas to compare, for a kernel that has a gamma and leaves it open; otherwise they are
        refused. By default 1 / (n_features · variance of X), times 4⁻³ to 4², for a kernel given by
        a name that has a gamma; for others only C and epsilon are compared.
    kernel : str, Kernel, callable or list of these, default="rbf"
        The kernel, as for :class:`mercer.SVR`, or several to compare.
    degree : float, default=3
        The exponent of ``"poly"``.
    coef0 : float, default=0.0
        The constant of ``"poly"`` and ``"sigmoid"``.
    cv : int, splitter or iterable, default=5
        An integer is a number of folds without shuffling, as in ``KFold``; a scikit-learn splitter
        or an iterable of (train, test) row indices defines them.
    scoring : str or callable, optional
        The name of a scikit-learn scorer, or a function of estimator, X and y. By default R².
    strategy : {"grid", "halving"}, default="grid"
        Whether all combinations are scored on all samples, or only the best of those on subsamples,
        as for :class:`mercer.SVCSearch`.
    refine : int, default=0
        How often a finer grid around the best combination is scored after that, as for
        :class:`mercer.SVCSearch`.
    random_state : int, RandomState instance, optional
        Seed of subsamples, and of the choice of landmarks and cells. None stands for 0, so
        that results are
        repeatable.
    max_time : float, optional
        Time limit of the search in seconds, of which a fifth is for the final fit. The combinations
        that were scored by then are compared, with a ``ConvergenceWarning``; if there is none, a
        TimeoutError is raised.
    shrinking, tol, cache_size, verbose, max_iter
        As for :class:`mercer.SVR`, of each fit; `tol` in standard deviations of y.
    landmarks, landmark_tol, landmark_method, polish
        An approximation of the kernel by landmarks, as for :class:`mercer.SVC`.
    cells, cell_overlap
        SVMs on cells of the samples, as for :class:`mercer.SVC`.
    per_cell : bool, default=False
        Whether every cell has the gamma and the C that are best on its own held-out samples, as for
        :class:`mercer.SVCSearch`; epsilon is that of all. C, epsilon and tol are then in standard
        deviations of all of y in every fold. For one kernel, R² and the strategy ``"grid"``.
    precision, memory_budget, n_jobs
        As for :class:`mercer.SVR`.
    progress : bool or callable, default=False
        As for :class:`mercer.KernelPCA`, for the cross-validation and the final fit.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn's grid search, without the times: ``param_C``, ``param_epsilon``,
        ``param_gamma`` if there are gammas, ``param_kernel`` if there are several kernels,
        ``params``, ``split0_test_score`` and so on, ``mean_test_score``, ``std_test_score`` and
        ``rank_test_score``; with several rounds ``iter`` and ``n_resources``, as for
        :class:`mercer.SVCSearch`.
    best_index_ : int
        The index of the best combination.
    best_params_ : dict
        Its parameters; C and epsilon in standard deviations of y.
    best_score_ : float
        Its mean score; with `per_cell`, that with the choice of every cell, as for
        :class:`mercer.SVCSearch`.
    cell_params_ : dict
        With `per_cell`: arrays ``"kernel"``, ``"gamma"`` and ``"C"`` with an entry for each cell; C
        in the units of y.
    best_estimator_ : SVR
        The model with these parameters, fitted on all samples. Its C, epsilon and tol, and its
        predictions, are in the units of y.
    y_scale_ : float
        The standard deviation of y, weighted if samples have weights; 1 if it is 0.
    n_splits_ : int
        Number of folds.
    n_iter_ : int
        Iterations of the solver in the final fit.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import SVRSearch
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = SVRSearch(Cs=[0.1, 1], epsilons=[0.1, 0.5], gammas=[1, 10]).fit(X, y)
    >>> search.best_params_
    {'C': 1.0, 'epsilon': 0.1, 'gamma': 10}
    >>> round(search.best_score_, 2)
    0.49
    >>> search.best_estimator_.epsilon == 0.1 * search.y_scale_
    True
    """

    cv_results_: dict[str, object]
    best_index_: int
    best_params_: dict[str, object]
    best_score_: float
    cell_params_: dict[str, np.ndarray]
    best_estimator_: SVR
    y_scale_: float
    n_splits_: int
    n_iter_: int
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        epsilons: ArrayLike | None = None,
        gammas: Sequence | None = None,
        *,
        kernel: str | Kernel | Callable[..., object] | Sequence = "rbf",
        degree: float = 3,
        coef0: float = 0.0,
        cv: object = 5,
        scoring: str | Callable[..., float] | None = None,
        strategy: str = "grid",
        refine: int = 0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        random_state: int | np.random.RandomState | None = None,
        max_time: float | None = None,
        landmarks: int | str | Samples | None = None,
        landmark_tol: float = 0.01,
        landmark_method: str = "pivoted_cholesky",
        polish: bool = False,
        cells: int | None = None,
        cell_overlap: float = 0.25,
        per_cell: bool = False,
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.Cs = Cs
        self.epsilons = epsilons
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.cv = cv
        self.scoring = scoring
        self.strategy = strategy
        self.refine = refine
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.random_state = random_state
        self.max_time = max_time
        self.landmarks = landmarks
        self.landmark_tol = landmark_tol
        self.landmark_method = landmark_method
        self.polish = polish
        self.cells = cells
        self.cell_overlap = cell_overlap
        self.per_cell = per_cell
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    get_params = _kernel_nested.get_params
    set_params = _kernel_nested.set_params

    def fit(
        self,
        X: Samples,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the parameters, and fit the model with them on all samples.

        A search that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples in fits. As in scikit-learn, scores are not weighted.
        groups : array-like of shape (n_samples,), optional
            The group of each sample, for splitters such as ``GroupKFold``. With an integer `cv`,
            folds are those of ``GroupKFold``, which keep the samples of a group together.

        Returns
        -------
        self : SVRSearch
            The estimator itself.
        """
        found = search(self, X, y, sample_weight, groups)
        self.cv_results_, self.best_index_ = found.results, found.best
        self.best_params_ = found.results["params"][found.best]
        self.best_score_ = float(found.score)
        vars(self).pop("cell_params_", None)
        if self.per_cell:
            self.cell_params_ = choices_of(found.model._model)
        self.n_splits_, self.best_estimator_ = found.folds, found.model
        self.y_scale_, self.n_iter_ = found.scale, found.model.n_iter_
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
            if hasattr(found.model, name):
                setattr(self, name, getattr(found.model, name))
        return self

    def _machine(self, kernel: object) -> SVR:
        """An SVR with a kernel and the parameters that are not searched."""
        params = self.get_params(deep=False)
        rest = {name: value for name, value in params.items() if name not in _SEARCH}
        return SVR(kernel=kernel, **rest)

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the targets of samples: see :meth:`mercer.SVR.predict`."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    def score(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R², or what `scoring` measures, of the predictions for samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        score : float
            The score, the larger the better.
        """
        check_is_fitted(self, "best_estimator_")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        measure = check_scoring(self.best_estimator_, scoring=self.scoring)
        return float(measure(self.best_estimator_, X, y, **weights))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
