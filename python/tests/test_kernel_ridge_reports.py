"""Every field of a report of kernel ridge regression, recomputed apart from it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from mercer import KernelRidge, KernelRidgeClassifier, KernelRidgeCV, kernels

RNG = np.random.default_rng(21)
N = 40
X = RNG.normal(size=(N, 2))
Y = np.stack([np.sin(X[:, 0]), 3 + X[:, 1]], axis=1) + 0.1 * RNG.normal(size=(N, 2))
W = RNG.uniform(0.5, 2, size=N)
SOLVERS = ["cholesky", "eigen", "cg"]
EPSILON = {"f64": np.finfo(np.float64).eps, "f32": np.finfo(np.float32).eps}


def rbf(X, Z, gamma):
    """Kernel values by two loops."""
    return np.array([[np.exp(-gamma * ((x - z) ** 2).sum()) for z in Z] for x in X])


def residual(K, model, y, weights, alpha):
    """The largest residual of a target, weighted, relative to what is to be explained."""
    worst = 0.0
    coef = model.dual_coef_.reshape(len(K), -1)
    offsets = np.atleast_1d(model.intercept_)
    for j in range(coef.shape[1]):
        square, size = 0.0, 0.0
        mean = np.average(y[:, j], weights=weights) if model.fit_intercept else 0.0
        for i in range(len(K)):
            value = sum(K[i, k] * coef[k, j] for k in range(len(K))) + offsets[j]
            left = y[i, j] - value - alpha * coef[i, j] / weights[i]
            square += weights[i] * left**2
            size += weights[i] * (y[i, j] - mean) ** 2
        worst = max(worst, np.sqrt(square / size))
    return worst


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_residual_is_that_of_the_coefficients(solver, weighted, intercept):
    K, weights = rbf(X, X, 0.5), W if weighted else np.ones(N)
    given = W if weighted else None
    model = KernelRidge(0.1, kernel="rbf", gamma=0.5, solver=solver, fit_intercept=intercept)
    model.fit(X, Y, given)
    found = residual(K, model, Y, weights, 0.1)
    assert found < 1e-9
    assert model.report_["residual"] < 1e-9
    assert model.report_["converged"] is True
    # A solver that was stopped early says how far it came.
    rough = KernelRidge(
        0.1, kernel="rbf", gamma=0.5, solver="cg", fit_intercept=intercept, max_iter=2, tol=1e-14
    )
    with pytest.warns(ConvergenceWarning):
        rough.fit(X, Y, given)
    assert rough.report_["converged"] is False
    want = residual(K, rough, Y, weights, 0.1)
    assert rough.report_["residual"] == pytest.approx(want, rel=1e-3)
    assert rough.n_iter_ == rough.report_["passes"] >= 2
    assert solver == "cg" or model.report_["passes"] == 0


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [1e-18, 1e-14, 0.0])
def test_a_penalty_lost_in_rounding_truncates_and_says_so_in_numbers(alpha, intercept):
    K, y = X @ X.T, Y[:, :1]
    model = KernelRidge(alpha, kernel="linear", fit_intercept=intercept, solver="eigen")
    with pytest.warns(UserWarning, match="directions with eigenvalues below .* were dropped"):
        model.fit(X, y[:, 0])
    want = residual(K, model, y, np.ones(N), alpha)
    assert want > 1e-2
    assert model.report_["residual"] == pytest.approx(want, rel=1e-8)
    (note,) = model.report_["notes"]
    assert f"residual {want:.1e}".replace("e-0", "e-") in note
    rank = 2 + intercept
    assert model.report_["system"]["effective_rank"] == rank
    assert f"effective rank {rank} of {N}" in note
    assert f"{N - rank} directions" in note
    # The least-squares solution of least norm.
    A = np.c_[X, np.ones(N)] if intercept else X
    want = A @ np.linalg.lstsq(A, y[:, 0], rcond=None)[0]
    assert_allclose(model.predict(X), want, atol=1e-8)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("intercept", [False, True])
def test_condition_rank_and_stable_penalty_are_those_of_the_matrix(intercept, dtype):
    x = X.astype(dtype)
    K = rbf(x.astype(float), x.astype(float), 0.2)
    if intercept:
        J = np.eye(N) - 1 / N
        K = J @ K @ J
        K += np.trace(K) / N**2  # the direction of the constant, which costs no penalty
    values = np.linalg.eigvalsh(K)
    alpha = 1e-3
    report = {}
    for solver in SOLVERS:
        model = KernelRidge(alpha, kernel="rbf", gamma=0.2, solver=solver, fit_intercept=intercept)
        report[solver] = model.fit(x, Y).report_
        assert report[solver]["solver"] == solver
        assert report[solver]["precision"] == ("f64" if dtype == "float64" else "f32")
    exact = (values.max() + alpha) / (values.min() + alpha)
    eigen = report["eigen"]["system"]
    rel = 1e-6 if dtype == "float64" else 1e-2
    assert eigen["condition"] == pytest.approx(exact, rel=rel)
    epsilon = EPSILON[report["eigen"]["precision"]]
    assert eigen["effective_rank"] == (values > N * epsilon * values.max()).sum()
    wanted = 1e-3 if dtype == "float64" else 1e-2
    assert eigen["stable_alpha"] == pytest.approx(values.max() * epsilon / wanted, rel=1e-3)
    for solver in ("cholesky", "cg"):
        found = report[solver]["system"]
        # Bounds where they are harmless: the trace for the largest eigenvalue, alpha for the
        # smallest.
        assert 0.3 * exact <= found["condition"] <= (np.trace(K) + alpha) / alpha * 1.01
        assert 0.3 * eigen["stable_alpha"] <= found["stable_alpha"] <= N * eigen["stable_alpha"]


def test_storage_is_what_was_done():
    calls = []

    def counted(left, right):
        calls.append(len(left) * len(right))
        return left @ right.T

    n = 1200
    rows = RNG.normal(size=(n, 2))
    block = kernels.block(counted)
    packed = KernelRidge(1.0, kernel=block, solver="cg").fit(rows, rows[:, 0])
    once = sum(calls)
    assert packed.report_["storage"] == "packed"
    # The lower triangle of tiles, once.
    assert n * (n + 1) / 2 <= once <= n * (n + 1) / 2 + 5 * 256**2
    calls.clear()
    tiled = KernelRidge(1.0, kernel=block, solver="cg", memory_budget=6_000_000)
    tiled.fit(rows, rows[:, 0])
    assert tiled.report_["storage"] == "tiled"
    # Anew in each pass: of conjugate gradients, and one to certify what they found.
    assert sum(calls) >= tiled.report_["passes"] * once
    given = KernelRidge(1.0, kernel="precomputed").fit(rows @ rows.T, rows[:, 0])
    assert given.report_["storage"] == "given"


def test_a_searchs_table_is_that_of_refits():
    alphas = [1e-2, 1.0, 30.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = KernelRidgeCV(alphas, kernel="rbf", gamma=0.5, store_cv_results=True).fit(X, Y)
    errors = np.empty((3, N, 2))
    for a, alpha in enumerate(alphas):
        for i in range(N):
            others = np.arange(N) != i
            one = KernelRidge(alpha, kernel="rbf", gamma=0.5, fit_intercept=True)
            errors[a, i] = (one.fit(X[others], Y[others]).predict(X[[i]])[0] - Y[i]) ** 2
    results, means = model.cv_results_, errors.mean(axis=1)
    assert_allclose(results["target_test_scores"], -means, rtol=1e-7)
    assert_allclose(results["mean_test_score"], -means.mean(axis=1), rtol=1e-7)
    spread = np.sqrt(((errors - means[:, None]) ** 2).sum(axis=1)) / N
    assert_allclose(results["std_test_score"], np.sqrt((spread**2).sum(axis=1)) / 2, rtol=1e-6)
    ranked = (means / Y.var(axis=0)).mean(axis=1)
    assert list(results["rank_test_score"]) == list(ranked.argsort().argsort() + 1)
    assert model.alpha_ == alphas[ranked.argmin()]
    assert model.best_score_ == results["mean_test_score"][ranked.argmin()]
    assert model.best_score_std_ == results["std_test_score"][ranked.argmin()]


def test_a_classifier_reports_its_residual_too():
    labels = (X[:, 0] > 0).astype(int)
    model = KernelRidgeClassifier(0.5, kernel="rbf", gamma=0.5).fit(X, labels)
    aims = np.where(labels, 1.0, -1.0)[:, None]
    found = residual(rbf(X, X, 0.5), model, aims, np.ones(N), 0.5)
    assert found < 1e-9
    assert model.report_["residual"] < 1e-9


def test_notes_come_once_and_not_again_with_a_file(tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = KernelRidge(0, kernel="linear").fit(X, Y)
    assert [str(w.message) for w in caught] == model.report_["notes"]
    assert len(caught) == 1
    assert caught[0].filename == __file__
    path = tmp_path / "model.mercer"
    model.save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from mercer import load

        again = load(path)
    assert again.report_["notes"] == model.report_["notes"]
