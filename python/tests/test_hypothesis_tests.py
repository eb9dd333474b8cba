"""Tests of two samples, of independence and of goodness of fit."""

import itertools

import numpy as np
import pytest
from scipy import sparse, stats

import mercer
from mercer import energy_test, hsic_test, kernels, mmd_test, stein_test

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = RNG.normal(size=(50, 2)) + np.array([0.8, 0])


def rbf(A, B, gamma):
    return np.exp(-gamma * ((A[:, None] - B[None]) ** 2).sum(-1))


def mmd(K, m):
    n = len(K) - m
    w = np.r_[np.full(m, 1 / m), np.full(n, -1 / n)]
    return w @ K @ w


def test_statistics_are_those_of_numpy():
    Z = np.vstack([X, Y])
    K = rbf(Z, Z, 0.7)
    found = mmd_test(X, Y, kernel="rbf", gamma=0.7, n_permutations=19)
    assert found.statistic == pytest.approx(mmd(K, 60), rel=1e-11)
    xx, yy, xy = K[:60, :60], K[60:, 60:], K[:60, 60:]
    unbiased = (xx.sum() - 60) / (60 * 59) + (yy.sum() - 50) / (50 * 49) - 2 * xy.mean()
    found = mmd_test(X, Y, kernel="rbf", gamma=0.7, statistic="unbiased", n_permutations=19)
    assert found.statistic == pytest.approx(unbiased, rel=1e-11)
    given = mmd_test(K, 60, kernel="precomputed", n_permutations=19)
    assert given.statistic == pytest.approx(mmd(K, 60), rel=1e-11)
    with pytest.raises(ValueError, match="not precomputed"):
        given.witness(X)


def test_energy_distance_is_that_of_scipy():
    x, y = X[:, 0], Y[:, 0]
    found = energy_test(x[:, None], y[:, None], n_permutations=19)
    assert np.sqrt(found.statistic) == pytest.approx(stats.energy_distance(x, y), rel=1e-12)


def test_the_gamma_distribution_has_the_moments_of_all_splits():
    Z = np.vstack([X[:3], Y[:4]])
    K = rbf(Z, Z, 0.5)
    values = []
    for first in itertools.combinations(range(7), 3):
        order = [*first, *(i for i in range(7) if i not in first)]
        values.append(mmd(K[np.ix_(order, order)], 3))
    found = mmd_test(X[:3], Y[:4], kernel="rbf", gamma=0.5, null="gamma")
    assert found.null_mean == pytest.approx(np.mean(values), rel=1e-11)
    assert found.null_std == pytest.approx(np.std(values), rel=1e-9)
    shape = found.null_mean**2 / found.null_std**2
    expected = stats.gamma.sf(found.statistic, shape, scale=found.null_std**2 / found.null_mean)
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert len(found.null) == 0


def test_p_values_are_those_of_the_permutations():
    found = mmd_test(X, Y, n_permutations=199, random_state=3)
    reached = (found.null >= found.statistic).sum()
    assert found.p_value == (1 + reached) / 200
    again = mmd_test(X, Y, n_permutations=199, random_state=3, n_jobs=2)
    assert np.array_equal(found.null, again.null)
    other = mmd_test(X, Y, n_permutations=199, random_state=4)
    assert not np.array_equal(found.null, other.null)
    assert "difference detected" in str(found)
    assert found.detected()
    same = mmd_test(X[:30], X[30:], n_permutations=199)
    assert str(same).startswith("no difference detected")
    assert "equal" in str(same)


def test_the_witness_is_the_difference_of_mean_kernel_values():
    found = mmd_test(X, Y, kernel="rbf", gamma=0.4, n_permutations=9)
    Z = RNG.normal(size=(7, 2))
    expected = rbf(Z, X, 0.4).mean(1) - rbf(Z, Y, 0.4).mean(1)
    assert found.witness(Z) == pytest.approx(expected, rel=1e-11, abs=1e-14)
    assert found.witness(X) == pytest.approx(found.witness_x, abs=1e-13)
    assert found.witness(Y) == pytest.approx(found.witness_y, abs=1e-13)


def overlap(a, b):
    return float(len(a & b))


