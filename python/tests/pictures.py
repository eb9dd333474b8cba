"""One picture of each display and of what else it can look like, for the image tests."""

import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import (
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_moons,
)
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    PCA,
    SVC,
    SVR,
    BoundaryDisplay,
    ClusterDisplay,
    ComponentDisplay,
    ContributionDisplay,
    DenoisingDisplay,
    DependenceDisplay,
    EmbeddingDisplay,
    GramDisplay,
    ImportanceDisplay,
    InfluenceDisplay,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeCV,
    KmerDisplay,
    OneClassSVM,
    OutlierColumnsDisplay,
    OutlierDisplay,
    PathDisplay,
    SpectrumDisplay,
    SVCSearch,
    kernels,
)

NAMES = """simpson homer; simpson marge; simpson bart; simpson lisa; simpson maggie; simpson abe;
flanders ned; flanders maude; flanders rod; flanders todd; skinner seymour; skinner agnes;
van houten milhouse; van houten kirk; van houten luann; wiggum ralph; wiggum clancy; wiggum sarah;
bouvier patty; bouvier selma; bouvier jacqueline; brockman kent; burns montgomery; smithers waylon;
spuckler cletus; spuckler brandine; nahasapeemapetilon apu; nahasapeemapetilon manjula;
muntz nelson;
carlson carl; leonard lenny; szyslak moe; gumble barney; krabappel edna; lovejoy timothy;
lovejoy helen; lovejoy jessica; hibbert julius; hibbert bernice; riviera nick; prince martin"""
NAMES = [" ".join(name.split()) for name in NAMES.split(";")]


def grid(display):
    """The points of a display's grid, the first coordinate running fastest."""
    a, b = np.meshgrid(display.first, display.second)
    return np.c_[a.ravel(), b.ravel()]


def pixels(display):
    """What a display looks like, to be compared with another."""
    display.figure_.canvas.draw()
    return bytes(display.figure_.canvas.buffer_rgba())


def is_named(ax):
    """Whether axes say what they show: by names, or by values that are words."""
    words = [text.get_text() for text in ax.get_yticklabels()]
    across = ax.get_ylabel() or any(any(map(str.isalpha, word)) for word in words)
    # The upper of two panels above each other leaves the name to the lower.
    hidden = not ax.xaxis.get_tick_params().get("labelbottom", True)
    return bool(across) and (bool(ax.get_xlabel()) or hidden)


def rings():
    return make_circles(120, factor=0.35, noise=0.06, random_state=0)


def moons():
    return make_moons(120, noise=0.2, random_state=4)


def iris():
    flowers = load_iris(as_frame=True)
    return flowers.data, flowers.target_names[flowers.target]


def components():
    X, y = rings()
    names = np.where(y == 1, "inner", "outer")
    return ComponentDisplay.from_estimator(KernelPCA(4, kernel="rbf", gamma=3.0).fit(X), X, names)


def components_iris():
    X, y = iris()
    model = KernelPCA(2, kernel="rbf", gamma=0.3).fit(X)
    columns = ("petal length (cm)", "sepal width (cm)")
    return ComponentDisplay.from_estimator(model, X, y, columns=columns)


def components_pca():
    X, y = iris()
    model = KernelPCA(2, kernel="rbf", gamma=0.3).fit(X)
    return ComponentDisplay.from_estimator(model, X, y, plane="pca")


def spectrum():
    X, _ = iris()
    return SpectrumDisplay.from_estimator(KernelPCA(20, kernel="rbf", gamma=0.5).fit(X))


def spectrum_short():
    X = load_digits().data
    return SpectrumDisplay.from_estimator(PCA(12).fit(X))


def embedding():
    X, y = iris()
    return EmbeddingDisplay.from_estimator(KernelPCA(2, kernel="rbf", gamma=0.3).fit(X), X, y)


def embedding_deep():
    digits = load_digits(n_class=5)
    model = KernelPCA(3, kernel="rbf", gamma=0.001).fit(digits.data)
    rows = slice(0, 400)
    return EmbeddingDisplay.from_estimator(
        model, digits.data[rows], digits.target[rows], components=(0, 1, 2), target_name="digit"
    )


def embedding_value():
    X, _ = iris()
    model = KernelPCA(2, kernel="rbf", gamma=0.3).fit(X)
    return EmbeddingDisplay.from_estimator(model, X, X["petal width (cm)"])


def embedding_names():
    model = KernelPCA(2, kernel="normalize(spectrum(p=3))").fit(NAMES)
    return EmbeddingDisplay.from_estimator(model, NAMES, labels=NAMES)


def gram():
    X, y = iris()
    return GramDisplay.from_estimator(SVC(gamma=0.5).fit(X, y), X, y, max_samples=90)


def gram_clusters():
    X, _ = make_blobs(120, centers=4, random_state=2)
    return GramDisplay.from_estimator(KernelKMeans(4, gamma=0.1, n_init=5).fit(X), X)


def gram_signed():
    X, y = iris()
    model = KernelPCA(2, kernel="linear").fit(X - X.mean())
    return GramDisplay.from_estimator(model, X - X.mean(), y, max_samples=90)


