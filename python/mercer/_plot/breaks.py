"""Names beside axes in as many lines as they need."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

# How wide a letter is on average, as a share of its height, and how much of an axis a name
# may take before it is measured: measuring means to draw.
_LETTER, _SAFE = 0.55, 1.0


def break_names(axes: Sequence) -> None:
    """Break the names of axes that are longer than these, once all else of a picture is drawn."""
    if not any(_may_be_long(ax) for ax in axes):
        return
    names = [label for ax in axes for label in (ax.xaxis.label, ax.yaxis.label)]
    figure = axes[0].figure.figure  # the whole one, if the axes are on a part of it
    whole = {label: label.get_text().split("\n") for label in names}
    for _ in range(2):  # a broken name takes room from its axes
        # The layout decides how long axes are, and is worked out when the figure is drawn.
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        for ax in axes:
            frame = ax.get_window_extent()
            for label, side in ((ax.xaxis.label, "width"), (ax.yaxis.label, "height")):
                length = getattr(label.get_window_extent(renderer), side)
                _break(label, whole[label], getattr(frame, side) / length if length else 1.0)


def _may_be_long(ax: Any) -> bool:
    """Whether a name may be longer than its axis, by the place that it has before the layout."""
    sides = ax.get_position().size * ax.figure.figure.get_size_inches()
    for label, inches in zip((ax.xaxis.label, ax.yaxis.label), sides, strict=True):
        letters = max(map(len, label.get_text().split("\n")))
        if letters * _LETTER * label.get_fontsize() / 72 > _SAFE * inches:
            return True
    return False


def _break(label: Any, lines: list[str], room: float) -> None:
    """Break lines of a name of which only this share has room as it is written now."""
    if room >= 1:
        return
    longest = max(map(len, label.get_text().split("\n")))
    most = max(8, int(longest * room))
    label.set_text("\n".join(part for line in lines for part in _parts(line, most)))


def _parts(line: str, most: int) -> list[str]:
    """A line in parts of at most so many letters: before what stands in brackets, or anywhere."""
    if len(line) <= most:
        return [line]
    before, bracket, within = line.partition(" (")
    halves = [before, f"({within}"] if bracket else [line]
    return [part for half in halves for part in wrap(half, most, break_long_words=False)]
