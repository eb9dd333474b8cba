"""The search for C, epsilon and gamma of an SVR by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from sklearn.metrics import check_scoring

from mercer import _fit, _search_folds, _search_strategy, _svm_cells, _svm_fit
from mercer._arrays import require_finite
from mercer._kernel_choice import is_precomputed
from mercer._params import ParameterError
from mercer._samples import Groups, Items, Strings, splits_of
from mercer._search_edges import warn_of_edges
from mercer._search_folds import Folds
from mercer._search_grid import gammas_of, kernels_of
from mercer._search_results import grid_results, search_results
from mercer._search_strategy import Params, Search, Splits
from mercer._svc_path import costs_of
from mercer._svm_search import COMPARISON, final_limit
from mercer._svr import SVR
from mercer._time_limit import Clock

# Both in standard deviations of y.
_CS = [2.0**power for power in range(-1, 8, 2)]
_EPSILONS = [0.02, 0.1, 0.3]


@dataclass
class RegressionSearch:
    """The best model, all scores, the index of the best, its score, the folds, the scale of y."""

    model: SVR
    results: dict[str, object]
    best: int
    score: float
    folds: int
    scale: float


def search(estimator, X, y, sample_weight, groups) -> RegressionSearch:
    """Compare all combinations of parameters, and fit a machine with the best."""
    clock = Clock(estimator, COMPARISON)
    _search_folds.check_scoring(estimator)
    _search_strategy.check_params(estimator)
    _svm_cells.check_params(estimator, (None, "r2"))
    kernels, params = kernels_of(estimator), []
    for kernel in kernels:
        # The samples are validated as a whole, so that errors name their rows.
        machine = estimator._machine(kernel)
        checked, (y_checked, weights), choice = _svm_fit.prepare(machine, X, y, sample_weight)
        gammas = gammas_of(estimator, kernel, kernels, checked)
        params += _combinations(estimator, gammas, kernel if len(kernels) > 1 else None)
    _check_numbers(checked, y_checked)
    if checked.shape[0] < 2:
        raise ValueError("cross-validation needs at least 2 samples, but there is 1 sample")
    expected = "an integer of at least 2, a splitter or an iterable of splits"
    splits = splits_of(estimator, checked, y_checked, expected, classifier=False, groups=groups)
    if estimator.per_cell:
        part = (checked, (y_checked, weights), choice)
        return _of_cells(estimator, machine, gammas, part, splits, clock)
    pairwise = is_precomputed(estimator.kernel)
    # A kernel matrix is made symmetric once, with one warning.
    X = _fit.training_data(machine, checked, choice) if pairwise else X
    score, scaled = check_scoring(machine, scoring=estimator.scoring), _in_units(machine)

    def scores(params: Params, parts: Splits) -> np.ndarray:
        folds = Folds(X, y_checked, weights, parts, pairwise)
        return _search_folds.cross_validate(
            machine, params, folds, score, clock=clock, scaled=scaled
        )

    found = Search(estimator, splits, scores, clock, np.zeros(len(y_checked), dtype=int))
    found.run(params)
    results, best = search_results(found), found.best()
    scale = spread_of(y_checked, weights)
    chosen = scaled(found.params[best], y_checked, weights)
    machine.set_params(**chosen, max_time=final_limit(clock))
    model = machine.fit(X, y_checked, weights)
    warn_of_edges(results, best)
    score = results["mean_test_score"][best]
    return RegressionSearch(model, results, best, score, len(splits), scale)


def _of_cells(
    estimator, machine: SVR, gammas: list, part: tuple, splits: Splits, clock: Clock
) -> RegressionSearch:
    """The SVM whose cells each choose gamma and C, with one epsilon for all."""
    X, (y, weights), _ = part
    unit, cs = spread_of(y, weights), _costs(estimator)
    is_open = estimator.gammas is None and gammas != [None]
    machine.set_params(tol=machine.tol * unit)
    params, table, models, scores, bests = [], [], [], [], []
    for epsilon in _epsilons(estimator.epsilons):
        machine.set_params(epsilon=epsilon * unit)
        scaled = [c * unit for c in cs]
        found = _svm_cells.search(machine, None if is_open else gammas, scaled, part, splits, clock)
        of_gamma = [{} if gamma is None else {"gamma": gamma} for gamma in found.gammas]
        bests.append(len(params) + found.best[1] * len(of_gamma) + found.best[0])
        params += [{"C": c, "epsilon": epsilon} | gamma for c in cs for gamma in of_gamma]
        table += list(found.scores.transpose(1, 0, 2).reshape(-1, len(splits)))
        models.append(found.model)
        scores.append(float(np.mean(found.own)))
    results = grid_results(params, np.array(table), np.full(len(params), X.shape[0]))
    chosen = int(np.argmax(scores))
    best = bests[chosen]
    one = params[best]
    machine.set_params(**one | {"C": one["C"] * unit, "epsilon": one["epsilon"] * unit})
    _svm_fit.set_fitted(machine, models[chosen], _svm_fit.choose_kernel(machine, X), X)
    return RegressionSearch(machine, results, best, scores[chosen], len(splits), unit)


def _costs(estimator) -> list[float]:
    return list(_CS) if estimator.Cs is None else costs_of(estimator.Cs, "Cs")


def _combinations(estimator, gammas: list, kernel: object) -> list[dict[str, object]]:
    found = []
    for c, epsilon, gamma in product(_costs(estimator), _epsilons(estimator.epsilons), gammas):
        one = {"C": c, "epsilon": epsilon}
        one |= {} if gamma is None else {"gamma": gamma}
        found.append(one if kernel is None else one | {"kernel": kernel})
    return found


def _epsilons(values) -> list[float]:
    if values is None:
        return list(_EPSILONS)
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 1 or not found.size or not np.all((found >= 0) & np.isfinite(found)):
        raise ParameterError(
            f"epsilons must be a sequence of numbers of at least 0, not {values!r}"
        )
    return found.tolist()


def spread_of(y: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the standard deviation of targets; 1 for equal ones."""
    weights = None if weights is None or not weights.any() else weights
    centred = y - np.average(y, weights=weights)
    found = float(np.sqrt(np.average(centred**2, weights=weights)))
    return found if found > 0 else 1.0


def _in_units(machine: SVR):
    """A function from a combination in standard deviations of y to parameters in units of y.

    With y = m + s z, minimising ½‖f‖² + C Σ max(0, |z - f| - ε) and multiplying f by s is
    minimising ½‖f‖² + s C Σ max(0, |y - f| - s ε).
    """
    tol = machine.tol
    gamma = machine.gamma

    def scaled(params: dict, y: np.ndarray, weights: np.ndarray | None) -> dict[str, object]:
        unit = spread_of(y, weights)
        numbers = {"C": params["C"] * unit, "epsilon": params["epsilon"] * unit, "tol": tol * unit}
        return {"gamma": gamma} | params | numbers

    return scaled


def _check_numbers(X, y: np.ndarray) -> None:
    """Refuse what is not finite, naming its row among all samples."""
    if not isinstance(X, (Strings, Items, Groups)):
        require_finite(X)
    wrong = np.flatnonzero(~np.isfinite(y))
    if wrong.size:
        raise ValueError(
            f"Input y contains {'NaN' if np.isnan(y[wrong[0]]) else 'infinity'} at row {wrong[0]}: "
            "remove the row"
        )