def outliers():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 200)
    ring = np.c_[np.cos(angle), np.sin(angle)] + 0.08 * rng.normal(size=(200, 2))
    X = np.vstack([ring, rng.uniform(-1.6, 1.6, size=(12, 2))])
    return OutlierDisplay.from_estimator(KernelPCADetector(gamma=2.0, contamination=0.05).fit(X), X)


def outliers_names():
    model = KernelPCADetector(8, kernel="normalize(spectrum(p=2))", contamination=0.15).fit(NAMES)
    return OutlierDisplay.from_estimator(model, NAMES, labels=NAMES)


def path():
    rng = np.random.default_rng(1)
    X = np.sort(rng.uniform(-3, 3, 60))[:, None]
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=60)
    return PathDisplay.from_estimator(
        KernelRidgeCV(np.logspace(-4, 3, 22), gamma=1.0, store_cv_results=True).fit(X, y)
    )


def path_curves():
    X, y = moons()
    search = SVCSearch(Cs=2.0 ** np.arange(-4, 9, 2), gammas=[0.03, 0.5, 8.0]).fit(X, y)
    return PathDisplay.from_estimator(search, ax=None, kind="curves")


def path_heat():
    X, y = moons()
    return PathDisplay.from_estimator(SVCSearch().fit(X, y))


def path_halving():
    X, y = make_moons(1200, noise=0.25, random_state=0)
    Cs, gammas = 2.0 ** np.arange(-3, 9, 2), 4.0 ** np.arange(-3, 3)
    search = SVCSearch(Cs, gammas, strategy="halving", refine=1).fit(X, y)
    return PathDisplay.from_estimator(search)


def path_points():
    X, y = moons()
    drawn = {"svc__C": 10.0 ** np.arange(-2, 3, 0.25), "svc__gamma": 10.0 ** np.arange(-3, 2, 0.25)}
    steps = make_pipeline(StandardScaler(), SVC())
    search = RandomizedSearchCV(steps, drawn, n_iter=30, cv=3, random_state=0)
    return PathDisplay.from_estimator(search.fit(X, y))


def boundary():
    X, y = moons()
    names = np.where(y == 1, "lower", "upper")
    return BoundaryDisplay.from_estimator(SVC(C=2.0, gamma=1.0).fit(X, names), X, names)


def boundary_three():
    X, y = iris()
    model = SVC(C=1.0, gamma=0.3).fit(X, y)
    return BoundaryDisplay.from_estimator(model, X, y, plane="pca")


def boundary_table():
    """A kernel on columns of numbers and of texts, and classes with an order of their own."""
    X, _ = iris()
    widths = X["petal width (cm)"]
    y = pd.Series(pd.cut(widths, [0, 0.6, 1.6, 3], labels=["small", "medium", "large"]))
    table = pd.DataFrame({"length": X["petal length (cm)"], "sepals": X["sepal width (cm)"]})
    table["remark"] = np.where(widths > 1, "rather wide", "slim")
    kernel = kernels.columns(["length", "sepals"], kernels.RBF(gamma=0.7))
    kernel += kernels.columns("remark", kernels.Spectrum(2).normalize())
    model = SVC(kernel=kernel).fit(table, y.to_numpy(dtype=str))
    return BoundaryDisplay.from_estimator(model, table, y)


def boundary_usual():
    X = np.random.default_rng(5).poisson(2.0, size=(80, 2)).astype(float)
    return BoundaryDisplay.from_estimator(OneClassSVM(nu=0.15, gamma=0.2).fit(X), X)


def boundary_tube():
    rng = np.random.default_rng(3)
    X = np.sort(rng.uniform(0, 6, 60))[:, None]
    y = np.sin(X[:, 0]) + 0.15 * rng.normal(size=60)
    return BoundaryDisplay.from_estimator(SVR(C=10, epsilon=0.2, gamma=0.5).fit(X, y), X, y)