@pytest.mark.parametrize("kind", ["texts", "sparse", "single", "frame", "objects", "list"])
def test_every_kind_of_samples_is_compared(kind):
    settings = {"n_permutations": 99}
    if kind == "texts":
        old, new = ["anna", "hannah", "anne"] * 10, ["zorro", "corro", "zebra"] * 10
        settings["kernel"] = "normalize(spectrum(p=2))"
    elif kind == "sparse":
        old, new = sparse.csr_array(np.abs(X)), sparse.csr_array(np.abs(Y) + 1)
    elif kind == "single":
        old, new = X.astype(np.float32), Y.astype(np.float32)
    elif kind == "frame":
        pandas = pytest.importorskip("pandas")
        old = pandas.DataFrame({"name": ["anna", "anne"] * 20, "size": np.arange(40.0) % 7})
        new = pandas.DataFrame({"name": ["zorro", "corro"] * 20, "size": np.arange(40.0) % 7})
        settings["kernel"] = "column(name: spectrum(p=2)) + column(size: rbf(gamma=1))"
    elif kind == "objects":
        old, new = [{1, 2}, {2, 3}] * 10, [{7, 8}, {8, 9}] * 10
        settings["kernel"] = kernels.pair(overlap)
    else:
        old, new = X.tolist(), Y.tolist()
    found = mmd_test(old, new, **settings)
    assert found.p_value <= 0.02
    assert len(found.witness_x) == len(old) if kind != "sparse" else old.shape[0]
    if kind != "frame":
        assert found.witness(new) == pytest.approx(found.witness_y, abs=1e-6)


def test_a_kernel_is_chosen_on_one_half_and_tested_on_the_other():
    rng = np.random.default_rng(5)
    old = rng.normal(size=(200, 1))
    new = np.sign(rng.normal(size=(200, 1))) * 0.98 + 0.2 * rng.normal(size=(200, 1))
    found = mmd_test(old, new, kernel=["rbf(sigma=20)", "rbf(sigma=0.3)"], n_permutations=99)
    assert found.kernels == ["rbf(sigma=0.3)"]
    assert found.p_value == 0.01
    assert found.n_samples == 200
    assert np.isnan(found.witness_x).sum() == 100
    found = mmd_test(old, new, kernel="rbf", gamma="power", n_permutations=99)
    assert found.p_value == 0.01
    assert "chosen on 200" in found.notes[0]


def test_blocks_take_linear_time():
    rng = np.random.default_rng(6)
    old, new = rng.normal(size=(4000, 2)), rng.normal(size=(5000, 2)) + 0.5
    for statistic in ("block", "linear"):
        found = mmd_test(old, new, statistic=statistic)
        assert found.p_value < 0.05, statistic
        assert found.null_mean == 0
        assert len(found.null) == 0


def test_hsic_is_that_of_numpy():
    x, y = X[:, :1], X[:, :1] ** 2 + 0.3 * X[:, 1:]
    n = len(x)
    J = np.eye(n) - 1 / n
    K, L = rbf(x, x, 0.5), rbf(y, y, 0.9)
    expected = np.trace(K @ J @ L @ J) / n**2
    for null in ("permutation", "gamma"):
        found = hsic_test(x, y, kernel_x="rbf(gamma=0.5)", kernel_y="rbf(gamma=0.9)", null=null)
        assert found.statistic == pytest.approx(expected, rel=1e-10)
        assert found.p_value < 0.01
        assert "dependence detected" in str(found)
        given = hsic_test(K, L, kernel_x="precomputed", kernel_y="precomputed", null=null)
        assert given.statistic == pytest.approx(expected, rel=1e-10)
    centred = [J @ A @ J for A in (K, L)]
    size = np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum())
    assert found.correlation == pytest.approx(expected * n**2 / size, rel=1e-10)
    shuffled = np.random.default_rng(1).permutation(y)
    assert hsic_test(x, shuffled).p_value > 0.01


def test_texts_are_tested_against_numbers():
    values = RNG.uniform(size=60)
    texts = ["aababa" if v > 0.5 else "ccdcdc" for v in values]
    found = hsic_test(texts, values, kernel_x="spectrum(p=2)", n_permutations=99)
    assert found.p_value == 0.01


def test_stein_discrepancy_is_that_of_numpy():
    gamma = 0.5
    D = X[:, None] - X[None]
    t = (D**2).sum(-1)
    S = -X
    across = ((S[:, None] - S[None]) * D).sum(-1)
    U = np.exp(-gamma * t) * (S @ S.T + 2 * gamma * (across + 2) - 4 * gamma**2 * t)
    found = stein_test(X, lambda X: -X, kernel="rbf(gamma=0.5)")
    assert found.statistic == pytest.approx(U.mean(), rel=1e-11)
    n = len(X)
    assert found.unbiased == pytest.approx((U.sum() - np.trace(U)) / (n * (n - 1)), rel=1e-9)
    assert found.contributions == pytest.approx(U.mean(1), rel=1e-9, abs=1e-12)
    assert np.array_equal(found.null, stein_test(X, -X, kernel="rbf(gamma=0.5)").null)
    assert stein_test(X + 1.0, lambda X: -X).p_value == 0.001


def test_normality_does_not_depend_on_mean_and_scale():
    moved = X @ [[3.0, 1.0], [0.0, 0.01]] + [100, -5]
    first, second = (stein_test(A, n_bootstrap=99) for A in (X, moved))
    assert first.statistic == pytest.approx(second.statistic, rel=1e-6)
    assert first.p_value > 0.05
    assert stein_test(np.exp(X), n_bootstrap=99).p_value == 0.01


