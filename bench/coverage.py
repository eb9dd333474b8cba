"""Coverage of prediction intervals: ``bench/coverage.py [--only SET] [--write]``.

Ten random splits of each table, 70 % to learn from and 30 % held out, at most 1,500 rows of it. A
pipeline standardises the columns; every method aims at 90 %. ``--write`` puts the tables into
docs/uncertainty.md. Friedman's problems are generated with noise of about a third of the deviation.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.data import folder, geoid  # noqa: E402

PAGE = page.DOCS / "uncertainty.md"
SPLITS, ROWS, COVERAGE = 10, 1500, 0.9
STORED = ("concrete", "energy", "kin8nm", "protein", "california_housing")
#: Generated: the function, and the deviation of its noise.
FRIEDMAN = {
    "friedman1": (make_friedman1, 1.7),
    "friedman2": (make_friedman2, 125.0),
    "friedman3": (make_friedman3, 0.1),
}
BUNDLED = {
    "breast_cancer": load_breast_cancer,
    "wine": load_wine,
    "digits": load_digits,
    "iris": load_iris,
}
#: Of these, the training rows.
STORED_CLASSES = ("svmguide1", "a9a", "letter", "usps")
Tables = dict[str, tuple[np.ndarray, np.ndarray]]


def regressions() -> Tables:
    """The tables with a number to predict that are at hand."""
    found = {"diabetes": load_diabetes(return_X_y=True)}
    for name in STORED:
        path = folder() / f"{name}.npz"
        if path.is_file():
            with np.load(path) as table:
                found[name] = (table["X"].astype(float), table["y"].astype(float))
    if (folder() / "geoid.npz").is_file():
        points = geoid(n=ROWS, m=1, landmarks=1)
        found["geoid"] = (points.X, points.y)
    for name, (make, noise) in FRIEDMAN.items():
        found[name] = make(n_samples=ROWS, noise=noise, random_state=0)
    return found


def classifications() -> Tables:
    """The tables with classes that are at hand."""
    found = {name: load(return_X_y=True) for name, load in BUNDLED.items()}
    for name in STORED_CLASSES:
        path = folder() / f"{name}.npz"
        if path.is_file():
            with np.load(path) as table:
                found[name] = (table["X_train"].astype(float), table["y_train"])
    return found


def some(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most 1,500 rows."""
    rows = np.random.RandomState(0).permutation(len(y))[:ROWS]
    return X[rows], y[rows]


def regressors() -> dict:
    """The methods, by name."""
    import mercer

    ridge = make_pipeline(StandardScaler(), mercer.KernelRidgeCV())
    machine = TransformedTargetRegressor(
        make_pipeline(StandardScaler(), mercer.SVR(C=10, epsilon=0.1)),
        transformer=StandardScaler(),
    )
    return {
        "KernelRidgeCV, jackknife+": mercer.ConformalRegressor(ridge),
        "KernelRidgeCV, split": mercer.ConformalRegressor(ridge, method="split"),
        "SVR, cv+": mercer.ConformalRegressor(machine),
    }


def classifiers() -> dict:
    """The methods, by name."""
    import mercer

    machine = make_pipeline(StandardScaler(), mercer.SVC(C=10))
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return {
        "SVC, cv+": mercer.ConformalClassifier(machine),
        "SVC, split": mercer.ConformalClassifier(machine, method="split"),
        "logistic regression, cv+": mercer.ConformalClassifier(logistic),
    }


def interval_row(model, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Coverage of each split, mean width in standard deviations of y, seconds of a fit."""
    covered, widths, seconds = [], [], []
    for seed in range(SPLITS):
        train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=seed)
        began = time.perf_counter()
        lower, upper = model.fit(train, y_train).predict_interval(test)
        seconds.append(time.perf_counter() - began)
        covered.append(np.mean((lower <= y_test) & (y_test <= upper)))
        widths.append(np.mean(upper - lower) / y_train.std())
    return np.array(covered), float(np.mean(widths)), float(np.median(seconds))


def set_row(model, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Coverage of each split, mean size of the sets, seconds of a fit."""
    covered, sizes, seconds = [], [], []
    for seed in range(SPLITS):
        parts = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
        train, test, y_train, y_test = parts
        began = time.perf_counter()
        sets = model.fit(train, y_train).predict_set(test)
        seconds.append(time.perf_counter() - began)
        covered.append(np.mean(sets[np.arange(len(test)), np.searchsorted(model.classes_, y_test)]))
        sizes.append(sets.sum(axis=1).mean())
    return np.array(covered), float(np.mean(sizes)), float(np.median(seconds))


def table(tables: dict, models: dict, row, third: str) -> str:
    """A Markdown table, printed line by line while it is made."""
    lines = [
        f"| table | rows × columns | method | coverage | {third} | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, (X, y) in tables.items():
        X, y = some(X, y)
        for method, model in models.items():
            covered, width, seconds = row(model, X, y)
            error = 100 * covered.std(ddof=1) / np.sqrt(len(covered))
            lines.append(
                f"| {name} | {len(y):,} × {X.shape[1]} | {method} | {100 * covered.mean():.1f} ± "
                f"{error:.1f} % | {width:.2f} | {seconds:.2f} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one table")
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    wanted = {
        kind: {name: data for name, data in found.items() if chosen.only in (None, name)}
        for kind, found in (
            ("intervals", regressions()),
            ("sets", classifications()),
        )
    }
    intervals = table(wanted["intervals"], regressors(), interval_row, "width / std of y")
    sets = table(wanted["sets"], classifiers(), set_row, "classes in a set")
    if chosen.write:
        page.fill(PAGE, [intervals + "\n", sets + "\n"])


if __name__ == "__main__":
    main()
