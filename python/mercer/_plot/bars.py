"""Bars for named numbers, and the names and numbers beside them."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

import numpy as np

from mercer._params import ParameterError, is_integer
from mercer._plot.display import plain, short
from mercer._plot.theme import CLASSES, Theme

# Longer names are broken into two lines, and those that are longer still are shortened in the
# middle, since the names of columns that belong together often begin alike.
_LINE = 36
_HEIGHT = 0.7


def elided(text: object, most: int = _LINE) -> str:
    """Return a text in one line of at most so many letters, with the middle left out if need be."""
    text = " ".join(str(text).split())
    if len(text) > most:
        tail = most * 2 // 5
        text = text[: most - tail - 1].rstrip() + "…" + text[len(text) - tail :].lstrip()
    return text


def in_two_lines(name: object, value: str = "") -> str:
    """Return a name, and a value behind it, in at most two lines."""
    text = elided(name, 2 * _LINE - len(value)) + value
    if len(text) <= _LINE:
        return text
    space = text.rfind(" ", len(text) - _LINE - 1, _LINE + 1)
    if space < 0:
        return f"{text[:_LINE]}\n{text[_LINE:]}"
    return f"{text[:space]}\n{text[space + 1 :]}"


def with_values(names: Sequence[str], values: Sequence | None) -> list[str]:
    """Return names with the values of a row, None where there is none to show."""
    if values is None:
        return [in_two_lines(name) for name in names]
    said = ["" if value is None else f" = {elided(number(value), 14)}" for value in values]
    return [in_two_lines(name, value) for name, value in zip(names, said, strict=True)]


def number(value: object, scale: float | None = None) -> str:
    """Return a number in few digits: three that count, or as many as differences of `scale` need.

    Anything else is returned as text.
    """
    if isinstance(value, (int, float, np.number)) and value < 0:
        return "−" + number(-value, scale)
    if scale and scale >= 1e-6 and abs(value) < 1e9:
        return f"{value:.{max(0, 2 - floor(log10(scale)))}f}"
    return short(value)


def signed(value: float) -> str:
    """Return a number in few digits with its sign."""
    return ("+" if value >= 0 else "") + number(float(value))


def checked_count(count: object, name: str) -> int:
    """Return how many bars are shown at most."""
    if not is_integer(count) or count < 1:
        raise ParameterError(f"{name} must be a positive integer, not {count!r}")
    return int(count)


def checked_row(row: object, n: int) -> int:
    """Return the place of a row, counted from 0; negative ones count from the end."""
    if n == 0:
        raise ParameterError("X has no rows: pass at least the one that is explained")
    if not is_integer(row) or not -n <= row < n:
        raise ParameterError(f"row must be an integer from 0 to {n - 1}, not {row!r}")
    return int(row) % n


def checked_names(names: object, what: str = "names") -> list[str]:
    """Return names as a list of strings."""
    if isinstance(names, str) or not hasattr(names, "__len__") or not len(names):
        raise ParameterError(f"{what} must be a sequence of strings, not {names!r}")
    return [str(name) for name in names]


def size_for(names: Sequence[str], bars: int) -> tuple[float, float]:
    """Return the size of a picture of bars in inches, by the longest name."""
    return 4.6 + max(width_of(names), 1.5), 1.3 + 0.32 * max(bars, 2)


def width_of(names: Sequence[str]) -> float:
    """Return about how many inches names take, by the longest line."""
    return 0.075 * max(len(line) for name in names for line in name.splitlines() or [""])


def colours(theme: Theme) -> tuple:
    """Return the colours of what raises and of what lowers a number."""
    return theme.readable(CLASSES[0]), theme.readable(CLASSES[3])


def draw_bars(
    ax: Any,
    theme: Theme,
    names: Sequence[str],
    widths: np.ndarray,
    fills: Sequence,
    *,
    starts: np.ndarray | float = 0.0,
    errors: np.ndarray | None = None,
    **font: object,
) -> None:
    """Draw horizontal bars from the top down, each with its name and, beside its end, its number.

    Errors are drawn at the ends of bars, as lines of this length to both sides; none where NaN.
    """
    places = np.arange(len(widths))
    starts = np.broadcast_to(starts, widths.shape)
    ends = starts + widths
    reach = np.zeros(len(widths)) if errors is None else np.nan_to_num(errors)
    ax.barh(places, widths, left=starts, color=list(fills), height=_HEIGHT)
    shown = reach > 0
    ax.errorbar(
        ends[shown], places[shown], xerr=reach[shown], fmt="none", ecolor=theme.ink, capsize=3
    )
    texts = [signed(width) for width in widths]
    for place, text in enumerate(texts):
        side = -1 if widths[place] < 0 else 1
        ax.annotate(
            text,
            (ends[place] + side * reach[place], places[place]),
            (4 * side, 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="center",
            fontsize="small",
            color=theme.ink,
            # No line of the picture runs through a number.
            bbox={"facecolor": theme.paper, "edgecolor": "none", "pad": 0.6},
        )
    reached = np.concatenate([starts, ends - reach, ends + reach])
    _make_room(ax, texts, reached, width_of(names))
    name_bars(ax, names, **font)
    ax.set_ylim(len(widths) - 0.4, -0.6)


def name_bars(ax: Any, names: Sequence[str], **font: object) -> None:
    """Write the names of bars beside the axes, letter by letter."""
    if any("\n" in name for name in names):
        font["fontsize"] = "small"  # two lines need no more room than bars have
    ax.set_yticks(np.arange(len(names)), [plain(name) for name in names], **font)


def _make_room(ax: Any, texts: Sequence[str], reached: np.ndarray, names: float) -> None:
    """Set the limits so that numbers beside bars are within the axes."""
    whole = ax.get_position().width * ax.figure.get_figwidth()
    inches = max(whole / 2, whole - names)
    share = min(0.3, (0.2 + 0.075 * max(map(len, texts))) / inches)
    low, high = float(reached.min()), float(reached.max())
    room = share / (1 - 2 * share) * ((high - low) or 1.0)
    ax.set_xlim(low - room, high + room)
