"""Where axes have ticks, and what stands there."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._plot.display import plain, short


def few(count: int, **rules: object) -> Any:
    """Return a locator of about so many ticks, by matplotlib's rules such as ``integer=True``."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(count, **rules)


def positions(values: np.ndarray) -> np.ndarray:
    """Return where values stand: numbers at themselves, all else in a row, equal ones together."""
    if values.dtype != object:
        return values
    place = {one: index for index, one in enumerate(dict.fromkeys(values.tolist()))}
    return np.array([place[one] for one in values.tolist()])


def scale_of(ax: Any, values: np.ndarray, which: str = "x") -> None:
    """Make an axis logarithmic for values over decades, and name what is no number."""
    if values.dtype == object:
        names = [plain(one) for one in dict.fromkeys(values.tolist())]
        getattr(ax, f"{which}axis").set_ticks(np.arange(len(names)), names)
    elif values.min() > 0 and values.max() >= 20 * values.min():
        ax.set(**{f"{which}scale": "log"})


def cells(axis: Any, values: np.ndarray) -> None:
    """Write the values of cells beside them, thinned to what can be read."""
    step = -(-len(values) // 9)
    places = np.arange(0, len(values), step)
    axis.set_ticks(places, [plain(short(one)) for one in values[places]])
