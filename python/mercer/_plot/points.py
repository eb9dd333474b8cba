"""Samples as marks: a colour and a shape for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._plot.display import plain
from mercer._plot.samples import Classes
from mercer._plot.theme import CLASSES, MARKERS, Theme


def mark_size(n: int) -> float:
    """Return the area of the marks of n samples, smaller where there are many."""
    return float(np.clip(5000 / max(n, 1), 9, 34))


def draw_classes(ax: Any, points: np.ndarray, classes: Classes, theme: Theme, **style) -> list:
    """Draw samples (n × 2 or n × 3) by class and return what a legend explains."""
    colours = theme.classes(len(classes.names))
    style = {"s": mark_size(len(points)), "linewidths": 0.6, "zorder": 3} | style
    handles = []
    for code, name in enumerate(classes.names):
        drawn = ax.scatter(
            *points[classes.codes == code].T,
            color=[colours[code]],
            edgecolors=[theme.edge(colours[code])],
            # Colours begin again after twelve classes, and shapes with another one.
            marker=MARKERS[(code + code // len(CLASSES)) % len(MARKERS)],
            label=plain(name),
            **style,
        )
        handles.append(drawn)
    return handles


def draw_plain(ax: Any, points: np.ndarray, theme: Theme, *, label: str = "samples", **style):
    """Draw samples that have no class and return what a legend explains."""
    colour = theme.readable(theme.muted)
    style = {"s": mark_size(len(points)), "linewidths": 0.6, "zorder": 3} | style
    edge = theme.edge(colour)
    return ax.scatter(*points.T, color=[colour], edgecolors=[edge], label=label, **style)


def ring(ax: Any, points: np.ndarray, theme: Theme, *, label: str, area: float, **style) -> Any:
    """Draw rings around samples and return what a legend explains."""
    return ax.scatter(
        *points.T,
        s=2.4 * area + 14,
        facecolors="none",
        edgecolors=[theme.ink],
        linewidths=1.1 if area > 20 else 0.7,
        zorder=4,
        label=label,
        **style,
    )
