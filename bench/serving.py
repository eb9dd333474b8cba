"""Single-row predictions over HTTP: ``serving.py [--seconds N] [--connections N] [--hostile N]``.

Kernel ridge regression with 1,000 anchors, served by ``mercer serve`` and, with scikit-learn's
estimator of the same kernel and penalty, by FastAPI and uvicorn on one process for each core. Both
must predict the same first; then both answer single rows over connections that stay open, asked by
the program ``load`` (an example of the crate mercer-serve) on the same machine. ``--hostile`` sends
so many random bodies to ``mercer serve`` and prints what became of its memory.

The peer is run by the Python in ``MERCER_PEER_PYTHON``, which has fastapi, uvicorn and
scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ROWS, COLUMNS, ALPHA, GAMMA = 1000, 10, 0.1, 0.05
TOKEN = "token-of-the-benchmark"
PEER = f"""
import numpy as np
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.kernel_ridge import KernelRidge

table = np.loadtxt("table.csv", delimiter=",", skiprows=1)
model = KernelRidge(kernel="rbf", gamma={GAMMA}, alpha={ALPHA}).fit(table[:, :-1], table[:, -1])
app = FastAPI()


class Rows(BaseModel):
    rows: list[list[float]]


@app.post("/predict")
def predict(body: Rows):
    return {{"rows": model.predict(np.asarray(body.rows)).reshape(-1, 1).tolist()}}
"""


def ask(port: int, body: dict) -> list:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/predict",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["rows"]


def wait(port: int, body: dict) -> list:
    for _ in range(300):
        try:
            return ask(port, body)
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server does not answer")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def load(binary: Path, port: int, args: argparse.Namespace, body: dict) -> dict:
    words = [binary, "answers", f"127.0.0.1:{port}", "/predict", TOKEN]
    run = subprocess.run(
        [*words, str(args.connections), str(args.seconds), json.dumps(body)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(run.stdout)


def resident(pid: int) -> float:
    """Memory in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--hostile", type=int, default=0)
    args = parser.parse_args()
    mercer = ROOT / "target/release/mercer"
    binary = ROOT / "target/release/examples/load"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=ROWS)
    tests = rng.normal(size=(50, COLUMNS)).tolist()
    with tempfile.TemporaryDirectory() as folder:
        table = np.column_stack([X, y])
        names = ",".join([*(f"x{i}" for i in range(COLUMNS)), "y"])
        np.savetxt(
            Path(folder) / "table.csv",
            table,
            delimiter=",",
            fmt="%.17g",
            header=names,
            comments="",
        )
        (Path(folder) / "peer.py").write_text(PEER)
        fit = f"krr table.csv --target y --kernel rbf(gamma={GAMMA}) --alpha {ALPHA} --scale none"
        words = [
            mercer,
            *fit.split(),
            "--no-intercept",
            "--no-score",
            "--model",
            "m.mercer",
            "--quiet",
        ]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
        ports = {"mercer serve": free_port(), "FastAPI + scikit-learn": free_port()}
        ours = [mercer, "serve", "m.mercer", "--quiet", "--token", TOKEN]
        peer = [os.environ.get("MERCER_PEER_PYTHON", sys.executable), "-m", "uvicorn", "peer:app"]
        peer += ["--log-level", "error", "--workers", str(os.cpu_count())]
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        processes = {
            name: subprocess.Popen(
                [*words, "--port", str(ports[name])],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                env=one_thread if "Fast" in name else None,
            )
            for name, words in {"mercer serve": ours, "FastAPI + scikit-learn": peer}.items()
        }
        try:
            answers = {
                name: np.array(wait(port, {"rows": tests}), float) for name, port in ports.items()
            }
            first, other = answers.values()
            difference = np.abs(first - other).max()
            assert difference < 1e-6, difference
            print(f"both predict the same up to {difference:.1e}")
            rates = {}
            for _ in range(2):
                for name, port in ports.items():
                    found = load(binary, port, args, {"rows": tests[:1]})
                    rates.setdefault(name, []).append(found)
            best = {name: max(found, key=lambda one: one["rate"]) for name, found in rates.items()}
            for name, found in best.items():
                print(f"{name}: {found}")
            ratio = best["mercer serve"]["rate"] / best["FastAPI + scikit-learn"]["rate"]
            print(f"ratio of rates: {ratio:.1f}")
            if args.hostile:
                server = processes["mercer serve"]
                words = [
                    binary,
                    "hostile",
                    f"127.0.0.1:{ports['mercer serve']}",
                    "/predict",
                    TOKEN,
                    "16",
                ]
                memory = [resident(server.pid)]
                for _ in range(10):
                    run = subprocess.run(
                        [*words, str(args.hostile // 10)],
                        capture_output=True,
                        text=True,
                        check=True,
                    )
                    memory.append(resident(server.pid))
                    print(run.stdout.strip(), f"{memory[-1]:.1f} MiB", flush=True)
                assert server.poll() is None and wait(ports["mercer serve"], {"rows": tests[:1]})
                print("memory in MiB:", " ".join(f"{m:.1f}" for m in memory))
        finally:
            for process in processes.values():
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
