"""The models that AutoKernel compares: kernel methods that tune themselves, and baselines."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from mercer._kernel_ridge import KernelRidge
from mercer._kernel_ridge_classifier import KernelRidgeClassifier
from mercer._kernel_ridge_cv import KernelRidgeCV
from mercer._svc_search import SVCSearch
from mercer._svr_search import SVRSearch

# In the order in which they are tried: general ones first, and in each pair the faster one.
_ORDER = ("rbf", "laplacian", "matern", "linear", "poly")
_TITLES = {
    "rbf": "RBF",
    "laplacian": "Laplacian",
    "matern": "Matérn",
    "linear": "linear",
    "poly": "polynomial",
}
# Kernels on texts, by the names of families; each chooses among its lengths.
STRINGS = {
    "spectrum": [f"normalize(spectrum(p={p}))" for p in (2, 3, 4, 5)],
    "substrings": [f"normalize(substrings(p={p}))" for p in (3, 5)],
    "words": ["normalize(spectrum(p=1, unit=words))"],
    "characters": ["normalize(spectrum(p=1))"],
}
_CS = [2.0**power for power in range(-3, 10, 3)]
# In standard deviations of y.
_SVR_CS = [0.25, 2.0, 16.0, 128.0]
_SVR_EPSILONS = [0.1]
_FOLDS = 3


class OutOfTimeError(Exception):
    """The time for the comparison is over."""


def kernel_methods(task: str, *, texts: bool = False) -> list[tuple[str, str]]:
    """Return the pairs of method and kernel, in the order in which they are tried.

    Counts of characters are a baseline for texts, and no candidate. Searches of machines for
    classes share kernel values among folds; those for numbers do not.
    """
    methods = ("svm", "ridge") if task == "classification" else ("ridge", "svm")
    order = [name for name in STRINGS if name != "characters"] if texts else _ORDER
    return [(method, kernel) for kernel in order for method in methods]


def title_of(method: str, kernel: str) -> str:
    """Return the name of a kernel method in tables."""
    return f"{'SVM' if method == 'svm' else 'kernel ridge'} ({_TITLES.get(kernel, kernel)})"


def baselines(task: str) -> dict[str, Any]:
    """Return the models that a kernel method should be better than."""
    neighbors = {"n_neighbors": [1, 3, 7, 15, 31]}
    if task == "classification":
        return {
            "majority class": DummyClassifier(),
            "logistic regression": GridSearchCV(
                LogisticRegression(max_iter=500), {"C": 10.0 ** np.arange(-2, 3)}, cv=_FOLDS
            ),
            "nearest neighbours": GridSearchCV(KNeighborsClassifier(), neighbors, cv=_FOLDS),
        }
    return {
        "mean": DummyRegressor(),
        "ridge regression": RidgeCV(alphas=np.logspace(-4, 4, 17)),
        "nearest neighbours": GridSearchCV(KNeighborsRegressor(), neighbors, cv=_FOLDS),
    }


def text_baselines(task: str, n_jobs: int | None) -> dict[str, Any]:
    """Return the models that a kernel on texts should be better than."""
    if task == "classification":
        linear = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=500))
        grid = {"logisticregression__C": 10.0 ** np.arange(-2, 3)}
        return {
            "majority class": DummyClassifier(),
            title_of("svm", "characters"): TunedKernel("svm", "characters", task, n_jobs),
            "words, logistic regression": GridSearchCV(linear, grid, cv=_FOLDS),
        }
    linear = make_pipeline(TfidfVectorizer(), Ridge())
    return {
        "mean": DummyRegressor(),
        title_of("ridge", "characters"): TunedKernel("ridge", "characters", task, n_jobs),
        "words, ridge regression": GridSearchCV(
            linear, {"ridge__alpha": 10.0 ** np.arange(-3, 3)}, cv=_FOLDS
        ),
    }


def resolved(model: Any) -> Any:
    """Return an unfitted model with the parameters that a fitted search has chosen."""
    if isinstance(model, TunedKernel):
        return model.resolved()
    if isinstance(model, GridSearchCV):
        return clone(model.best_estimator_)
    return Ridge(alpha=float(model.alpha_)) if isinstance(model, RidgeCV) else clone(model)


class TunedKernel(BaseEstimator):
    """A kernel method that chooses its width and penalty by inner cross-validation.

    `method` is ``"svm"`` or ``"ridge"``, `task` ``"classification"`` or ``"regression"``; samples
    are standardised rows of numbers, or texts. A fit that goes on after the `deadline`, in seconds
    of ``time.perf_counter``, raises OutOfTimeError.
    """

    def __init__(
        self,
        method: str,
        kernel: str,
        task: str,
        n_jobs: int | None = None,
        deadline: float | None = None,
    ) -> None:
        self.method = method
        self.kernel = kernel
        self.task = task
        self.n_jobs = n_jobs
        self.deadline = deadline

    def fit(self, X: np.ndarray, y: np.ndarray) -> TunedKernel:
        """Choose the parameters and fit the model."""
        fit = self._fit_machine if self.method == "svm" else self._fit_ridge
        self.model_ = fit(X, y)
        if self.task == "classification":
            self.classes_ = self.model_.classes_
        return self

    def _watch(self) -> object:
        """A listener that ends the fit after the deadline."""
        if self.deadline is None:
            return False

        def watch(step: object) -> None:
            if time.perf_counter() > self.deadline:
                raise OutOfTimeError

        return watch

    def _fit_machine(self, X: np.ndarray, y: np.ndarray) -> Any:
        options = {"cv": _FOLDS, "n_jobs": self.n_jobs, "progress": self._watch()}
        options |= self._kernels(X)
        if self.task == "classification":
            return SVCSearch(_CS, **options).fit(X, y).best_estimator_
        # Polynomials of a large C take long, and fit noise.
        cs = _SVR_CS[:-1] if self.kernel == "poly" else _SVR_CS
        return SVRSearch(cs, _SVR_EPSILONS, **options).fit(X, y).best_estimator_

    def _kernels(self, X: np.ndarray) -> dict[str, object]:
        """The kernels of a machine; those of Matérn by lengths, as it has no gamma."""
        if self.kernel in STRINGS:
            return {"kernel": STRINGS[self.kernel]}
        if self.kernel == "matern":
            lengths = np.sqrt(X.shape[1]) * 2.0 ** np.arange(-1, 3)
            return {"kernel": [f"matern(nu=1.5, length={length:.4g})" for length in lengths]}
        if self.kernel == "poly":
            return {"kernel": "poly", "gammas": ["scale"], "coef0": 1.0}
        if self.kernel == "linear":
            return {"kernel": "linear"}
        start = 1.0 / max(1, X.shape[1])
        return {"kernel": self.kernel, "gammas": [start * 4.0**power for power in range(-2, 2)]}

    def _fit_ridge(self, X: np.ndarray, y: np.ndarray) -> Any:
        kernel = STRINGS.get(self.kernel, self.kernel)
        options = {"kernel": kernel, "n_jobs": self.n_jobs, "progress": self._watch()}
        if self.kernel == "poly":
            options["degree"] = [2, 3]
        if self.task == "regression":
            return KernelRidgeCV(**options).fit(X, y)
        # Widths and penalties by the leave-one-out errors of the ±1 targets of the classes.
        classes = np.unique(y)
        columns = classes[1:] if len(classes) == 2 else classes
        search = KernelRidgeCV(**options).fit(X, np.where(y[:, None] == columns, 1.0, -1.0))
        chosen = {"kernel": search.kernel_, "n_jobs": self.n_jobs}
        return KernelRidgeClassifier(float(np.ravel(search.alpha_)[0]), **chosen).fit(X, y)

    def resolved(self) -> Any:
        """Return an unfitted model with the chosen parameters."""
        if isinstance(self.model_, KernelRidgeCV):
            alpha, kernel = float(np.ravel(self.model_.alpha_)[0]), self.model_.kernel_
            return KernelRidge(alpha, kernel=kernel, fit_intercept=True)
        chosen = ("alpha",) if self.method == "ridge" else ("C", "epsilon", "tol")
        params = {key: getattr(self.model_, key) for key in chosen if hasattr(self.model_, key)}
        return type(self.model_)(kernel=self.model_.kernel_, **params)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict by the model chosen."""
        return self.model_.predict(X)

    @available_if(lambda self: self.task == "classification")
    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the decision values of the model chosen."""
        return self.model_.decision_function(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags
