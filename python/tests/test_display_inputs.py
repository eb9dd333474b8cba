"""What displays refuse, and what they say then."""

import builtins
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pictures import NAMES, iris, moons
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from mercer import (
    PCA,
    SVC,
    SVR,
    BoundaryDisplay,
    ComponentDisplay,
    DenoisingDisplay,
    EmbeddingDisplay,
    GramDisplay,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeCV,
    OneClassSVM,
    OutlierDisplay,
    PathDisplay,
    SpectrumDisplay,
)

X, Y = moons()
FOUR = iris()[0].to_numpy()
KPCA = KernelPCA(2, kernel="rbf").fit(X)
WIDE = KernelPCA(2, kernel="rbf").fit(FOUR)
SPOILT = np.where(np.arange(240).reshape(120, 2) == 7, np.nan, X)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ComponentDisplay.from_estimator(KPCA, X),
        lambda: ComponentDisplay.from_predictions([0, 1], [0, 1], np.zeros((1, 2, 2))),
        lambda: SpectrumDisplay.from_estimator(KPCA),
        lambda: SpectrumDisplay.from_predictions([1.0]),
        lambda: EmbeddingDisplay.from_estimator(KPCA, X),
        lambda: EmbeddingDisplay.from_predictions(X),
        lambda: GramDisplay.from_estimator(KPCA, X),
        lambda: GramDisplay.from_predictions(np.eye(2)),
        lambda: OutlierDisplay.from_estimator(OneClassSVM().fit(X), X),
        lambda: OutlierDisplay.from_predictions([1.0], 0.0),
        lambda: PathDisplay.from_estimator(KernelRidgeCV().fit(X, Y)),
        lambda: PathDisplay.from_predictions([1.0], [1.0]),
        lambda: BoundaryDisplay.from_estimator(SVC().fit(X, Y), X),
        lambda: BoundaryDisplay.from_predictions([0, 1], [0, 1], np.zeros((2, 2))),
        lambda: DenoisingDisplay.from_estimator(PCA(1).fit(X), X),
        lambda: DenoisingDisplay.from_predictions({"a": X}),
        lambda: SpectrumDisplay(np.ones(1), np.ones(1)).plot(),
    ],
)
def test_without_matplotlib_the_error_says_what_to_install(call, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def absent(name, *rest, **more):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        call()


def test_the_package_is_imported_without_matplotlib():
    import subprocess

    code = "import mercer, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: ComponentDisplay.from_estimator(KernelPCA(2), X),
        lambda: SpectrumDisplay.from_estimator(PCA(2)),
        lambda: EmbeddingDisplay.from_estimator(KernelPCA(2), X),
        lambda: GramDisplay.from_estimator(SVC(), X),
        lambda: OutlierDisplay.from_estimator(KernelPCADetector(), X),
        lambda: PathDisplay.from_estimator(KernelRidgeCV()),
        lambda: BoundaryDisplay.from_estimator(SVC(), X),
        lambda: DenoisingDisplay.from_estimator(PCA(2), X),
    ],
)
def test_estimators_must_be_fitted(call):
    with pytest.raises(NotFittedError, match="not fitted"):
        call()


def components(*args, **params):
    return lambda: ComponentDisplay.from_estimator(*args, **params)


def boundary(*args, **params):
    return lambda: BoundaryDisplay.from_estimator(*args, **params)


def embedding(*args, **params):
    return lambda: EmbeddingDisplay.from_predictions(*args, **params)


def path(*args, **params):
    return lambda: PathDisplay.from_predictions(*args, **params)


def spectrum(*args, **params):
    return lambda: SpectrumDisplay.from_predictions(*args, **params)


def denoised(*args, **params):
    return lambda: DenoisingDisplay.from_predictions(*args, **params)


def gram(*args, **params):
    return lambda: GramDisplay.from_predictions(*args, **params)


TEXTS = KernelPCA(2, kernel="spectrum(p=2)").fit(NAMES)
GIVEN = KernelPCA(2, kernel="precomputed").fit(X @ X.T)
MACHINE = SVC().fit(X, Y)
SEARCH = GridSearchCV(SVC(), {"C": [1, 2], "gamma": [1, 2], "degree": [2, 3]}, cv=2).fit(X, Y)

