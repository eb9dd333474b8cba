"""Kernel ridge regression: the contestants and the checks of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold

from bench.checks import BLOCK_ENTRIES
from bench.problem import Contestant, Problem, Verdict

RESIDUAL = 1e-10
RESIDUAL_TILED = 1e-6
PREDICTION = 1e-8
SCORE = 1e-6
ALPHAS = np.logspace(-4, 2, 40)
WIDTHS = np.logspace(-3, 0, 10)
FEW = 2000  # rows beyond which a rival that must hold the matrix is left out

#: Half of the 2,274 passes that uniform columns took on 4,000 rows of California housing.
HALF_OF_UNIFORM = 1137


def _sklearn(problem: Problem) -> KernelRidge:
    return KernelRidge(alpha=problem.alpha, kernel="rbf", gamma=problem.gamma)


def _mercer(problem: Problem, **options: Any) -> Any:
    import mercer

    return mercer.KernelRidge(alpha=problem.alpha, kernel="rbf", gamma=problem.gamma, **options)


def fit(problem: Problem) -> list[Contestant]:
    """One fit, Gram matrix included."""
    return [
        Contestant("mercer", lambda p, _: _mercer(p).fit(p.X, p.y), ours=True),
        Contestant("scikit-learn", lambda p, _: _sklearn(p).fit(p.X, p.y)),
    ]


def fit_tiled(problem: Problem) -> list[Contestant]:
    """A fit within a budget that the matrix exceeds; where it is small, scikit-learn checks it."""

    def ours(p: Problem, _: Any) -> Any:
        return _mercer(p, solver="cg", tol=RESIDUAL_TILED, memory_budget=p.budget).fit(p.X, p.y)

    rivals = fit(problem)[1:] if problem.n <= FEW else []
    return [Contestant("mercer", ours, ours=True), *rivals]


def fit_passes(problem: Problem) -> list[Contestant]:
    """A fit by conjugate gradients to a residual of 1e-6."""
    return [
        Contestant(
            "mercer", lambda p, _: _mercer(p, solver="cg", tol=1e-6).fit(p.X, p.y), ours=True
        )
    ]


def check_passes(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """The residual, and at most half of the passes with columns drawn uniformly."""
    return {
        name: Verdict(
            {"residual": model.report_["residual"], "passes": float(model.n_iter_)},
            {"residual": 1e-6, "passes": HALF_OF_UNIFORM},
        )
        for name, model in outputs.items()
    }


def predict(problem: Problem) -> list[Contestant]:
    """Predictions for new rows; the fit is prepared outside the timing."""

    def at_once(problem: Problem, model: Any) -> np.ndarray:
        return model.predict(problem.Y)

    def in_blocks(problem: Problem, model: Any) -> np.ndarray:
        parts = np.array_split(problem.Y, max(1, len(problem.Y) // 1000))
        return np.concatenate([model.predict(part) for part in parts])

    def sklearn_model(problem: Problem) -> KernelRidge:
        # Its own fit, of minutes of memory, is not the point: the coefficients are mercer's.
        model, fitted = _sklearn(problem), _mercer(problem).fit(problem.X, problem.y)
        model.X_fit_, model.dual_coef_ = problem.X, fitted.dual_coef_
        model.n_features_in_ = problem.d
        return model

    return [
        Contestant("mercer", at_once, lambda p: _mercer(p).fit(p.X, p.y), ours=True),
        Contestant("scikit-learn", at_once, sklearn_model),
        Contestant("scikit-learn, blocks of 1,000 rows", in_blocks, sklearn_model),
    ]


def search(problem: Problem) -> list[Contestant]:
    """The whole grid and the fit with the best of it."""
    grid = {"alpha": ALPHAS, "gamma": WIDTHS}

    def ours(problem: Problem, _: Any) -> Any:
        return _mercer_search(problem, None)

    def rival(problem: Problem, _: Any) -> GridSearchCV:
        scoring = "neg_mean_squared_error"
        search = GridSearchCV(
            KernelRidge(kernel="rbf"), grid, cv=KFold(5), scoring=scoring, n_jobs=2
        )
        return search.fit(problem.X, problem.y)

    return [
        Contestant("mercer, leave-one-out", ours, ours=True),
        Contestant("scikit-learn GridSearchCV, 5 folds, n_jobs=2", rival),
    ]


def _mercer_search(problem: Problem, cv: Any) -> Any:
    import mercer

    search = mercer.KernelRidgeCV(
        ALPHAS, kernel="rbf", gamma=list(WIDTHS), fit_intercept=False, cv=cv, store_cv_results=True
    )
    return search.fit(problem.X, problem.y)


def _residual(problem: Problem, coef: np.ndarray) -> float:
    """Largest ‖y − (K + α) c‖ / ‖y‖ over targets, block of rows by block of rows."""
    assert problem.y is not None
    y, c = (np.asarray(a, float).reshape(problem.n, -1) for a in (problem.y, coef))
    left = y - problem.alpha * c
    step = max(1, BLOCK_ENTRIES // problem.n)
    for start in range(0, problem.n, step):
        rows = slice(start, start + step)
        left[rows] -= rbf_kernel(problem.X[rows], problem.X, gamma=problem.gamma) @ c
    return float(np.max(np.linalg.norm(left, axis=0) / np.linalg.norm(y, axis=0)))


def check_fit(limit: float = RESIDUAL) -> Any:
    """Coefficients by their residual, which is unique to the exact solution."""

    def check(
        problem: Problem, outputs: Mapping[str, Any], reference: str | None
    ) -> dict[str, Verdict]:
        return {
            name: Verdict({"residual": _residual(problem, m.dual_coef_)}, {"residual": limit})
            for name, m in outputs.items()
        }

    return check


def check_predict(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Predictions against scikit-learn's, relative to their largest."""
    expected = outputs[reference] if reference is not None else None

    def error(found: np.ndarray) -> float:
        if expected is None:
            return float("inf")
        return float(np.abs(found - expected).max() / np.abs(expected).max())

    return {
        name: Verdict({"predictions": error(found)}, {"predictions": PREDICTION})
        for name, found in outputs.items()
    }


