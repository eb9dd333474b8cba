"""Time and accuracy of machines by their mode, beside peers.

``svm_modes.py [--rows N ...] [--only DATA] [--mode WORDS ...] [--liquid PYTHON] [--write]``.

Two data sets: land and sea, uniform points of the sphere as unit vectors with the classes of the
package ``global-land-mask``, whose boundary is fine everywhere; and ringnorm, two normal classes
in 20 dimensions, whose boundary is smooth. Each mode is fitted once, on two threads, and scored on
100,000 other points. Exact machines are left out beyond 100,000 rows. Results are kept in
target/svm_modes.json, so that modes can be measured one by one. ``--write`` puts all that are there
into docs/svm-modes.md, and draws docs/figures/svm-modes.png. ``--liquid`` names an interpreter that
has liquidSVM (see liquid_svm.py).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page  # noqa: E402
from bench.svm_landmark_cases import ringnorm  # noqa: E402

PAGE = page.DOCS / "svm-modes.md"
PICTURE = page.DOCS / "figures/svm-modes.png"
KEPT = page.DOCS.parent / "target/svm_modes.json"
HELD_OUT, EXACT = 100_000, 100_000
HEAD = ["data", "rows to train", "model", "seconds", "accuracy"]
#: What is drawn: a data set with its rows.
DRAWN = [("land and sea", 100_000), ("ringnorm", 1_000_000)]
LIQUID, NYSTROEM = "liquidSVM", "Nystroem(1000) + LinearSVC"
OURS: dict[str, dict[str, dict[str, Any]]] = {
    "land and sea": {
        "exact": {},
        "landmarks=1000": {"landmarks": 1000},
        "cells=500": {"cells": 500},
        "cells=1000": {"cells": 1000},
        "cells=2000": {"cells": 2000},
        "cells=500, per_cell=True": {"cells": 500, "per_cell": True},
        "cells=1000, per_cell=True": {"cells": 1000, "per_cell": True},
        'approximation="auto"': {"approximation": "auto"},
    },
    "ringnorm": {
        "exact": {},
        "landmarks=100": {"landmarks": 100},
        "landmarks=300": {"landmarks": 300},
        "landmarks=1000": {"landmarks": 1000},
        "landmarks=300, polish=True": {"landmarks": 300, "polish": True},
        "cells=2000": {"cells": 2000},
        'approximation="auto"': {"approximation": "auto"},
    },
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


def ours(mode: dict[str, Any], params: dict[str, float]) -> Any:
    """A machine; where cells choose, a search with its own grid."""
    from mercer import SVC, SVCSearch

    return SVCSearch(**mode, n_jobs=2) if mode.get("per_cell") else SVC(**params, **mode, n_jobs=2)


def nystroem(params: dict[str, float]) -> Any:
    """The low-rank machine that scikit-learn has."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    features = Nystroem(gamma=params["gamma"], n_components=1000, random_state=0)
    return make_pipeline(features, LinearSVC(C=params["C"], random_state=0))


def timed(model: Any, train: tuple, held: tuple) -> tuple[float, float]:
    """Seconds of a fit, and the accuracy."""
    # Memory is touched for the first time, and threads are started, outside of what is timed.
    model.fit(train[0][:2000], train[1][:2000])
    begun = time.perf_counter()
    model.fit(*train)
    seconds = time.perf_counter() - begun
    return seconds, float(model.score(*held))


