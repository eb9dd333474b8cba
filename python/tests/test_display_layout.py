"""Nothing is cut off and nothing overlaps: by the extents of what was drawn."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Annotation
from pictures import NAMES, PICTURES, iris, is_named
from sklearn.datasets import load_wine

from mercer import PCA, EmbeddingDisplay, KernelPCA, OutlierDisplay
from mercer._plot.display import short
from mercer._plot.theme import CLASSES, Theme, contrast, rgb


@cache
def drawn(name, paper="default"):
    """A picture, drawn once for all tests that only look at it."""
    with plt.style.context(["default", paper]):
        display = PICTURES[name]()
        display.figure_.canvas.draw()
    return display


def boxes(display):
    """The boxes of the labels of a display that was drawn."""
    figure = display.figure_
    figure.canvas.draw()
    texts = [text for text in display.ax_.texts if isinstance(text, Annotation)]
    renderer = figure.canvas.get_renderer()
    # The line to the point is part of an annotation's extent, and no part of its text.
    return [super(Annotation, text).get_window_extent(renderer) for text in texts]


def named():
    return EmbeddingDisplay.from_estimator(
        KernelPCA(2, kernel="normalize(spectrum(p=3))").fit(NAMES), NAMES, labels=NAMES
    )


def crowded():
    points = np.random.default_rng(0).normal(size=(300, 2))
    return EmbeddingDisplay.from_predictions(points, labels=[f"sample {i}" for i in range(300)])


def ordered():
    scores = np.linspace(0.296, 0.33, 40)
    return OutlierDisplay.from_predictions(scores, 0.31, labels=[f"row {i}" for i in range(40)])


@pytest.mark.parametrize("make", [named, crowded, ordered])
def test_labels_do_not_overlap(make):
    display = make()
    found = boxes(display)
    wanted = len(display.labels) if make is not ordered else int(display.flagged_.sum())
    assert len(found) == wanted - display.n_left_out_
    assert len(found) >= 5
    for place, one in enumerate(found):
        assert one.width > 10
        assert not any(one.overlaps(other) for other in found[:place])
    frame = display.ax_.get_window_extent()
    assert all(frame.x0 <= one.x0 and one.x1 <= frame.x1 for one in found)
    assert all(frame.y0 <= one.y0 and one.y1 <= frame.y1 for one in found)


def test_labels_cover_no_marks():
    display = crowded()
    found = boxes(display)
    marks = display.ax_.transData.transform(display.points)
    for one in found:
        inside = (marks > [one.x0, one.y0]) & (marks < [one.x1, one.y1])
        assert not inside.all(axis=1).any()


def test_labels_that_are_left_out_are_counted():
    display = crowded()
    said = display.ax_.get_title("right")
    assert said == f"{display.n_left_out_} of 300 labels left out for lack of space"
    roomy = EmbeddingDisplay.from_predictions([[0, 0], [1, 1]], labels=["a", "b"])
    assert roomy.n_left_out_ == 0
    assert roomy.ax_.get_title("right") == ""


def test_samples_at_one_point_are_all_named():
    points = np.repeat([[0.0, 0.0], [1.0, 1.0]], 3, axis=0)
    display = EmbeddingDisplay.from_predictions(points, labels=["a long name", "b", "c"] * 2)
    assert display.n_left_out_ == 0
    found = boxes(display)
    assert not any(one.overlaps(other) for i, one in enumerate(found) for other in found[:i])


@pytest.mark.parametrize("paper", ["default", "dark_background"])
@pytest.mark.parametrize("name", PICTURES)
def test_everything_is_within_the_figure(name, paper):
    figure = drawn(name, paper).figure_
    whole = figure.bbox_inches
    found = figure.get_tightbbox(figure.canvas.get_renderer())
    slack = 0.02  # inches
    assert found.x0 >= whole.x0 - slack
    assert found.y0 >= whole.y0 - slack
    assert found.x1 <= whole.x1 + slack
    assert found.y1 <= whole.y1 + slack


@pytest.mark.parametrize("name", PICTURES)
def test_legends_beside_panels_do_not_cover_them(name):
    figure = drawn(name).figure_
    renderer = figure.canvas.get_renderer()
    for legend in figure.legends:
        box = legend.get_window_extent(renderer)
        for ax in figure.axes:
            assert not box.overlaps(ax.get_tightbbox(renderer).padded(-2))


@pytest.mark.parametrize("name", PICTURES)
def test_axes_are_named(name):
    assert all(is_named(ax) for ax in drawn(name).axes_)


def test_names_of_columns_and_of_y_are_used():
    X, _ = iris()
    model = PCA(2).fit(X)
    display = EmbeddingDisplay.from_estimator(model, X, X["petal width (cm)"])
    assert display.figure_.axes[-1].get_ylabel() == "petal width (cm)"
    wine = load_wine(as_frame=True)
    display = EmbeddingDisplay.from_estimator(PCA(2).fit(wine.data), wine.data, wine.target)
    assert display.figure_.legends[0].get_title().get_text() == "target"


@pytest.mark.parametrize("paper", ["white", "#eaeaf2", "black", "#1e1e2e"])
def test_classes_show_on_their_paper_and_differ(paper):
    dark = paper in ("black", "#1e1e2e")
    theme = Theme(rgb(paper), rgb("white" if dark else "black"))
    assert theme.dark == dark
    colours = theme.classes(len(CLASSES))
    assert len(set(colours)) == len(CLASSES)
    least = 4.5 if dark else 1.8
    # On light paper the edge of a mark has the contrast that its colour may lack.
    for colour in colours:
        assert contrast(colour, theme.paper) > least
        assert max(contrast(theme.edge(colour), theme.paper), contrast(colour, theme.paper)) > 3


def test_few_classes_differ_in_grey():
    for paper, ink in (("white", "black"), ("black", "white")):
        colours = Theme(rgb(paper), rgb(ink)).classes(3)
        for place, one in enumerate(colours):
            assert all(contrast(one, other) > 1.2 for other in colours[:place])


@pytest.mark.parametrize("name", ["gram", "path_heat", "denoising", "outliers", "boundary"])
def test_the_grid_of_a_style_does_not_lie_on_colours(name):
    grids = [line.get_visible() for line in drawn(name, "ggplot").ax_.xaxis.get_gridlines()]
    assert not any(grids)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2048.0, "2048"),
        (0.0156, "0.0156"),
        (1 / 3, "0.333"),
        (2e-7, "2e-7"),
        (1e9, "1e9"),
        (0, "0"),
    ],
)
def test_numbers_are_short_and_whole_ones_whole(value, text):
    assert short(value) == text


def test_colours_follow_the_axes_and_not_the_style():
    _, (light, dark) = plt.subplots(1, 2)
    dark.set_facecolor("black")
    one, other = (OutlierDisplay.from_predictions([0.0, 1.0], 0.5, ax=ax) for ax in (light, dark))
    inks = [display.ax_.lines[0].get_color() for display in (one, other)]
    assert sum(inks[0]) < 1 < 2 < sum(inks[1])
