"""What AutoKernel compares: the validated target, the folds, and a pipeline for each model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, column_or_1d

from mercer import _params
from mercer._arrays import Samples, require_y
from mercer._auto_candidates import TunedKernel, baselines, kernel_methods, text_baselines, title_of
from mercer._auto_compare import Comparison
from mercer._labels import validate_labels
from mercer._params import ParameterError, refuse
from mercer._rows import count_rows, rows_of
from mercer._table_encoder import TableEncoder

_TASKS = ("auto", "classification", "regression")
# Whole numbers of more different values are numbers, not classes.
_MOST_CLASSES = 20


def check_params(auto: Any) -> None:
    """Check the parameters of an AutoKernel."""
    _params.positive(auto, "time_budget")
    _params.one_of(auto, "task", _TASKS)
    _params.at_least(auto, "cv", 2, integer=True)
    _params.at_least(auto, "max_samples", 10, integer=True)
    if not (auto.scoring is None or isinstance(auto.scoring, str) or callable(auto.scoring)):
        expected = "the name of a scorer, a function of estimator, X and y, or None"
        raise refuse(auto, "scoring", expected, auto.scoring)


def task_of(y: ArrayLike) -> str:
    """Return whether a target is classes or numbers."""
    values = np.asarray(y)
    if type_of_target(values, input_name="y").startswith("continuous"):
        return "regression"
    many = values.dtype.kind in "iuf" and len(np.unique(values)) > _MOST_CLASSES
    return "regression" if many else "classification"


def target_of(auto: Any, X: Samples, y: ArrayLike) -> tuple[str, np.ndarray]:
    """Return what is learned, and the validated target."""
    require_y(auto, y)
    rows = np.zeros((count_rows(X), 1))
    if not len(rows):
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    task = task_of(y) if auto.task == "auto" else auto.task
    if task == "classification":
        classes, codes = validate_labels(auto, y, rows)
        return task, classes[codes]
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    found = column_or_1d(y, warn=True)
    if len(found) != len(rows):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{len(rows)}, "
            f"{len(found)}]"
        )
    return task, found


def pipeline_of(auto: Any, model: Any, *, texts: bool) -> Pipeline:
    """Return the pipeline of a model: encoder, scaler, model; for texts the model alone."""
    if texts:
        return Pipeline([("model", model)])
    encoder = TableEncoder(dates=auto.dates)
    return Pipeline([("encode", encoder), ("scale", StandardScaler()), ("model", model)])


def comparison_of(
    auto: Any, X: Samples, y: np.ndarray, task: str, *, texts: bool
) -> tuple[Comparison, dict[str, tuple[Pipeline, bool]]]:
    """Return the comparison, and the pipelines by name, each with whether it is a baseline."""
    rng = np.random.RandomState(_params.seed(auto.random_state))
    rows = np.arange(len(y))
    if len(y) > auto.max_samples:
        rows = np.sort(rng.permutation(len(y))[: auto.max_samples])
    kind = StratifiedKFold if task == "classification" else KFold
    folds = kind(auto.cv, shuffle=True, random_state=rng.randint(2**31 - 1))
    splits = list(folds.split(np.zeros((len(rows), 1)), y[rows]))
    usual = text_baselines(task, auto.n_jobs) if texts else baselines(task)
    candidates = {
        name: (pipeline_of(auto, model, texts=texts), True) for name, model in usual.items()
    }
    for method, kernel in kernel_methods(task, texts=texts):
        model = TunedKernel(method, kernel, task, auto.n_jobs)
        candidates[title_of(method, kernel)] = (pipeline_of(auto, model, texts=texts), False)
    score = _scorer(auto, task, candidates)
    found = Comparison(rows_of(X, rows), y[rows], splits, score, float(auto.time_budget))
    return found, candidates


def _scorer(auto: Any, task: str, candidates: dict) -> Any:
    scoring = auto.scoring or ("accuracy" if task == "classification" else "r2")
    score = check_scoring(next(iter(candidates.values()))[0], scoring=scoring)
    if getattr(score, "_response_method", None) == "predict_proba":
        raise ParameterError(
            f"scoring={scoring!r} needs probabilities, which kernel methods do not compute: use a "
            "score of predictions or decision values, such as 'roc_auc'"
        )
    return score
