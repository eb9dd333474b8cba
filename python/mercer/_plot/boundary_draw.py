"""How regions, boundaries and tubes are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from mercer._plot.display import plain
from mercer._plot.plane import clipping
from mercer._plot.points import mark_size, ring
from mercer._plot.theme import Theme


def draw_regions(ax: Any, display: Any, theme: Theme) -> list:
    """Draw regions and the lines between them and return what a legend explains."""
    colours = theme.classes(len(display.classes))
    tints = [theme.tint(colour, 0.32 if theme.dark else 0.24) for colour in colours]
    # Samples with classes explain the colours; without, the regions do so themselves.
    named = _named_regions(display, theme, tints) if display.codes is None else []
    if display.decision is not None:
        return named + _two_sides(ax, display, theme, tints)
    return named + _several_sides(ax, display, theme, tints)


def _named_regions(display: Any, theme: Theme, tints: list) -> list:
    from matplotlib.patches import Patch

    look = {"edgecolor": theme.muted, "linewidth": 0.6}
    present = np.unique(display.regions)
    return [
        Patch(facecolor=tints[place], label=plain(display.classes[place]), **look)
        for place in present
    ]


def _several_sides(ax: Any, display: Any, theme: Theme, tints: list) -> list:
    """Regions of any number of classes, known on the grid alone.

    Steps from one point of the grid to the next are smoothed, which rounds corners of the size of a
    few points; where three regions meet, the points themselves fill what is left.
    """
    grid, present = (display.first, display.second), np.unique(display.regions)
    ax.pcolormesh(*grid, display.regions, cmap=_listed(tints), **_span(tints), zorder=-1)
    for place in present:
        inside = gaussian_filter((display.regions == place).astype(float), 2.0, mode="nearest")
        ax.contourf(*grid, inside, levels=[0.5, 1.5], colors=[tints[place]], zorder=0)
        if len(present) > 1:
            ax.contour(*grid, inside, levels=[0.5], colors=[theme.ink], linewidths=[1.1])
    return [_line(theme, "-", "boundary")] if len(present) > 1 else []


def _listed(colours: list) -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap(colours)


def _span(colours: list) -> dict[str, object]:
    """Where the colours of whole numbers from 0 begin and end."""
    return {"vmin": -0.5, "vmax": len(colours) - 0.5, "shading": "nearest", "rasterized": True}


def _two_sides(ax: Any, display: Any, theme: Theme, tints: list) -> list:
    grid, values = (display.first, display.second), display.decision
    most = float(np.abs(values).max()) + 1.0
    ax.contourf(*grid, values, levels=[-most, 0.0, most], colors=tints, zorder=0)
    handles = []
    if values.min() < 0 < values.max():
        ax.contour(*grid, values, levels=[0.0], colors=[theme.ink], linewidths=[1.8])
        handles.append(_line(theme, "-", "boundary"))
    sides = [side for side in (-1.0, 1.0) if values.min() < side < values.max()]
    if display.margin_lines and sides:
        line = {"colors": [theme.ink], "linewidths": [1.0], "linestyles": ["--"]}
        ax.contour(*grid, values, levels=sides, **line)
        handles.append(_line(theme, "--", "margin (±1)"))
    return handles


def draw_curve(ax: Any, display: Any, theme: Theme) -> list:
    """Draw a regression along a line, with its tube, and return what a legend explains."""
    colour = theme.classes(1)[0]
    handles = ax.plot(
        display.first, display.decision, color=colour, linewidth=1.8, label="prediction", zorder=4
    )
    if display.epsilon is not None:
        low, high = display.decision - display.epsilon, display.decision + display.epsilon
        tint = theme.tint(colour, 0.2)
        ax.fill_between(display.first, low, high, color=tint, linewidth=0, zorder=0)
        for edge in (low, high):
            ax.plot(display.first, edge, color=theme.muted, linestyle="--", linewidth=1, zorder=1)
        handles.append(_line(theme, "--", f"tube (±{display.epsilon:.3g})", theme.muted))
    ax.set_xlim(display.first[0], display.first[-1])
    return handles


def draw_support(ax: Any, display: Any, theme: Theme) -> list:
    """Draw rings around support vectors and return what a legend explains."""
    area = mark_size(len(display.support) if display.points is None else len(display.points))
    label = f"support vectors ({len(display.support)})"
    clip = clipping_of(display, display.support)
    return [ring(ax, display.support, theme, label=label, area=area, **clip)]


def clipping_of(display: Any, points: np.ndarray) -> dict[str, bool]:
    """Return how marks at the edge of a display are cut."""
    return {} if display.second is None else clipping(points, display.first, display.second)


def _line(theme: Theme, dashes: str, label: str, colour: object = None) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour or theme.ink, linestyle=dashes, label=label)
