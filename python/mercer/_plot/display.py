"""What all displays share: the way to matplotlib, the axes they draw on, and their legends."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

# Longer legends would be high below a picture, and stand beside it.
_MOST_BELOW = 8


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as fault:
        raise ImportError(
            "pictures need matplotlib, which is not installed: pip install matplotlib"
        ) from fault
    return plt


class Display:
    """The base of the displays.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes of the panels, after :meth:`plot`.
    ax_ : Axes
        The first of them.
    figure_ : Figure
        The figure that they are part of.
    """

    ax_: Any
    axes_: np.ndarray
    figure_: Any

    def _panels(
        self,
        ax: object,
        count: int = 1,
        *,
        size: tuple[float, float],
        across: int = 3,
        projection: str | None = None,
        heights: list[int] | None = None,
    ) -> list:
        """Return axes for the panels: those given, or those of a new figure.

        `size` is that of one panel in inches, on average if panels differ in `heights`; at most
        `across` stand side by side.
        """
        self._own = ax is None
        if ax is None:
            axes = _new(count, size, across, projection, heights)
        else:
            axes = _given(ax, count, across)
        self.axes_ = np.empty(count, dtype=object)
        self.axes_[:] = axes
        self.ax_, self.figure_ = axes[0], axes[0].figure
        return axes

    def _legend(self, handles: Sequence, *, title: str | None = None, below: bool = False) -> None:
        """Explain marks beside or below the panels, or within the first one where the figure is
        another's: only a figure that lays itself out has room beside the panels for the asking.
        """
        if not handles:
            return
        if not self._own:
            self.ax_.legend(
                handles=handles,
                loc="best",
                title=title and plain(title),
                fontsize="small",
                markerscale=_larger(handles),
            )
            return
        place = {"loc": "outside right upper"}
        if below and len(handles) <= _MOST_BELOW:
            place = {"loc": "outside lower center", "ncols": self._across(handles)}
        elif below:
            self.figure_.set_figwidth(self.figure_.get_figwidth() + 2.0)
        scale = _larger(handles)
        title = title and plain(title)
        self.figure_.legend(handles=handles, title=title, frameon=False, markerscale=scale, **place)

    def _across(self, handles: Sequence) -> int:
        """How many entries of a legend fit side by side, by the length of the longest."""
        longest = max(len(str(handle.get_label())) for handle in handles)
        inches = 0.6 + 0.075 * longest
        return max(1, min(len(handles), int(self.figure_.get_figwidth() / inches)))


def _larger(handles: Sequence) -> float:
    """How many times larger marks are in the legend, where they are hard to distinguish."""
    sized = [handle.get_sizes() for handle in handles if hasattr(handle, "get_sizes")]
    areas = [sizes[0] for sizes in sized if len(sizes)]
    return max(1.0, (26 / min(areas)) ** 0.5) if areas else 1.0


def _new(
    count: int,
    size: tuple[float, float],
    across: int,
    projection: str | None,
    heights: list[int] | None,
) -> list:
    plt = pyplot()
    across = 2 if count == 4 and across > 2 else min(across, count)
    down = ceil(count / across)
    figure, axes = plt.subplots(
        down,
        across,
        figsize=(size[0] * across, size[1] * down),
        layout="compressed",
        squeeze=False,
        height_ratios=heights,
        subplot_kw={"projection": projection},
    )
    for ax in axes.flat[count:]:
        figure.delaxes(ax)
    return list(axes.flat[:count])


def _given(ax: object, count: int, across: int) -> list:
    axes = list(np.asarray(ax, dtype=object).ravel())
    if any(not hasattr(one, "get_facecolor") or not hasattr(one, "plot") for one in axes):
        raise TypeError(f"ax must be matplotlib axes, or an array of them, not {ax!r}")
    if len(axes) != count:
        shape = f"{count}, 1" if across == 1 else f"1, {count}"
        raise ValueError(
            f"the picture has {count} panel{'s' * (count != 1)}, but ax has {len(axes)} axes: "
            f"pass {count}, as in plt.subplots({shape}, layout='constrained')[1], or omit ax"
        )
    return axes


def plain(text: object) -> str:
    """Return a text of the user's as matplotlib writes it letter by letter.

    Between two dollars it would read a formula, and fail where there is none. To forbid formulas by
    ``parse_math`` would also forbid those that a user puts into the same title later.
    """
    return str(text).replace("$", r"\$")


def percent(share: float) -> str:
    """Return a share as text, such as ``43.2 %``."""
    return f"{100 * share:.1f} %"


def of_variance(name: str, ratios: np.ndarray | None, place: int) -> str:
    """Return the name of a component with its share of the variance, if that is known."""
    if ratios is None or place >= len(ratios):
        return name
    return f"{name} ({percent(ratios[place])} of variance)"


def short(value: object) -> str:
    """Return a whole number as it is, others with three digits that count, all else as text."""
    if not isinstance(value, (int, float, np.number)):
        return str(value)
    if float(value).is_integer() and abs(value) < 1e5:
        return str(int(value))
    if 1e-3 <= abs(value) < 1e5:
        return np.format_float_positional(value, 3, unique=True, fractional=False, trim="-")
    return f"{value:.2g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
