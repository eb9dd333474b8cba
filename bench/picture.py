"""The picture of a run: one bar per case, as long as the ratio on a logarithmic axis.

Written as SVG by hand, so that a benchmark needs no plotting package.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from bench.harness import Result

WIDTH, LEFT, RIGHT, TOP, STEP = 1040, 400, 190, 78, 34
GOOD, POOR, PLAIN, INK, FAINT = "#2f7d5b", "#c8643c", "#8a94a3", "#1f2933", "#d7dce2"
TICKS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)


def _range(results: Sequence[Result]) -> tuple[float, float]:
    shown = [c.ratio for r in results if r.rival for c in [r.comparisons[r.rival]]]
    ends = shown + [r.ratio_target for r in results if r.ratio_target] + [0.5, 2.0]
    return min(ends) / 1.15, max(ends) * 1.15


def _text(x: float, y: float, words: str, *, size: int = 13, anchor: str = "start",
          colour: str = INK, weight: str = "400") -> str:  # fmt: skip
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}" font-weight="{weight}">{escape(words)}</text>'
    )


def _line(x: float, top: float, bottom: float, colour: str, width: float) -> str:
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"/>'
    )


def _axis(place: Scale, bottom: float) -> list[str]:
    parts = []
    for tick in TICKS:
        if place.low <= tick <= place.high:
            x = place(tick)
            colour, width = (INK, 1.4) if tick == 1 else (FAINT, 1)
            parts.append(_line(x, TOP - 8, bottom, colour, width))
            parts.append(_text(x, TOP - 14, f"{tick:g}×", size=11, anchor="middle", colour=PLAIN))
    return parts


class Scale:
    """Maps a ratio to a place on the logarithmic axis."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, ratio: float) -> float:
        """The horizontal place of a ratio, in the picture's units."""
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)


def _side_text(result: Result) -> str:
    share = "" if result.share is None else f"{100 * result.share:.0f} % of limit"
    used = result.memory.get(result.ours)
    size = "" if used is None else f"{used.figure(result.memory_kind or 'above') / 2**20:,.0f} MiB"
    return " · ".join(filter(None, (share, size)))


def _whiskers(place: Scale, low: float, high: float, y: float) -> str:
    left, right = (place(min(max(v, place.low), place.high)) for v in (low, high))
    return (
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" '
        f'stroke="{INK}" stroke-width="1.2" opacity="0.6"/>'
    )


def _bar(result: Result, place: Scale, y: float) -> list[str]:
    parts = [_text(LEFT - 14, y + 5, result.work, anchor="end", size=12)]
    colour = POOR if result.status != "ok" else GOOD
    if result.status in ("FAILED", "CRASHED"):
        return [*parts, _text(place(1) + 8, y + 5, result.status, colour=POOR, weight="700")]
    if result.rival is None:
        words = f"alone: {result.median(result.ours):.1f} s"
        parts.append(_text(place(1) + 8, y + 5, words, colour=colour))
    else:
        one = result.comparisons[result.rival]
        start, end = sorted((place(1), place(one.ratio)))
        parts.append(
            f'<rect x="{start:.1f}" y="{y - 9:.1f}" width="{max(end - start, 1.5):.1f}" '
            f'height="18" rx="2" fill="{colour}"/>'
        )
        parts.append(_whiskers(place, one.low, one.high, y))
        if result.ratio_target is not None:
            parts.append(_line(place(result.ratio_target), y - 13, y + 13, INK, 3))
        parts.append(
            _text(WIDTH - RIGHT + 6, y - 2, f"{one.ratio:.1f}×", colour=colour, weight="700")
        )
    drop = 5 if result.rival is None else 12
    parts.append(_text(WIDTH - RIGHT + 6, y + drop, _side_text(result), size=10, colour=PLAIN))
    return parts


def draw(results: Sequence[Result], footer: str) -> str:
    """The SVG text."""
    place = Scale(*_range(results))
    bottom = TOP + STEP * len(results)
    height = bottom + 48
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(24, 30, "mercer: times faster than the best rival", size=17, weight="700"),
        _text(24, 50, "thin line: range over rounds · thick mark: target", size=11, colour=PLAIN),
        *_axis(place, bottom),
    ]
    for i, result in enumerate(results):
        parts += _bar(result, place, TOP + STEP * (i + 0.5))
    parts += [_text(24, height - 16, footer, size=10, colour=PLAIN), "</svg>"]
    return "\n".join(parts) + "\n"
