"""Parameters that nothing would come of are refused, and so is what matplotlib would fail on."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn.decomposition
from pictures import NAMES, moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    BoundaryDisplay,
    ComponentDisplay,
    DenoisingDisplay,
    EmbeddingDisplay,
    GramDisplay,
    KernelPCA,
    OneClassSVM,
    OutlierDisplay,
    ParameterError,
    PathDisplay,
    SpectrumDisplay,
)

X, Y = moons()
KPCA = KernelPCA(2, kernel="rbf").fit(X)
TEXTS = OneClassSVM(kernel="spectrum(p=2)").fit(NAMES)
SEARCH = GridSearchCV(SVC(), {"C": [1, 2]}, cv=2).fit(X, Y)
AXIS = [0.0, 1.0]
ZEROS, HALVES = np.zeros((1, 2, 2)), np.array([[0, 1], [0, 1]])
DEEP = np.ones((4, 3))
MANY = np.arange(120) % 13


def outliers(**params):
    return lambda: OutlierDisplay.from_estimator(TEXTS, NAMES, **params)


def embedding(*args, **params):
    return lambda: EmbeddingDisplay.from_predictions(X, *args, **params)


def components(**params):
    return lambda: ComponentDisplay.from_predictions(AXIS, AXIS, ZEROS, **params)


def boundary(**params):
    return lambda: BoundaryDisplay.from_predictions(AXIS, AXIS, HALVES, **params)


def path(**params):
    scores = np.arange(9.0).reshape(3, 3)
    return lambda: PathDisplay.from_predictions([1, 2, 3], scores, **params)


def restored(image_shape):
    return lambda: DenoisingDisplay.from_predictions(
        {"a": np.ones((2, 64))}, image_shape=image_shape
    )


IGNORED = {
    "resolution": (outliers(grid_resolution=50), "grid_resolution is for scores over a plane"),
    "margin": (outliers(margin=0.1), "margin is for scores over a plane"),
    "levels": (outliers(levels=10), "levels is for scores over a plane"),
    "columns": (outliers(plane="none", columns=(0, 1)), "columns is for scores over a plane"),
    "kind": (embedding(kind="class"), "kind describes y"),
    "target name": (embedding(target_name="digit"), "target_name describes y"),
    "size": (embedding(size=-3), "size must be a number above 0"),
    "twice": (
        lambda: EmbeddingDisplay.from_estimator(KPCA, X, components=(0, 0)),
        "components must be distinct",
    ),
    "classes of none": (components(y=[0, 1]), "y is given without points"),
    "classes of no samples": (boundary(y=[0, 1]), "y is given without points"),
    "by": (lambda: GramDisplay.from_predictions(np.eye(3), by="city"), "by describes y"),
    "params": (
        lambda: PathDisplay.from_estimator(SEARCH, params=("C", "C")),
        "params must be one or two different",
    ),
    "spread": (path(second_values=[1, 2, 3], spread=-np.ones((3, 3))), "at least 0"),
    "heat": (path(second_values=[1, 2, 3], spread=np.ones((3, 3))), "a heat map shows no spread"),
    "no shape": (restored(64), "image_shape must be"),
    "negative": (restored((-8, -8)), "image_shape must be"),
    "pipeline": (
        lambda: DenoisingDisplay.from_estimator(
            make_pipeline(StandardScaler(), KernelPCA(1)).fit(X), X, method="ridge"
        ),
        "a Pipeline cannot pass method on",
    ),
}


@pytest.mark.parametrize("case", IGNORED)
def test_parameters_without_effect_are_refused(case):
    call, message = IGNORED[case]
    with pytest.raises(ParameterError, match=message):
        call()


def test_spread_of_two_parameters_is_shown_by_curves():
    display = path(second_values=[1, 2, 3], spread=np.ones((3, 3)), kind="curves")()
    assert display.spread.shape == (3, 3)


def missing(nothing, kind=object):
    return np.array(["a", nothing, "b"] + ["a"] * 117, dtype=kind)


WRONG = {
    "three columns": (components(points=DEEP), r"points must have shape \(n, 2\)"),
    "points": (boundary(points=DEEP), r"points must have shape \(n, 2\)"),
    "support": (boundary(support=DEEP), r"support must have shape \(n, 2\)"),
    "no class": (
        lambda: BoundaryDisplay.from_estimator(SVC().fit(X, Y), X, missing(None)),
        "y contains None at row 1",
    ),
    "NaN": (lambda: ComponentDisplay.from_estimator(KPCA, X, missing(np.nan)), "nan at row 1"),
    "NA": (lambda: ComponentDisplay.from_estimator(KPCA, X, missing(pd.NA)), "<NA> at row 1"),
    "values": (
        lambda: ComponentDisplay.from_estimator(KPCA, X, X[:, 0]),
        "bin y",
    ),
    "times": (embedding(np.datetime64("2024-01-01") + np.arange(120)), "y contains times"),
    "spectrum": (
        lambda: SpectrumDisplay.from_estimator(sklearn.decomposition.KernelPCA(2).fit(X)),
        "has no explained_variance_ratio_: pass mercer's KernelPCA or PCA, or its eigenvalues",
    ),
    "panels": (
        lambda: SpectrumDisplay.from_estimator(KPCA, ax=plt.figure().add_subplot()),
        r"plt.subplots\(2, 1, layout='constrained'\)\[1\]",
    ),
    "many classes": (
        lambda: BoundaryDisplay.from_estimator(SVC().fit(X, MANY), X, MANY),
        "regions of 13 classes cannot be distinguished",
    ),
    "sides": (
        boundary(decision=[[1, 1], [-1, 1]]),
        "row 0, column 0 of the grid is 1, but '0' is predicted",
    ),
    "three sides": (
        lambda: BoundaryDisplay.from_predictions(
            AXIS, AXIS, [[0, 1], [2, 1]], decision=np.ones((2, 2))
        ),
        "decision needs two classes",
    ),
    "types": (boundary(points=X[:2], y=["a", "b"]), "must have the same type"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_drawn_is_refused_with_advice(case):
    call, message = WRONG[case]
    with pytest.raises((ValueError, TypeError), match=message):
        call()
