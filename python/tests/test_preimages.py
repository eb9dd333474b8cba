"""From components back to samples: by law, by two loops, and what is refused."""

import pickle

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelPCA

RNG = np.random.default_rng(2)
X = RNG.normal(size=(80, 3)) @ np.diag([2.0, 1.0, 0.3]) + [5.0, -3.0, 1.0]
METHODS = ["ridge", "fixed_point", "neighbors", "gradient"]
SEARCHES = METHODS[1:]


def fitted(k=6, **params):
    params = {"kernel": "rbf", "gamma": 0.2, "fit_inverse_transform": True, "alpha": 1e-3} | params
    return KernelPCA(k, **params).fit(X)


def error(model, sample, scores):
    """‖φ(z) − P‖² by all kernel values: P = Σ_i γ_i φ(x_i)."""
    n = len(X)
    a = model.eigenvectors_ / np.sqrt(model.eigenvalues_)
    weights = a @ scores
    weights += (1 - weights.sum()) / n
    K = mercer.pairwise_kernels(X, kernel=model.kernel_)
    k = mercer.pairwise_kernels(sample[None], X, kernel=model.kernel_)[0]
    own = mercer.pairwise_kernels(sample[None], kernel=model.kernel_)[0, 0]
    return own - 2 * k @ weights + weights @ K @ weights


@pytest.mark.parametrize("method", METHODS)
def test_errors_are_distances_in_feature_space(method):
    model = fitted()
    scores = model.transform(X[:15]) * 0.9
    found, errors = model.inverse_transform(scores, method=method, return_error=True)
    assert found.shape == (15, 3)
    assert errors.shape == (15,)
    expected = [error(model, sample, score) for sample, score in zip(found, scores, strict=True)]
    assert_allclose(errors, expected, atol=1e-9)
    assert_array_equal(model.inverse_transform(scores, method=method), found)


@pytest.mark.parametrize("method", SEARCHES)
def test_a_linear_kernel_goes_back_as_pca_does(method):
    pca = PCA(2).fit(X)
    model = KernelPCA(2, kernel="linear").fit(X)
    new = RNG.normal(size=(9, 3)) * 4
    back = model.inverse_transform(model.transform(new), method=method)
    assert_allclose(back, pca.inverse_transform(pca.transform(new)), atol=1e-8)
    middle, errors = model.inverse_transform(np.zeros((1, 2)), method=method, return_error=True)
    assert_allclose(middle[0], X.mean(axis=0), atol=1e-9)
    assert_allclose(errors, 0, atol=1e-9)


@pytest.mark.parametrize("method", ["fixed_point", "gradient"])
def test_what_can_be_restored_is(method):
    model = KernelPCA(79, kernel="rbf", gamma=0.2).fit(X)
    found, errors = model.inverse_transform(model.transform(X), method=method, return_error=True)
    assert_allclose(found, X, atol=1e-4)
    assert_allclose(errors, 0, atol=1e-7)


def test_searches_end_nearer_than_where_they_begin():
    model = fitted(3)
    scores = model.transform(X) * 0.8
    errors = {m: model.inverse_transform(scores, method=m, return_error=True)[1] for m in METHODS}
    for method in ("fixed_point", "gradient"):
        assert (errors[method] <= errors["neighbors"] + 1e-9).all()
        assert errors[method].sum() <= errors["ridge"].sum()
    assert_allclose(errors["fixed_point"], errors["gradient"], atol=1e-6)


@pytest.mark.parametrize(
    "kernel",
    ["poly", "cosine", "rational_quadratic", "0.5*rbf(gamma=0.2) + poly(degree=2)"],
    ids=named,
)
def test_descent_for_kernels_with_a_gradient(kernel):
    model = KernelPCA(5, kernel=kernel).fit(X)
    scores = model.transform(X[:10])
    first = model.inverse_transform(scores, method="neighbors", return_error=True)[1]
    last = model.inverse_transform(scores, method="gradient", return_error=True)[1]
    assert (last <= first + 1e-9).all()
    with pytest.raises(ValueError, match="fixed_point works only with the rbf kernel"):
        model.inverse_transform(scores, method="fixed_point")


def test_kernels_with_a_kink_have_no_gradient():
    model = KernelPCA(3, kernel="laplacian").fit(X)
    with pytest.raises(ValueError, match="use neighbors"):
        model.inverse_transform(model.transform(X), method="gradient")
    assert model.inverse_transform(model.transform(X), method="neighbors").shape == X.shape


def test_one_neighbour_is_that_sample():
    model = fitted(79)
    back = model.inverse_transform(model.transform(X), method="neighbors", n_neighbors=1)
    assert_allclose(back, X, atol=1e-9)


def test_too_few_rounds_warn():
    model = fitted(3)
    with pytest.warns(ConvergenceWarning, match="of 80 samples did not converge in 1 round"):
        model.inverse_transform(model.transform(X) * 0.5, method="fixed_point", max_iter=1)


