"""Coverage of 90 % intervals of `mercer predict`, conformal and by the posterior, on held-out rows.

Ten random splits of each table, 70 % to fit on. Run after `cargo build`; prints a Markdown table.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

MERCER = Path(__file__).resolve().parent.parent / "target" / "debug" / "mercer"
METHODS = ("conformal", "posterior")


def run(folder: Path, *words: str) -> bytes:
    done = subprocess.run([MERCER, *words, "-q"], cwd=folder, check=True, capture_output=True)
    return done.stdout


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    run(folder, "demo", "--data", "houses.csv")
    houses = pd.read_csv(folder / "houses.csv").rename(columns={"price": "y"})
    diabetes = load_diabetes(as_frame=True).frame.rename(columns={"target": "y"})
    rng = np.random.default_rng(1)
    x = rng.uniform(-3, 3, (700, 3))
    y = np.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.3 * rng.normal(size=700)
    sine = pd.DataFrame(x, columns=list("abc")).assign(y=y)
    return {"diabetes": diabetes, "houses (generated)": houses, "sine, normal noise": sine}


def split(table: pd.DataFrame, seed: int, folder: Path) -> None:
    order = np.random.default_rng(seed).permutation(len(table))
    first = int(0.7 * len(table))
    table.iloc[order[:first]].to_csv(folder / "train.csv", index=False)
    table.iloc[order[first:]].to_csv(folder / "test.csv", index=False)
    run(folder, "krr", "train.csv", "--target", "y", "-m", "m.mercer")


def intervals(method: str, folder: Path) -> tuple[float, float]:
    """Return the coverage and the mean width."""
    words = ["predict", "m.mercer", "test.csv", "--interval", "0.9", "--interval-method", method]
    found = json.loads(run(folder, *words, "--json"))
    rows = np.array(found["result"]["rows"], dtype=float)
    return found["coverage"], float(np.mean(rows[:, 2] - rows[:, 1]))


def main() -> None:
    print(
        "| table | rows | method | coverage | width / std of y |\n| --- | --- | --- | --- | --- |"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, table in tables(folder).items():
            found: dict[str, list] = {method: [] for method in METHODS}
            for seed in range(10):
                split(table, seed, folder)
                for method in METHODS:
                    found[method].append(intervals(method, folder))
            for method, pairs in found.items():
                share, width = np.array(pairs).T
                error = 100 * share.std(ddof=1) / np.sqrt(len(share))
                text = f"{100 * share.mean():.1f} ± {error:.1f} %"
                spread = f"{width.mean() / table['y'].std():.2f}"
                print(f"| {title} | {len(table)} | {method} | {text} | {spread} |")


if __name__ == "__main__":
    main()
