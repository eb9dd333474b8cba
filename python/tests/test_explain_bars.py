"""Displays of contributions, of training samples, of substrings and of clusters: what is drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Annotation
from pictures import NAMES, PICTURES, diabetes, iris, pixels, wide
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    ClusterDisplay,
    ContributionDisplay,
    InfluenceDisplay,
    KernelKMeans,
    KernelRidge,
    KernelRidgeClassifier,
    KmerDisplay,
    OneClassSVM,
    OutlierColumnsDisplay,
    SVCSearch,
    explain,
)
from mercer._plot.bars import elided, in_two_lines, number, with_values
from mercer._plot.kmer import visible

BARS = ("contribution_exact", "contribution_wide", "influence", "kmers", "outlier_columns_wide")


def widths(display):
    return [bar.get_width() for bar in display.ax_.patches]


def names_of(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


class TestContribution:
    def test_steps_lead_from_the_mean_to_the_prediction(self):
        X, y = diabetes()
        model = KernelRidge(0.1, kernel="rbf", gamma=5, fit_intercept=True).fit(X, y)
        display = ContributionDisplay.from_estimator(model, X, row=4, n_permutations=8)
        found = explain.contributions(model, X[4:5], background=X, n_permutations=8)
        np.testing.assert_array_equal(display.values, found.values[0])
        assert display.base == found.base
        assert display.prediction == pytest.approx(model.predict(X[4:5])[0])
        np.testing.assert_allclose(widths(display), display.values[display.order_])
        ends = [bar.get_x() + bar.get_width() for bar in display.ax_.patches]
        starts = [bar.get_x() for bar in display.ax_.patches]
        np.testing.assert_allclose(starts, [found.base, *ends[:-1]])
        assert ends[-1] == pytest.approx(display.prediction)
        first = names_of(display.ax_)[0]
        assert first.startswith(f"{display.names[display.order_[0]]} = ")

    def test_other_columns_are_one_step(self):
        values = np.array([5.0, -4.0, 0.5, 0.25, -0.125])
        display = ContributionDisplay.from_predictions(list("abcde"), values, 10, max_columns=3)
        assert names_of(display.ax_) == ["a", "b", "3 other columns"]
        np.testing.assert_allclose(widths(display), [5.0, -4.0, 0.625])
        assert display.prediction == 11.625
        whole = ContributionDisplay.from_predictions(list("abcde"), values, 10, max_columns=5)
        assert len(whole.ax_.patches) == 5
        alone = ContributionDisplay.from_predictions(list("abcde"), values, max_columns=1)
        assert names_of(alone.ax_) == ["5 other columns"]

    def test_errors_are_shown_where_there_are_some(self):
        said = "two standard errors"
        one = ContributionDisplay.from_predictions(["a"], [1.0], std_error=[0.1])
        assert said in one.ax_.get_xlabel()
        X, y = diabetes()
        exact = KernelRidge(kernel="linear").fit(X, y)
        assert said not in ContributionDisplay.from_estimator(exact, X).ax_.get_xlabel()

    @pytest.mark.parametrize(
        ("model", "target", "name"),
        [
            (SVC(kernel="linear"), "setosa", "decision value for setosa"),
            (KernelRidgeClassifier(kernel="linear"), "virginica", "decision value for virginica"),
        ],
    )
    def test_what_is_explained_is_named(self, model, target, name):
        X, y = iris()
        display = ContributionDisplay.from_estimator(
            model.fit(X, y), X, target=target, n_permutations=2
        )
        assert display.ax_.get_xlabel().startswith(name)

    def test_scores_of_detectors_and_arrays(self):
        X = np.random.default_rng(0).normal(size=(30, 3))
        detector = OneClassSVM(nu=0.1).fit(X)
        display = ContributionDisplay.from_estimator(detector, X, -1, n_permutations=4)
        assert display.name == "score"
        assert display.prediction == pytest.approx(detector.score_samples(X)[-1])


class TestInfluence:
    def test_all_bars_together_are_the_value(self):
        X, y = diabetes()
        model = KernelRidge(0.1, kernel="rbf", gamma=5, fit_intercept=True).fit(X, y)
        display = InfluenceDisplay.from_estimator(model, X, row=3, max_samples=4)
        found = explain.influential_samples(model, X[3:4], k=4)
        np.testing.assert_allclose(widths(display)[:4], found.terms[0])
        assert sum(widths(display)) == pytest.approx(model.predict(X[3:4])[0])
        expected = [f"row {row}" for row in found.indices[0]]
        assert names_of(display.ax_) == [*expected, f"{len(X) - 4} other samples", "intercept"]

    def test_pipelines_searches_and_labels(self):
        X, y = iris()
        two = y != "virginica"
        labels = [f"flower {place}" for place in range(100)]
        search = SVCSearch([1.0], [0.1], cv=2).fit(X[two], y[two])
        for model in (make_pipeline(StandardScaler(), SVC()).fit(X[two], y[two]), search):
            display = InfluenceDisplay.from_estimator(model, X, labels=labels)
            assert display.name == "decision value for versicolor"
            assert display.value == pytest.approx(model.decision_function(X[:1])[0])
            assert names_of(display.ax_)[0].startswith("flower ")
        with pytest.raises(ValueError, match="no name for row"):
            InfluenceDisplay.from_estimator(search, X, labels=labels[:3])


class TestKmers:
    def test_bars_are_the_largest_weights(self):
        y = [name.startswith("simpson") for name in NAMES]
        model = SVC(kernel="spectrum(p=2)").fit(NAMES, y)
        display = KmerDisplay.from_estimator(model, max_substrings=6)
        found = explain.kmer_weights(model)
        largest = sorted(found.largest(6), key=lambda one: -one[1])
        np.testing.assert_allclose(widths(display), [weight for _, weight in largest])
        assert f"{len(found.names) - 6} substrings" in display.ax_.get_title("right")
        assert display.ax_.get_xlabel() == "weight in the decision value for True"
        np.testing.assert_array_equal(
            KmerDisplay.from_predictions(found.names, found.weights, max_substrings=6).order_,
            display.order_,
        )

    def test_letters_without_a_sign_are_seen(self):
        assert visible("a b") == "a␣b"
        assert visible("\t\n\x00") == r"\t\n\x00"
        assert visible("x" * 50) == "x" * 23 + "…"


class TestOutlierColumns:
    def test_bars_are_the_gains_of_the_most_unusual_row(self):
        X = np.random.default_rng(0).normal(size=(60, 4))
        X[9, 2] = 7.0
        model = OneClassSVM(nu=0.05).fit(X[:9])
        display = OutlierColumnsDisplay.from_estimator(model, X)
        assert display.row == int(np.argmin(model.score_samples(X))) == 9
        found = explain.outlier_columns(model, X[9:10], background=X)
        np.testing.assert_allclose(widths(display), np.sort(found.gains[0])[::-1])
        assert names_of(display.ax_)[0] == "x2 = 7"
        score = number(float(model.score_samples(X)[9]))
        assert display.ax_.get_title("right") == f"row 9, score {score}"
        other = OutlierColumnsDisplay.from_estimator(model, X, 3, max_columns=2)
        assert (other.row, len(other.ax_.patches)) == (3, 2)
        assert "2 columns of less gain" in other.ax_.get_xlabel()


class TestClusters:
    def test_cells_are_the_profiles(self):
        X, y = iris()
        model = KernelKMeans(3, kernel="linear", random_state=0).fit(X)
        display = ClusterDisplay.from_estimator(model, X, y)
        found = explain.cluster_profiles(model, X, y)
        means, labels = display.axes_
        drawn = means.images[0].get_array()
        np.testing.assert_allclose(drawn, found.deviations[:, display.order_].T)
        low, high = means.images[0].get_clim()
        assert low == -high == -np.abs(found.deviations).max()
        texts = [text.get_text() for text in means.texts]
        assert texts == [number(m) for m in found.means[:, display.order_].T.ravel()]
        assert [text.get_text() for text in labels.texts] == [str(n) for n in found.table.T.ravel()]
        assert names_of(labels) == ["setosa", "versicolor", "virginica"]
        sizes = [text.get_text() for text in means.get_xticklabels()]
        assert sizes == [f"{c}\nn = {n}" for c, n in zip(found.clusters, found.sizes, strict=True)]

    def test_many_labels_are_put_together(self):
        X, _ = iris()
        model = KernelKMeans(2, kernel="linear", random_state=0).fit(X)
        display = ClusterDisplay.from_estimator(model, X, np.r_[np.arange(100), np.zeros(50, int)])
        names = names_of(display.axes_[1])
        assert len(names) == 20
        assert names[0] == "0"
        assert names[-1] == "81 other labels"
        counts = np.array([int(text.get_text()) for text in display.axes_[1].texts])
        assert counts.sum() == 150
        assert counts[-2:].sum() == 81

    def test_columns_that_do_not_vary_and_many_clusters(self):
        table = pd.DataFrame({"year": np.full(40, 2020), "x": np.arange(40.0)})
        model = KernelKMeans(18, kernel="linear", random_state=0).fit(table)
        display = ClusterDisplay.from_estimator(model, table, max_columns=1)
        assert names_of(display.ax_) == ["x"]
        assert not display.ax_.texts
        assert "1 with smaller deviations" in display.ax_.get_title("left")
        same = KernelKMeans(1, kernel="linear").fit(table)
        assert ClusterDisplay.from_estimator(same, table).ax_.images[0].get_clim()[1] > 0


@pytest.mark.parametrize("name", BARS)
def test_numbers_meet_neither_each_other_nor_the_frame(name):
    display = PICTURES[name]()
    display.figure_.canvas.draw()
    frame = display.ax_.get_window_extent()
    texts = [text for text in display.ax_.texts if isinstance(text, Annotation)]
    boxes = [text.get_window_extent() for text in texts]
    assert len(boxes) == len(display.ax_.patches)
    for place, box in enumerate(boxes):
        assert frame.x0 < box.x0
        assert box.x1 < frame.x1
        assert not any(box.overlaps(other) for other in boxes[:place])


@pytest.mark.parametrize("name", [*BARS, "clusters", "clusters_wide", "clusters_many"])
def test_names_beside_bars_do_not_overlap(name):
    display = PICTURES[name]()
    display.figure_.canvas.draw()
    for ax in display.axes_:
        for axis in (ax.xaxis, ax.yaxis):
            labels = [one for one in axis.get_ticklabels() if one.get_visible()]
            found = [one.get_window_extent() for one in labels if one.get_text()]
            assert not any(
                one.overlaps(other) for i, one in enumerate(found) for other in found[:i]
            )


def test_bars_on_small_axes_and_in_another_figure():
    _, axes = plt.subplots(1, 2, layout="constrained", figsize=(7, 3))
    display = ContributionDisplay.from_predictions(["a", "b"], [1, -2], ax=axes[0])
    assert display.figure_.axes == list(axes)
    again = ContributionDisplay.from_predictions(["a", "b"], [1, -2])
    assert pixels(again) == pixels(ContributionDisplay.from_predictions(["a", "b"], [1, -2]))


def test_long_names_are_in_two_lines_and_then_shortened():
    assert in_two_lines("a short name") == "a short name"
    for name in ("word " * 12, "x" * 70, "y" * 300, "a b " + "z" * 66):
        lines = in_two_lines(name, " = 3").split("\n")
        assert len(lines) == 2
        assert all(len(line) <= 36 for line in lines)
        assert lines[1].endswith(" = 3")
    assert elided("one\ntwo\tthree") == "one two three"
    assert elided("abcdefghij", 6) == "abc…ij"
    assert with_values(["a", "b"], [None, -1.5]) == ["a", "b = −1.5"]


def test_numbers_have_the_digits_that_their_differences_need():
    assert number(5097.81, 22.0) == "5097.8"
    assert number(-0.12345, 0.01) == "−0.1235"
    assert number(5097.81, 5000) == "5098"
    assert number(3.0) == "3"
    assert number(1e12, 1.0) == "1e12"
    assert number(0.0, 0.0) == "0"


X, Y = iris()
LINEAR = KernelRidge(kernel="linear").fit(X, np.arange(150.0))
REFUSED = {
    "row": (lambda: ContributionDisplay.from_estimator(LINEAR, X, 150), "row must be .* 149"),
    "row of training": (lambda: InfluenceDisplay.from_estimator(LINEAR, X, "a"), "row must be"),
    "no columns": (lambda: ContributionDisplay.from_predictions([], []), "names must be"),
    "one name": (lambda: KmerDisplay.from_predictions("ab", [1.0]), "names must be"),
    "lengths": (lambda: KmerDisplay.from_predictions(["a"], [1.0, 2.0]), "weights must be"),
    "NaN": (lambda: InfluenceDisplay.from_predictions(["a"], [np.nan]), "terms contains nan"),
    "base": (lambda: ContributionDisplay.from_predictions(["a"], [1.0], np.inf), "base contains"),
    "values": (
        lambda: ContributionDisplay.from_predictions(["a"], [1.0], column_values=[1, 2]),
        "column_values must have 1 values",
    ),
    "gains": (
        lambda: OutlierColumnsDisplay.from_predictions(["a"], [1.0], column_values=[]),
        "column_values must have 1 values",
    ),
    "no rows": (lambda: ContributionDisplay.from_estimator(LINEAR, X[:0]), "X has no rows"),
    "no label": (
        lambda: ClusterDisplay.from_estimator(
            KernelKMeans(2).fit(X), X, np.where(Y == "setosa", None, Y)
        ),
        "y is missing at row 0",
    ),
    "mixed labels": (
        lambda: ClusterDisplay.from_estimator(
            KernelKMeans(2).fit(X), X, np.where(Y == "setosa", 1, Y.astype(object))
        ),
        "y mixes strings",
    ),
    "classes": (
        lambda: KmerDisplay.from_estimator(
            SVC(kernel="spectrum(p=1)").fit(["a", "b", "c"], [0, 1, 2])
        ),
        r"pair of the classes \[0, 1, 2\], as in target=\(0, 1\)",
    ),
    "count": (
        lambda: OutlierColumnsDisplay.from_predictions(["a"], [1.0], max_columns=0),
        "max_columns must be a positive",
    ),
    "samples": (
        lambda: InfluenceDisplay.from_estimator(LINEAR, X, max_samples=2.5),
        "max_samples must be a positive",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    call, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_what_has_another_type_is_refused():
    with pytest.raises(TypeError, match="profiles must be"):
        ClusterDisplay.from_predictions({})
    with pytest.raises(TypeError, match="score_samples"):
        OutlierColumnsDisplay.from_estimator(LINEAR, X)
    with pytest.raises(TypeError, match="not an expansion"):
        InfluenceDisplay.from_estimator(StandardScaler().fit(X), X)
    texts = SVC(kernel="spectrum(p=2)").fit(NAMES, np.arange(len(NAMES)) % 2)
    with pytest.raises(ValueError, match="kmer_weights"):
        ContributionDisplay.from_estimator(texts, NAMES)


def test_every_container_of_samples():
    import polars as pl
    from scipy import sparse

    data = load_wine(as_frame=True).data.iloc[:60, :3]
    shapes = (
        data,
        data.to_numpy(),
        pl.from_pandas(data),
        sparse.csr_array(data),
        data.to_dict("list"),
    )
    for shaped in shapes:
        detector = OneClassSVM(
            kernel="rbf" if not isinstance(shaped, dict) else "columns(alcohol, ash: rbf)", nu=0.1
        ).fit(shaped)
        display = OutlierColumnsDisplay.from_estimator(detector, shaped, n_samples=4)
        assert " = " in names_of(display.ax_)[0]


def test_wide_tables_are_shown_by_their_largest_columns():
    assert wide().shape[1] == 40
    display = PICTURES["contribution_wide"]()
    assert names_of(display.ax_)[-1] == "31 other columns"


def test_terms_of_landmarks_are_named_so():
    X, y = diabetes()
    model = KernelRidge(kernel="rbf", gamma=5, landmarks=12).fit(X, y)
    display = InfluenceDisplay.from_estimator(model, X, max_samples=3)
    assert all(name.startswith("landmark ") for name in names_of(display.ax_)[:3])


def test_tables_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    data = load_wine(as_frame=True).data.iloc[:60, :3].assign(kind=["a", "b"] * 30)
    table = arrow.Table.from_pandas(data)
    model = KernelRidge(kernel="gower").fit(table, np.arange(60.0))
    display = ContributionDisplay.from_estimator(model, table, row=1, n_permutations=4)
    other = KernelRidge(kernel="gower").fit(data, np.arange(60.0))
    expected = ContributionDisplay.from_estimator(other, data, row=1, n_permutations=4)
    np.testing.assert_allclose(display.values, expected.values)
    assert names_of(display.ax_) == names_of(expected.ax_)
    assert "kind = b" in names_of(display.ax_)
