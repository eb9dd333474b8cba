"""The search for kernel, C and gamma of an SVC by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from mercer import (
    _core,
    _fit,
    _search_folds,
    _search_strategy,
    _svm_cells,
    _svm_fit,
    _svm_probability,
)
from mercer._kernel_choice import Choice, is_precomputed
from mercer._params import refuse
from mercer._reports import warn
from mercer._samples import splits_of
from mercer._search_edges import warn_of_edges
from mercer._search_folds import Folds
from mercer._search_grid import gammas_of, kernels_of
from mercer._search_results import grid_results, search_results
from mercer._search_strategy import Params, Score, Search, Splits
from mercer._svc import SVC
from mercer._svc_path import costs_of
from mercer._svm_shared import Candidates, SharedScores
from mercer._time_limit import Clock

_CS = [2.0**power for power in range(-3, 12, 2)]
# Cells compare wider kernels, for which larger values are best.
_CELL_CS = [2.0**power for power in range(1, 14, 2)]
# The share of the time limit for the comparison; the rest is for the final fit.
COMPARISON = 0.8


@dataclass
class SearchResult:
    """The best model, all scores, the index of the best, its score, and the number of folds."""

    model: SVC
    results: dict[str, object]
    best: int
    score: float
    folds: int


def search(estimator, X, y, sample_weight, groups) -> SearchResult:
    """Compare combinations, and fit a machine with the best."""
    clock = Clock(estimator, COMPARISON)
    _search_folds.check_scoring(estimator)
    _search_strategy.check_params(estimator)
    _svm_cells.check_params(estimator, (None, "accuracy"))
    usual = _CELL_CS if estimator.per_cell else _CS
    cs = list(usual) if estimator.Cs is None else costs_of(estimator.Cs, "Cs")
    kernels = kernels_of(estimator)
    candidates = [_candidates(estimator, one, kernels, X, y, sample_weight) for one in kernels]
    first = candidates[0]
    y = first.machine.classes_[first.targets[0][1]]
    expected = "an integer of at least 2, a splitter or an iterable of splits"
    splits = splits_of(estimator, first.X, y, expected, classifier=True, groups=groups)
    if estimator.per_cell:
        return _of_cells(estimator, first, cs, splits, clock)
    score = _scores(estimator, candidates, X, y, splits, clock)
    found = Search(estimator, splits, score, clock, first.targets[0][1])
    found.run([one for candidate in candidates for one in candidate.params(cs)])
    results, best = search_results(found), found.best()
    shared = score.models if isinstance(score, SharedScores) and clock.limit is None else {}
    model = _fitted(candidates, found.params[best], shared, clock)
    warn_of_edges(results, best)
    return SearchResult(model, results, best, results["mean_test_score"][best], len(splits))


def _of_cells(
    estimator, candidate: Candidates, cs: list[float], splits: Splits, clock: Clock
) -> SearchResult:
    """The SVM whose cells each choose gamma and C."""
    machine, X, choice = candidate.machine, candidate.X, candidate.choice
    _all_have_all_classes(machine.classes_[candidate.targets[0][1]], splits)
    is_open = estimator.gammas is None and candidate.gammas != [None]
    gammas = None if is_open else candidate.gammas
    part = (X, candidate.targets, choice)
    found = _svm_cells.search(machine, gammas, cs, part, splits, clock)
    of_gamma = [{} if gamma is None else {"gamma": gamma} for gamma in found.gammas]
    params = [{"C": c} | gamma for c in cs for gamma in of_gamma]
    table = found.scores.transpose(1, 0, 2).reshape(len(params), len(splits))
    results = grid_results(params, table, np.full(len(params), X.shape[0]))
    best = found.best[1] * len(of_gamma) + found.best[0]
    machine.set_params(**params[best])
    _svm_fit.set_fitted(machine, found.model, _svm_fit.choose_kernel(machine, X), X)
    return SearchResult(machine, results, best, float(np.mean(found.own)), len(splits))


def scores_of(estimator, data: tuple, params: list[dict], splits: Splits) -> np.ndarray:
    """Return the scores of some combinations on some splits of `data`, samples, targets and
    weights; kernels of several are given by their places.
    """
    X, y, sample_weight = data
    clock, kernels = Clock(estimator, COMPARISON), kernels_of(estimator)
    candidates = [_candidates(estimator, one, kernels, X, y, sample_weight) for one in kernels]
    y = candidates[0].machine.classes_[candidates[0].targets[0][1]]
    own = [one | ({"kernel": kernels[one["kernel"]]} if "kernel" in one else {}) for one in params]
    return _scores(estimator, candidates, X, y, splits, clock)(own, splits)


def _candidates(estimator, kernel, kernels: list, X, y, sample_weight) -> Candidates:
    machine = estimator._machine(kernel)
    X, targets, choice = _svm_fit.prepare(machine, X, y, sample_weight)
    gammas = gammas_of(estimator, kernel, kernels, X)
    return Candidates(machine, X, targets, kernel if len(kernels) > 1 else None, gammas, choice)


def _scores(
    estimator, candidates: list[Candidates], X, y: np.ndarray, splits: Splits, clock: Clock
) -> Score:
    """The function that scores combinations: the quicker one if accuracies are asked for."""
    elsewhere = vars(estimator).get("_elsewhere")
    if elsewhere is not None:
        return elsewhere
    if _is_plain_accuracy(estimator.scoring) and _all_have_all_classes(y, splits):
        return SharedScores(candidates, clock)
    first, pairwise = candidates[0], is_precomputed(estimator.kernel)
    # A kernel matrix is made symmetric once, with one warning.
    X = _fit.training_data(first.machine, first.X, first.choice) if pairwise else X
    machine, score = _scored_machine(estimator, first)

    def scores(params: Params, parts: Splits) -> np.ndarray:
        folds = Folds(X, y, first.targets[1], parts, pairwise)
        return _search_folds.cross_validate(machine, params, folds, score, clock=clock)

    return scores


def _is_plain_accuracy(scoring: object) -> bool:
    return scoring is None or (isinstance(scoring, str) and scoring == "accuracy")


def _all_have_all_classes(y: np.ndarray, splits: list) -> bool:
    """Whether every training set has a sample of each class; warns if one has not."""
    classes = np.unique(y)
    for fold, (train, _) in enumerate(splits):
        missing = np.setdiff1d(classes, y[train])
        if missing.size:
            warn(
                f"the training set of fold {fold} (zero-based) has no sample of class "
                f"{missing.tolist()[0]!r}, which its model cannot predict: use fewer folds, or "
                "more samples of the class"
            )
            return False
    return True


def _scored_machine(estimator, first: Candidates) -> tuple:
    """The machine that any scorer can score, and the scorer."""
    machine = clone(first.machine)
    score = check_scoring(machine, scoring=estimator.scoring)
    response = getattr(score, "_response_method", "predict_proba")
    needed = response == "predict_proba"
    if needed and not estimator.probability and hasattr(score, "_response_method"):
        raise refuse(
            estimator,
            "scoring",
            "a measure of predictions or decision values unless probability=True, which computes "
            "the probabilities that it needs",
            estimator.scoring,
        )
    wanted = needed and estimator.probability
    machine.set_params(probability=True if wanted else _svm_probability.DEPRECATED)
    return machine, score


def final_limit(clock: Clock) -> float | None:
    """Return the seconds for the final fit: what is left, but at least a tenth of all."""
    if clock.limit is None:
        return None
    return max(float(clock.limit) - clock.seconds, float(clock.limit) / 10)


def _fitted(candidates: list[Candidates], params: dict, models: dict, clock: Clock) -> SVC:
    """The machine with the parameters of the best combination, fitted on all samples."""
    candidate = next(one for one in candidates if one.kernel is params.get("kernel"))
    machine, choice = candidate.with_gamma(params.get("gamma"))
    machine.set_params(C=params["C"], max_time=final_limit(clock))
    # In a tie the extension module may have taken another candidate than the first.
    key = (id(candidate), params.get("gamma"), params["C"])
    model = models.get(key) or _refit(machine, candidate, choice)
    _svm_fit.set_fitted(machine, model, choice, candidate.X)
    calibration = _svm_probability.fit_calibration(machine)
    if calibration is not None:
        _svm_probability.calibrate(machine, candidate.X, candidate.targets, calibration)
    return machine


def _refit(machine: SVC, candidate: Candidates, choice: Choice) -> _core.Model:
    settings = _svm_fit.settings(machine, candidate.X, choice) | {"calibration": None}
    with _fit.run_of(machine) as run:
        data = _fit.training_data(machine, candidate.X, choice)
        model, raised = _core.fit_svm(data, candidate.targets, None, settings, run)
    if raised is not None:
        raise raised
    return model
