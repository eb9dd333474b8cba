"""Searches whose cells choose a gamma and a C of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer import _core, _fit, _params, _svm_fit
from mercer._kernel_choice import Choice, Described, choose, kernel_argument
from mercer._params import ParameterError
from mercer._run import running
from mercer._samples import Checked, features
from mercer._search_strategy import Splits
from mercer._time_limit import Clock


@dataclass
class CellSearch:
    """A model whose cells have made their choice, and what all of them make of the grid."""

    model: _core.Model
    # The gammas that are compared; where cells take them from their samples, those of most cells.
    gammas: list
    # Scores if all cells had the same: gammas × Cs × folds.
    scores: np.ndarray
    # The best gamma and C of these, by index.
    best: tuple[int, int]
    # The score of each fold with the choice of every cell.
    own: np.ndarray


def check_params(estimator, scoring: tuple) -> None:
    """Check that the cells of a search can choose for themselves."""
    _params.boolean(estimator, "per_cell")
    if not estimator.per_cell:
        return
    if estimator.cells is None:
        raise _params.refuse(estimator, "per_cell", "False without cells", True)
    if isinstance(estimator.kernel, (list, tuple)) and len(estimator.kernel) > 1:
        raise ParameterError("per_cell compares gammas and Cs of one kernel, not several kernels")
    alone = {"scoring": scoring, "strategy": ("grid",), "refine": (0,)}
    for name, values in alone.items():
        if getattr(estimator, name) not in values:
            expected = f"{' or '.join(map(repr, values))} with per_cell"
            raise _params.refuse(estimator, name, expected, getattr(estimator, name))


def search(
    machine, gammas: list | None, cs: list[float], part: tuple, splits: Splits, clock: Clock
) -> CellSearch:
    """Compare gammas and Cs in every cell; None takes gammas from the samples of each.

    `part` has the samples, the targets and the kernel of the machine.
    """
    X, targets, choice = part
    kernels = _kernels(machine, gammas, X, choice)
    grid = {"kernels": kernels, "cs": cs, "splits": splits, "per_cell": True}
    data, settings = _fit.training_data(machine, X, choice), _svm_fit.settings(machine, X, choice)
    settings["kernel"] = kernels[0]
    limits = (machine.n_jobs, machine.memory_budget, machine.progress)
    with running(*limits, seconds=clock.left) as run:
        found = _core.svm_search(data, targets, grid, settings, run)
    model, texts, scores, best, own = found
    return CellSearch(
        model,
        [None] if gammas == [None] else gammas or [_gamma(text) for text in texts],
        np.stack(scores),
        best,
        np.asarray(own),
    )


def _kernels(machine, gammas: list | None, X: Checked, choice: Choice) -> list[str]:
    """The kernels to compare; of one with an open gamma, itself."""
    if not isinstance(choice, Described) or choice.functions:
        raise ParameterError(
            "per_cell needs a kernel that cells can choose: not a precomputed one or a function"
        )
    if gammas == [None]:
        return [choice.text]
    given = {"degree": machine.degree, "coef0": machine.coef0}
    if gammas is None:
        opened = choose(
            machine.kernel, features(X), **given, defaults=_svm_fit.DEFAULTS, open_gamma=True
        )
        return [kernel_argument(opened)]
    gamma, texts = machine.gamma, []
    for one in gammas:
        machine.set_params(gamma=one)
        texts.append(kernel_argument(_svm_fit.choose_kernel(machine, X)))
    machine.set_params(gamma=gamma)
    return texts


def _gamma(text: str) -> float:
    """The gamma that a kernel's text names."""
    return float(text.split("gamma=")[1].split(")")[0].split(",")[0])


def choices_of(model: _core.Model) -> dict[str, np.ndarray]:
    """Return the kernel, the gamma (NaN if it has none) and the C of every cell."""
    kernels, cs = _core.svm_facts(model)["cells"]
    gammas = [_gamma(text) if "gamma=" in text else np.nan for text in kernels]
    return {"kernel": np.array(kernels), "gamma": np.array(gammas), "C": np.asarray(cs)}
