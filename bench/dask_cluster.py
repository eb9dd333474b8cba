"""Fits on a Dask cluster on this machine: beside the local stream fit, and beside dask-ml.

    python bench/dask_cluster.py               # 10^6 x 28, 1,000 landmarks, two workers of a thread
    python bench/dask_cluster.py --peer        # beside dask-ml: Nystroem by blocks + linear model
    python bench/dask_cluster.py --rates       # what bench/dask_tree.py computes with
    python bench/dask_cluster.py --quick       # tiny sizes: tests the script

First checks that the results are the same to the last bit (of the peer: that the errors are alike),
then prints times, their ratio, the peak memory of workers, and the bytes that each of them sent
beside the size of the sums, which are m x m doubles. Rows are spread evenly over workers before.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

# A script of this folder has the name of a package that others import.
sys.path[:] = [one for one in sys.path if Path(one).resolve() != Path(__file__).resolve().parent]

import dask.array as da  # noqa: E402
import mercer  # noqa: E402
import mercer.dask  # noqa: E402
import numpy as np  # noqa: E402
from distributed import Client, LocalCluster, wait  # noqa: E402
from mercer import _core  # noqa: E402
from mercer.dask import _blocks  # noqa: E402

COLUMNS = 28
#: Bytes that are sent to measure a link.
LOAD = 64 << 20
#: Where rates are kept for bench/dask_tree.py.
RATES = Path(__file__).resolve().parent.parent / "target/dask_rates.json"


def sent(dask_worker: Any) -> int:
    """The bytes that a worker has sent to others and to the client."""
    return int(dask_worker.transfer_outgoing_bytes_total)


def peak() -> int:
    """The highest memory of this process, in bytes."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines["VmHWM"].split()[0]) * 1024


