"""Names beside axes in as many lines as they need."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

# Names that are shorter fit beside any panel.
_SHORT = 18


def break_names(axes: Sequence) -> None:
    """Break the names of axes that are longer than these, once all else of a picture is drawn."""
    names = [label for ax in axes for label in (ax.xaxis.label, ax.yaxis.label)]
    if all(len(line) <= _SHORT for label in names for line in label.get_text().split("\n")):
        return
    figure = axes[0].figure.figure  # the whole one, if the axes are on a part of it
    for _ in range(2):  # a broken name takes room from its axes
        # The layout decides how long axes are, and is worked out when the figure is drawn.
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        for ax in axes:
            frame = ax.get_window_extent()
            _break(ax.xaxis.label, frame.width, ax.xaxis.label.get_window_extent(renderer).width)
            _break(ax.yaxis.label, frame.height, ax.yaxis.label.get_window_extent(renderer).height)


def _break(label: Any, room: float, length: float) -> None:
    if length <= room:
        return
    lines = label.get_text().split("\n")
    longest = max(map(len, lines))
    most = max(8, int(longest * room / length))
    parts = [part for line in lines for part in _parts(line, most)]
    label.set_text("\n".join(parts))


def _parts(line: str, most: int) -> list[str]:
    """A line in parts of at most so many letters: before what stands in brackets, or anywhere."""
    if len(line) <= most:
        return [line]
    before, bracket, within = line.partition(" (")
    halves = [before, f"({within}"] if bracket else [line]
    return [part for half in halves for part in wrap(half, most, break_long_words=False)]
