"""The cases of the comparison with LIBSVM: which rows, which machine, which parameters.

Sets of the data folder are taken from their first rows, so that a case is small; new rows are the
first of their test part. The other sets come with scikit-learn, and are decided for the rows that
they were fitted on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn import datasets

from bench.data import _standardise as standardised
from bench.data import stored

NEW_ROWS = 2000


@dataclass(frozen=True)
class Data:
    """Rows X (n × d) with their classes or values, rows T to decide, and perhaps weights of X."""

    X: np.ndarray
    y: np.ndarray | None
    T: np.ndarray
    weights: np.ndarray | None = None


@dataclass(frozen=True)
class Case:
    """One machine on one set; `cheap` ones are tests as well."""

    name: str
    data: Callable[[], Data | None]
    machine: str
    params: dict = field(default_factory=dict)
    cheap: bool = False


def shared(name: str, n: int, divisor: float = 1.0) -> Callable[[], Data | None]:
    """The first n rows of a set of the data folder, and the first rows of its test part."""

    def load() -> Data | None:
        parts = [stored(f"{name}.npz", part) for part in ("X_train", "y_train", "X_test")]
        if any(part is None for part in parts):
            return None
        X, y, T = parts
        return Data(X[:n].astype(float) / divisor, y[:n], T[:NEW_ROWS].astype(float) / divisor)

    return load


def guide_scaled() -> Data | None:
    """svmguide1 with columns from -1 to 1, as LIBSVM's guide has it."""
    data = shared("svmguide1", 3089)()
    if data is None:
        return None
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    X, T = (2 * (part - low) / (high - low) - 1 for part in (data.X, data.T))
    return Data(X, data.y, T)


def own(load: Callable, scale: Callable | None = None) -> Callable[[], Data]:
    """A set that comes with scikit-learn, perhaps standardised."""

    def rows() -> Data:
        X, y = load(return_X_y=True)
        X = X.astype(float) if scale is None else scale(X.astype(float))
        return Data(X, y, X)

    return rows


def weighed(load: Callable[[], Data]) -> Callable[[], Data]:
    """The same rows with weights from 0 to 3, a fifth of them 0."""

    def rows() -> Data:
        data = load()
        rng = np.random.RandomState(0)
        weights = rng.uniform(0, 3, len(data.X)) * (rng.uniform(size=len(data.X)) > 0.2)
        return Data(data.X, data.y, data.T, weights)

    return rows


def california() -> Data | None:
    """The first 2,000 rows of California housing, columns and target standardised."""
    X, y = (stored("california_housing.npz", part) for part in ("X", "y"))
    if X is None or y is None:
        return None
    X, y = standardised(X[:2000].astype(float)), standardised(y[:2000].astype(float)[:, None])
    return Data(X, y[:, 0], X)


def diabetes() -> Data:
    """scikit-learn's diabetes set, columns and target standardised."""
    X, y = datasets.load_diabetes(return_X_y=True)
    X = standardised(X)
    return Data(X, (y - y.mean()) / y.std(), X)


iris = own(datasets.load_iris)
wine = own(datasets.load_wine)
wine_scaled = own(datasets.load_wine, standardised)
cancer = own(datasets.load_breast_cancer)
cancer_scaled = own(datasets.load_breast_cancer, standardised)
digits = own(datasets.load_digits, lambda X: X / 16)

