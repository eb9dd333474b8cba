"""The search for C and gamma of an SVC by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone

from mercer import _core, _fit, _svm_fit, _svm_probability
from mercer._kernel_choice import Choice, Described, is_name, kernel_argument, takes
from mercer._params import ParameterError, refuse
from mercer._samples import Strings, splits_of
from mercer._svc import SVC
from mercer._svc_path import costs_of

_CS = [2.0**power for power in range(-3, 12, 2)]
_FACTORS = [4.0**power for power in range(-3, 3)]


@dataclass
class SearchResult:
    """The best model, all scores, the index of the best, and the number of folds."""

    model: SVC
    results: dict[str, object]
    best: int
    folds: int


def search(estimator, machine: SVC, X, y, sample_weight) -> SearchResult:
    """Compare all values of C and gamma for `machine`, and fit it with the best."""
    X, targets, choice = _svm_fit.prepare(machine, X, y, sample_weight)
    cs, gammas = _costs(estimator), _gammas(estimator, X)
    expected = "an integer of at least 2, a splitter or an iterable of splits"
    y = machine.classes_[targets[0][1]]
    splits = splits_of(estimator, X, y, expected, classifier=True)
    machines = [machine if gamma is None else _with(machine, gamma) for gamma in gammas]
    kernels = [
        choice if gamma is None else _svm_fit.choose_kernel(one, X)
        for one, gamma in zip(machines, gammas, strict=True)
    ]
    model, scores, chosen = _compare(machine, X, targets, kernels, cs, splits)
    results = _results(cs, gammas, scores)
    best = int(results["rank_test_score"].argmin())
    c, kernel = divmod(best, len(gammas))
    estimator, choice = machines[kernel].set_params(C=cs[c]), kernels[kernel]
    if (kernel, c) != chosen:
        # In a tie the extension module may have taken another candidate than the first.
        model = _refit(estimator, X, targets, choice)
    _svm_fit.set_fitted(estimator, model, choice, X)
    calibration = _svm_probability.fit_calibration(estimator)
    if calibration is not None:
        _svm_probability.calibrate(estimator, X, targets, calibration)
    return SearchResult(estimator, results, best, len(splits))


def _refit(machine: SVC, X, targets: tuple, choice: Choice) -> _core.Model:
    settings = _svm_fit.settings(machine, X, choice) | {"calibration": None}
    with _fit.run_of(machine) as run:
        data = _fit.training_data(machine, X, choice)
        model, raised = _core.fit_svm(data, targets, None, settings, run)
    if raised is not None:
        raise raised
    return model


def _with(machine: SVC, gamma: object) -> SVC:
    """The same machine with another gamma, and the attributes of the samples."""
    other = clone(machine)
    vars(other).update(vars(machine))
    return other.set_params(gamma=gamma)


def _costs(estimator) -> list[float]:
    return list(_CS) if estimator.Cs is None else costs_of(estimator.Cs, "Cs")


def _gammas(estimator, X) -> list:
    """The gammas to compare; only None for a kernel that takes none."""
    given, kernel = estimator.gammas, estimator.kernel
    if given is None:
        by_name = is_name(kernel) and takes(kernel, "gamma") and not isinstance(X, Strings)
        return [_svm_fit.scale(X) * factor for factor in _FACTORS] if by_name else [None]
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or not len(given):
        raise refuse(estimator, "gammas", "a sequence of gammas or None", given)
    if not takes(kernel, "gamma"):
        raise ParameterError(
            f"gammas have no effect on the kernel {kernel!r}, which has no gamma or already sets "
            "it: omit them"
        )
    return given.tolist() if isinstance(given, np.ndarray) else list(given)


def _compare(
    machine: SVC, X, targets: tuple, kernels: list[Choice], cs: list[float], splits
) -> tuple:
    """The best model, the scores of each kernel (Cs × folds), and the indices of the best."""
    grid = {"kernels": [], "cs": cs, "splits": splits}
    first = kernels[0]
    if isinstance(first, Described):
        grid["kernels"] = [kernel_argument(choice) for choice in kernels]
    data, settings = _fit.training_data(machine, X, first), _svm_fit.settings(machine, X, first)
    with _fit.run_of(machine) as run:
        model, _, scores, best = _core.svm_search(data, targets, grid, settings, run)
    return model, scores, best


def _results(cs: list[float], gammas: list, scores: list[np.ndarray]) -> dict[str, object]:
    """All scores in the format of scikit-learn's grid search: for each C, all gammas."""
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
