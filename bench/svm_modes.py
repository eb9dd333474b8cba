"""Time and accuracy of machines by their mode: ``svm_modes.py [--rows N ...] [--write]``.

Two data sets: land and sea, uniform points of the sphere as unit vectors with the classes of the
package ``global-land-mask``, whose boundary is fine everywhere; and ringnorm, two normal classes
in 20 dimensions, whose boundary is smooth. Each mode is fitted once, on two threads, and scored on
100,000 other points. Exact machines are left out beyond 100,000 rows. ``--write`` puts the table
into docs/svm.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.svm_landmark_cases import ringnorm  # noqa: E402

PAGE = page.DOCS / "svm.md"
HELD_OUT, EXACT = 100_000, 100_000
HEAD = ["data", "rows to train", "mode", "seconds", "accuracy", "support vectors"]
MODES = {
    "land and sea": [
        ("exact", {}),
        ("landmarks=1000", {"landmarks": 1000}),
        ("cells=1000", {"cells": 1000}),
        ("cells=2000", {"cells": 2000}),
    ],
    "ringnorm": [
        ("exact", {}),
        ("landmarks=300", {"landmarks": 300}),
        ("landmarks=1000", {"landmarks": 1000}),
        ("landmarks=300, polish=True", {"landmarks": 300, "polish": True}),
        ("cells=2000", {"cells": 2000}),
    ],
}


def sphere(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform points of the sphere, and whether they are land."""
    from global_land_mask import globe

    X = np.random.default_rng(seed).normal(size=(n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    latitude = np.rad2deg(np.arcsin(np.clip(X[:, 2], -1, 1)))
    longitude = np.rad2deg(np.arctan2(X[:, 1], X[:, 0]))
    return X, np.asarray(globe.is_land(latitude, longitude), dtype=int)


def problem(name: str, n: int) -> tuple[tuple, tuple, dict[str, float]]:
    """Rows to train, rows to test, and parameters."""
    if name == "ringnorm":
        made = ringnorm(n, HELD_OUT, 1)
        return (made.X, made.y), (made.Y, made.start), {"gamma": made.gamma, "C": made.cost}
    # The finer the sample of the coast, the narrower the kernel.
    gamma = 300.0 * n / 100_000
    return sphere(n, 1), sphere(HELD_OUT, 2), {"gamma": gamma, "C": 10.0}


def measured(name: str, n: int) -> list[list[str]]:
    """A row of the table for each mode."""
    from mercer import SVC

    train, held, params = problem(name, n)
    # Memory is touched for the first time, and threads are started, outside of what is timed.
    SVC(**params).fit(train[0][:2000], train[1][:2000])
    rows = []
    for words, mode in MODES[name]:
        if words == "exact" and n > EXACT:
            continue
        if mode.get("polish") and n > EXACT:
            continue
        model, begun = SVC(**params, **mode, n_jobs=2), time.perf_counter()
        model.fit(*train)
        seconds = time.perf_counter() - begun
        accuracy = 100 * model.score(*held)
        rows.append(
            [name, f"{n:,}", f"`{words}`" if mode else words, f"{seconds:.1f}"]
            + [f"{accuracy:.2f} %", f"{len(model.support_):,}"]
        )
        print(*rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> int:
    """Make the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--only", choices=list(MODES))
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args()
    names = [name for name in MODES if arguments.only in (None, name)]
    if "land and sea" in names and importlib.util.find_spec("global_land_mask") is None:
        print("skipped: land and sea: install global-land-mask")
        names.remove("land and sea")
    rows = [row for name in names for n in arguments.rows for row in measured(name, n)]
    words = page.table(HEAD, rows)
    print(words)
    if arguments.write:
        page.fill(PAGE, [words], "modes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