@pytest.mark.parametrize("method", METHODS)
def test_files_threads_types_and_pipelines(method, tmp_path):
    model = fitted()
    scores = model.transform(X)
    back = model.inverse_transform(scores, method=method)
    model.save(tmp_path / "m.mercer")
    for again in (mercer.load(tmp_path / "m.mercer"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(again.inverse_transform(scores, method=method), back)
    one = fitted(n_jobs=1).inverse_transform(scores, method=method)
    assert_array_equal(one, fitted(n_jobs=2).inverse_transform(scores, method=method))
    single = KernelPCA(6, kernel="rbf", gamma=0.2, fit_inverse_transform=True, alpha=1e-3)
    single.fit(X.astype("f4"))
    found = single.inverse_transform(single.transform(X.astype("f4")), method=method)
    assert found.dtype == np.float32
    assert_allclose(found, back, atol=0.05)
    whole = make_pipeline(StandardScaler(), KernelPCA(2, kernel="rbf", fit_inverse_transform=True))
    assert whole.fit(X).inverse_transform(whole.transform(X)).shape == X.shape


def test_penalties_by_leave_one_out():
    model = fitted(4, alpha="loo")
    scores = model.X_transformed_fit_
    K = mercer.pairwise_kernels(scores, kernel=model.kernel_)

    def left_out(alpha):
        inverse = np.linalg.inv(K + alpha * np.eye(len(K)))
        return ((inverse @ X / np.diag(inverse)[:, None]) ** 2).sum()

    assert 0 < model.alpha_ < np.inf
    chosen = left_out(model.alpha_)
    for factor in (0.01, 0.1, 10, 100):
        assert chosen <= left_out(factor * model.alpha_) * (1 + 1e-6)
    same = fitted(4, alpha=model.alpha_)
    assert_allclose(same.inverse_transform(scores), model.inverse_transform(scores), atol=1e-6)
    assert fitted(4, alpha=0.5).alpha_ == 0.5


def test_leave_one_out_in_files(tmp_path):
    model = fitted(4, alpha="loo")
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert (again.alpha, again.alpha_) == ("loo", model.alpha_)


def test_what_is_refused():
    plain = KernelPCA(2, kernel="rbf").fit(X)
    scores = plain.transform(X)
    for method in (None, "ridge"):
        with pytest.raises(NotFittedError, match="'fixed_point', 'neighbors' or 'gradient'"):
            plain.inverse_transform(scores, method=method)
    with pytest.raises(ValueError, match="one of 'ridge', 'fixed_point', 'neighbors', 'gradient'"):
        plain.inverse_transform(scores, method="newton")
    for name, values in {
        "n_neighbors": [0, 1.5, None],
        "n_restarts": [0, "3"],
        "max_iter": [0, 2.0],
        "tol": [0, -1.0, np.nan],
    }.items():
        for value in values:
            with pytest.raises(ValueError, match=name):
                plain.inverse_transform(scores, method="fixed_point", **{name: value})
    for wrong, said in ((scores[:, :1], "2 components"), (scores * np.nan, "NaN at row 0")):
        with pytest.raises(ValueError, match=said):
            plain.inverse_transform(wrong, method="gradient")
    given = KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    for method in (None, *METHODS):
        with pytest.raises(ValueError, match="precomputed"):
            given.inverse_transform(scores, method=method)
    assert not hasattr(given, "inverse_transform")
    function = KernelPCA(2, kernel=np.dot, fit_inverse_transform=True).fit(X)
    with pytest.raises(ValueError, match="needs a kernel that is given by a name or spec"):
        function.inverse_transform(scores, method="gradient")
    with pytest.raises(ValueError, match="return_error"):
        function.inverse_transform(scores, return_error=True)
    with pytest.raises(ValueError, match="alpha='loo'"):
        KernelPCA(2, kernel=np.dot, fit_inverse_transform=True, alpha="loo").fit(X)
    for alpha in ("cv", -1.0, None):
        with pytest.raises(ValueError, match=r"'alpha'.*'loo'"):
            KernelPCA(2, alpha=alpha).fit(X)


def test_noise_is_taken_away():
    digits = load_digits().data / 16
    train, test = digits[:700], digits[700:800]
    noisy = test + RNG.normal(scale=0.25, size=test.shape)
    model = KernelPCA(40, kernel="rbf", gamma=0.05).fit(train)
    kernel = model.inverse_transform(model.transform(noisy), method="fixed_point")
    straight = min(
        ((p.inverse_transform(p.transform(noisy)) - test) ** 2).mean()
        for p in (PCA(k).fit(train) for k in (8, 16, 24, 32))
    )
    assert ((kernel - test) ** 2).mean() < 0.95 * straight