def liquid(python: str, train: tuple, held: tuple) -> tuple[float, float]:
    """The same of liquidSVM, which has an interpreter of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npz"
        np.savez(file, X=train[0], y=train[1], Y=held[0], z=held[1])
        script = Path(__file__).with_name("liquid_svm.py")
        done = subprocess.run([python, script, file], capture_output=True, text=True, check=True)
    seconds, _, accuracy = map(float, done.stdout.split()[-3:])
    return seconds, accuracy


Contestants = dict[str, Callable[[tuple, tuple], "tuple[float, float]"]]


def contestants(name: str, n: int, params: dict[str, float], python: str | None) -> Contestants:
    """All machines for a data set."""
    found: Contestants = {}
    for words, mode in OURS[name].items():
        if n > EXACT and (words == "exact" or mode.get("polish")):
            continue
        found[words] = lambda train, held, mode=mode: timed(ours(mode, params), train, held)
    found[NYSTROEM] = lambda train, held: timed(nystroem(params), train, held)
    if python:
        found[LIQUID] = lambda train, held: liquid(python, train, held)
    return found


def measure(name: str, n: int, modes: list[str] | None, python: str | None) -> None:
    """Measure machines, and keep the results."""
    train, held, params = problem(name, n)
    for words, run in contestants(name, n, params, python).items():
        if modes is not None and words not in modes:
            continue
        seconds, accuracy = run(train, held)
        print(name, f"{n:,}", words, f"{seconds:.2f} s", f"{100 * accuracy:.2f} %", flush=True)
        kept = results()
        kept[f"{name}|{n}|{words}"] = [seconds, accuracy]
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1))


def results() -> dict[str, list[float]]:
    """What was measured so far."""
    return json.loads(KEPT.read_text()) if KEPT.is_file() else {}


def rows() -> list[tuple[str, int, str, float, float]]:
    """The same, in the order of the table."""
    order = {name: [*modes, NYSTROEM, LIQUID] for name, modes in OURS.items()}
    found = []
    for key, (seconds, accuracy) in results().items():
        name, n, words = key.split("|")
        if words in order[name]:
            found.append((name, int(n), words, seconds, accuracy))
    return sorted(found, key=lambda row: (row[0], row[1], order[row[0]].index(row[2])))


def table() -> str:
    """All results."""
    cells = [
        [name, f"{n:,}", f"`{words}`" if "=" in words else words, f"{seconds:.1f}"]
        + [f"{100 * accuracy:.2f} %"]
        for name, n, words, seconds, accuracy in rows()
    ]
    return page.table(HEAD, cells)


def draw() -> None:
    """Error against time: ours and peers, with the line of those that none is better than."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for axis, (name, n) in zip(axes, DRAWN, strict=True):
        points = [(w, s, 100 * (1 - a)) for d, m, w, s, a in rows() if (d, m) == (name, n)]
        best, least, lines = [], np.inf, []
        for _, seconds, error in sorted(points, key=lambda point: point[1]):
            if error < least:
                best.append((seconds, error))
                least = error
        axis.plot(*zip(*best, strict=True), color="0.75", zorder=1, drawstyle="steps-post")
        for number, (words, seconds, error) in enumerate(sorted(points, key=lambda p: p[1]), 1):
            peer = words in (LIQUID, NYSTROEM)
            style = {"color": "#D55E00" if peer else "#0072B2", "marker": "s" if peer else "o"}
            axis.scatter(seconds, error, s=42, zorder=2, **style)
            place = {"xytext": (0, 7 if number % 2 else -15), "textcoords": "offset points"}
            axis.annotate(str(number), (seconds, error), ha="center", fontsize=9, **place)
            lines.append(f"{number}  {words}")
        words = {"transform": axis.transAxes, "va": "center", "fontsize": 9}
        axis.text(0.03, 0.6, "\n".join(lines), **words)
        axis.set(xscale="log", yscale="log", xlabel="seconds to train", ylabel="test error, %")
        axis.set_title(f"{name}, {n:,} rows")
        axis.margins(x=0.1, y=0.15)
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.yaxis.set_minor_formatter(lambda value, _: f"{value:g}")
    handles = [
        plt.Line2D([], [], color="#0072B2", marker="o", linestyle="", label="mercer"),
        plt.Line2D([], [], color="#D55E00", marker="s", linestyle="", label="peers"),
        plt.Line2D([], [], color="0.75", label="none is better"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    figure.savefig(PICTURE, dpi=120)
    plt.close(figure)


def main() -> int:
    """Measure, and make the table and the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--only", choices=list(OURS))
    parser.add_argument("--mode", nargs="+", help="these machines alone, as the table names them")
    parser.add_argument("--liquid", metavar="PYTHON", help="an interpreter that has liquidSVM")
    parser.add_argument("--write", action="store_true", help=f"write into {PAGE.name}, and draw")
    arguments = parser.parse_args()
    names = [name for name in OURS if arguments.only in (None, name)]
    if "land and sea" in names and importlib.util.find_spec("global_land_mask") is None:
        print("skipped: land and sea: install global-land-mask")
        names.remove("land and sea")
    for name in names:
        for n in arguments.rows:
            measure(name, n, arguments.mode, arguments.liquid)
    words = table()
    print(words)
    if arguments.write:
        page.fill(PAGE, [words], "modes")
        draw()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
