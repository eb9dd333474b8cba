"""Accuracies of support vector machines, with kernel values shared among folds and values of C."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

from mercer import _core, _fit, _svm_fit
from mercer._kernel_choice import Choice, Described, kernel_argument
from mercer._run import running
from mercer._samples import Checked, take
from mercer._search_strategy import Params, Splits
from mercer._svc import SVC
from mercer._time_limit import Clock


@dataclass
class Candidates:
    """A kernel with its gammas, and what its machines learn from."""

    machine: SVC
    X: Checked
    targets: tuple
    kernel: object
    gammas: list
    choice: Choice
    _with_gamma: dict = field(default_factory=dict)

    def params(self, cs: list[float]) -> Params:
        """All combinations: for each C, all gammas."""
        more = {} if self.kernel is None else {"kernel": self.kernel}
        return [
            {"C": c} | ({} if gamma is None else {"gamma": gamma}) | more
            for c in cs
            for gamma in self.gammas
        ]

    def with_gamma(self, gamma: object) -> tuple[SVC, Choice]:
        """Return the machine with a gamma, with the attributes of the samples, and its kernel."""
        if gamma is None:
            return self.machine, self.choice
        if gamma not in self._with_gamma:
            other = clone(self.machine)
            vars(other).update(vars(self.machine))
            other.set_params(gamma=gamma)
            self._with_gamma[gamma] = other, _svm_fit.choose_kernel(other, self.X)
        return self._with_gamma[gamma]


class SharedScores:
    """The accuracies of combinations on splits; ``models`` are the best ones, on all samples."""

    def __init__(self, candidates: list[Candidates], clock: Clock) -> None:
        self._candidates, self._clock = candidates, clock
        self.models: dict[tuple, _core.Model] = {}

    def __call__(self, params: Params, splits: Splits) -> np.ndarray:
        """Return the accuracies, of shape (n_combinations, n_folds)."""
        table = np.full((len(params), len(splits)), np.nan)
        for candidate in self._candidates:
            part = _Part(candidate, splits)
            for gammas, cs, indices in self._batches(params, candidate):
                try:
                    scores, model, chosen = self._compared(part, gammas, cs)
                except _core.OutOfTimeError:
                    return table
                table[indices] = scores
                if part.is_whole:
                    gamma, c = chosen
                    self.models[id(candidate), gammas[gamma], cs[c]] = model
        return table

    def _batches(self, params: Params, candidate: Candidates):
        """Yield gammas, their values of C, and the indices of combinations (gammas × Cs).

        With a time limit each gamma is scored by itself, so that some are scored in time.
        """
        of: dict[object, list[int]] = {}
        for index, one in enumerate(params):
            if one.get("kernel") is candidate.kernel:
                of.setdefault(one.get("gamma"), []).append(index)
        same: dict[tuple, list] = {}
        for gamma, indices in of.items():
            cs = tuple(params[index]["C"] for index in indices)
            alone = () if self._clock.limit is None else (gamma,)
            same.setdefault((cs, *alone), []).append(gamma)
        for (cs, *_), gammas in same.items():
            yield gammas, list(cs), np.array([of[gamma] for gamma in gammas])

    def _compared(self, part: _Part, gammas: list, cs: list[float]) -> tuple:
        """The accuracies (gammas × Cs × folds), the best model, and its gamma and C by index."""
        machine, choices = part.machine, [part.candidate.with_gamma(one)[1] for one in gammas]
        is_described = isinstance(choices[0], Described)
        kernels = [kernel_argument(choice) for choice in choices] if is_described else []
        grid = {"kernels": kernels, "cs": cs, "splits": part.splits, "per_cell": False}
        data = _fit.training_data(machine, part.X, choices[0])
        settings = _svm_fit.settings(machine, part.X, choices[0])
        limits = (machine.n_jobs, machine.memory_budget, machine.progress)
        with running(*limits, seconds=self._clock.left) as run:
            model, _, scores, best, _ = _core.svm_search(data, part.targets, grid, settings, run)
        return np.stack(scores), model, best


class _Part:
    """The samples that some splits use, with the splits in rows of these."""

    def __init__(self, candidate: Candidates, splits: Splits) -> None:
        self.candidate, self.machine = candidate, candidate.machine
        (names, codes, class_weight), weights = candidate.targets
        used = np.unique(np.concatenate([rows for split in splits for rows in split]))
        self.is_whole = len(used) == len(codes)
        self.X, self.targets, self.splits = candidate.X, candidate.targets, splits
        if self.is_whole:
            return
        place = np.zeros(len(codes), dtype=np.int64)
        place[used] = np.arange(len(used))
        self.X = _rows_and_columns(candidate, used)
        weights = None if weights is None else weights[used]
        self.targets = (names, codes[used], class_weight), weights
        self.splits = [(place[train], place[test]) for train, test in splits]


def _rows_and_columns(candidate: Candidates, rows: np.ndarray) -> Checked:
    """The samples of these rows; of a kernel matrix, its values among them."""
    if isinstance(candidate.choice, Described):
        return take(candidate.X, rows)
    return candidate.X[np.ix_(rows, rows)]
