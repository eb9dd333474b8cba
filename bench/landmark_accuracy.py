"""Errors by the number of landmarks: ``landmark_accuracy.py [--only SET] [--most M] [--write]``.

Ridge regression with an RBF kernel on standardised columns. Of each table, 30 % of the rows, drawn
at random, are held out; the width and the penalty are those of the smallest leave-one-out error on
2,000 of the other rows, the same for all fits. The geoid has its own (bench/data.py). Errors are
root mean squares on the held-out rows. The exact fit is left out where there are too many rows for
one. ``--most`` leaves out larger numbers of landmarks. ``--write`` puts the table into
docs/landmarks.md.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import data, page  # noqa: E402

PAGE = page.DOCS / "landmarks.md"
LANDMARKS = (100, 300, 1000, 3000, 5000)
#: Tables with the units of their targets, and the most rows of an exact fit.
TABLES = {
    "kin8nm": "kin8nm",
    "protein": "protein (Å)",
    "california_housing": "California ($)",
}
WORDS = TABLES | {"geoid": "geoid (m)"}
EXACT = 40_000
SEARCHED, SEED = 2000, 0
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0)
ALPHAS = 10.0 ** np.arange(-4, 2)
HEAD = ["data", "rows to train", *(f"m = {m:,}" for m in LANDMARKS), "exact"]


def split(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Standardised rows and targets, to train and held out."""
    found = np.load(data.folder() / f"{name}.npz")
    X, y = found["X"].astype(float), found["y"].astype(float)
    order = np.random.RandomState(SEED).permutation(len(X))
    held, train = np.split(order, [3 * len(X) // 10])
    center, scale = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - center) / np.where(scale > 0, scale, 1)
    return X[train], y[train], X[held], y[held]


def parameters(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """The width and the penalty with the smallest leave-one-out error."""
    from mercer import KernelRidgeCV

    fits = [
        KernelRidgeCV(ALPHAS, kernel="rbf", gamma=gamma / X.shape[1], fit_intercept=True).fit(X, y)
        for gamma in GAMMAS
    ]
    best = max(fits, key=lambda model: model.best_score_)
    return {"gamma": best.gamma, "alpha": best.alpha_}


def error(train: tuple, held: tuple, **params) -> float:
    """The root mean square error on held-out rows."""
    from mercer import KernelRidge

    model = KernelRidge(kernel="rbf", fit_intercept=True, **params).fit(*train)
    return float(np.sqrt(np.mean((model.predict(held[0]) - held[1]) ** 2)))


def shown(value: float) -> str:
    """Four digits."""
    return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"


def cells(name: str, most: int, exact: int) -> list[str]:
    """The row of a table."""
    if name == "geoid":
        problem = data.geoid(n=1_000_000, m=38_240, landmarks=1)
        train, held = (problem.X, problem.y), (problem.Y, problem.start)
        params = {"gamma": problem.gamma, "alpha": problem.alpha}
    else:
        X, y, *held = split(name)
        train, params = (X, y), parameters(X[:SEARCHED], y[:SEARCHED])
    found = []
    for m in LANDMARKS:
        fits = m <= min(most, len(train[0]) - 1)
        found.append(shown(error(train, held, landmarks=m, **params)) if fits else "–")
        print(name, m, found[-1], file=sys.stderr, flush=True)
    whole = shown(error(train, held, **params)) if len(train[0]) <= exact else "–"
    return [WORDS[name], f"{len(train[0]):,}", *found, whole]


def main() -> int:
    """Make the table."""
    names = (*TABLES, "geoid")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=names)
    parser.add_argument("--most", type=int, default=max(LANDMARKS), help="landmarks at most")
    parser.add_argument("--exact", type=int, default=EXACT, help="rows of exact fits at most")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args()
    if arguments.write and arguments.only:
        parser.error("--write needs all rows, so it does not go with --only")
    chosen = [name for name in names if arguments.only in (None, name)]
    missing = [name for name in chosen if not (data.folder() / f"{name}.npz").is_file()]
    if missing:
        print(f"skipped: {', '.join(missing)}: not in the data folder, {data.folder()}")
        return 0
    warnings.filterwarnings("ignore", message="the best alpha")
    rows, begun = [], time.perf_counter()
    for name in chosen:
        rows.append(cells(name, arguments.most, arguments.exact))
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    words = page.table(HEAD, rows)
    print(words)
    if arguments.write:
        page.fill(PAGE, [words], "errors")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
