"""Support vector classification with C and gamma chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import _kernel_nested
from mercer._arrays import Samples
from mercer._kernel_choice import is_precomputed
from mercer._progress import Step
from mercer._reports import warn_of_stops
from mercer._search_grid import kernels_of
from mercer._svc import SVC
from mercer._svm_cells import choices_of
from mercer._svm_search import search
from mercer.kernels import Kernel

# Parameters of the search; all others are those of the machines that it compares.
_SEARCH = (
    *("Cs", "gammas", "kernel", "cv", "scoring", "strategy", "refine", "per_cell"),
    "max_time",
)


def _has(name: str) -> Callable[[SVCSearch], bool]:
    """Whether the best estimator, or an unfitted one, has a method."""

    def check(search: SVCSearch) -> bool:
        unfitted = search._machine(kernels_of(search)[0])
        getattr(getattr(search, "best_estimator_", None) or unfitted, name)
        return True

    return check


class SVCSearch(ClassifierMixin, BaseEstimator):
    """Support vector classification with C and gamma chosen by cross-validation.

    Equivalent to ``GridSearchCV(SVC(), {"C": ..., "gamma": ...})``, with kernel values shared among
    folds and warm-started fits. Every combination is scored on held-out samples, averaged over the
    folds, and the best is refitted on all samples. In a tie the first is taken.

    Parameters
    ----------
    Cs : array-like of shape (n_Cs,), optional
        The values of C to compare. By default 2⁻³ to 2¹¹, in steps of a factor of 4; with
        `per_cell` 2 to 2¹³.
    gammas : sequence of float, {"scale", "auto", "median"}, optional
        The gammas to compare, for a kernel that has a gamma and leaves it open; otherwise they are
        refused. By default 1 / (n_features · variance of X), times 4⁻³ to 4², for a kernel given by
        a name that has a gamma; for others only C is compared.
    kernel : str, Kernel, callable or list of these, default="rbf"
        The kernel, as for :class:`mercer.SVC`, or several to compare, each with its gammas.
    degree : float, default=3
        The exponent of ``"poly"``.
    coef0 : float, default=0.0
        The constant of ``"poly"`` and ``"sigmoid"``.
    cv : int, splitter or iterable, default=5
        An integer is a number of stratified folds without shuffling, as in ``StratifiedKFold``; a
        scikit-learn splitter, such as ``RepeatedStratifiedKFold`` or ``GroupKFold``, or an iterable
        of (train, test) row indices defines them. A class with fewer samples than folds causes a
        warning.
    scoring : str or callable, optional
        The name of a scikit-learn scorer, such as ``"balanced_accuracy"``, ``"f1_macro"`` or
        ``"roc_auc"``, or a function of estimator, X and y. By default the accuracy, the only score
        whose folds share kernel values; others take a fit for each fold. Scores of probabilities,
        such as ``"neg_log_loss"``, need ``probability=True``.
    strategy : {"grid", "halving"}, default="grid"
        ``"grid"`` scores all combinations on all samples. ``"halving"`` scores all on a subsample
        drawn with `random_state`, of a third, a ninth or less, the best third of them on three
        times as many samples, and so on, until the last are scored on all.
    refine : int, default=0
        How often a finer grid, half a step around the best combination on a logarithmic scale, is
        scored after that, on all samples. Each time halves the step. Parameters with a single value
        keep it.
    max_time : float, optional
        Time limit of the search in seconds, of which a fifth is for the final fit. The combinations
        that were scored by then are compared, with a ``ConvergenceWarning``; if there is none, a
        TimeoutError is raised.
    class_weight : dict or "balanced", optional
        Factors of C for the classes. ``"balanced"`` counts all samples, not those of a fold.
    shrinking, probability, calibration, tol, cache_size, verbose, max_iter
        As for :class:`mercer.SVC`; the limit is that of each fit.
    random_state : int, RandomState instance, optional
        Seed of subsamples, of the folds of the calibration and of the choice of landmarks
        and cells. None
        stands for 0.
    decision_function_shape, break_ties, precision
        As for :class:`mercer.SVC`.
    landmarks, landmark_tol, landmark_method, polish
        An approximation of the kernel by landmarks, as for :class:`mercer.SVC`.
    cells, cell_overlap
        SVMs on cells of the samples, as for :class:`mercer.SVC`.
    per_cell : bool, default=False
        Whether every cell has the gamma and the C that are best on its own held-out samples; of
        equal or nearly equal ones, what is best for all cells counts. Without `gammas`, each cell
        compares those around 1 / (n_features · variance of its samples), as powers of 2. For one
        kernel, the accuracy and the strategy ``"grid"``.
    memory_budget : int or str, optional
        Bytes that the search may take, such as ``"2GiB"``; by default all free memory.
    progress, n_jobs
        How the work is run, as for :class:`mercer.KernelPCA`.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn's grid search, without the times: arrays with an entry for each
        combination, ``param_C``, ``param_gamma`` if there are gammas, ``param_kernel`` if there are
        several kernels, ``params``, ``split0_test_score`` and so on, ``mean_test_score``,
        ``std_test_score`` and ``rank_test_score``. With several rounds, of halving or refinement,
        also ``iter``, the round, and ``n_resources``, its number of samples; scores on a subsample
        rank last.
    best_index_ : int
        The index of the best combination.
    best_params_ : dict
        Its C and gamma, and its kernel if there are several.
    best_score_ : float
        Its mean score. With `per_cell`, ``cv_results_``, ``best_index_`` and ``best_params_`` are
        those of all cells together, and this is the score with the choice of every cell.
    cell_params_ : dict
        With `per_cell`: arrays ``"kernel"``, ``"gamma"`` and ``"C"`` with an entry for each cell.
    best_estimator_ : SVC
        The model with these parameters, fitted on all samples.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_iter_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Iterations of the solver in the final fit.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVCSearch
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVCSearch(Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1]).fit(X, y)
    >>> search.best_params_
    {'C': 1.0, 'gamma': 0.1}
    >>> round(search.best_score_, 2)
    0.98
    >>> search.predict(X[[0, 60, 140]])
    array([0, 1, 2])
    """

    cv_results_: dict[str, object]
    best_index_: int
    best_params_: dict[str, object]
    best_score_: float
    cell_params_: dict[str, np.ndarray]
    best_estimator_: SVC
    n_splits_: int
    classes_: np.ndarray
    n_iter_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        Cs: ArrayLike | None = None,
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
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float | None = None,
        class_weight: Mapping | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: int | np.random.RandomState | None = None,
        calibration: str = "sigmoid",
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
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.cv = cv
        self.scoring = scoring
        self.strategy = strategy
        self.refine = refine
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.calibration = calibration
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
        """Choose C and gamma, and fit the model with them on all samples.

        A search that fails or is interrupted leaves the estimator unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            The class of each sample.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the samples in fits. As in scikit-learn, scores are not weighted.
        groups : array-like of shape (n_samples,), optional
            The group of each sample, for splitters such as ``GroupKFold``. With an integer `cv`,
            folds are those of ``StratifiedGroupKFold``, which keep the samples of a group together.

        Returns
        -------
        self : SVCSearch
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
        self.classes_, self.n_iter_ = found.model.classes_, found.model.n_iter_
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
            if hasattr(found.model, name):
                setattr(self, name, getattr(found.model, name))
        warn_of_stops(found.model)
        return self

    def _machine(self, kernel: object) -> SVC:
        """An SVC with a kernel and the parameters that are not searched."""
        params = self.get_params(deep=False)
        rest = {name: value for name, value in params.items() if name not in _SEARCH}
        return SVC(kernel=kernel, **rest)

    def _chosen(self) -> SVC:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def predict(self, X: Samples) -> np.ndarray:
        """Predict the classes of samples: see :meth:`mercer.SVC.predict`."""
        return self._chosen().predict(X)

    def decision_function(self, X: Samples) -> np.ndarray:
        """Return the decision values: see :meth:`mercer.SVC.decision_function`."""
        return self._chosen().decision_function(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Samples) -> np.ndarray:
        """Return the probabilities of the classes: see :meth:`mercer.SVC.predict_proba`."""
        return self._chosen().predict_proba(X)

    @available_if(_has("predict_log_proba"))
    def predict_log_proba(self, X: Samples) -> np.ndarray:
        """Return the logarithms of the probabilities of the classes."""
        return self._chosen().predict_log_proba(X)

    def score(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy, or what `scoring` measures, on samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        score : float
            The score, the larger the better.
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        measure = check_scoring(self._chosen(), scoring=self.scoring)
        return float(measure(self._chosen(), X, y, **weights))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
