"""The search for C and gamma: what is compared, by which folds, and what came out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import check_cv

from mercer import _core
from mercer._kernel_choice import Choice, Described, is_name, takes, written
from mercer._params import ParameterError, is_integer, refuse
from mercer._samples import Checked, Texts, splittable
from mercer._svc import SVC
from mercer._svc_path import prices_of
from mercer._svm_kernel import choose_for, scale
from mercer._svm_probability import wants_probabilities

_CS = [2.0**power for power in range(-3, 12, 2)]
_FACTORS = [4.0**power for power in range(-3, 3)]


@dataclass
class Found:
    """What a search found: the model, all scores, the place of the best, and how many folds."""

    model: SVC
    results: dict[str, object]
    place: int
    folds: int


def search(estimator, machine: SVC, X, y, sample_weight) -> Found:
    """Compare all prices and gammas for `machine`, and fit it with the best."""
    checked, aims, choice = machine._prepare(X, y, sample_weight)
    cs, gammas = _prices(estimator), _gammas(estimator, checked)
    splits = _splits(estimator, checked, machine.classes_[aims[0][1]])
    machines = [machine if gamma is None else _with(machine, gamma) for gamma in gammas]
    kernels = [
        choice if gamma is None else choose_for(one, checked)
        for one, gamma in zip(machines, gammas, strict=True)
    ]
    model, scores, chosen = _compare(machine, checked, aims, kernels, cs, splits)
    results = _results(cs, gammas, scores)
    place = int(results["rank_test_score"].argmin())
    c, kernel = divmod(place, len(gammas))
    best = machines[kernel].set_params(C=cs[c])
    if (kernel, c) != chosen:
        # Of equally good ones the compiled part may have taken another than the first.
        model = _fit(best, checked, aims, kernels[kernel])
    best._adopt(model, kernels[kernel], checked)
    if wants_probabilities(best):
        best._calibrate(checked, aims, best._calibrating())
    return Found(best, results, place, len(splits))


def _fit(machine: SVC, X, aims: tuple, choice: Choice) -> _core.Model:
    with machine._run() as run:
        values, choices = machine._values(X, choice), machine._choices(X, choice)
        model, raised = _core.fit_svm(values, aims, None, choices | {"calibration": None}, run)
    if raised is not None:
        raise raised
    return model


def _with(machine: SVC, gamma: object) -> SVC:
    """The same machine of another gamma, with what is known of the samples."""
    other = clone(machine)
    vars(other).update(vars(machine))
    return other.set_params(gamma=gamma)


def _prices(estimator) -> list[float]:
    return list(_CS) if estimator.Cs is None else prices_of(estimator.Cs, "Cs")


def _gammas(estimator, X) -> list:
    """The gammas to compare; None alone for a kernel that takes none beside its text."""
    given, kernel = estimator.gammas, estimator.kernel
    if given is None:
        by_name = is_name(kernel) and takes(kernel, "gamma") and not isinstance(X, Texts)
        return [scale(X) * factor for factor in _FACTORS] if by_name else [None]
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or not len(given):
        raise refuse(estimator, "gammas", "a sequence of gammas or None", given)
    if not takes(kernel, "gamma"):
        raise ParameterError(
            f"gammas have no meaning for the kernel {kernel!r}, which has no gamma or says it "
            "already: leave them out"
        )
    return given.tolist() if isinstance(given, np.ndarray) else list(given)


def _splits(estimator, X: Checked, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    cv = estimator.cv
    wrong = isinstance(cv, (str, bool)) or (is_integer(cv) and cv < 2)
    if wrong or not (is_integer(cv) or hasattr(cv, "split") or hasattr(cv, "__iter__")):
        expected = "an integer of at least 2, a splitter or an iterable of splits"
        raise refuse(estimator, "cv", expected, cv)
    rows = splittable(X)
    return [(_rows(a), _rows(b)) for a, b in check_cv(cv, y, classifier=True).split(rows, y)]


def _rows(rows) -> np.ndarray:
    rows = np.asarray(rows)
    found = np.flatnonzero(rows) if rows.dtype == bool else rows
    return np.ascontiguousarray(found, dtype=np.int64)


def _compare(machine: SVC, X, aims: tuple, kernels: list[Choice], cs: list[float], splits) -> tuple:
    """The best model, the scores of each kernel (prices × folds), and the place of the best."""
    grid = {"kernels": [], "cs": cs, "splits": splits}
    first = kernels[0]
    if isinstance(first, Described):
        grid["kernels"] = [written(choice) for choice in kernels]
    values, choices = machine._values(X, first), machine._choices(X, first)
    with machine._run() as run:
        model, _, scores, place = _core.svm_search(values, aims, grid, choices, run)
    return model, scores, place


def _results(cs: list[float], gammas: list, scores: list[np.ndarray]) -> dict[str, object]:
    """All scores in the manner of scikit-learn's grid search: C by C, in each gamma by gamma."""
    table = np.stack(scores, axis=1).reshape(len(cs) * len(gammas), -1)
    params = [
        {"C": c} if gamma is None else {"C": c, "gamma": gamma} for c in cs for gamma in gammas
    ]
    mean = np.average(table, axis=1)
    results: dict[str, object] = {
        f"param_{name}": np.ma.MaskedArray(
            [one[name] for one in params],
            mask=False,
            dtype=object if any(isinstance(one[name], str) for one in params) else None,
        )
        for name in params[0]
    }
    results["params"] = params
    results |= {f"split{fold}_test_score": table[:, fold] for fold in range(table.shape[1])}
    ranked = np.where(np.isnan(mean), -np.inf, mean)
    return results | {
        "mean_test_score": mean,
        "std_test_score": table.std(axis=1),
        "rank_test_score": rankdata(-ranked, method="min").astype(np.int32),
    }