CASES = [
    Case("svmguide1 raw, gamma 1/4", shared("svmguide1", 3089), "SVC", {"gamma": "auto"}),
    Case("svmguide1 scaled, C 2, gamma 2", guide_scaled, "SVC", {"C": 2, "gamma": 2}, cheap=True),
    Case("svmguide1 scaled, linear", guide_scaled, "SVC", {"kernel": "linear"}),
    Case("a9a, 3,000 rows", shared("a9a", 3000), "SVC", {"gamma": "auto"}),
    Case("ijcnn1, 5,000 rows, C 32, gamma 2", shared("ijcnn1", 5000), "SVC", {"C": 32, "gamma": 2}),
    Case("letter, 3,000 rows", shared("letter", 3000, 15), "SVC", {"C": 10, "gamma": 5}),
    Case("usps, 2,000 rows, C 10", shared("usps", 2000), "SVC", {"C": 10}),
    Case("mnist, 2,000 rows, C 10", shared("mnist", 2000, 255), "SVC", {"C": 10}),
    Case("mnist, 2,000 rows, poly", shared("mnist", 2000, 255), "SVC", {"kernel": "poly"}),
    Case("iris", iris, "SVC", cheap=True),
    Case("iris, sigmoid", iris, "SVC", {"kernel": "sigmoid", "gamma": 0.01}, cheap=True),
    Case("wine, unscaled", wine, "SVC", cheap=True),
    Case("wine, linear", wine_scaled, "SVC", {"kernel": "linear"}, cheap=True),
    Case("wine, poly", wine_scaled, "SVC", {"kernel": "poly", "coef0": 1}, cheap=True),
    Case("wine, sigmoid", wine_scaled, "SVC", {"kernel": "sigmoid", "gamma": 0.01}, cheap=True),
    Case("cancer, unscaled", cancer, "SVC", cheap=True),
    Case("cancer", cancer_scaled, "SVC", cheap=True),
    Case("cancer, linear", cancer_scaled, "SVC", {"kernel": "linear"}, cheap=True),
    Case("cancer, poly", cancer_scaled, "SVC", {"kernel": "poly"}, cheap=True),
    Case("cancer, sigmoid", cancer_scaled, "SVC", {"kernel": "sigmoid"}),
    Case("cancer, C 0.001", cancer_scaled, "SVC", {"C": 1e-3}, cheap=True),
    Case("cancer, C 1e4", cancer_scaled, "SVC", {"C": 1e4}, cheap=True),
    Case("cancer, C 1e6", cancer_scaled, "SVC", {"C": 1e6}, cheap=True),
    Case("cancer, linear, C 1e4", cancer_scaled, "SVC", {"kernel": "linear", "C": 1e4}),
    Case("cancer, C 1e6, gamma 1e-4", cancer_scaled, "SVC", {"C": 1e6, "gamma": 1e-4}),
    Case("cancer, gamma 1e-4", cancer_scaled, "SVC", {"gamma": 1e-4}, cheap=True),
    Case("cancer, gamma 100", cancer_scaled, "SVC", {"gamma": 1e2}, cheap=True),
    Case("cancer, balanced", cancer_scaled, "SVC", {"class_weight": "balanced"}, cheap=True),
    Case("cancer, class 0 tenfold", cancer_scaled, "SVC", {"class_weight": {0: 10}}, cheap=True),
    Case("cancer, weights, some 0", weighed(cancer_scaled), "SVC", cheap=True),
    Case("digits", digits, "SVC", cheap=True),
    Case("digits, poly", digits, "SVC", {"kernel": "poly", "C": 10}),
    Case("digits, weights, some 0", weighed(digits), "SVC"),
    Case("cancer, nu 0.1", cancer_scaled, "NuSVC", {"nu": 0.1}, cheap=True),
    Case("cancer, nu 0.5", cancer_scaled, "NuSVC", {"nu": 0.5}, cheap=True),
    Case("digits, nu 0.1", digits, "NuSVC", {"nu": 0.1}),
    Case("usps, 2,000 rows, nu 0.05", shared("usps", 2000), "NuSVC", {"nu": 0.05}),
    Case("diabetes", diabetes, "SVR", cheap=True),
    Case("diabetes, epsilon 0", diabetes, "SVR", {"epsilon": 0.0}, cheap=True),
    Case("diabetes, linear", diabetes, "SVR", {"kernel": "linear"}, cheap=True),
    Case("diabetes, weights, some 0", weighed(diabetes), "SVR", cheap=True),
    Case("california, 2,000 rows, C 10", california, "SVR", {"C": 10}),
    Case("california, 2,000 rows, epsilon 0", california, "SVR", {"epsilon": 0.0}),
    Case("california, 2,000 rows, epsilon 1", california, "SVR", {"epsilon": 1.0}),
    Case("california, 2,000 rows, C 100", california, "SVR", {"C": 100}),
    Case("diabetes, nu 0.3", diabetes, "NuSVR", {"nu": 0.3}, cheap=True),
    Case("california, 2,000 rows, nu 0.5, C 10", california, "NuSVR", {"C": 10}),
    Case("cancer, nu 0.05", cancer_scaled, "OneClassSVM", {"nu": 0.05}, cheap=True),
    Case("digits, nu 0.5", digits, "OneClassSVM", {"nu": 0.5}),
    Case("california, 2,000 rows, nu 0.1", california, "OneClassSVM", {"nu": 0.1}),
]
