"""Tables of categories for the kernels that compare them: gower and overlap."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from mercer import SVC, KernelPCA, KernelRidge, SVCSearch, TableEncoder, pairwise_kernels

polars = pytest.importorskip("polars")

SIZES = ["small", "medium", "large", "huge"]
RNG = np.random.RandomState(0)
WORDS = {
    "size": RNG.choice(SIZES, 60).tolist(),
    "town": RNG.choice(["Ulm", "Bern", "Graz"], 60).tolist(),
    "share": RNG.rand(60).tolist(),
}
Y = [SIZES.index(size) + share for size, share in zip(WORDS["size"], WORDS["share"], strict=True)]
CLASSES = np.where(np.array(Y) > 1.5, "much", "little")


def pandas_frame(ordered=True):
    kind = pd.CategoricalDtype(SIZES, ordered=ordered)
    return pd.DataFrame(WORDS).astype({"size": kind, "town": "category"})


def polars_frame():
    return polars.DataFrame(WORDS).with_columns(
        polars.col("size").cast(polars.Enum(SIZES)), polars.col("town").cast(polars.Categorical)
    )


def arrow_table():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    codes = pyarrow.array([SIZES.index(size) for size in WORDS["size"]], pyarrow.int8())
    sizes = pyarrow.DictionaryArray.from_arrays(codes, SIZES, ordered=True)
    return pyarrow.table({"size": sizes, "town": WORDS["town"], "share": WORDS["share"]})


def arrow_in_pandas():
    sizes = arrow_table().column("size")
    return pandas_frame().assign(size=pd.arrays.ArrowExtensionArray(sizes))


FRAMES = [pandas_frame, polars_frame, arrow_table, arrow_in_pandas]


def gower():
    """The similarities by two loops: ordered categories by rank."""
    rank = np.array([SIZES.index(size) for size in WORDS["size"]]) / 3
    share = np.array(WORDS["share"])
    town = np.array(WORDS["town"])
    found = (1 - np.abs(rank[:, None] - rank)) + (1 - np.abs(share[:, None] - share))
    return (found + (town[:, None] == town)) / 3


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kernel", ["gower", "columns(size, town, share: gower)"])
def test_ordered_categories_are_compared_by_rank(frame, kernel):
    np.testing.assert_allclose(pairwise_kernels(frame(), kernel=kernel), gower(), atol=1e-12)
    model = KernelRidge(kernel=kernel, alpha=0.1).fit(frame(), Y)
    direct = KernelRidge(kernel="precomputed", alpha=0.1).fit(gower(), Y)
    np.testing.assert_allclose(model.predict(frame()), direct.predict(gower()), atol=1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_overlap_is_equality(frame):
    columns = np.array([WORDS["size"], WORDS["town"]])
    expected = (columns[:, :, None] == columns[:, None, :]).mean(axis=0)
    kernel = "columns(size, town: overlap)"
    np.testing.assert_allclose(pairwise_kernels(frame(), kernel=kernel), expected, atol=1e-12)


def test_categories_without_an_order_are_equal_or_not():
    town = np.array(WORDS["town"])
    size = np.array(WORDS["size"])
    expected = ((town[:, None] == town) * 1.0 + (size[:, None] == size)) / 2
    for table in (pandas_frame(ordered=False), WORDS):
        found = pairwise_kernels(table, kernel="columns(size, town: gower)")
        np.testing.assert_allclose(found, expected, atol=1e-12)


def numbered():
    """Categories that are numbers, in each library."""
    import pyarrow

    codes = np.array([SIZES.index(size) for size in WORDS["size"]])
    arrow = pyarrow.array(codes * 10).dictionary_encode()
    return [
        pd.DataFrame({"zone": pd.Categorical(codes * 10)}),
        pd.DataFrame({"zone": pd.arrays.ArrowExtensionArray(pyarrow.chunked_array([arrow]))}),
        pyarrow.table({"zone": arrow}),
    ]


@pytest.mark.parametrize("table", range(3))
def test_categories_that_are_numbers_are_no_numbers(table):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    found, sizes = numbered()[table], np.array(WORDS["size"])
    expected = (sizes[:, None] == sizes) * 1.0
    np.testing.assert_array_equal(pairwise_kernels(found, kernel="gower"), expected)
    encoder = TableEncoder().fit(found)
    assert encoder.get_feature_names_out().tolist() == [f"zone={10 * k}" for k in range(4)]


def test_categories_of_polars_and_arrow_have_a_column_each():
    town = np.array(WORDS["town"])
    expected = np.column_stack([town == one for one in ("Bern", "Graz", "Ulm")])
    for frame in FRAMES:
        table = frame()
        part = table.select(["town"]) if hasattr(table, "select") else table[["town"]]
        np.testing.assert_array_equal(TableEncoder().fit_transform(part), expected)


@pytest.mark.parametrize("frame", FRAMES)
def test_ranks_are_those_of_the_encoder(frame):
    encoder = TableEncoder().fit(pandas_frame()[["size"]])
    table = frame()
    part = table.select(["size"]) if hasattr(table, "select") else table[["size"]]
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(part), encoder.transform(pandas_frame()[["size"]])
    )


def test_an_order_counts_levels_that_no_sample_has():
    kind = pd.CategoricalDtype(["a", "b", "c", "d", "e"], ordered=True)
    table = pd.DataFrame({"x": pd.Categorical(["a", "c", "e"], dtype=kind)})
    found = pairwise_kernels(table, kernel="gower")
    np.testing.assert_allclose(found[0], [1, 0.5, 0])


@pytest.mark.parametrize("kernel", ["gower", "columns(size, town, share: gower)"])
def test_unknown_categories_differ_from_all(kernel):
    model = SVC(kernel=kernel).fit(pandas_frame(), CLASSES)
    new = pandas_frame().iloc[:4].copy()
    new["town"] = ["Ulm", "Oslo", "Rome", "Bern"]
    with pytest.warns(UserWarning, match=r"column 'town': 2 rows have .*first 'Oslo'"):
        found = model.decision_function(new)
    K = pairwise_kernels(pandas_frame(), kernel=kernel)
    values = K[:4].copy()
    town = np.array(WORDS["town"])
    values += ((np.array(new["town"])[:, None] == town) * 1.0 - (town[:4, None] == town)) / 3
    direct = SVC(kernel="precomputed").fit(K, CLASSES)
    np.testing.assert_allclose(found, direct.decision_function(values), atol=1e-6)


def test_frames_may_change_their_library_and_order_between_fit_and_prediction():
    model = SVC(kernel="gower").fit(pandas_frame(), CLASSES)
    expected = model.predict(pandas_frame())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(polars_frame()), expected)
        mixed = pandas_frame()[["share", "town", "size"]]
        np.testing.assert_array_equal(model.predict(mixed), expected)


@pytest.mark.filterwarnings("ignore:the best C")
def test_searches_components_and_pickles():
    search = SVCSearch([1.0, 10.0], kernel="gower").fit(pandas_frame(), CLASSES)
    assert search.score(pandas_frame(), CLASSES) > 0.9
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(pandas_frame()), search.predict(pandas_frame()))
    scored = SVCSearch([1.0, 10.0], kernel="gower", scoring="balanced_accuracy")
    assert scored.fit(pandas_frame(), CLASSES).best_score_ > 0.8
    assert KernelPCA(2, kernel="overlap").fit_transform(pandas_frame()).shape == (60, 2)


def test_a_fit_on_numbers_forgets_the_categories():
    model = SVC(kernel="gower").fit(pandas_frame(), CLASSES)
    rows = np.random.RandomState(1).rand(60, 3)
    model.fit(rows, CLASSES)
    assert model.predict(rows).shape == (60,)


def test_other_kernels_missing_values_and_dates_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not numbers"):
        SVC(kernel="rbf").fit(pandas_frame(), CLASSES)
    with pytest.raises(ValueError, match="takes numbers"):
        SVC(kernel="columns(size: rbf)").fit(pandas_frame(), CLASSES)
    gaps = pandas_frame()
    gaps.loc[2, "town"] = None
    with pytest.raises(ValueError, match="row 2 of column 'town' is missing"):
        SVC(kernel="gower").fit(gaps, CLASSES)
    dated = pandas_frame().assign(when=pd.Timestamp("2024-01-31"))
    with pytest.raises(ValueError, match="'when' contains dates"):
        SVC(kernel="gower").fit(dated, CLASSES)
    model = SVC(kernel="gower").fit(pandas_frame(), CLASSES)
    with pytest.raises(ValueError, match="size, town contain categories"):
        model.to_libsvm(tmp_path / "svm.model")
