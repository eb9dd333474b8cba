"""What marks, regions and blocks are called, and that their names are written as they are."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Patch
from pictures import moons
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from mercer import (
    SVC,
    BoundaryDisplay,
    ComponentDisplay,
    DenoisingDisplay,
    EmbeddingDisplay,
    GramDisplay,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    OneClassSVM,
    OutlierDisplay,
    PathDisplay,
    SpectrumDisplay,
)

MONEY = "$a_{$"  # no formula, and matplotlib fails on it
X, Y = moons()
FRAME = pd.DataFrame(X, columns=["price in $", "$ per \\frac$"])


def entries(display):
    return [text.get_text() for text in display.figure_.legends[0].get_texts()]


@pytest.mark.parametrize(
    "make",
    [
        lambda: BoundaryDisplay.from_estimator(
            SVC().fit(FRAME, np.where(Y, MONEY, "$")), FRAME, grid_resolution=5
        ),
        lambda: BoundaryDisplay.from_estimator(
            SVC().fit(FRAME, np.where(Y, MONEY, "$")), FRAME, np.where(Y, MONEY, "$")
        ),
        lambda: ComponentDisplay.from_estimator(
            KernelPCA(1).fit(FRAME), FRAME, np.where(Y, MONEY, "$"), grid_resolution=5
        ),
        lambda: EmbeddingDisplay.from_predictions(
            X, np.where(Y, MONEY, "$"), names=[MONEY, "b"], target_name=MONEY
        ),
        lambda: EmbeddingDisplay.from_predictions(X, X[:, 0], target_name=MONEY),
        lambda: EmbeddingDisplay.from_predictions(X[:3], labels=[MONEY] * 3),
        lambda: EmbeddingDisplay.from_predictions(np.ones((3, 3)), names=[MONEY] * 3),
        lambda: GramDisplay.from_predictions(np.eye(2), [MONEY, "b"], name=MONEY, by=MONEY),
        lambda: OutlierDisplay.from_predictions([0.0, 1.0], 0.5, labels=[MONEY] * 2),
        lambda: PathDisplay.from_predictions([1, 2], [1, 2], name=MONEY, score_name=MONEY),
        lambda: PathDisplay.from_predictions(
            [MONEY, "b"], np.eye(2), second_values=[MONEY, "c"], second_name=MONEY, kind="curves"
        ),
        lambda: PathDisplay.from_predictions(
            [MONEY, "b"], np.eye(2), second_values=[MONEY, "c"], score_name=MONEY, kind="heat"
        ),
        lambda: SpectrumDisplay.from_predictions([1.0], name=MONEY),
        lambda: DenoisingDisplay.from_predictions({MONEY: np.ones((2, 4))}),
    ],
)
def test_dollars_are_no_formulas(make):
    display = make()
    display.figure_.canvas.draw()
    display.ax_.set_title(r"$\gamma$")  # formulas of the user's own still are
    display.figure_.canvas.draw()


def test_a_class_of_dollars_is_written_letter_by_letter():
    display = EmbeddingDisplay.from_predictions(X, np.where(Y, "$a$", "$b$"))
    text = display.figure_.legends[0].get_texts()[0]
    assert text._preprocess_math(text.get_text()) == ("$a$", False)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (SVC().fit(X, np.where(Y, "lower", "upper")), ["lower", "upper"]),
        (OneClassSVM(nu=0.2).fit(X), ["unusual", "usual"]),
        (KernelPCADetector(gamma=1.0).fit(X), ["unusual", "usual"]),
    ],
)
def test_regions_are_named_where_samples_have_no_classes(model, names):
    display = BoundaryDisplay.from_estimator(model, X, grid_resolution=40)
    assert entries(display)[1:3] == names
    patches = [one for one in display.figure_.legends[0].get_patches() if isinstance(one, Patch)]
    assert len({patch.get_facecolor() for patch in patches}) == 2
    if hasattr(model, "classes_"):
        known = BoundaryDisplay.from_estimator(model, X, model.predict(X), grid_resolution=40)
        assert not known.figure_.legends[0].get_patches()


def test_samples_at_the_edge_are_drawn_whole_and_others_end_there():
    counts = np.random.default_rng(0).integers(0, 5, size=(40, 2)).astype(float)
    model = SVC().fit(counts, counts[:, 0] > 2)
    display = BoundaryDisplay.from_estimator(model, counts, counts[:, 0] > 2)
    assert display.first[0] == 0 == counts[:, 0].min()
    marks = [one for one in display.ax_.collections if len(one.get_offsets()) > 1]
    assert len(marks) == 3
    assert not any(mark.get_clip_on() for mark in marks)
    beyond = ComponentDisplay.from_predictions(
        [0, 1], [0, 1], np.zeros((1, 2, 2)), points=[[0, 0], [0.5, 2.0]]
    )
    assert all(mark.get_clip_on() for mark in beyond.ax_.collections)


def test_many_clusters_are_in_the_order_of_their_numbers():
    points = np.repeat(np.arange(12.0)[:, None] * 10, 5, axis=0)
    model = KernelKMeans(12, gamma=1.0, init=np.repeat(np.arange(12), 5)).fit(points)
    display = GramDisplay.from_estimator(model, points)
    assert display.classes == [f"cluster {label}" for label in range(12)]
    assert np.all(np.diff(model.labels_[display.rows]) >= 0)


def test_thin_blocks_have_no_names():
    y = np.repeat(["a", "b", "c"], [100, 2, 98])
    display = GramDisplay.from_predictions(np.eye(200), y)
    assert display.classes == ["a", "b", "c"]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "c"]


def test_numbers_of_a_kernel_are_short_in_the_title():
    display = GramDisplay.from_estimator(SVC(gamma=0.123456789).fit(X, Y), X)
    assert display.ax_.get_title() == "rbf(gamma=0.123), 120 samples"


def test_signed_kernels_show_on_their_paper():
    for paper, ink in (("default", 1.0), ("dark_background", 0.0)):
        with plt.style.context(["default", paper]):
            display = GramDisplay.from_predictions([[1.0, -0.2], [-0.2, 1.0]])
        small = display.ax_.images[0].cmap(0.4)[:3]
        assert abs(np.mean(small) - ink) > 0.2


def test_labels_on_a_part_of_a_figure():
    part = plt.figure().subfigures(1, 2)[0]
    display = EmbeddingDisplay.from_predictions(X[:5], labels=list("abcde"), ax=part.subplots())
    assert display.n_left_out_ == 0
    dark = plt.figure(facecolor="black").subfigures(1, 2)[0].subplots()
    dark.set_facecolor("none")
    shown = OutlierDisplay.from_predictions([0.0, 1.0], 0.5, ax=dark)
    assert sum(shown.ax_.lines[0].get_color()) > 2


def test_sparse_rows_of_a_pipeline_have_support_vectors():
    rows = sparse.csr_array(np.abs(X))
    model = make_pipeline(MaxAbsScaler(), SVC()).fit(rows, Y)
    display = BoundaryDisplay.from_estimator(model, rows, Y, grid_resolution=5)
    np.testing.assert_array_equal(display.support, np.abs(X)[model[-1].support_])


def test_scores_in_order_have_whole_places():
    display = OutlierDisplay.from_predictions([0.1, 0.2, 0.3], 0.15)
    ticks = display.ax_.get_xticks()
    np.testing.assert_array_equal(ticks, np.round(ticks))


def test_curves_are_named_with_their_parameter():
    values = {"svc__gamma": ["scale", "auto"], "svc__C": [1.0, 10.0]}
    search = GridSearchCV(make_pipeline(MaxAbsScaler(), SVC()), values, cv=2).fit(X, Y)
    display = PathDisplay.from_estimator(search, params=("svc__C", "svc__gamma"))
    assert entries(display)[:2] == ["gamma = scale", "gamma = auto"]
    display = PathDisplay.from_estimator(search, params="svc__gamma")
    assert display.ax_.get_xlabel() == "γ (gamma)"
