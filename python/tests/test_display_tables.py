"""Planes through tables of mixed columns and pipelines; names that say what is shown."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pictures import boundary_table, components_pca, grid, iris, moons, path_points
from scipy.stats import loguniform
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import mercer
from mercer import (
    SVC,
    SVR,
    BoundaryDisplay,
    ComponentDisplay,
    EmbeddingDisplay,
    GramDisplay,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    OutlierDisplay,
    ParameterError,
    PathDisplay,
    kernels,
)

rng = np.random.default_rng(2)
N = 40
COLUMNS = {
    "age": rng.integers(20, 60, N).astype(float),
    "title": ["clerk"] * 25 + ["painter"] * 15,
    "income": rng.normal(3, 1, N),
    "number": np.arange(N) * 1e6,  # which no kernel reads
}
CLASSES = (COLUMNS["age"] > 40).astype(int)
NUMBERS = kernels.columns(["age", "income"], kernels.RBF(gamma=0.01))
BOTH = NUMBERS + kernels.columns("title", kernels.Spectrum(2))
TABLES = {
    "dictionary": COLUMNS,
    "pandas": pd.DataFrame(COLUMNS),
    "pandas categories": pd.DataFrame(COLUMNS).astype({"title": "category"}),
    "polars": pl.DataFrame(COLUMNS),
}
every_table = pytest.mark.parametrize("form", list(TABLES))


def at(display, form, title="clerk"):
    """The points of a grid as rows of a table."""
    first, second = grid(display).T
    rest = {"title": [title] * len(first), "number": np.zeros(len(first))}
    return {"age": first, "income": second, **rest}


@every_table
@pytest.mark.parametrize("kernel", [NUMBERS, BOTH])
def test_boundaries_of_kernels_on_columns(form, kernel):
    X = TABLES[form]
    model = SVC(kernel=kernel).fit(X, CLASSES)
    display = BoundaryDisplay.from_estimator(model, X, CLASSES, grid_resolution=12)
    assert display.names == ("age", "income")
    assert display.note == ("other column at the most frequent value" if kernel is BOTH else "")
    expected = model.decision_function(at(display, form))
    assert_allclose(display.decision.ravel(), expected, atol=1e-9)
    where = np.column_stack([COLUMNS["age"], COLUMNS["income"]])
    assert_allclose(display.points, where)
    assert_allclose(display.support, where[model.support_])


@every_table
def test_support_vectors_are_a_table_of_the_columns_read(form):
    X = TABLES[form]
    model = SVC(kernel=BOTH).fit(X, CLASSES)
    found = model.support_vectors_
    assert type(found) is (dict if form == "dictionary" else type(X))
    assert list(found if isinstance(found, dict) else found.columns) == ["age", "title", "income"]
    assert_array_equal(np.asarray(found["age"]), COLUMNS["age"][model.support_])
    assert list(found["title"]) == [COLUMNS["title"][row] for row in model.support_]
    # They are samples themselves.
    assert_allclose(model.decision_function(found), model.decision_function(X)[model.support_])
    kpca = KernelPCA(2, kernel=BOTH).fit(X)
    assert_allclose(kpca.transform(kpca.X_fit_), kpca.transform(X))


def test_support_vectors_from_a_file_are_a_dictionary(tmp_path):
    model = SVC(kernel=BOTH).fit(TABLES["pandas"], CLASSES)
    model.save(tmp_path / "model.mercer")
    found = mercer.load(tmp_path / "model.mercer").support_vectors_
    assert set(found) == {"age", "title", "income"}
    assert_array_equal(found["income"], model.support_vectors_["income"].to_numpy())


def test_other_pictures_of_tables():
    X = TABLES["pandas"]
    third = X.assign(height=rng.normal(size=N))
    kernel = kernels.columns(["age", "income", "height"], kernels.RBF(gamma=0.01))
    model = SVC(kernel=kernel).fit(third, CLASSES)
    with pytest.warns(UserWarning, match="principal components"):
        display = BoundaryDisplay.from_estimator(model, third, CLASSES, grid_resolution=5)
    # What the kernel does not read has no part in the plane.
    assert np.abs(display.first).max() < 100
    chosen = BoundaryDisplay.from_estimator(
        model, third, CLASSES, columns=("height", 0), grid_resolution=5
    )
    assert chosen.names == ("height", "age")
    assert chosen.note == "other column at the median"
    detector = KernelPCADetector(2, kernel=BOTH).fit(X)
    assert OutlierDisplay.from_estimator(detector, X, grid_resolution=5).values.shape == (5, 5)
    shown = ComponentDisplay.from_estimator(KernelPCA(2, kernel=BOTH).fit(X), X, grid_resolution=5)
    assert shown.names == ("age", "income")
    line = SVR(kernel="columns(age: rbf(gamma=0.01))").fit(X, COLUMNS["income"])
    tube = BoundaryDisplay.from_estimator(line, X, COLUMNS["income"])
    assert tube.names[0] == "age"
    assert len(tube.support) == len(line.support_)


def test_refusals_of_tables():
    X = TABLES["pandas"]
    model = SVC(kernel=BOTH).fit(X, CLASSES)
    with pytest.raises(ParameterError, match="no column of numbers 'title': there are 'age'"):
        BoundaryDisplay.from_estimator(model, X, CLASSES, columns=("age", "title"))
    words = SVC(kernel="column(title: spectrum(p=2))").fit(X, CLASSES)
    with pytest.raises(ValueError, match="two columns of numbers, but X has none"):
        BoundaryDisplay.from_estimator(words, X, CLASSES)


def test_pipelines_on_tables():
    X = TABLES["pandas"][["age", "title", "income"]]
    encode = make_column_transformer(
        (StandardScaler(), ["age", "income"]), (OneHotEncoder(sparse_output=False), ["title"])
    )
    steps = make_pipeline(encode, SVC(kernel="linear")).fit(X, CLASSES)
    display = BoundaryDisplay.from_estimator(steps, X, CLASSES, grid_resolution=6)
    assert display.names == ("age", "income")
    first, second = grid(display).T
    rows = pd.DataFrame({"age": first, "title": "clerk", "income": second})
    assert_allclose(display.decision.ravel(), steps.decision_function(rows))
    assert len(display.support) == len(steps[-1].support_)


@pytest.mark.parametrize("wrap", [lambda steps: steps, lambda s: GridSearchCV(s, {"svc__C": [1]})])
def test_the_principal_plane_of_a_pipeline_is_that_of_its_last_step(wrap):
    X = np.column_stack([rng.normal(size=(80, 3)), 1e5 * rng.normal(size=80)])
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    steps = wrap(make_pipeline(StandardScaler(), SVC(gamma=0.2))).fit(X, y)
    display = BoundaryDisplay.from_estimator(steps, X, y, plane="pca", grid_resolution=9)
    scaled = StandardScaler().fit_transform(X)
    alone = SVC(gamma=0.2).fit(scaled, y)
    same = BoundaryDisplay.from_estimator(alone, scaled, y, plane="pca", grid_resolution=9)
    assert_allclose(display.decision, same.decision, atol=1e-3)
    assert_allclose(display.points, same.points, atol=1e-9)
    assert_allclose(display.support, same.support, atol=1e-9)
    assert display.note == "plane through the mean of what the last step sees"
    kpca = make_pipeline(StandardScaler(), KernelPCA(2, kernel="rbf")).fit(X)
    components = ComponentDisplay.from_estimator(kpca, X, plane="pca", grid_resolution=9)
    assert np.abs(components.points).max() < 10


def test_distances_to_clusters_are_called_so():
    X, y = iris()
    model = KernelKMeans(3, gamma=0.3).fit(X)
    for estimator in (model, make_pipeline(StandardScaler(), KernelKMeans(3)).fit(X)):
        display = EmbeddingDisplay.from_estimator(estimator, X, y, components=(2, 0))
        assert display.names == ["distance to cluster 2", "distance to cluster 0"]
    shown = ComponentDisplay.from_estimator(model, X, columns=(0, 1), grid_resolution=5)
    titles = [ax.get_title() for ax in shown.axes_]
    assert titles == [f"distance to cluster {place}" for place in range(3)]
    assert "distance" in [ax.get_ylabel() for ax in shown.figure_.axes]


SIZES = ["small", "medium", "large"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories_stand_in_their_own_order(library):
    X, _ = iris()
    X = X.to_numpy()
    size = np.array(SIZES)[np.digitize(X[:, 3], [0.6, 1.6])]
    y = pd.Series(pd.Categorical(size, SIZES, ordered=True), name="size")
    y = y if library == "pandas" else pl.Series("size", size, dtype=pl.Enum(SIZES))
    kpca = KernelPCA(2, kernel="rbf").fit(X)

    def legend(display):
        texts = [text.get_text() for text in display.figure_.legends[0].get_texts()]
        return [text for text in texts if text in SIZES]

    assert legend(EmbeddingDisplay.from_estimator(kpca, X, y)) == SIZES
    assert legend(ComponentDisplay.from_estimator(kpca, X, y, plane="pca")) == SIZES
    assert GramDisplay.from_estimator(kpca, X, y).classes == SIZES
    model = SVC().fit(X[:, 2:], size)
    display = BoundaryDisplay.from_estimator(model, X[:, 2:], y)
    assert legend(display) == SIZES
    predicted = model.predict(grid(display))
    assert_array_equal(np.array(SIZES)[display.regions.ravel()], predicted)
    # Without categories, classes are sorted.
    assert legend(EmbeddingDisplay.from_estimator(kpca, X, size)) == sorted(SIZES)


def test_two_categories_turn_the_decision_with_them():
    X, y = moons()
    names = np.where(y == 1, "lower", "upper")
    model = SVC(gamma=1.0).fit(X, names)
    ordered = pd.Series(pd.Categorical(names, ["upper", "lower"], ordered=True))
    display = BoundaryDisplay.from_estimator(model, X, ordered)
    assert display.classes == ["upper", "lower"]
    assert_array_equal(display.decision > 0, display.regions == 1)
    assert_array_equal(np.where(display.codes == 1, "lower", "upper"), names)


def test_drawn_combinations_are_points():
    display = path_points()
    assert display.scattered
    assert (display.name, display.second_name) == ("svc__C", "svc__gamma")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("C", "γ (gamma)")
    points = display.ax_.collections[0].get_offsets()
    assert len(points) == np.isfinite(display.mean).sum() == 30
    (best,) = [one.get_label() for one in display.ax_.collections if "best" in one.get_label()]
    assert best.startswith("best: C = ")
    X, y = moons()
    drawn = {"C": loguniform(0.01, 100), "gamma": loguniform(0.01, 10), "kernel": ["rbf", "linear"]}
    search = RandomizedSearchCV(SVC(), drawn, n_iter=12, cv=2, random_state=0).fit(X, y)
    for name in ("kernel", "C"):
        one = PathDisplay.from_estimator(search, params=name)
        assert len(one.ax_.collections[0].get_offsets()) == 12
        assert one.values[one.best_[0]] == search.best_params_[name]
    both = PathDisplay.from_estimator(search, params=("C", "gamma"))
    assert np.isfinite(both.mean).sum() == 12
    one = RandomizedSearchCV(SVC(), {"C": loguniform(0.01, 100)}, n_iter=8, cv=2).fit(X, y)
    assert not PathDisplay.from_estimator(one).scattered
    with pytest.raises(ParameterError, match="'points'"):
        display.plot(kind="dots")


def test_parameters_of_steps_have_short_names():
    X, y = moons()
    steps = make_pipeline(KernelPCA(kernel="rbf"), SVC())
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.1, 1, 10]}
    display = PathDisplay.from_estimator(GridSearchCV(steps, grid, cv=2).fit(X, y))
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("C", "γ (gamma)")
    assert display.ax_.get_title().startswith("best: C = ")
    # Two of one name need their steps.
    both = {"kernelpca__gamma": [0.1, 1, 10], "svc__gamma": [0.1, 1, 10]}
    display = PathDisplay.from_estimator(GridSearchCV(steps, both, cv=2).fit(X, y))
    assert display.ax_.get_xlabel() == "kernelpca__gamma"
    assert display.ax_.get_ylabel() == "svc__gamma"


@pytest.mark.parametrize("made", [components_pca, boundary_table])
def test_names_beside_axes_are_whole(made):
    display = made()
    figure = display.figure_
    figure.canvas.draw()
    renderer, paper = figure.canvas.get_renderer(), figure.bbox
    for ax in display.axes_:
        for label in (ax.xaxis.label, ax.yaxis.label):
            box = label.get_window_extent(renderer)
            assert box.x0 >= paper.x0 - 1
            assert box.y0 >= paper.y0 - 1
            assert box.x1 <= paper.x1 + 1
            assert box.y1 <= paper.y1 + 1
    frame = display.ax_.get_window_extent()
    assert display.ax_.yaxis.label.get_window_extent(renderer).height <= 1.1 * frame.height


def test_long_names_are_broken_between_words():
    X, _ = iris()
    long = "the length of the sepal in centimetres, measured twice and then averaged over both"
    X.columns = [long, "b", "c", "d"]
    model = KernelPCA(2, kernel="rbf").fit(X)
    display = ComponentDisplay.from_estimator(model, X, columns=(1, 0), grid_resolution=5)
    text = display.ax_.get_ylabel()
    assert "\n" in text
    assert text.replace("\n", " ") == long
