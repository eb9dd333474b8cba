"""Texts beside points without overlaps: greedily, those with most room around them first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from mercer._plot.display import plain
from mercer._plot.theme import Theme

# Where a text may stand, by how many half widths and half heights its middle is from the point.
_PLACES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


def checked_texts(labels: Sequence[str] | None, n: int) -> list[str] | None:
    """Return one text for each of n samples."""
    if labels is None:
        return None
    if isinstance(labels, str) or len(labels) != n:
        raise ValueError(f"labels must be {n} strings, one for each sample")
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
    written = _place(ax, points, texts, theme, gap, others)
    if len(written) < len(texts):
        # What is said above the axes takes room from it: the texts are placed anew beneath.
        for text in written:
            text.remove()
        said = ax.set_title("some are left out", fontsize="small", loc="right", color=theme.muted)
        written = _place(ax, points, texts, theme, gap, others)
        left_out = len(texts) - len(written)
        said.set_text(f"{left_out} of {len(texts)} labels left out for lack of space")
    return len(texts) - len(written)


def _place(ax: Any, points, texts: list[str], theme: Theme, gap: float, others) -> list:
    """Write the texts that find room and return what was written."""
    figure = ax.figure.figure  # the whole one, if the axes are on a part of it
    # The layout decides where the axes are, and is worked out when the figure is drawn.
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    pixels = ax.transData.transform(points)
    frame = ax.get_window_extent()
    sizes = np.array([_size(ax, text, theme) for text in texts])
    half = 0.6 * gap * scale
    marks = pixels if others is None else np.vstack([pixels, ax.transData.transform(others)])
    room = _Room(np.column_stack([marks - half, marks + half]), frame)
    waiting, written = list(_roomiest_first(pixels)), []
    # Texts that find no room beside their points may stand farther away, at the end of a line.
    for steps in (1.0, 3.0, 5.0):
        still = []
        for row in waiting:
            box = room.take(pixels[row], sizes[row], gap * scale, steps, row)
            if box is None:
                still.append(row)
                continue
            offset = ((box[:2] + box[2:]) / 2 - pixels[row]) / scale
            end = _nearest_share(box, pixels[row]) if steps > 1 else None
            written.append(_write(ax, texts[row], points[row], offset, theme, line=end))
        waiting = still
    return written


def _size(ax: Any, text: str, theme: Theme) -> tuple[float, float]:
    """Width and height of a text in pixels."""
    trial = _write(ax, text, (0.0, 0.0), (0.0, 0.0), theme)
    box = trial.get_window_extent(ax.figure.figure.canvas.get_renderer())
    trial.remove()
    return box.width, box.height


def _nearest_share(box: np.ndarray, point: np.ndarray) -> tuple[float, float]:
    """Where a box is nearest to a point, as shares of its width and height."""
    near = np.clip(point, box[:2], box[2:])
    return tuple((near - box[:2]) / (box[2:] - box[:2]))


def _write(ax: Any, text: str, point, offset, theme: Theme, *, line: tuple | None = None) -> Any:
    """Write a text, with a line from a place of it to its point if one is given."""
    look = {"arrowstyle": "-", "color": theme.muted, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
    look["relpos"] = line
    return ax.annotate(
        plain(text),
        point,
        offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize="small",
        color=theme.ink,
        # The layout must not make room for texts that are within the axes anyway.
        in_layout=False,
        # A text whose point is not shown would have no size to measure.
        annotation_clip=False,
        arrowprops=None if line is None else look,
        zorder=5,
    )


def _roomiest_first(pixels: np.ndarray) -> np.ndarray:
    """Points by falling distance to their nearest neighbours."""
    if len(pixels) < 2:
        return np.arange(len(pixels))
    nearest, _ = cKDTree(pixels).query(pixels, k=min(4, len(pixels)))
    return np.argsort(-nearest[:, 1:].mean(axis=1), kind="stable")


class _Room:
    """What is taken of an axes: boxes of marks first, then of texts, as left, bottom, right, top.

    All numbers are pixels.
    """

    def __init__(self, marks: np.ndarray, frame: Any):
        self.boxes = marks
        self.frame = np.array([frame.x0, frame.y0, frame.x1, frame.y1])
        self.lines = np.empty((0, 2))  # points along lines, which texts must not cover

    def take(self, point, size, gap: float, steps: float, own: int) -> np.ndarray | None:
        """Take the first free box so many gaps from the point, whose mark is the box `own`."""
        half = (size + 2.0) / 2  # a pixel of air on all sides
        for direction in _PLACES:
            # A corner place needs less than the whole gap in both directions, and keeps clear of
            # another mark at the same point.
            near = steps * gap * (1.0 if 0 in direction else 0.65)
            middle = point + np.array(direction) * (half + near)
            box = np.concatenate([middle - half, middle + half])
            line = _along(point, np.clip(point, box[:2], box[2:]))
            if self._free(box, own) and (steps == 1 or self._clear(line)):
                self.boxes = np.vstack([self.boxes, box])
                if steps > 1:
                    self.lines = np.vstack([self.lines, line])
                return box
        return None

    def _free(self, box: np.ndarray, own: int) -> bool:
        """Whether a box is within the axes and meets neither boxes nor lines."""
        if np.any(box[:2] <= self.frame[:2]) or np.any(box[2:] >= self.frame[2:]):
            return False
        others = np.delete(self.boxes, own, axis=0)
        meets = np.all((others[:, :2] < box[2:]) & (box[:2] < others[:, 2:]), axis=1)
        covers = np.all((self.lines > box[:2]) & (self.lines < box[2:]), axis=1)
        return not (meets.any() or covers.any())

    def _clear(self, line: np.ndarray) -> bool:
        """Whether a line meets no box but those of marks where it begins."""
        low, high = self.boxes[None, :, :2], self.boxes[None, :, 2:]
        met = np.all((line[:, None] > low) & (line[:, None] < high), axis=2)
        return not met[:, ~met[0]].any()


def _along(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Points along a line, two pixels or less apart."""
    count = 2 + int(np.hypot(*(end - start)) / 2)
    return np.linspace(start, end, count)
