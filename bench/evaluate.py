"""Classifiers of the tables: mercer's SVC on kernel matrices, C chosen within the training part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold

FOLDS = 3


@dataclass(frozen=True)
class Evaluation:
    """What a classifier reached on the test part."""

    accuracy: float
    area: float | None  # under the ROC curve, of two classes
    cost: float  # the C that was chosen
    validated: float  # the score by which it was


def matrix(X: Any, spec: str, Y: Any = None) -> np.ndarray:
    """mercer's matrix of a kernel, n × n or n × m."""
    import mercer

    return mercer.pairwise_kernels(X, Y, kernel=spec)


def normalized(K: np.ndarray) -> np.ndarray:
    """k(x, y) / √(k(x, x) k(y, y)); a sample whose k(x, x) is zero keeps its zeros."""
    lengths = np.sqrt(np.diag(K))
    lengths[lengths == 0] = 1.0
    return K / lengths[:, None] / lengths


def even(K: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Divided by the training part's mean k(x, x), so that C means the same for all kernels."""
    return K / K[train, train].mean()


def rows_as_samples(K: np.ndarray, train: np.ndarray) -> np.ndarray:
    """The linear kernel of samples that are described by their kernel values with the training
    samples (the empirical kernel map).
    """
    rows = K[:, train]
    return rows @ rows.T


def evaluate(
    K: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, costs: Sequence[float],
    scoring: str = "accuracy",
) -> Evaluation:  # fmt: skip
    """Choose C by cross-validation of the training samples, fit to them, score the others."""
    import mercer

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    search = GridSearchCV(
        mercer.SVC(kernel="precomputed"), {"C": list(costs)}, cv=folds, scoring=scoring
    ).fit(K[np.ix_(train, train)], y[train])
    return _score(search, K, y, train, test, search.best_params_["C"], float(search.best_score_))


def fixed(
    K: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, cost: float
) -> Evaluation:
    """The same with a C that is given."""
    import mercer

    model = mercer.SVC(kernel="precomputed", C=cost).fit(K[np.ix_(train, train)], y[train])
    return _score(model, K, y, train, test, cost, float("nan"))


def _score(
    model: Any, K: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, cost: float,
    validated: float,
) -> Evaluation:  # fmt: skip
    across, truth = K[np.ix_(test, train)], y[test]
    area = None
    if len(model.classes_) == 2 == len(np.unique(truth)):
        area = float(roc_auc_score(truth, model.decision_function(across)))
    return Evaluation(float(np.mean(model.predict(across) == truth)), area, cost, validated)


def percent(values: Sequence[float]) -> str:
    """The mean in per cent, with the standard deviation where there are several."""
    mean = f"{100 * np.mean(values):.2f}"
    return mean if len(values) == 1 else f"{mean} ± {100 * np.std(values, ddof=1):.2f}"
