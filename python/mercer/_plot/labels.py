"""Texts beside points without overlaps: greedily, those with most room around them first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from mercer._plot.theme import Theme

# Where a text may stand, by how many half widths and half heights its middle is from the point.
_PLACES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


def checked_texts(labels: Sequence[str] | None, n: int) -> list[str] | None:
    """Return one text for each of n samples."""
    if labels is None:
        return None
    if isinstance(labels, str) or len(labels) != n:
        raise ValueError(f"labels must be {n} texts, one for each sample")
    return [str(label) for label in labels]


def write_labels(
    ax: Any,
    points: np.ndarray,
    texts: list[str],
    theme: Theme,
    *,
    gap: float,
    others: np.ndarray | None = None,
) -> int:
    """Write texts beside points (n × 2) and say above the axes how many found no room.

    `gap` is the distance of a text from its point, in points of print. No text meets another, a
    mark, those at `others` included, or the edge of the axes.
    """
    left_out = _place(ax, points, texts, theme, gap, others)
    if left_out:
        said = f"{left_out} of {len(texts)} labels left out for want of room"
        ax.set_title(said, fontsize="small", loc="right", color=theme.muted)
    return left_out


def _place(ax: Any, points, texts: list[str], theme: Theme, gap: float, others) -> int:
    figure = ax.figure
    # The layout decides where the axes are, and is worked out when the figure is drawn.
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    pixels = ax.transData.transform(points)
    frame = ax.get_window_extent()
    sizes = np.array([_size(ax, text, theme) for text in texts])
    half = 0.6 * gap * scale
    marks = pixels if others is None else np.vstack([pixels, ax.transData.transform(others)])
    taken = np.column_stack([marks - half, marks + half])
    left_out = 0
    for row in _roomiest_first(pixels):
        found = _free(pixels[row], sizes[row], gap * scale, taken, frame, row)
        if found is None:
            left_out += 1
            continue
        taken = np.vstack([taken, found])
        middle = (found[:2] + found[2:]) / 2
        _write(ax, texts[row], points[row], (middle - pixels[row]) / scale, theme)
    return left_out


def _size(ax: Any, text: str, theme: Theme) -> tuple[float, float]:
    """Width and height of a text in pixels."""
    trial = _write(ax, text, (0.0, 0.0), (0.0, 0.0), theme)
    box = trial.get_window_extent(ax.figure.canvas.get_renderer())
    trial.remove()
    return box.width, box.height


def _write(ax: Any, text: str, point, offset, theme: Theme) -> Any:
    return ax.annotate(
        text,
        point,
        offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize="small",
        color=theme.ink,
        # The layout must not make room for texts that are within the axes anyway.
        in_layout=False,
        zorder=5,
    )


def _roomiest_first(pixels: np.ndarray) -> np.ndarray:
    """Points by falling distance to their nearest neighbours."""
    if len(pixels) < 2:
        return np.arange(len(pixels))
    nearest, _ = cKDTree(pixels).query(pixels, k=min(4, len(pixels)))
    return np.argsort(-nearest[:, 1:].mean(axis=1), kind="stable")


def _free(point, size, gap: float, taken: np.ndarray, frame: Any, own: int) -> np.ndarray | None:
    """The first box beside the point that meets nothing, as left, bottom, right, top."""
    width, height = size + 2.0  # a pixel of air on all sides
    half = np.array([width / 2, height / 2])
    others = np.delete(taken, own, axis=0)
    for across, up in _PLACES:
        # A corner place needs less than the whole gap in both directions.
        near = gap if 0 in (across, up) else 0.5 * gap
        middle = point + np.array([across * (width / 2 + near), up * (height / 2 + near)])
        low, high = middle - half, middle + half
        inside = frame.x0 < low[0] and frame.y0 < low[1] and high[0] < frame.x1
        if not inside or high[1] >= frame.y1:
            continue
        meets = (others[:, 0] < high[0]) & (low[0] < others[:, 2])
        meets &= (others[:, 1] < high[1]) & (low[1] < others[:, 3])
        if not meets.any():
            return np.concatenate([low, high])
    return None