def test_p_values_are_uniform_if_the_hypothesis_holds():
    rng = np.random.default_rng(7)
    runs = [
        lambda: mmd_test(rng.normal(size=(30, 1)), rng.normal(size=(30, 1)), null="gamma"),
        lambda: hsic_test(rng.normal(size=40), rng.normal(size=40), null="gamma"),
        lambda: stein_test(rng.normal(size=(40, 1)), lambda X: -X, n_bootstrap=199),
    ]
    for run in runs:
        p = [run().p_value for _ in range(200)]
        assert stats.kstest(p, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mmd_test(X, Y[:, :1]), "X has 2 features, but Y has 1"),
        (lambda: mmd_test(X, Y, statistic="mean"), "statistic must be one of"),
        (lambda: mmd_test(X, Y, null="normal"), "null must be"),
        (lambda: mmd_test(X, Y, n_permutations=3), "n_permutations must be"),
        (lambda: mmd_test(X, Y, block_size=4), "no effect on statistic='biased'"),
        (lambda: mmd_test(X, Y, statistic="block", block_size=1), "at least 2"),
        (lambda: mmd_test(X, Y, statistic="block", block_size=40), "use at most 6"),
        (lambda: mmd_test(X, Y, statistic="unbiased", null="gamma"), "biased statistic only"),
        (lambda: mmd_test(X[:1], Y), "at least 2 samples"),
        (lambda: mmd_test(X, Y, kernel=["rbf"]), "at least two"),
        (lambda: mmd_test(X, Y, kernel="linear", gamma="power"), "whose width is open"),
        (lambda: mmd_test(np.eye(9), 9, kernel="precomputed"), "from 1 to 8"),
        (lambda: mmd_test(X, [[np.nan, 0.0]] * 3), "NaN"),
        (lambda: hsic_test(X, Y), "they must be pairs"),
        (lambda: hsic_test(X, X, null="t"), "null must be"),
        (lambda: stein_test(X, "gaussian"), "score must be 'normal'"),
        (lambda: stein_test(X, X[:3]), "the shape of X"),
        (lambda: stein_test(X, X * np.nan), "row 0"),
        (lambda: stein_test(X, -X, change=0.9), "change must be"),
        (lambda: stein_test(X, -X, kernel="linear"), "rbf or rational_quadratic"),
        (lambda: stein_test(np.ones((20, 2))), "singular"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_budget_is_kept():
    A = RNG.normal(size=(400, 2))
    with pytest.raises(MemoryError, match="Gamma"):
        hsic_test(A, A, memory_budget="1 MB")
    small = mmd_test(A[:200], A[200:], memory_budget="3.3 MB", n_permutations=99)
    large = mmd_test(A[:200], A[200:], n_permutations=99)
    assert np.array_equal(small.null, large.null)


def test_progress_is_reported():
    steps = []
    mmd_test(X, Y, progress=steps.append)
    assert any(step.stage == "permutations" for step in steps)
    assert isinstance(steps[0], mercer.Step)


def test_columns_have_the_energy_distance_and_holms_p_values():
    old, new = RNG.normal(size=(80, 3)), RNG.normal(size=(70, 3)) + np.array([0, 1, 0])
    found = mercer.column_tests(old, new, n_permutations=199, random_state=1)
    for k in range(3):
        alone = energy_test(old[:, [k]], new[:, [k]], n_permutations=199, random_state=1)
        assert found.statistic[k] == pytest.approx(alone.statistic, rel=1e-11)
        assert found.p_value[k] == alone.p_value
    order = np.argsort(found.p_value, kind="stable")
    steps = np.maximum.accumulate(found.p_value[order] * [3, 2, 1])
    assert found.adjusted_p_value[order] == pytest.approx(np.minimum(steps, 1))
    assert found.moved().tolist() == [1]
    assert found.names == ["x0", "x1", "x2"]
    assert str(found).splitlines()[1].startswith("x1")
    with pytest.raises(ValueError, match="n_permutations must be"):
        mercer.column_tests(old, new, n_permutations=1)


@pytest.mark.parametrize("name", ["mmd", "hsic", "stein", "columns"])
def test_work_can_be_interrupted(name):
    def stop(_):
        raise KeyboardInterrupt

    A = RNG.normal(size=(600, 2))
    run = {
        "mmd": lambda **how: mmd_test(A[:300], A[300:], **how),
        "hsic": lambda **how: hsic_test(A, A, **how),
        "stein": lambda **how: stein_test(A, -A, **how),
        "columns": lambda **how: mercer.column_tests(A[:300], A[300:], **how),
    }[name]
    with pytest.raises(KeyboardInterrupt):
        run(progress=stop)
