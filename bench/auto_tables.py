"""AutoKernel beside boosted trees on open tables: ``bench/auto_tables.py [--only SET] [--write]``.

Each table: at most 1,500 rows drawn at random, 70 % to learn from and 30 % held out. AutoKernel has
60 seconds, its default. HistGradientBoosting is tuned by a random search of thirty draws with three
folds. The difference is that of the scores on the held-out rows, with its standard error over these
rows; beyond two standard errors it counts as won or lost. ``--write`` puts the table into
docs/auto.md.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import loguniform, randint
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import RandomizedSearchCV, train_test_split

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.data import folder  # noqa: E402

PAGE = page.DOCS / "auto.md"
ROWS, BUDGET, DRAWS, SEED = 1500, 60, 30, 1
BUNDLED = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
    "diabetes": load_diabetes,
}
# Files; of those with a split, the training rows.
STORED = ("svmguide1", "a9a", "ijcnn1", "concrete", "energy", "kin8nm", "protein",
          "california_housing")  # fmt: skip
HEAD = [
    "table",
    "rows × columns",
    "measure",
    "AutoKernel",
    "its model",
    "boosted trees",
    "difference",
    "verdict",
    "seconds (AutoKernel, trees)",
]
GRID = {
    "learning_rate": loguniform(0.02, 0.3),
    "max_leaf_nodes": randint(4, 40),
    "min_samples_leaf": randint(3, 40),
    "l2_regularization": loguniform(1e-4, 10),
    "max_iter": randint(50, 250),
}


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The tables that are at hand."""
    found = {name: load(return_X_y=True) for name, load in BUNDLED.items()}
    for name in STORED:
        path = folder() / f"{name}.npz"
        if path.is_file():
            with np.load(path) as table:
                found[name] = tuple(_array(table, one) for one in ("X", "y"))
    return found


def _array(table, name: str) -> np.ndarray:
    found = next(table[key] for key in (name, f"{name}_train") if key in table)
    return found.astype(float) if name == "X" or found.dtype.kind == "f" else found


def trees(task: str) -> RandomizedSearchCV:
    """Boosted trees with a small random search."""
    kinds = {
        "classification": HistGradientBoostingClassifier,
        "regression": HistGradientBoostingRegressor,
    }
    model = kinds[task](random_state=0)
    return RandomizedSearchCV(model, GRID, n_iter=DRAWS, cv=3, random_state=0)


def losses(task: str, truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The loss of each row: its mean is 1 - accuracy, or 1 - R²."""
    if task == "classification":
        return (truth != predicted).astype(float)
    return (truth - predicted) ** 2 / truth.var()


def row(name: str, X: np.ndarray, y: np.ndarray) -> list[str]:
    """The line of a table."""
    import mercer

    rows = np.random.RandomState(SEED).permutation(len(y))[:ROWS]
    X, y = X[rows], y[rows]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=SEED)
    began = time.perf_counter()
    auto = mercer.AutoKernel(BUDGET).fit(train, y_train)
    kernels = time.perf_counter() - began
    began = time.perf_counter()
    boosted = trees(auto.task_).fit(train, y_train)
    seconds = time.perf_counter() - began
    ours = losses(auto.task_, y_test, auto.predict(test))
    other = losses(auto.task_, y_test, boosted.predict(test))
    gap = other - ours
    error = gap.std(ddof=1) / np.sqrt(len(gap))
    verdict = "even"
    if abs(gap.mean()) > 2 * error:
        verdict = "won" if gap.mean() > 0 else "lost"
    measure = "accuracy" if auto.task_ == "classification" else "R²"
    return [
        name,
        f"{len(y):,} × {X.shape[1]}",
        measure,
        f"{1 - ours.mean():.4f}",
        auto.best_name_,
        f"{1 - other.mean():.4f}",
        f"{gap.mean():+.4f} ± {error:.4f}",
        verdict,
        f"{kernels:.0f}, {seconds:.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one table")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for name, (X, y) in tables().items():
        if chosen.only in (None, name):
            found.append(row(name, X, y))
            print("  ".join(found[-1]), flush=True)
    counts = {word: sum(line[7] == word for line in found) for word in ("won", "even", "lost")}
    print(", ".join(f"{word}: {count}" for word, count in counts.items()))
    if chosen.write and chosen.only is None:
        page.fill(PAGE, [page.table(HEAD, found)])


if __name__ == "__main__":
    main()
