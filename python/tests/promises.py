"""Every estimator of the package, with what the laws of ``test_promises*.py`` need to know of it.

Estimators are found in ``mercer.__all__``: a new one has no case, and the tests say so.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel

import mercer

GAMMA = 0.2
rng = np.random.default_rng(8)
X = rng.normal(size=(120, 4))
NEW = rng.normal(size=(25, 4))
CLASSES = np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.4, 0.4])
VALUES = np.sin(X[:, 0]) + 0.2 * X[:, 1] + 0.2 * rng.normal(size=len(X))
# Every third sample in turn, so that each cluster begins with samples from everywhere.
START = np.arange(len(X)) % 3
FOLDS = [(np.flatnonzero(fold != START), np.flatnonzero(fold == START)) for fold in range(3)]

# What wraps other estimators promises what these do, and tables with columns of any type have tests
# of their own.
WRAPPERS = ("ConformalRegressor", "ConformalClassifier", "AutoKernel", "TableEncoder")
ESTIMATORS = {
    name: kind
    for name in mercer.__all__
    if isinstance(kind := getattr(mercer, name), type)
    and issubclass(kind, BaseEstimator)
    and name not in WRAPPERS
}


@dataclass
class Case:
    """An estimator as the laws fit it.

    `target` is None, ``"classes"`` or ``"values"``; `linear` whether moving all samples by the same
    vector leaves the answers of a linear kernel as they are; `rows` names parameters that have an
    entry for each sample, with a function of the new order of samples.
    """

    params: dict
    target: str | None = None
    linear: bool = True
    kernel: bool = True
    rows: dict = field(default_factory=dict)


RBF = {"kernel": "rbf", "gamma": GAMMA}
TIGHT = RBF | {"tol": 1e-9}


def folds(order):
    """The folds of samples in another order."""
    place = np.argsort(order)
    return [(place[train], place[test]) for train, test in FOLDS]


CASES = {
    "PCA": Case({"n_components": 3}, kernel=False),
    "KernelPCA": Case(RBF | {"n_components": 3}),
    "KernelPCADetector": Case(RBF | {"n_components": 3}),
    "KernelKMeans": Case(
        RBF | {"n_clusters": 3, "init": START}, rows={"init": lambda order: START[order]}
    ),
    "KernelRepair": Case({}, kernel=False, linear=False),
    "Nystroem": Case({"gamma": GAMMA, "n_components": 20}, kernel=False, linear=False),
    "RBFSampler": Case({"gamma": GAMMA, "n_components": 20}, kernel=False, linear=False),
    "PolynomialCountSketch": Case({"n_components": 20}, kernel=False, linear=False),
    "AdditiveChi2Sampler": Case({}, kernel=False, linear=False),
    "KernelRidge": Case(RBF | {"alpha": 0.1, "fit_intercept": True}, "values"),
    "KernelRidgeCV": Case(RBF | {"alphas": 10.0 ** np.arange(-4, 3)}, "values"),
    "GaussianProcessRegressor": Case(
        {"kernel": f"rbf(gamma={GAMMA})", "alpha": 0.1, "optimizer": None, "normalize_y": False},
        "values",
        kernel=False,
        linear=False,
    ),
    "KernelRidgeClassifier": Case(RBF | {"alpha": 0.1}, "classes"),
    "SVC": Case(TIGHT, "classes"),
    "NuSVC": Case(TIGHT | {"nu": 0.3}, "classes"),
    "SVR": Case(TIGHT, "values"),
    "NuSVR": Case(TIGHT, "values"),
    "OneClassSVM": Case(TIGHT | {"nu": 0.3}, linear=False),
    "SVCSearch": Case(
        {"kernel": "rbf", "gammas": [0.05, GAMMA], "Cs": [0.3, 3.0], "cv": FOLDS, "tol": 1e-9},
        "classes",
        rows={"cv": folds},
    ),
    "SVRSearch": Case(
        {"gammas": [0.05, GAMMA], "Cs": [0.3, 3.0], "epsilons": [0.1], "cv": FOLDS, "tol": 1e-9},
        "values",
        rows={"cv": folds},
    ),
}
# Transformers to explicit features of a kernel.
EXPLICIT = ("RBFSampler", "PolynomialCountSketch", "AdditiveChi2Sampler")
# Searches over support vector machines.
SEARCHES = ("SVCSearch", "SVRSearch")
KERNELS = [name for name, case in CASES.items() if case.kernel]
# Those whose answers do not change when all samples move, with a linear kernel or without any.
MOVABLE = [name for name, case in CASES.items() if case.linear]
METHODS = ("predict", "decision_function", "transform", "score_samples", "predict_proba")


def make(name, **params):
    """An estimator, with other parameters if some are given."""
    return ESTIMATORS[name](**CASES[name].params | params)


def other_kernel(name, kernel):
    """The parameters that give an estimator another kernel, without those of the usual one."""
    usual = ESTIMATORS[name]().get_params()
    return {"kernel": kernel} | {key: usual[key] for key in ("gamma", "gammas") if key in usual}


def samples(name, rows=X, others=None):
    """Rows as the estimator takes them: for the repair of kernel matrices, similarities."""
    if name == "AdditiveChi2Sampler":
        return abs(rows)
    if name != "KernelRepair":
        return rows
    others = rows if others is None else others
    return rbf_kernel(rows, others, gamma=GAMMA) - 0.3 * rbf_kernel(rows, others, gamma=0.02)


def new(name, rows=NEW, trained_on=X):
    """New rows as the estimator takes them."""
    return samples(name, rows, trained_on)


def target(name, order=slice(None)):
    """What the estimator learns; nothing for many."""
    found = {"classes": CLASSES, "values": VALUES}.get(CASES[name].target)
    return () if found is None else (found[order],)


def fitted(name, rows=X, **params):
    """An estimator fitted on rows, which are those of X in another form."""
    return make(name, **params).fit(samples(name, rows), *target(name))


def answers(model, rows, **more):
    """All that a fitted model says of rows."""
    found = {}
    for method in METHODS:
        if hasattr(model, method):
            extra = (
                more if method != "predict" or not isinstance(model, mercer.KernelKMeans) else {}
            )
            value = getattr(model, method)(rows, **extra)
            found[method] = value.toarray() if sparse.issparse(value) else np.asarray(value)
    assert found, f"{model} says nothing"
    return found


def attributes(model):
    """The numbers in the attributes that a fit sets, by their names."""
    found = {}
    for name in dir(model):
        if not name.endswith("_") or name.startswith("_"):
            continue
        try:
            value = getattr(model, name)
        except AttributeError:  # those that this fit does not have
            continue
        if isinstance(value, (int, float, np.ndarray, np.number)) and np.asarray(value).size:
            found[name] = np.asarray(value)
    return found


def report_of(model):
    """The report of a model, or of the one that a search has chosen; None without."""
    return getattr(getattr(model, "best_estimator_", model), "report_", None)
