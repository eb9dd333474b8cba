"""Outlier scores by kernel PCA: the data, the contestants and the check of their row."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bench import data
from bench.contestants import DENSE_UP_TO
from bench.problem import Contestant, Problem, Verdict

COMPONENTS = 20
SCORE = 1e-6  # of the largest score

Scores = tuple[np.ndarray, np.ndarray]  # of the training rows, and of rows as if they were new


def mammography(n: int) -> Problem:
    """n rows of the mammography set, standardised; gamma is the usual 1 / d."""
    X = data.stored("outliers.npz", "mammography_X")
    if X is None:
        X, source = data.mixture(n, 6), "stand-in for mammography: Gaussian mixture"
    else:
        X, source = X[np.random.RandomState(0).permutation(len(X))[:n]], "mammography"
    X = data._standardise(X.astype(np.float64))
    return Problem(X, source, Y=X, gamma=1.0 / X.shape[1], k=COMPONENTS)


def _ours(problem: Problem, _: Any) -> Scores:
    import mercer

    model = mercer.KernelPCADetector(problem.k, kernel="rbf", gamma=problem.gamma)
    model.fit(problem.X)
    return -model.training_scores_, -model.score_samples(problem.Y)


def _pyod(**options: Any) -> Callable[[Problem, Any], Scores]:
    def run(problem: Problem, _: Any) -> Scores:
        from pyod.models.kpca import KPCA

        model = KPCA(
            n_components=problem.k, kernel="rbf", gamma=problem.gamma, random_state=0, **options
        )
        model.fit(problem.X)
        return model.decision_scores_, model.decision_function(problem.Y)

    return run


def _solvers(problem: Problem) -> dict[str, dict[str, Any]]:
    """Options of PyOD by name; by default it would decompose the whole matrix.

    It computes k(x, x) sample by sample, so more jobs would only start a pool for each.
    """
    solvers = {
        "arpack": {"eigen_solver": "arpack"},
        "randomized": {"eigen_solver": "randomized"},
    }
    if problem.n <= DENSE_UP_TO:
        solvers = {"dense": {"eigen_solver": "dense"}, **solvers}
    return solvers


def contestants(problem: Problem) -> list[Contestant]:
    """mercer, and PyOD with each of its solvers where it is installed."""
    ours = Contestant("mercer", _ours, ours=True)
    if importlib.util.find_spec("pyod") is None:
        return [ours]
    solvers = _solvers(problem).items()
    return [ours, *(Contestant(f"PyOD KPCA, {name}", _pyod(**how)) for name, how in solvers)]


def check(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Both sets of scores against the reference's, as a share of the largest."""
    expected = outputs[reference or next(iter(outputs))]
    verdicts = {}
    for name, found in outputs.items():
        pairs = zip(("training scores", "scores"), found, expected, strict=True)
        measured = {
            what: float(np.abs(mine - other).max() / np.abs(other).max())
            for what, mine, other in pairs
        }
        verdicts[name] = Verdict(measured, dict.fromkeys(measured, SCORE))
    return verdicts
