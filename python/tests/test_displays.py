"""Displays show what estimators say: their data against direct computation."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pictures import NAMES, PICTURES, grid, iris, moons, pixels, rings
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import (
    PCA,
    SVC,
    ComponentDisplay,
    EmbeddingDisplay,
    GramDisplay,
    KernelKMeans,
    KernelPCA,
    SpectrumDisplay,
    SVCSearch,
    pairwise_kernels,
)

# Planes


def test_components_over_two_columns_are_those_of_the_estimator():
    X, y = rings()
    model = KernelPCA(3, kernel="rbf", gamma=2.0).fit(X)
    display = ComponentDisplay.from_estimator(model, X, y, grid_resolution=20)
    expected = model.transform(grid(display))
    np.testing.assert_array_equal(display.values.reshape(3, -1).T, expected)
    np.testing.assert_array_equal(display.points, X)
    assert [ax.get_title() for ax in display.axes_] == [
        f"component {i + 1} ({100 * share:.1f} % of variance)"
        for i, share in enumerate(model.explained_variance_ratio_)
    ]


def test_other_columns_are_at_their_medians():
    X, y = iris()
    model = KernelPCA(2, kernel="rbf", gamma=0.3).fit(X)
    display = ComponentDisplay.from_estimator(
        model, X, y, columns=(2, "sepal width (cm)"), grid_resolution=9
    )
    rows = np.tile(np.median(X, axis=0), (81, 1))
    rows[:, [2, 1]] = grid(display)
    expected = model.transform(pd.DataFrame(rows, columns=X.columns))
    np.testing.assert_allclose(display.values.reshape(2, -1).T, expected, atol=1e-14)
    assert display.names == ("petal length (cm)", "sepal width (cm)")
    assert display.ax_.get_xlabel() == "petal length (cm)\n(other columns at the medians)"


def test_plane_of_principal_components_goes_through_the_mean():
    X = iris()[0].to_numpy()
    model = KernelPCA(1, kernel="rbf", gamma=0.3).fit(X)
    display = ComponentDisplay.from_estimator(model, X, plane="pca", grid_resolution=7)
    plane = PCA(2).fit(X)
    rows = plane.mean_ + grid(display) @ plane.components_
    np.testing.assert_allclose(display.values.ravel(), model.transform(rows)[:, 0], atol=1e-13)
    np.testing.assert_allclose(display.points, plane.transform(X), atol=1e-12)


def test_grid_of_counts_does_not_go_below_zero():
    X = np.random.default_rng(0).integers(0, 9, size=(30, 2)).astype(float)
    model = KernelPCA(1, kernel="chi2").fit(X)
    display = ComponentDisplay.from_estimator(model, X, grid_resolution=5)
    assert display.first[0] == 0 == display.second[0]
    assert display.first[-1] > X[:, 0].max()


def test_components_from_predictions_are_the_same_picture():
    X, y = rings()
    one = ComponentDisplay.from_estimator(KernelPCA(2, kernel="rbf").fit(X), X, y)
    other = ComponentDisplay.from_predictions(
        one.first, one.second, one.values, points=one.points, y=y,
        explained_variance_ratio=one.explained_variance_ratio, names=one.names,
    )  # fmt: skip
    assert pixels(one) == pixels(other)


# Spectrum


def test_spectrum_counts_the_components_that_are_needed():
    X, _ = iris()
    model = KernelPCA(20, kernel="rbf", gamma=0.5).fit(X)
    for share in (0.5, 0.9, 0.97):
        display = SpectrumDisplay.from_estimator(model, share=share)
        total, count = 0.0, 0
        for ratio in model.explained_variance_ratio_:
            total, count = total + ratio, count + 1
            if total >= share:
                break
        assert display.n_needed_ == count
        assert display.axes_[1].get_title("right") == (
            f"{count} component{'s' * (count > 1)} reach{'es' * (count == 1)} {100 * share:g} %"
        )
    np.testing.assert_allclose(display.cumulative_, np.cumsum(model.explained_variance_ratio_))
    heights = [bar.get_height() for bar in display.axes_[0].patches]
    np.testing.assert_allclose(heights, model.eigenvalues_)


def test_spectrum_says_that_the_share_is_not_reached():
    X = load_digits().data
    display = SpectrumDisplay.from_estimator(PCA(5).fit(X))
    assert display.n_needed_ is None
    reached = PCA(5).fit(X).explained_variance_ratio_.sum()
    expected = f"the 5 components kept reach {100 * reached:.1f} %, not 90 %"
    assert display.axes_[1].get_title("right") == expected


def test_spectrum_of_all_eigenvalues_needs_no_ratios():
    display = SpectrumDisplay.from_predictions([6.0, 3.0, 1.0])
    np.testing.assert_allclose(display.cumulative_, [0.6, 0.9, 1.0])
    assert display.n_needed_ == 2


# Embedding


def test_embedding_is_the_transform():
    X, y = iris()
    model = KernelPCA(4, kernel="rbf", gamma=0.3).fit(X)
    display = EmbeddingDisplay.from_estimator(model, X, y, components=(3, 1))
    np.testing.assert_array_equal(display.points, model.transform(X)[:, [3, 1]])
    share = model.explained_variance_ratio_[3]
    assert display.ax_.get_xlabel() == f"component 4 ({100 * share:.1f} % of variance)"
    again = EmbeddingDisplay.from_predictions(display.points, y, names=display.names)
    assert pixels(display) == pixels(again)


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["a", "b", "a"], "class"),
        ([0, 1, 1], "class"),
        ([0.0, 1.0, 1.0], "class"),
        ([0.5, 1.0, 2.0], "value"),
        ([True, False, True], "class"),
    ],
)
def test_kind_of_y_is_seen(y, kind):
    display = EmbeddingDisplay.from_predictions([[0, 0], [1, 1], [2, 0]], y)
    assert display.kind == kind


def test_many_whole_numbers_are_values_and_many_names_are_put_together():
    points = np.random.default_rng(0).normal(size=(60, 2))
    assert EmbeddingDisplay.from_predictions(points, np.arange(60)).kind == "value"
    display = EmbeddingDisplay.from_predictions(points, [f"n{i % 20}" for i in range(60)])
    entries = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert len(entries) == 12
    assert entries[-1] == "9 others"


def test_classes_differ_in_colour_and_shape():
    X, y = iris()
    display = EmbeddingDisplay.from_estimator(PCA(2).fit(X), X, y)
    marks = display.ax_.collections
    assert len({tuple(mark.get_facecolor()[0]) for mark in marks}) == 3
    assert len({mark.get_paths()[0].vertices.tobytes() for mark in marks}) == 3


def test_three_components_are_drawn_in_three_dimensions():
    X, y = iris()
    display = EmbeddingDisplay.from_estimator(PCA(3).fit(X), X, y, components=(0, 1, 2))
    assert display.ax_.name == "3d"
    figure = plt.figure()
    own = figure.add_subplot(projection="3d")
    assert display.plot(own).ax_ is own


# Gram


@pytest.mark.parametrize("kernel", ["rbf(sigma=median)", "poly(degree=2)", "laplacian"])
def test_gram_is_ordered_by_class(kernel):
    X, y = iris()
    shuffled = np.random.default_rng(1).permutation(150)
    X, y = X.iloc[shuffled], y[shuffled]
    model = KernelPCA(2, kernel=kernel).fit(X)
    display = GramDisplay.from_estimator(model, X, y)
    assert np.all(np.diff(np.unique(y, return_inverse=True)[1][display.rows]) >= 0)
    expected = pairwise_kernels(X.to_numpy()[display.rows], kernel=model.kernel_)
    np.testing.assert_allclose(display.matrix, expected, rtol=1e-14)
    whole = pairwise_kernels(X.to_numpy(), kernel=model.kernel_)
    again = GramDisplay.from_predictions(whole, y, name=model.kernel_)
    np.testing.assert_allclose(again.matrix, expected, rtol=1e-14)
    assert again.ax_.get_title() == display.ax_.get_title()


def test_gram_of_many_samples_keeps_the_shares_of_classes():
    y = np.repeat(["a", "b"], [300, 100])
    display = GramDisplay.from_predictions(np.eye(400), y, max_samples=40)
    assert display.sizes.tolist() == [30, 10]
    assert display.ax_.get_title() == "kernel matrix, 40 of 400 samples"
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "b"]


def test_gram_of_clusters_texts_functions_and_matrices():
    X, _ = moons()
    clusters = KernelKMeans(3, gamma=1.0).fit(X)
    display = GramDisplay.from_estimator(clusters, X)
    assert np.all(np.diff(clusters.labels_[display.rows]) >= 0)
    texts = KernelPCA(2, kernel="spectrum(p=2)").fit(NAMES)
    found = GramDisplay.from_estimator(texts, NAMES).matrix
    np.testing.assert_allclose(found, pairwise_kernels(NAMES, kernel="spectrum(p=2)"))
    own = KernelPCA(2, kernel=lambda a, b: float(a @ b)).fit(X)
    np.testing.assert_allclose(GramDisplay.from_estimator(own, X).matrix, X @ X.T)
    K = X @ X.T
    given = SVC(kernel="precomputed").fit(K, X[:, 0] > 0)
    np.testing.assert_array_equal(GramDisplay.from_estimator(given, K).matrix, K)


def test_gram_of_a_pipeline_and_of_a_search_has_the_kernel_that_was_fitted():
    X, y = iris()
    pipeline = make_pipeline(StandardScaler(), SVC(gamma="scale")).fit(X, y)
    expected = pairwise_kernels(StandardScaler().fit_transform(X), kernel=pipeline[-1].kernel_)
    np.testing.assert_allclose(GramDisplay.from_estimator(pipeline, X).matrix, expected)
    search = SVCSearch(Cs=[1.0], gammas=[0.2, 0.7]).fit(X, y)
    kernel = search.best_estimator_.kernel_
    expected = pairwise_kernels(X, kernel=kernel)
    np.testing.assert_allclose(GramDisplay.from_estimator(search, X).matrix, expected)


# All of them


def test_all_displays_are_exported():
    names = {name for name in mercer.__all__ if name.endswith("Display")}
    assert len(names) == 15
    for name in names:
        made = getattr(mercer, name)
        assert all(hasattr(made, way) for way in ("from_estimator", "from_predictions", "plot"))


@pytest.mark.parametrize("name", PICTURES)
def test_own_axes_are_used_and_returned(name):
    display = PICTURES[name]()
    count, deep = len(display.axes_), display.ax_.name == "3d"
    figure, axes = plt.subplots(
        1, count, squeeze=False, subplot_kw={"projection": "3d"} if deep else None
    )
    before = len(plt.get_fignums())
    returned = display.plot(axes[0] if count > 1 else axes[0, 0])
    assert returned is display
    assert display.figure_ is figure
    assert list(display.axes_) == list(axes[0])
    assert display.ax_ is axes[0, 0]
    assert len(plt.get_fignums()) == before
    assert all(ax.has_data() for ax in axes[0])