CASES = {
    "class": (components(KernelPCA, X), "is a class: pass a fitted estimator"),
    "columns of X": (components(KPCA, FOUR), "4 columns, but the KernelPCA was fitted with 2"),
    "one column": (components(KernelPCA(1).fit(X[:, :1]), X[:, :1]), "a plane needs two columns"),
    "no table": (components(KPCA, X[0]), "not rows of numbers"),
    "NaN": (components(KPCA, SPOILT), "NaN at row 3, column 1"),
    "one sample, pca": (components(WIDE, FOUR[:1], plane="pca"), "choose two columns"),
    "beyond": (components(WIDE, FOUR, columns=(0, 4)), "column 4 is out of range"),
    "twice": (components(WIDE, FOUR, columns=(1, 1)), "columns must be distinct"),
    "three": (components(WIDE, FOUR, columns=(0, 1, 2)), "two numbers or names"),
    "name": (components(WIDE, FOUR, columns=(0, "width")), "there is no column 'width'"),
    "half": (components(WIDE, FOUR, columns=(0, 1.5)), "a number or a name"),
    "plane": (components(WIDE, FOUR, plane="lda"), "plane must be one of"),
    "plane and columns": (components(WIDE, FOUR, plane="pca", columns=(0, 1)), "leave one"),
    "which columns": (components(WIDE, FOUR, plane="columns"), "say which two"),
    "texts": (components(TEXTS, NAMES), "there is no plane of them: show them with Embedding"),
    "matrix": (components(GIVEN, X @ X.T), "there is no plane of samples"),
    "resolution": (components(KPCA, X, grid_resolution=1), "grid_resolution must be"),
    "margin": (components(KPCA, X, margin=-1), "margin must be"),
    "too many": (components(KPCA, X, n_components=3), "an integer from 1 to 2"),
    "levels": (components(KPCA, X, levels=0), "levels must be"),
    "y": (components(KPCA, X, Y[:-1]), "one label for each of the 120 samples"),
    "mixed y": (components(KPCA, X, np.array(["a", 1] * 60, dtype=object)), "mixes strings"),
    "NaN in y": (components(KPCA, X, np.where(Y, np.nan, 1.0)), "y contains nan at row"),
    "axes": (components(KPCA, X, ax=plt.figure().add_subplot()), "2 panels, but ax has 1 axes"),
    "no axes": (components(KPCA, X, ax=[1, 2]), "ax must be matplotlib axes"),
    "style": (components(KPCA, X, color="red"), "unexpected keyword"),
    "no transform": (components(MACHINE, X), "needs an estimator with transform"),
    "no spectrum": (
        lambda: SpectrumDisplay.from_estimator(MACHINE),
        "SVC has no explained_variance_ratio_",
    ),
    "share": (spectrum([1.0], share=1.5), "share must be a number above 0"),
    "rising": (spectrum([1.0, 2.0]), "must fall"),
    "negative": (spectrum([1.0, -0.5]), "give explained_variance_ratio"),
    "ratios": (spectrum([1.0, 0.5], explained_variance_ratio=[1.0]), "sequence of 2 numbers"),
    "four axes": (embedding(FOUR), "two or three columns, not 4"),
    "labels": (embedding(X, labels=["a"]), "labels must be 120 strings"),
    "deep labels": (embedding(FOUR[:, :3], labels=["a"] * 150), "two dimensions only"),
    "kind": (embedding(X, Y, kind="colour"), "kind must be 'class', 'value' or None"),
    "no values": (embedding(X, ["a"] * 120, kind="value"), "y must be numbers"),
    "names": (embedding(X, names=["a"]), "names must be 2"),
    "flat axes": (embedding(FOUR[:, :3], ax=plt.figure().add_subplot()), "projection='3d'"),
    "component": (
        lambda: EmbeddingDisplay.from_estimator(KPCA, X, components=(0, 2)),
        "the estimator has 2",
    ),
    "one component": (
        lambda: EmbeddingDisplay.from_estimator(KPCA, X, components=(0,)),
        "two or three integers",
    ),
    "no kernel": (lambda: GramDisplay.from_estimator(PCA(2).fit(X), X), "not a mercer estimator"),
    "not square": (gram(X), "a kernel matrix must be square"),
    "how many": (gram(np.eye(3), max_samples=0), "max_samples must be"),
    "no threshold": (
        lambda: OutlierDisplay.from_estimator(PCA(2).fit(X), X),
        "has no threshold offset_",
    ),
    "parts": (lambda: OutlierDisplay.from_predictions([1.0], 0.0, first=[1.0]), "belong together"),
    "threshold": (lambda: OutlierDisplay.from_predictions([1.0], None), "threshold must be"),
    "NaN score": (lambda: OutlierDisplay.from_predictions([1.0, np.nan], 0), "nan at position 1"),
    "columns for texts": (
        lambda: OutlierDisplay.from_estimator(
            OneClassSVM(kernel="spectrum(p=2)").fit(NAMES), NAMES, columns=(0, 1)
        ),
        "there is no plane of them",
    ),
    "new rows of a matrix": (
        lambda: OutlierDisplay.from_estimator(
            KernelPCADetector(2, kernel="precomputed").fit(X @ X.T), (X @ X.T)[:5]
        ),
        "must be the square kernel matrix",
    ),
    "no scores": (
        lambda: PathDisplay.from_estimator(KernelRidgeCV().fit(X, Y)),
        "store_cv_results=True",
    ),
    "no search": (lambda: PathDisplay.from_estimator(MACHINE), "SVC is not a search"),
    "three parameters": (lambda: PathDisplay.from_estimator(SEARCH), "a picture shows two"),
    "unknown": (lambda: PathDisplay.from_estimator(SEARCH, params="nu"), "params must be"),
    "models alone": (lambda: PathDisplay.from_estimator([MACHINE]), "need samples to be scored"),
    "samples": (lambda: PathDisplay.from_estimator(SEARCH, X, Y), "leave X and y out"),
    "shape": (path([1.0, 2.0], [1.0]), "scores must have the shape 2"),
    "unsorted": (path([2.0, 1.0], [1.0, 2.0]), "values must be in ascending"),
    "all NaN": (path([1.0], [np.nan]), "all scores are NaN"),
    "heat": (path([1.0], [1.0], kind="heat"), "a heat map needs two parameters"),
    "two spreads": (path([1.0], [[1.0, 2.0]], spread=[1.0]), "have their own"),
    "strange class": (
        boundary(MACHINE, X, Y + 1),
        "y contains the class 2, which is not one of 0, 1",
    ),
    "no boundary": (boundary(KernelKMeans(2).fit(X), X), "has no decision boundary"),
    "two columns": (boundary(SVR().fit(X, Y), X, Y), "along one column, and X has 2"),
    "no targets": (boundary(KernelRidge().fit(X[:, :1], Y), X[:, :1]), "give y"),
    "line": (boundary(SVR().fit(X[:, :1], Y), X[:, :1], Y, plane="pca"), "omit columns and plane"),
    "grid": (
        lambda: BoundaryDisplay.from_predictions([0, 1], [0, 1, 2], np.zeros((2, 3))),
        "a table of 3 × 2 numbers",
    ),
    "pixels": (denoised({"a": np.ones((2, 15))}), "15 pixels are not square"),
    "image shape": (denoised({"a": np.ones((2, 15))}, image_shape=(4, 4)), "image_shape must be"),
    "no methods": (denoised({}), "and not empty"),
    "taken": (denoised({"clean": np.ones((2, 4))}), "name of another row"),
    "other images": (denoised({"a": np.ones((2, 4))}, np.ones((3, 4))), "show the same images"),
    "ways back": (
        lambda: DenoisingDisplay.from_estimator(PCA(1).fit(X), X, method="ridge"),
        "method has no effect",
    ),
    "no way back": (
        lambda: DenoisingDisplay.from_estimator(KernelKMeans(2).fit(X), X),
        "has no inverse_transform",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said(case):
    call, message = CASES[case]
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_the_plane_of_many_columns_is_said_where_nobody_chose_it():
    with pytest.warns(UserWarning, match=r"this is the plane of the first two .* columns=\(0, 1\)"):
        display = ComponentDisplay.from_estimator(WIDE, FOUR, grid_resolution=5)
    assert display.note == "plane through the mean"


def test_few_samples_and_one_class_are_pictures_too():
    one = ComponentDisplay.from_estimator(KPCA, X[:1], ["a"], grid_resolution=5)
    assert one.first[0] < X[0, 0] < one.first[-1]
    alike = np.zeros((5, 2))
    model = KernelPCA(1, kernel="rbf").fit(alike)
    flat = ComponentDisplay.from_estimator(model, alike, grid_resolution=5)
    assert np.abs(flat.values).max() < 1e-6
    assert EmbeddingDisplay.from_predictions(X[:1], labels=["a"]).n_left_out_ == 0
    assert GramDisplay.from_predictions([[1.0]], ["a"]).sizes.tolist() == [1]
    assert SpectrumDisplay.from_predictions([2.0]).n_needed_ == 1
    assert OutlierDisplay.from_predictions([1.0], 2.0).flagged_.tolist() == [True]
    sure = BoundaryDisplay.from_predictions([0, 1], [0, 1], np.zeros((2, 2), dtype=int))
    assert sure.classes == ["0"]


def test_data_frames_of_both_libraries_give_names():
    polars = pytest.importorskip("polars")
    for frame in (pd.DataFrame, polars.DataFrame):
        table = frame({"height": X[:, 0], "width": X[:, 1]})
        model = SVC().fit(table, Y)
        display = BoundaryDisplay.from_estimator(model, table, Y, grid_resolution=5)
        assert display.names == ("height", "width")