def denoising():
    X = load_digits().data / 16
    noisy = X[:8] + 0.3 * np.random.default_rng(0).normal(size=(8, 64))
    models = {
        "PCA": PCA(16).fit(X[8:]),
        "kernel PCA": KernelPCA(64, kernel="rbf", gamma="scale").fit(X[8:]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DenoisingDisplay.from_estimator(models, noisy, clean=X[:8], method="fixed_point")


def importance():
    X, y = iris()
    return ImportanceDisplay.from_estimator(SVC().fit(X[::2], y[::2]), X[1::2], y[1::2])


def dependence():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = KernelRidge(0.1, kernel="rbf", gamma=5, fit_intercept=True).fit(X, y)
    return DependenceDisplay.from_estimator(model, X, ["bmi", "s5", "sex"], values=20)


def dependence_words():
    X, y = iris()
    table = pd.DataFrame({"length": X["petal length (cm)"]})
    table["remark"] = np.where(X["petal width (cm)"] > 1, "rather wide", "slim")
    kernel = kernels.columns("length", kernels.RBF(gamma=0.7))
    kernel += kernels.columns("remark", kernels.Spectrum(2).normalize())
    model = SVC(kernel=kernel).fit(table, y)
    return DependenceDisplay.from_estimator(model, table, "remark", target="setosa")


def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


def wide():
    """Samples with many columns of long names, and a table of them."""
    rng = np.random.default_rng(2)
    names = [f"mean concentration of substance {place} in the sample (mg/l)" for place in range(40)]
    return pd.DataFrame(rng.normal(size=(60, 40)), columns=names)


def contribution():
    X, y = diabetes()
    model = KernelRidge(0.1, kernel="rbf", gamma=5, fit_intercept=True).fit(X, y)
    return ContributionDisplay.from_estimator(model, X, row=9, n_permutations=16)


def contribution_exact():
    """A table with words, of a model that is a sum of functions of columns."""
    X, y = iris()
    table = pd.DataFrame({"length": X["petal length (cm)"], "sepals": X["sepal width (cm)"]})
    table["remark"] = np.where(X["petal width (cm)"] > 1, "rather wide", "slim")
    kernel = "columns(length: rbf(gamma=0.5)) + columns(sepals: linear) + column(remark: spectrum)"
    model = SVC(kernel=kernel).fit(table, np.where(y == "setosa", y, "another"))
    return ContributionDisplay.from_estimator(model, table, row=120)


def contribution_wide():
    X = wide()
    model = SVR(kernel="linear").fit(X, -1e4 * X.to_numpy() @ np.geomspace(1, 1e-3, 40))
    return ContributionDisplay.from_estimator(model, X, row=2)


def influence():
    X, y = iris()
    model = SVC(gamma=0.5, C=10).fit(X, y)
    labels = [f"{name} {place}" for place, name in enumerate(y)]
    pair = ("versicolor", "virginica")
    return InfluenceDisplay.from_estimator(model, X, row=77, target=pair, labels=labels)


def influence_names():
    """Training samples with long names, of which all are shown."""
    names = [f"{name}, of the family {name.split()[0]}" for name in NAMES[:9]]
    model = KernelRidge(0.1, kernel="normalize(spectrum(p=2))").fit(names, -np.arange(9.0))
    return InfluenceDisplay.from_estimator(model, ["simpson bartholomew"], labels=names)


def kmers():
    names = [name for name in NAMES if name.split()[0] in ("simpson", "flanders", "van")]
    family = ["simpson" if name.startswith("simpson") else "another" for name in names]
    model = SVC(kernel="normalize(spectrum(p=3))").fit(names, family)
    return KmerDisplay.from_estimator(model, max_substrings=14)


def kmers_long():
    """Substrings that are too long, and letters that have no sign."""
    names = ["a long substring of a text without end", "tab\there", "new\nline", "ends in ", "é"]
    return KmerDisplay.from_predictions(names, [-3e-5, -1e-5, -2e-5, -4e-5, -1.5e-5])


def outlier_columns():
    wine = load_wine(as_frame=True).data
    detector = make_pipeline(StandardScaler(), OneClassSVM(nu=0.05)).fit(wine)
    return OutlierColumnsDisplay.from_estimator(detector, wine, background=wine)


def outlier_columns_wide():
    X = wide()
    X.iloc[3, 7] = -6.0
    return OutlierColumnsDisplay.from_estimator(OneClassSVM(nu=0.1).fit(X), X, row=3)


def clusters():
    X, y = iris()
    model = KernelKMeans(3, kernel="linear", random_state=0).fit(X)
    return ClusterDisplay.from_estimator(model, X, y)


def clusters_wide():
    X = wide()
    X.iloc[:20, :9] += np.linspace(-900, 900, 9)
    model = KernelKMeans(5, kernel="linear", random_state=0).fit(X)
    return ClusterDisplay.from_estimator(model, X, max_columns=12)


def clusters_many():
    X, y = make_blobs(300, 3, centers=20, random_state=1)
    model = KernelKMeans(20, kernel="linear", n_init=1, random_state=0).fit(X)
    return ClusterDisplay.from_estimator(model, X, y % 4)


PICTURES = {
    made.__name__: made
    for made in (
        components,
        components_iris,
        components_pca,
        spectrum,
        spectrum_short,
        embedding,
        embedding_deep,
        embedding_value,
        embedding_names,
        gram,
        gram_clusters,
        gram_signed,
        outliers,
        outliers_names,
        path,
        path_curves,
        path_heat,
        path_halving,
        path_points,
        boundary,
        boundary_three,
        boundary_table,
        boundary_usual,
        boundary_tube,
        denoising,
        importance,
        dependence,
        dependence_words,
        contribution,
        contribution_exact,
        contribution_wide,
        influence,
        influence_names,
        kmers,
        kmers_long,
        outlier_columns,
        outlier_columns_wide,
        clusters,
        clusters_wide,
        clusters_many,
    )
}
# Those that are also compared on dark paper: one of each display.
DARK = (
    "components",
    "spectrum",
    "embedding",
    "embedding_deep",
    "gram",
    "gram_signed",
    "outliers",
    "path_curves",
    "path_halving",
    "path_points",
    "boundary",
    "denoising",
    "importance",
    "dependence",
    "contribution",
    "influence",
    "kmers",
    "outlier_columns",
    "clusters",
)
