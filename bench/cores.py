"""How much faster work gets with more cores.

``cores.py [--only WORDS ...] [--repeat N] [--write]``.

Each work is done on 1, 2, 4, … threads, as many as there are cores, in turns; the figures are the
fastest of some rounds. The serial share s is that of Amdahl's law, T(p) = T(1) · (s + (1 − s) / p),
from the largest number of threads that was measured, and the gain on 16 cores is what the law says
where fewer are at hand. It leaves out what cores share, above all memory and caches, and its own
error grows with its distance. Results are kept in target/cores.json, so that works can be measured
one by one; ``--write`` puts all that are there into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import data, page, svm_data  # noqa: E402
from bench.svm_landmark_cases import ringnorm  # noqa: E402
from bench.threads import available  # noqa: E402

PAGE = page.DOCS / "benchmarks.md"
KEPT = page.DOCS.parent / "target/cores.json"
#: Cores that the law is asked about.
MANY = 16
Work = Callable[[int], Any]


def machine(file: str, gamma: float, cost: float, **options: Any) -> Callable[[], Work]:
    """The exact machine of a published set."""

    def made() -> Work:
        from mercer import SVC

        p = svm_data.published(file, gamma, cost, **options)
        return lambda n_jobs: SVC(C=cost, gamma=gamma, n_jobs=n_jobs).fit(p.X, p.y)

    return made


def sphere(n: int, **mode: Any) -> Callable[[], Work]:
    """Machines of points of the sphere."""

    def made() -> Work:
        from mercer import SVC

        p = svm_data.sphere(n)
        options = {"C": p.cost, "gamma": p.gamma, **mode}
        return lambda n_jobs: SVC(**options, n_jobs=n_jobs).fit(p.X, p.y)

    return made


def on_landmarks(n: int) -> Callable[[], Work]:
    """Machines on 500 landmarks."""

    def made() -> Work:
        from mercer import SVC

        p = ringnorm(n, 1000, 500)
        options = {"C": p.cost, "gamma": p.gamma, "landmarks": p.k}
        return lambda n_jobs: SVC(**options, n_jobs=n_jobs).fit(p.X, p.y)

    return made


def search() -> Work:
    """A search of the exact machine."""
    from mercer import SVCSearch

    p = svm_data.published("svmguide1.npz", 1.0, 1.0)
    grid = {"Cs": [1, 10, 100, 1000], "gammas": [0.01, 0.1, 1.0, 10.0]}
    return lambda n_jobs: SVCSearch(**grid, n_jobs=n_jobs).fit(p.X, p.y)


def predictions() -> Work:
    """Decisions of the machine of ijcnn1."""
    from mercer import SVC

    p = svm_data.published("ijcnn1.npz", 2.0, 32.0, m=20_000)
    model = SVC(C=32.0, gamma=2.0).fit(p.X, p.y)
    return lambda n_jobs: model.set_params(n_jobs=n_jobs).decision_function(p.Y)


def gram() -> Work:
    """The whole kernel matrix."""
    from mercer import pairwise_kernels

    X = data.mixture(8000, 50)
    return lambda n_jobs: pairwise_kernels(X, kernel="rbf", gamma=0.02, n_jobs=n_jobs)


def components() -> Work:
    """Ten components."""
    from mercer import KernelPCA

    X = data.mixture(8000, 8)
    return lambda n_jobs: KernelPCA(10, kernel="rbf", gamma=0.125, n_jobs=n_jobs).fit(X)


def ridge() -> Work:
    """A regression by Cholesky."""
    from mercer import KernelRidge

    X = data.mixture(8000, 50)
    y = np.sin(X[:, 0])
    return lambda n_jobs: KernelRidge(1.0, kernel="rbf", gamma=0.02, n_jobs=n_jobs).fit(X, y)


WORKS: dict[str, Callable[[], Work]] = {
    "SVC fit, a9a, 32,561 × 123": machine("a9a.npz", 0.03, 1.0),
    "SVC fit, ijcnn1, 49,990 × 22": machine("ijcnn1.npz", 2.0, 32.0),
    "SVC fit, MNIST, 10,000 × 784": machine("mnist.npz", 0.02, 10.0, n=10_000, divide=255.0),
    "SVC fit, points of the sphere, 100,000 × 3": sphere(100_000),
    "the same, cells=2000": sphere(100_000, cells=2000),
    "SVC fit, ringnorm, 100,000 × 20, landmarks=500": on_landmarks(100_000),
    "SVC search, svmguide1, 4 C × 4 γ × 5 folds": search,
    "SVC decisions, ijcnn1, 20,000 rows": predictions,
    "RBF kernel matrix, 8,000 × 50": gram,
    "kernel PCA, 10 components, 8,000 × 8": components,
    "kernel ridge regression, 8,000 × 50": ridge,
}


def counts() -> list[int]:
    """1, 2, 4, …, and all cores."""
    most = available()
    powers = [2**power for power in range(most.bit_length())]
    return sorted({count for count in powers if count <= most} | {most})


def seconds(work: Work, repeat: int) -> dict[int, float]:
    """The fastest time for each number of threads."""
    best = dict.fromkeys(counts(), np.inf)
    for _ in range(repeat):
        for count in best:
            work(count)
            begun = time.perf_counter()
            work(count)
            best[count] = min(best[count], time.perf_counter() - begun)
    return best


def serial_share(times: dict[int, float]) -> float:
    """The share of Amdahl's law, from the most threads."""
    most = max(times)
    return min(1.0, max(0.0, (most * times[most] / times[1] - 1) / (most - 1)))


def gain(share: float, cores: int) -> float:
    """The gain that the law gives."""
    return 1 / (share + (1 - share) / cores)


def results() -> dict[str, dict[str, float]]:
    """What was measured so far."""
    return json.loads(KEPT.read_text()) if KEPT.is_file() else {}


def row(name: str, times: dict[int, float]) -> list[str]:
    """Seconds, gains, the serial share, and the gain on many cores."""
    share = serial_share(times)
    most = max(times)
    measured = [f"{times[count]:.2f} s" for count in sorted(times)]
    told = f"{100 * share:.1f} %" if most > 1 else "–"
    many = f"{gain(share, MANY):.1f}×" if most < MANY else "measured"
    return [name, *measured, f"{times[1] / times[most]:.2f}×", told, many]


def table() -> str:
    """All results."""
    found = results()
    rows = [
        row(name, {int(count): t for count, t in found[name].items()})
        for name in WORKS
        if name in found
    ]
    threads = [f"{count} thread{'s' * (count > 1)}" for count in counts()]
    head = ["work", *threads, "gain", "serial share", f"gain on {MANY} cores by Amdahl's law"]
    return page.table(head, rows)


def main() -> int:
    """Measure, and make the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="works whose name contains one of these")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"write into {PAGE.name}")
    arguments = parser.parse_args()
    for name, make in WORKS.items():
        if arguments.only is not None and not any(part in name for part in arguments.only):
            continue
        times = seconds(make(), arguments.repeat)
        print(" · ".join(row(name, times)), flush=True)
        kept = results()
        kept[name] = {str(count): t for count, t in times.items()}
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1))
    words = table()
    print(words)
    if arguments.write:
        page.fill(PAGE, [words], "cores")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