def check_search(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Leave-one-out and folds are not the same number, so each is checked by itself.

    mercer's fold scores of the whole grid against those of GridSearchCV, and its leave-one-out
    scores at some grid points against a direct inverse.
    """
    verdicts = {}
    for name, output in outputs.items():
        if isinstance(output, GridSearchCV):
            ours = _by_parameters(_mercer_search(problem, KFold(5)).cv_results_)
            theirs = _by_parameters(output.cv_results_)
            worst = max(abs(ours[key] / score - 1) for key, score in theirs.items())
            verdicts[name] = Verdict({"fold scores": worst}, {"fold scores": SCORE})
        else:
            worst = _left_out_error(problem, _by_parameters(output.cv_results_))
            verdicts[name] = Verdict({"left-out scores": worst}, {"left-out scores": SCORE})
    return verdicts


def _by_parameters(results: Mapping[str, Any]) -> dict[tuple[float, float], float]:
    """Scores by gamma and alpha, of either library."""
    gammas = results.get("param_gamma")
    if gammas is None:
        gammas = [float(text[len("rbf(gamma=") : -1]) for text in results["param_kernel"]]
    points = zip(gammas, results["param_alpha"], results["mean_test_score"], strict=True)
    return {(_key(gamma), _key(alpha)): float(score) for gamma, alpha, score in points}


def _key(value: float) -> float:
    return float(f"{float(value):.9e}")


def _left_out_error(problem: Problem, found: Mapping[tuple[float, float], float]) -> float:
    assert problem.y is not None
    worst = 0.0
    for gamma, alpha in list(found)[:: max(1, len(found) // 5)]:
        inverse = np.linalg.inv(rbf_kernel(problem.X, gamma=gamma) + alpha * np.eye(problem.n))
        score = -np.mean((inverse @ problem.y / np.diag(inverse)) ** 2)
        worst = max(worst, abs(found[gamma, alpha] / score - 1))
    return worst