def timed(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The shortest of some times, and the result."""
    found, best = None, float("inf")
    for _ in range(times):
        started = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - started)
    return best, found


def chunk(number: int, rows: int) -> np.ndarray:
    """Some rows, which a worker makes as it would read them."""
    return np.random.default_rng(number).normal(size=(rows, COLUMNS))


def spread(client: Client, n: int, size: int) -> da.Array:
    """Rows that lie on the workers in turn, in chunks of a size."""
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    sizes = [min(size, n - start) for start in range(0, n, size)]
    futures = [
        client.submit(chunk, i, rows, workers=[workers[i % len(workers)]], pure=False)
        for i, rows in enumerate(sizes)
    ]
    wait(futures)
    parts = zip(futures, sizes, strict=True)
    return da.concatenate([da.from_delayed(one, (k, COLUMNS), float) for one, k in parts]).persist()


def against_stream(client: Client, n: int, m: int, times: int, only: str | None) -> None:
    """Kernel PCA and ridge regression, beside the local stream fit on two threads."""
    size = -(-n // 16 // 16_384) * 16_384
    blocks = spread(client, n, size)
    targets = da.sin(blocks[:, 0]).persist()
    wait(targets)
    X, y = (np.require(one.compute(), requirements="AC") for one in (blocks, targets))
    options: dict[str, Any] = {"kernel": "rbf", "gamma": 1 / COLUMNS, "landmarks": m}
    pairs = {
        "kernel PCA": (
            lambda: mercer.KernelPCA(10, n_jobs=2, **options).fit(mercer.scan(X)),
            lambda: mercer.dask.KernelPCA(n_components=10, **options).fit(blocks),
            "eigenvalues_",
        ),
        "ridge": (
            lambda: mercer.KernelRidge(0.1, n_jobs=2, **options).fit(
                lambda: ((X[i : i + size], y[i : i + size]) for i in range(0, n, size))
            ),
            lambda: mercer.dask.KernelRidge(alpha=0.1, **options).fit(blocks, targets),
            "dual_coef_",
        ),
    }
    for name, (stream, cluster, attribute) in pairs.items():
        if only not in (None, name):
            continue
        here, there = float("inf"), float("inf")
        for _ in range(times):
            seconds, local = timed(stream, 1)
            here = min(here, seconds)
            before = client.run(sent)
            seconds, found = timed(cluster, 1)
            there = min(there, seconds)
            moved = [after - before[one] for one, after in client.run(sent).items()]
        if not np.array_equal(getattr(local, attribute), getattr(found.to_local(), attribute)):
            raise SystemExit(f"{name}: the results differ")
        sums = 8 * m * m
        peaks = [bytes_ / 2**20 for bytes_ in client.run(peak).values()]
        print(
            f"{name}, {n:,} x {COLUMNS}, m = {m:,}: stream on two threads {here:.2f} s, two "
            f"workers {there:.2f} s: {there / here:.3f} times; sent by each worker "
            f"{', '.join(f'{one / sums:.2f}' for one in moved)} times the sums; peaks "
            f"{', '.join(f'{one:.0f}' for one in peaks)} MiB with their rows; same bits"
        )


def against_peer(client: Client, n: int, m: int) -> None:
    """Ridge regression, beside Nystroem by blocks with dask-ml's linear regression."""
    from dask_ml.linear_model import LinearRegression
    from sklearn.kernel_approximation import Nystroem

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 20_000, COLUMNS))
    truth = np.sin(X[:, 0]) * X[:, 1] + X[:, 2]
    y = truth[:n] + 0.1 * rng.normal(size=n)
    X, held, truth = X[:n], X[n:], truth[n:]
    size = -(-n // 8 // 16_384) * 16_384
    blocks = da.from_array(X, chunks=(size, COLUMNS)).persist()
    targets = da.from_array(y, chunks=size).persist()
    wait([blocks, targets])
    options: dict[str, Any] = {"kernel": "rbf", "gamma": 0.3 / COLUMNS}

    def peer() -> np.ndarray:
        features = Nystroem(n_components=m, random_state=0, **options).fit(X[:20_000])
        rows = blocks.map_blocks(features.transform, chunks=(blocks.chunks[0], (m,)), dtype=float)
        model = LinearRegression(solver="lbfgs", C=1e4, fit_intercept=True, max_iter=100)
        model.fit(rows.persist(), targets)
        return np.asarray(model.predict(features.transform(held)))

    def own() -> np.ndarray:
        model = mercer.dask.KernelRidge(alpha=1e-2, landmarks=m, fit_intercept=True, **options).fit(
            blocks, targets
        )
        return np.asarray(model.to_local().predict(held))

    own()
    ours, found = timed(own, 1)
    theirs, other = timed(peer, 1)
    errors = [float(np.sqrt(np.mean((one - truth) ** 2))) for one in (found, other)]
    print(
        f"ridge, {n:,} x {COLUMNS}, m = {m:,}: {ours:.2f} s, dask-ml {theirs:.2f} s: "
        f"{theirs / ours:.2f} times; held-out errors {errors[0]:.4f} and {errors[1]:.4f}"
    )
    if errors[0] > 1.02 * errors[1]:
        raise SystemExit("the errors are not alike")


def rates(client: Client, n: int, m: int) -> dict[str, Any]:
    """What a pass costs here: rows per second of tasks that add rows up, the times of tasks over
    their mean, seconds to put two packets together, the bytes of one, and those that go from worker
    to worker in a second.
    """
    rows = 4 * 16_384
    blocks = spread(client, n, rows)
    options: dict[str, Any] = {"kernel": "rbf", "gamma": 1 / COLUMNS, "landmarks": m}
    with patch.object(_core, "merge_parts", wraps=_core.merge_parts) as merging:
        mercer.dask.KernelPCA(n_components=10, **options).fit(blocks)
    packets = merging.call_args.args[0]
    whole = task_seconds(client)[: n // rows]
    mean = sum(whole) / len(whole)
    first, second = list(client.scheduler_info(n_workers=-1)["workers"])[:2]

    def on(worker: str, work: Callable, *given: Any) -> float:
        run = {"workers": [worker], "pure": False}
        return timed(lambda: client.submit(work, *given, **run).result(), 5)[0]

    sent = client.scatter(packets, workers=[first])
    nothing = on(first, len, sent)
    together = on(first, merged, sent)
    return {
        "landmarks": m,
        "rate": rows / mean,
        "times": [one / mean for one in whole],
        "merge": (together - nothing) / (len(packets) - 1),
        "packet": len(packets[0]),
        "link": LOAD / max(1e-6, moved(client, first, second) - nothing),
    }


def task_seconds(client: Client) -> list[float]:
    """The seconds of the tasks of the last pass that added rows up, in the order of the rows."""
    topics = client.get_events()
    topic = max((one for one in topics if one.startswith("mercer-sums-")), key=lambda t: topics[t])
    times: dict[int, float] = {}
    for at, (kind, number) in sorted(topics[topic]):
        times[number] = at - times[number] if kind == "ended" else at
    return [times[number] for number in sorted(times)]


def moved(client: Client, first: str, second: str) -> float:
    """The shortest of the seconds in which some bytes go from one worker to another."""
    best = float("inf")
    for _ in range(5):
        load = client.submit(bytes, LOAD, workers=[first], pure=False)
        wait(load)
        there = client.submit(len, load, workers=[second], pure=False)
        best = min(best, timed(there.result, 1)[0])
    return best


def merged(packets: list[bytes]) -> int:
    """Put packets together."""
    return len(_blocks.merge(packets))


def main() -> None:
    """Run what the flags ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--rates", action="store_true", help="measure, and keep, rates and times")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--landmarks", type=int)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--only", choices=["kernel PCA", "ridge"])
    flags = parser.parse_args()
    n = flags.rows or (50_000 if flags.quick else 200_000 if flags.peer else 1_000_000)
    m = flags.landmarks or (100 if flags.quick else 300 if flags.peer else 1000)
    with (
        LocalCluster(2, threads_per_worker=1, memory_limit="4GiB", dashboard_address=None) as one,
        Client(one) as client,
    ):
        if flags.rates:
            found = rates(client, n, m)
            RATES.parent.mkdir(exist_ok=True)
            RATES.write_text(json.dumps(found))
            spread_of = f"{min(found['times']):.2f} to {max(found['times']):.2f}"
            print(
                f"{found['rate']:,.0f} rows a second of a worker, tasks of {spread_of} of the mean "
                f"time; packets of {found['packet'] / 1e6:.1f} MB, {found['merge'] * 1e3:.1f} ms "
                f"to put two together; {found['link'] / 1e6:,.0f} MB/s from worker to worker"
            )
        elif flags.peer:
            against_peer(client, n, m)
        else:
            against_stream(client, n, m, flags.times, flags.only)


if __name__ == "__main__":
    main()
