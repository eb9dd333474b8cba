"""Colours that people with any kind of colour vision can distinguish, on light and dark paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Rgb = tuple[float, float, float]

# The colours of the command line's pictures, which are those of Okabe and Ito first. The order is
# another: neighbours differ in lightness too, so that few classes can be distinguished in grey.
CLASSES = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # bluish green
    "#d55e00",  # vermilion
    "#cc79a7",  # reddish purple
    "#56b4e9",  # sky blue
    "#332288",  # indigo
    "#999933",  # olive
    "#882255",  # wine
    "#b8864e",  # tan
    "#1b5e3a",  # forest
    "#4a4a4a",  # charcoal
)
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "p", "h", "*")
LINES = ("-", "--", "-.", ":")

_INK = ("#222222", "#ececec")  # on light and on dark paper
# Of different lightness, too: in grey the one is darker than the other ever gets.
_NEGATIVE, _POSITIVE = "#5b4392", "#62bd7d"
_UNUSUAL = "#b3670c"
# The contrast rules of the web ask 3 of marks on their paper; here they also stand on tints.
_CONTRAST = 4.6


@dataclass(frozen=True)
class Theme:
    """What colours are for one axes: `paper` is what it is drawn on, `ink` what is drawn."""

    paper: Rgb
    ink: Rgb

    @property
    def dark(self) -> bool:
        """Whether the paper is dark."""
        return luminance(self.paper) < 0.2

    @property
    def muted(self) -> Rgb:
        """The colour of what stands back."""
        return blend(self.paper, self.ink, 0.55)

    def tint(self, colour: object, strength: float) -> Rgb:
        """Return the paper with some of the colour: 0 is the paper, 1 the colour."""
        return blend(self.paper, rgb(colour), strength)

    def edge(self, colour: object) -> Rgb:
        """Return the colour of the edge of a mark of this colour."""
        return blend(rgb(colour), self.ink if not self.dark else (0.0, 0.0, 0.0), 0.55)

    def classes(self, count: int) -> list[Rgb]:
        """Return the colours of as many classes, each with contrast to dark paper."""
        return [self.readable(CLASSES[place % len(CLASSES)]) for place in range(count)]

    def readable(self, colour: object) -> Rgb:
        """Return the colour, on dark paper as much lighter as it needs to be seen."""
        found = start = rgb(colour)
        share = 0.0
        while self.dark and contrast(found, self.paper) < _CONTRAST and share < 1.0:
            share += 0.05
            found = blend(start, (1.0, 1.0, 1.0), share)
        return found

    def diverging(self) -> Any:
        """Return the map of signed values, with zero on paper."""
        ends = (0.6, 0.35) if self.dark else (0.8, 0.4)
        negative, positive = self.readable(_NEGATIVE), self.readable(_POSITIVE)
        return _map(
            [
                self.tint(negative, ends[0]),
                self.tint(negative, ends[1]),
                self.paper,
                self.tint(positive, ends[1]),
                self.tint(positive, ends[0]),
            ]
        )

    def signed(self) -> Any:
        """Return the map of signed values that fill a matrix: with zero between paper and ink.

        Most kernel values are small beside the largest, so that colours rise fast from zero.
        """
        middle = self.tint(self.ink, 0.3) if self.dark else self.tint(self.ink, 0.04)
        ends = ("#d3bdf2", "#c5f2cf") if self.dark else ("#2d1a55", "#0f4a24")
        sides = []
        for colour, end in zip((_NEGATIVE, _POSITIVE), ends, strict=True):
            strong = self.readable(colour) if self.dark else rgb(colour)
            sides.append([rgb(end), strong, blend(middle, strong, 0.55)])
        return _map([*sides[0], middle, *sides[1][::-1]])

    def rising(self) -> Any:
        """Return a map for a background: from a strong tint for low values to paper for high."""
        strongest = 0.75 if self.dark else 0.7
        return _map([self.tint(_UNUSUAL, strongest * step / 4) for step in (4, 3, 2, 1, 0)])

    @staticmethod
    def sequential() -> str:
        """Return the name of the map of numbers that fill an area."""
        return "viridis"

    def of_marks(self) -> Any:
        """Return the map of numbers that colour marks: without the end that is like the paper."""
        import matplotlib

        low, high = (0.22, 1.0) if self.dark else (0.0, 0.93)
        whole = matplotlib.colormaps[self.sequential()]
        return _map([whole(low + (high - low) * step / 8)[:3] for step in range(9)])


def theme_of(ax: Any) -> Theme:
    """Return the theme for an axes: by its own colour or, where it has none, its figure's."""
    from matplotlib.colors import to_rgba

    paper = to_rgba(ax.get_facecolor())
    # A part of a figure has no colour of its own, as a rule, and lies on that of the whole.
    for below in (ax.figure, ax.figure.figure):
        if paper[3] < 0.5:
            paper = to_rgba(below.get_facecolor())
    # A figure that is transparent, too, is most often put on white.
    paper = paper[:3] if paper[3] >= 0.5 else (1.0, 1.0, 1.0)
    return Theme(paper, rgb(_INK[luminance(paper) < 0.2]))


def rgb(colour: object) -> Rgb:
    """Return a colour of any form as numbers from 0 to 1."""
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def blend(start: Rgb, end: Rgb, share: float) -> Rgb:
    """Return the colour between two: `start` at 0, `end` at 1."""
    return tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))


def luminance(colour: Rgb) -> float:
    """Return the relative luminance, 0 for black and 1 for white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _map(colours: list[Rgb]) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("mercer", colours)
