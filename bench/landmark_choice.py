"""Which samples become landmarks: what each choice leaves of the trace of the kernel matrix.

Ridge leverage scores are not a method of the library: they are computed here, from features on
landmarks drawn uniformly, and the landmarks drawn by them are passed as the caller's own.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mercer  # noqa: E402

from bench import page  # noqa: E402
from bench.data import folder  # noqa: E402

PAGE = page.DOCS / "landmarks.md"
LANDMARKS = 1000
SEEDS = 3
#: Landmarks of the features that leverage scores are computed from.
SKETCH = 2000


def _scaled(X: np.ndarray) -> np.ndarray:
    X = X.astype(np.float64)
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def _left(X: Any, kernel: str, landmarks: Any, method: str, seed: int) -> float:
    params = {"landmarks": landmarks, "landmark_method": method, "random_state": seed}
    facts = mercer.KernelPCA(1, kernel=kernel, **params).fit(X).report_["landmarks"]
    return facts["residual_trace"] / facts["trace"]


def _by_leverage(X: Any, kernel: str, m: int, seed: int) -> Any:
    """Rows drawn by ridge leverage scores; the penalty is what m eigenvalues leave, over m."""
    rng, n = np.random.default_rng(seed), len(X)
    rows = rng.choice(n, min(SKETCH, n), replace=False)
    Z = [X[row] for row in rows] if isinstance(X, list) else X[rows]
    K = mercer.pairwise_kernels(Z, kernel=kernel)
    factor = np.linalg.cholesky(K + 1e-10 * np.trace(K) / len(K) * np.eye(len(K)))
    features = solve_triangular(factor, mercer.pairwise_kernels(Z, X, kernel=kernel), lower=True)
    values, vectors = np.linalg.eigh(features @ features.T)
    penalty = max(values[: max(len(values) - m, 1)].sum() / m, 1e-12 * values[-1])
    scores = ((vectors.T @ features) ** 2 / (values + penalty)[:, None]).sum(axis=0)
    chosen = rng.choice(n, m, replace=False, p=scores / scores.sum())
    return [X[row] for row in chosen] if isinstance(X, list) else X[chosen]


def _row(name: str, X: Any, kernel: str) -> str:
    """Medians over seeds of the share of the trace that is left, in percent."""
    own = [("pivoted_cholesky", True), ("uniform", True), ("kmeans", not isinstance(X, list))]
    found = {}
    for method, is_possible in own:
        if is_possible:
            runs = [_left(X, kernel, LANDMARKS, method, seed) for seed in range(SEEDS)]
            found[method] = float(np.median(runs))
    runs = []
    for seed in range(SEEDS):
        chosen = _by_leverage(X, kernel, LANDMARKS, seed)
        runs.append(_left(X, kernel, chosen, "uniform", seed))
    found["leverage"] = float(np.median(runs))
    cells = [name, f"`{kernel}`"]
    for method in ("pivoted_cholesky", "uniform", "kmeans", "leverage"):
        share = found.get(method)
        ratio = f" ({share / found['uniform']:.2f}×)" if share is not None else ""
        cells.append("–" if share is None else f"{100 * share:.3g} %{ratio}")
    return "| " + " | ".join(cells) + " |\n"


def california() -> tuple[str, Any, str]:
    X = _scaled(np.load(folder() / "california_housing.npz")["X"])
    return "California housing, 20,640 × 8", X, "rbf(gamma=0.125)"


def mnist() -> tuple[str, Any, str]:
    X = np.load(folder() / "mnist.npz")["X_test"] / 255.0
    return "MNIST, 10,000 × 784", X, "rbf(gamma=0.01)"


def kin8nm() -> tuple[str, Any, str]:
    X = _scaled(np.load(folder() / "kin8nm.npz")["X"])
    return "kin8nm, 8,192 × 8", X, "rbf(gamma=0.05)"


def names(p: int) -> tuple[str, Any, str]:
    with gzip.open(folder() / "names.csv.gz", "rt", encoding="utf-8") as file:
        words = [row["name"] for row in csv.DictReader(file)]
    return f"names, {len(words):,} strings", words, f"normalize(spectrum(p={p}))"


SETS: list[Callable[[], tuple[str, Any, str]]] = [
    california,
    mnist,
    kin8nm,
    lambda: names(2),
    lambda: names(3),
]
HEAD = ["data", "kernel", "pivoted Cholesky", "uniform", "means", "leverage scores"]


def choices() -> str:
    """One table of all sets."""
    return page.table(HEAD, []) + "".join(_row(*make()) for make in SETS)


TABLES = {"choices": ("california_housing.npz", choices)}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, and write it into the page with ``--write``."""
    return page.script("Choices of landmarks on four sets.", PAGE, TABLES, folder(), argv)


if __name__ == "__main__":
    sys.exit(main())
