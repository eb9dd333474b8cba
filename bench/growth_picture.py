"""The picture of growth: time and memory of each method by rows, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.growth_methods import Method

#: Colours that can be told apart, of exact methods and of those on cells and landmarks.
EXACT = ["#1f4e79", "#2f7d5b", "#c8643c", "#7a4e9e", "#8a6d1f", "#5f6b7a"]
LOW = ["#c8643c", "#e09a3c", "#1f4e79", "#2f7d5b", "#5f6b7a"]


def draw(found: Sequence[tuple[Method, list[dict[str, Any]]]], path: Path) -> None:
    """Draw the points of all methods into a file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), dpi=110, layout="constrained")
    exact, low = iter(EXACT * 4), iter(LOW * 4)
    for method, points in found:
        is_low = "," in method.name
        style = {"color": next(low if is_low else exact), "ls": "--" if is_low else "-"}
        style |= {"lw": 1.4, "marker": "o", "ms": 2.5, "label": method.name}
        n = [point["n"] for point in points]
        left.plot(n, [point["seconds"] for point in points], **style)
        right.plot(n, [max(point["bytes"], 1) / 2**20 for point in points], **style)
    left.set(xlabel="rows", ylabel="seconds", xscale="log", yscale="log")
    right.set(xlabel="rows", ylabel="MiB beyond the rows", xscale="log", yscale="log")
    right.set_ylim(bottom=0.5)
    for axes in (left, right):
        axes.grid(color="#e3e6ea", lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*left.get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(path)
    plt.close(figure)
