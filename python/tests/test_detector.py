"""Outliers by kernel PCA: by two loops, by law, and on data with known outliers."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelPCA, KernelPCADetector, OneClassSVM
from mercer.kernels import RBF

RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 3)) @ RNG.normal(size=(3, 3))
NEW = RNG.normal(size=(30, 3)) * 3
OUTLIERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "outliers.npz"


def by_two_loops(K, values, own, k, center=True):
    """Σ_i |f_i(x)| and k̄(x, x) − Σ_i f_i(x)² of samples with these kernel values."""
    n = len(K)
    J = np.eye(n) - center / n
    eta, v = np.linalg.eigh(J @ K @ J)
    eta, v = eta[::-1][:k], v[:, ::-1][:, :k]
    mean = K.mean(axis=0) if center else 0
    projected = (values - mean) @ J @ v / np.sqrt(eta)
    if center:
        own = own - 2 * values.mean(axis=1) + K.mean()
    return np.abs(projected).sum(axis=1), own - (projected**2).sum(axis=1)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("k", [1, 4, 20])
def test_two_loops(k, center):
    K, values = rbf_kernel(X, gamma=0.3), rbf_kernel(NEW, X, gamma=0.3)
    for criterion, place in (("projections", 0), ("reconstruction", 1)):
        params = {"n_components": k, "criterion": criterion, "center": center}
        model = KernelPCADetector(gamma=0.3, **params).fit(X)
        trained = by_two_loops(K, K, np.ones(len(X)), k, center)[place]
        expected = by_two_loops(K, values, np.ones(len(NEW)), k, center)[place]
        assert_allclose(model.score_samples(NEW), -expected, atol=1e-7)
        assert_allclose(model.training_scores_, -trained, atol=1e-7)
        assert_allclose(model.score_samples(X), model.training_scores_, atol=1e-9)
        assert model.offset_ == pytest.approx(np.quantile(-trained, 0.1), abs=1e-7)
        given = KernelPCADetector(kernel="precomputed", **params).fit(K)
        assert_allclose(given.training_scores_, -trained, atol=1e-7)
        found = given.score_samples(values, diagonal=np.ones(len(NEW)))
        assert_allclose(found, -expected, atol=1e-7)
        assert given.n_components_ == model.n_components_ == k


def test_a_linear_kernel_is_pca():
    pca = PCA(2).fit(X)
    left = NEW - pca.inverse_transform(pca.transform(NEW))
    model = KernelPCADetector(2, kernel="linear").fit(X)
    assert_allclose(model.score_samples(NEW), -(left**2).sum(axis=1), atol=1e-9)
    assert_allclose(model.eigenvalues_, pca.singular_values_**2)
    everything = KernelPCADetector(3, kernel="linear").fit(X)
    assert_allclose(everything.score_samples(NEW), 0, atol=1e-9)
    far = KernelPCADetector(2, kernel="linear", criterion="projections").fit(X)
    assert_allclose(far.score_samples(NEW), -np.abs(pca.transform(NEW)).sum(axis=1), atol=1e-9)


def test_the_score_is_the_reconstruction_error_of_kernel_pca():
    pca = KernelPCA(5, kernel="rbf").fit(X)
    model = KernelPCADetector(5).fit(X)
    assert_array_equal(model.score_samples(NEW), -pca.reconstruction_error(NEW))
    assert_array_equal(model.eigenvalues_, pca.eigenvalues_)
    assert model.gamma_ == pytest.approx(1 / 3)


@pytest.mark.parametrize("criterion", ["reconstruction", "projections"])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.25, 0.5])
def test_contamination_is_the_share_of_outliers(criterion, share):
    model = KernelPCADetector(5, criterion=criterion, contamination=share)
    signs = model.fit_predict(X)
    assert set(signs) <= {-1, 1}
    assert abs((signs == -1).sum() - share * len(X)) <= 1
    decisions = model.decision_function(NEW)
    assert_allclose(decisions, model.score_samples(NEW) - model.offset_)
    assert_array_equal(model.predict(NEW), np.where(decisions >= 0, 1, -1))
    assert_array_equal(model.predict(X), signs)


def test_more_components_than_samples():
    model = KernelPCADetector().fit(X[:7])
    assert model.n_components_ == 7
    assert_allclose(model.training_scores_, 0, atol=1e-9)
    assert KernelPCADetector(0.9).fit(X).explained_variance_ratio_.sum() >= 0.9
    assert KernelPCADetector(None, kernel="linear").fit(X).n_components_ == 3


def test_order_threads_and_functions():
    model = KernelPCADetector(6, gamma=0.3).fit(X)
    order = RNG.permutation(len(X))
    other = clone(model).fit(X[order])
    assert_allclose(other.training_scores_, model.training_scores_[order], atol=1e-9)
    many = RNG.normal(size=(1200, 3))
    one, two = (KernelPCADetector(n_jobs=jobs).fit(many) for jobs in (1, 2))
    assert_array_equal(one.training_scores_, two.training_scores_)
    assert one.offset_ == two.offset_

    def function(a, b):
        return float(np.exp(-0.3 * ((a - b) ** 2).sum()))

    for criterion in ("reconstruction", "projections"):
        direct = clone(model).set_params(criterion=criterion).fit(X)
        foreign = KernelPCADetector(6, kernel=function, criterion=criterion).fit(X)
        assert_allclose(foreign.score_samples(NEW), direct.score_samples(NEW), atol=1e-9)


def test_single_precision():
    direct = KernelPCADetector(6).fit(X)
    for model in (
        KernelPCADetector(6).fit(X.astype("f4")),
        KernelPCADetector(6, precision="mixed").fit(X),
    ):
        assert model.report_["precision"] == "f32"
        assert model.score_samples(NEW).dtype == np.float64
        assert_allclose(model.score_samples(NEW), direct.score_samples(NEW), atol=1e-4)


@pytest.mark.parametrize("value", [0, 0.0, -0.1, 0.51, 1, np.nan, "many", None, True])
def test_contamination_that_is_refused(value):
    with pytest.raises(ValueError, match=r"'contamination'.* of at most 0\.5"):
        KernelPCADetector(contamination=value).fit(X)


def test_input_that_is_refused():
    for name, value in [
        ("criterion", "distance"),
        ("n_components", 0),
        ("n_components", 1.5),
        ("center", 1),
        ("eigen_solver", "qr"),
        ("precision", "f16"),
        ("max_iter", 0),
        ("tol", -1),
    ]:
        with pytest.raises(ValueError, match=name):
            KernelPCADetector().set_params(**{name: value}).fit(X)
    wrong = X.copy()
    wrong[3, 0] = np.inf
    with pytest.raises(ValueError, match="infinity at row 3, column 0"):
        KernelPCADetector().fit(wrong)
    with pytest.raises(NotFittedError):
        KernelPCADetector().predict(X)


def test_given_matrices_and_their_diagonal():
    K = rbf_kernel(X)
    model = KernelPCADetector(kernel="precomputed").fit(K)
    own = np.ones(len(X))
    assert_array_equal(model.predict(K, diagonal=own), model.fit_predict(K))
    for method in (model.score_samples, model.decision_function, model.predict):
        with pytest.raises(ValueError, match="diagonal="):
            method(K)
    with pytest.raises(ValueError, match="each of the 90 samples"):
        model.score_samples(K, diagonal=own[1:])
    with pytest.raises(ValueError, match="not precomputed"):
        KernelPCADetector().fit(X).score_samples(X, diagonal=own)
    with pytest.raises(ValueError, match="square"):
        KernelPCADetector(kernel="precomputed").fit(X)
    far = KernelPCADetector(kernel="precomputed", criterion="projections").fit(K)
    assert_array_equal(far.score_samples(K), far.score_samples(K, diagonal=own))


@pytest.mark.parametrize(
    "model",
    [
        KernelPCADetector(5),
        KernelPCADetector(0.8, kernel=0.5 * RBF(sigma=2), contamination=0.3, center=False),
        KernelPCADetector(None, kernel="linear", criterion="projections", precision="mixed"),
        KernelPCADetector(4, kernel="precomputed", criterion="projections"),
    ],
    ids=named,
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_files_and_pickles(tmp_path, model, dtype):
    given = (X @ X.T if model.kernel == "precomputed" else X).astype(dtype)
    model = clone(model).fit(given)
    model.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert str(loaded.get_params(deep=False)) == str(model.get_params(deep=False))
    for again in (loaded, pickle.loads(pickle.dumps(model))):
        assert type(again) is KernelPCADetector
        assert_array_equal(again.score_samples(given), model.score_samples(given))
        assert_array_equal(again.training_scores_, model.training_scores_)
        assert (again.offset_, again.n_components_) == (model.offset_, model.n_components_)
        assert again.report_ == model.report_
    names = {name for name in vars(model) if name.endswith("_")}
    assert names == {name for name in vars(loaded) if name.endswith("_")}
    loaded.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == (tmp_path / "m.mercer").read_bytes()


@pytest.mark.skipif(not OUTLIERS.exists(), reason="the sets with known outliers are not here")
@pytest.mark.parametrize(
    ("name", "least"), [("ionosphere", 0.93), ("letter", 0.82), ("pima", 0.68), ("vowels", 0.93)]
)
def test_known_outliers_are_found(name, least):
    """As many pairs are in the right order as were measured, and more than of a machine."""
    with np.load(OUTLIERS) as sets:
        given, truth = StandardScaler().fit_transform(sets[f"{name}_X"]), sets[f"{name}_y"]
    area = roc_auc_score(truth, -KernelPCADetector().fit(given).training_scores_)
    machine = OneClassSVM(gamma="auto").fit(given)
    assert area >= max(least, roc_auc_score(truth, -machine.score_samples(given)))
