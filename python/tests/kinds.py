"""The estimators with a kernel, each with what it is fitted on and what it computes."""

import numpy as np

from mercer import (
    SVC,
    SVR,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    NuSVC,
    NuSVR,
    OneClassSVM,
    SVCSearch,
    SVRSearch,
)

ESTIMATORS = {
    "KernelPCA": KernelPCA(2),
    "KernelRidge": KernelRidge(0.1),
    "KernelRidgeCV": KernelRidgeCV([0.1, 1.0]),
    "KernelRidgeClassifier": KernelRidgeClassifier(0.1),
    "SVC": SVC(tol=1e-6),
    "NuSVC": NuSVC(nu=0.2, tol=1e-6),
    "SVR": SVR(tol=1e-6),
    "NuSVR": NuSVR(tol=1e-6),
    "OneClassSVM": OneClassSVM(nu=0.3, tol=1e-6),
    "SVCSearch": SVCSearch([0.1, 1.0], cv=2, tol=1e-6),
    "SVRSearch": SVRSearch([0.1, 1.0], [0.1], cv=2, tol=1e-6),
    "KernelKMeans": KernelKMeans(2),
    "KernelPCADetector": KernelPCADetector(2),
}
REGRESSIONS = ("KernelRidge", "KernelRidgeCV", "SVR", "NuSVR", "SVRSearch")


def made(name, **params):
    """An estimator by its name, with other parameters."""
    return type(ESTIMATORS[name])(**ESTIMATORS[name].get_params() | params)


def target_of(name, classes):
    """What the estimator learns, for samples of two classes in turn."""
    classes = np.asarray(classes)
    return classes + 0.1 * np.arange(len(classes)) if name in REGRESSIONS else classes


def output_of(model, X):
    """What a fitted model says of samples, in numbers."""
    for name in ("decision_function", "transform", "predict"):
        if hasattr(model, name):
            return getattr(model, name)(X)
    raise AssertionError(f"{model} says nothing")
