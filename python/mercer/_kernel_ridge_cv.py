"""Kernel ridge regression that chooses its own kernel and penalty."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from mercer import _core, _params
from mercer._arrays import Samples, targets, weights
from mercer._kernel_grid import kernels_of
from mercer._kernel_model import stored
from mercer._kernel_ridge import RidgeRegressor
from mercer._kernel_ridge_search import params_of, scorer, search, validation
from mercer._progress import Step
from mercer.kernels import Kernel


class KernelRidgeCV(RidgeRegressor):
    """Kernel ridge regression with kernel and penalty chosen by cross-validation.

    Every combination of kernel and penalty is judged by predictions for samples that were left out
    of the fit, and the best is fitted on all samples. By default each sample is left out in turn,
    exactly: one decomposition per kernel gives those predictions for all penalties, without any
    further fit. Of equally good penalties the largest is taken.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), optional
        The penalties to compare, all positive. By default three per decade, from far below the
        size of the kernel's values to where nothing but the constant is left.
    kernel : str, Kernel, callable or list of these, default="rbf"
        The kernel, or the kernels to compare: names, specs, kernel objects and functions, as for
        :class:`mercer.KernelRidge`.
    gamma : float, {"scale", "auto", "median"}, list of these, optional
        For kernels given by a name that have a gamma. By default, a kernel of a name with a width
        (``"rbf"``, ``"laplacian"``, ``"matern"``, ``"rational_quadratic"``) is compared in several
        widths around the one that the data suggests, a factor 2 in length apart; others take
        1 / n_features.
    degree : float or list of floats, default=3
        The exponents of ``"poly"``.
    coef0 : float or list of floats, default=1
        The constants of ``"poly"`` and ``"sigmoid"``. Of gamma, degree and coef0 all combinations
        are compared. Kernels that are given by a spec or as objects are taken as they are.
    kernel_params : dict, optional
        Further parameters of functions, and of kernels given by their names.
    fit_intercept : bool, default=True
        Whether to learn a constant too, which costs no penalty.
    cv : int, "gcv", splitter or iterable, optional
        How samples are left out. None leaves out one at a time, in closed form. ``"gcv"`` is
        generalised cross-validation, a smoother estimate of the same error. An integer is a number
        of folds; a splitter of scikit-learn or an iterable of (train, test) rows names them.
    scoring : str or callable, optional
        A scorer of scikit-learn, by its name or as a function of an estimator, its samples and
        their targets; larger is better. It is given the predictions, and the weights of samples if
        there are any. None is the negative mean squared error. Not with ``"gcv"``.
    store_cv_results : bool, default=False
        Whether to keep all scores in ``cv_results_``.
    alpha_per_target : bool, default=False
        Whether each target gets a penalty of its own. All share the kernel. Without a scorer,
        several targets are compared by their errors relative to their variances, so that no target
        outweighs the others.
    solver, tol, max_iter, random_state
        Of the final fit, as for :class:`mercer.KernelRidge`.
    precision : {"auto", "f64", "f32", "mixed"}, default="auto"
        The type of kernel values, as for :class:`mercer.KernelRidge`.
    memory_budget : int or str, optional
        Bytes that the search may take, such as ``"2GiB"``; by default what the machine has free.
        Folds can be searched in any budget, by products with the matrix.
    progress : bool or callable, default=False
        Whether to show a bar, or a function that is called with each :class:`mercer.Step`.
    n_jobs : int, optional
        Threads; None stands for :func:`mercer.get_num_threads`, -1 for all cores.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty chosen, or one for each target.
    best_score_ : float
        Its score, the mean over targets.
    best_score_std_ : float
        The standard error of the score, over samples or folds; NaN if it is not known.
    best_params_ : dict
        ``alpha`` and ``kernel`` as :class:`mercer.KernelRidge` takes them.
    cv_results_ : dict
        With `store_cv_results`, arrays with an entry for each combination: ``param_alpha``,
        ``param_kernel``, ``mean_test_score``, ``std_test_score`` (its standard error),
        ``rank_test_score``, and ``target_test_scores``, a column for each target or one for all.
        A loaded estimator has none.
    dual_coef_, intercept_, X_fit_, kernel_, gamma_, n_iter_, report_, scaling_
        As for :class:`mercer.KernelRidge`.
    n_features_in_ : int
        Columns of X.
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
        precision: str = "auto",
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
        n_jobs: int | None = None,
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
        self.precision = precision
        self.memory_budget = memory_budget
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose kernel and penalty, and fit the model with them on all samples.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            How much each sample counts, in fits and in scores. A sample of weight 0 is as if it
            were not there.

        Returns
        -------
        self : KernelRidgeCV
            The estimator itself.
        """
        with self._whole_or_not_at_all():
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X, y, sample_weight) -> None:
        self._check_params()
        X = self._samples(X)
        y, flat = targets(self, y, X)
        if X.shape[0] < 2:
            raise ValueError("cross-validation needs at least 2 samples, but there is 1 sample")
        aims = (y, weights(sample_weight, X.shape[0]))
        found = search(self, X, aims, kernels_of(self, X), self._asked(X, *aims, flat=flat))
        self._choice, self._flat = found.choice, flat
        self._restore(found.model)
        vars(self).pop("cv_results_", None)
        if self.store_cv_results:
            self.cv_results_ = found.results()

    def _check_params(self) -> None:
        super()._check_params()
        _params.boolean(self, "store_cv_results", "alpha_per_target")

    def _asked(self, X, y, weights, *, flat: bool) -> dict[str, object]:
        """What to compare and how, as the compiled part takes it, kernels aside."""
        penalties = self.alphas
        if penalties is not None:
            penalties = _params.penalties(self, "alphas", positive=True)
        return {
            "alphas": penalties,
            "validation": validation(self, X, y[:, 0] if flat else y),
            "per_target": bool(self.alpha_per_target),
            "scorer": scorer(self, y, weights, flat=flat),
            "measure": str(self.scoring),
        }

    def _alphas(self) -> list[float]:
        return [1.0]

    def _describe(self, model: _core.Model) -> None:
        super()._describe(model)
        alphas = stored(model)["alpha"]
        self.alpha_ = alphas[0] if len(alphas) == 1 else np.asarray(alphas)
        selection = json.loads(_core.remarks(model))["selection"]
        spread = selection["spread"]
        self.best_score_ = selection["score"]
        self.best_score_std_ = float("nan") if spread is None else spread
        self.best_params_ = {"alpha": self.alpha_} | params_of(self._choice, self.kernel_)

    @classmethod
    def _params_of(cls, saved: dict, model: _core.Model) -> dict[str, object]:
        return {"alphas": saved["alpha"]} | cls._common_params_of(saved, model)
