"""What may come in, in which form, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import mercer
from mercer import PCA, KernelPCA, ParameterError

ESTIMATORS = [KernelPCA(2, kernel="rbf"), PCA(2)]
both = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


@both
def test_memory_orders_give_the_same_bits(wine, estimator):
    expected = estimator.fit(wine).transform(wine)
    strided = np.repeat(np.repeat(wine, 2, axis=0), 3, axis=1)[::2, ::3]
    backwards = wine[::-1].copy()[::-1]
    for X in (np.asfortranarray(wine), strided, backwards, wine.tolist()):
        assert_array_equal(estimator.fit(X).transform(X), expected)


@both
def test_input_is_never_written_to(wine, estimator):
    wine.setflags(write=False)
    kept = wine.copy()
    estimator.set_params(**{"copy_X" if "copy_X" in estimator.get_params() else "copy": False})
    estimator.fit(wine).transform(wine)
    assert_array_equal(wine, kept)


@both
def test_number_types(wine, estimator):
    expected = estimator.fit(wine).transform(wine)
    single = estimator.fit(wine.astype(np.float32)).transform(wine.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(np.abs(single), np.abs(expected), atol=2e-3)
    half = estimator.fit(wine.astype(np.float16)).transform(wine.astype(np.float16))
    assert half.dtype == np.float32
    whole = np.arange(24).reshape(8, 3) ** 2
    assert estimator.fit(whole).transform(whole).dtype == np.float64
    swapped = estimator.fit(wine.astype(">f8")).transform(wine.astype(">f8"))
    assert_array_equal(swapped, expected)


def test_precision(wine):
    params = {"n_components": 3, "kernel": "rbf"}
    double = KernelPCA(**params).fit(wine)
    for name, tile, dtype in (("f32", "f32", "f4"), ("mixed", "f32", "f8"), ("f64", "f64", "f8")):
        model = KernelPCA(precision=name, **params).fit(wine)
        assert model.report_["precision"] == tile
        assert model.transform(wine).dtype == model.eigenvalues_.dtype == np.dtype(dtype)
        assert model.fit_transform(wine).dtype == np.dtype(dtype)
        assert_allclose(model.eigenvalues_, double.eigenvalues_, rtol=1e-5)
        given = KernelPCA(3, kernel="precomputed", precision=name)
        assert given.fit_transform(np.exp(-((wine[:, :1] - wine[:, 0]) ** 2))).dtype == dtype
    up = KernelPCA(precision="f64", **params).fit(wine.astype(np.float32))
    assert up.transform(wine.astype(np.float32)).dtype == np.float64


@both
def test_data_frames(wine, estimator):
    names = [f"c{i}" for i in range(wine.shape[1])]
    frame = pd.DataFrame(wine, columns=names)
    estimator.fit(frame)
    assert estimator.feature_names_in_.tolist() == names
    assert estimator.get_feature_names_out().tolist() == [
        f"{type(estimator).__name__.lower()}{i}" for i in range(2)
    ]
    with pytest.raises(ValueError, match="feature names"):
        estimator.transform(frame[names[::-1]])
    expected = estimator.transform(frame)
    assert_array_equal(estimator.fit(pl.DataFrame(wine, schema=names)).transform(wine), expected)


@both
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(wine, estimator, library):
    from sklearn.base import clone

    made = clone(estimator).set_output(transform=library).fit(wine)
    expected = estimator.fit(wine).transform(wine)
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    for got in (made.transform(wine), made.fit_transform(wine)):
        assert isinstance(got, kind)
        assert list(got.columns) == list(made.get_feature_names_out())
        assert_allclose(got.to_numpy(), expected, atol=1e-9)


@both
def test_sparse(wine, estimator):
    rows = np.where(np.abs(wine) < 1, 0, wine)
    expected = estimator.fit(rows).transform(rows)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        # Sums of sparse rows are rounded in another order.
        found = estimator.fit(kind(rows)).transform(kind(rows))
        assert_allclose(found, expected, atol=1e-12)


@both
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
def test_values_that_are_not_finite(wine, estimator, value, word):
    bad = wine.copy()
    bad[7, 3] = value
    with pytest.raises(ValueError, match=f"{word}.* row 7, column 3"):
        estimator.fit(bad)
    with pytest.raises(ValueError, match=f"{word}.* row 7, column 3"):
        estimator.fit(wine).transform(bad)


def test_not_finite_kernel_values_and_components(wine):
    K = wine @ wine.T
    model = KernelPCA(2, kernel="precomputed").fit(K)
    K[3, 2] = np.nan
    for call in (KernelPCA(kernel="precomputed").fit, model.transform):
        with pytest.raises(ValueError, match="NaN at row 3, column 2"):
            call(K)
    back = KernelPCA(2, fit_inverse_transform=True).fit(wine)
    for model in (back, PCA(2).fit(wine)):
        with pytest.raises(ValueError, match="NaN at row 0, column 1"):
            model.inverse_transform([[0.0, np.nan]])
        with pytest.raises(ValueError, match="3 columns"):
            model.inverse_transform([[0.0, 1.0, 2.0]])


@both
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty(estimator, shape):
    with pytest.raises(ValueError, match=r"minimum of 1 is required|0 feature"):
        estimator.fit(np.empty(shape))


def test_one_row():
    with pytest.raises(ValueError, match="1 sample"):
        PCA().fit([[1.0, 2.0]])
    model = KernelPCA(kernel="rbf").fit([[1.0, 2.0]])
    assert model.transform([[1.0, 2.0], [0.0, 0.0]]).shape == (2, 0)
    assert_array_equal(KernelPCA(1, kernel="rbf").fit_transform([[1.0, 2.0]]), [[0.0]])


@both
def test_constant_columns_and_duplicate_rows(estimator):
    X = np.tile([[1.0, 5.0, 2.0], [3.0, 5.0, 1.0]], (10, 1))
    scores = estimator.fit(X).transform(X)
    assert np.isfinite(scores).all()
    assert_allclose(scores[:, 1], 0, atol=1e-7)
    same = np.ones((6, 3))
    assert_allclose(estimator.fit(same).transform(same), 0, atol=1e-7)


@both
def test_other_number_of_features(wine, estimator):
    estimator.fit(wine)
    with pytest.raises(ValueError, match=r"X has 12 features, but .* is expecting 13 features"):
        estimator.transform(wine[:, 1:])


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"kernel": "rbf", "gamma": -1.0}, "gamma"),
        ({"kernel": "rbf", "gamma": "wide"}, "gamma"),
        ({"kernel": "rbff"}, "did you mean 'rbf'"),
        ({"kernel": 3}, "kernel"),
        ({"kernel": "rbf(gamma=-1)"}, "gamma must be a number of at least 0"),
        ({"kernel": "matern", "kernel_params": {"mu": 1}}, "unknown parameter 'mu'"),
        ({"kernel_params": [1]}, "kernel_params"),
        ({"degree": -1}, "degree"),
        ({"coef0": np.inf}, "coef0"),
        ({"alpha": -1.0}, "alpha"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"n_components": "two"}, "n_components"),
        ({"eigen_solver": "fast"}, "eigen_solver"),
        ({"tol": -1}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"iterated_power": -1}, "iterated_power"),
        ({"remove_zero_eig": "no"}, "remove_zero_eig"),
        ({"copy_X": 1}, "copy_X"),
        ({"random_state": "dice"}, "seed"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs"),
        ({"precision": "f16"}, "precision"),
        ({"memory_budget": "plenty"}, "memory_budget"),
        ({"memory_budget": -5}, "memory_budget"),
        ({"progress": "yes"}, "progress"),
        ({"center": 0}, "center"),
    ],
    ids=named,
)
def test_wrong_parameters_of_kernel_pca(iris, params, word):
    with pytest.raises(ValueError, match=word):
        KernelPCA(**params).fit(iris)


@pytest.mark.parametrize(
    "params",
    [
        {"whiten": "yes"},
        {"copy": None},
        {"svd_solver": "fast"},
        {"tol": -1},
        {"iterated_power": "often"},
        {"n_oversamples": 0},
        {"power_iteration_normalizer": "SVD"},
    ],
    ids=named,
)
def test_wrong_parameters_of_pca(iris, params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        PCA(**params).fit(iris)


def test_values_beyond_single_precision():
    X = np.array([[1.0, 2.0], [1e200, 3.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="row 1, column 0"):
        KernelPCA(precision="f32").fit(X)


def test_signatures_begin_with_those_of_scikit_learn():
    import inspect

    from sklearn import decomposition

    for ours in (KernelPCA, PCA):
        theirs, mine = (
            [(p.name, p.kind, p.default) for p in inspect.signature(kind).parameters.values()]
            for kind in (getattr(decomposition, ours.__name__), ours)
        )
        assert mine[: len(theirs)] == theirs
        assert all(kind == inspect.Parameter.KEYWORD_ONLY for _, kind, _ in mine[len(theirs) :])


@pytest.mark.parametrize(
    "estimator",
    [
        KernelPCA(2, iterated_power=7),
        PCA(2, iterated_power=7),
        PCA(2, n_oversamples=20),
        PCA(2, power_iteration_normalizer="QR"),
    ],
)
def test_parameters_without_effect_are_told(estimator):
    X = np.random.RandomState(0).normal(size=(20, 4))
    with pytest.warns(UserWarning, match="has no effect.*set tol instead"):
        estimator.fit(X)


DAYS = pd.date_range("2024-01-01", periods=8)
DATED = {
    "an array": DAYS.to_numpy()[:, None],
    "durations": (DAYS - DAYS[0]).to_numpy()[:, None],
    "a data frame": pd.DataFrame({"day": DAYS}),
    "polars": pl.DataFrame({"day": DAYS.to_numpy()}),
    "beside numbers": pd.DataFrame({"x": range(8), "day": DAYS}),
    "with a time zone": pd.DataFrame({"day": DAYS.tz_localize("UTC")}),
}


@pytest.mark.parametrize("X", DATED.values(), ids=list(DATED))
@pytest.mark.parametrize("model", [PCA(1), KernelPCA(1, kernel="rbf")])
def test_dates_never_become_nanoseconds(X, model):
    with pytest.raises(ValueError, match=r"dates|'day' of X contains values that are not numbers"):
        model.fit(X)


def misaligned(values):
    """The same numbers at a place that does not suit them, as arrays from other processes lie."""
    place = np.zeros(values.nbytes + 1, np.uint8)[1:].view(values.dtype).reshape(values.shape)
    place[...] = values
    assert not place.flags.aligned
    return place


def test_arrays_at_any_place_in_memory_give_the_same_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y, w = X[:, 0] + X[:, 1], rng.uniform(1, 2, size=200)
    options = {"kernel": "rbf", "gamma": 0.3}
    moved = [misaligned(one) for one in (X, y, w)]
    for model in (
        mercer.KernelRidge(**options),
        mercer.KernelRidge(landmarks=20, **options),
        mercer.KernelRidgeCV(alphas=[0.1, 1.0], **options),
        mercer.SVR(**options),
    ):
        expected = model.fit(X, y, sample_weight=w).predict(X)
        assert np.array_equal(model.fit(*moved[:2], sample_weight=moved[2]).predict(X), expected)
    labels = (y > 0).astype(int)
    expected = mercer.SVC(**options).fit(X, labels, w).decision_function(X)
    found = mercer.SVC(**options).fit(moved[0], misaligned(labels), moved[2])
    assert np.array_equal(found.decision_function(X), expected)
    blocks = mercer.KernelRidge(landmarks=20, **options).fit(mercer.scan([tuple(moved)]))
    whole = mercer.KernelRidge(landmarks=20, **options).fit(X, y, w)
    assert np.array_equal(blocks.dual_coef_, whole.dual_coef_)
