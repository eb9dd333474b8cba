"""Weights of substrings as bars, those that speak for a larger value on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._plot.bars import (
    checked_count,
    checked_names,
    colours,
    draw_bars,
    size_for,
)
from mercer._plot.display import Display, plain, pyplot
from mercer._plot.responses import function_name
from mercer._plot.samples import numbers_1d
from mercer._plot.theme import theme_of
from mercer.explain import kmer_weights

_SPACE = "␣"
_LONGEST = 24


class KmerDisplay(Display):
    """The substrings with the largest weights, positive ones on top.

    Made by :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    names : list of str
        The substrings.
    weights : ndarray of shape (n_names,)
        Their weights.
    name : str
        What the weights are in, such as "prediction".
    max_substrings : int
        At most so many substrings are shown, those with the largest weights by size.

    Attributes
    ----------
    order_ : ndarray of int
        The substrings shown, from the largest weight to the smallest.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from mercer import SVC, KmerDisplay
    >>> words = ["abab", "baba", "cdcd", "dcdc"] * 3
    >>> model = SVC(kernel="spectrum(p=2)").fit(words, [0, 0, 1, 1] * 3)
    >>> display = KmerDisplay.from_estimator(model)
    >>> sorted(display.names[place] for place in display.order_[:2])
    ['cd', 'dc']
    """

    def __init__(
        self,
        names: list[str],
        weights: np.ndarray,
        *,
        name: str = "value",
        max_substrings: int = 20,
    ) -> None:
        self.names = names
        self.weights = weights
        self.name = name
        self.max_substrings = max_substrings
        largest = np.argsort(-np.abs(weights), kind="stable")[:max_substrings]
        self.order_ = largest[np.argsort(-weights[largest], kind="stable")]

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        *,
        target: object = None,
        max_substrings: int = 20,
        ax: Any = None,
    ) -> Self:
        """Show the weights of substrings in a model with a spectrum kernel.

        Parameters
        ----------
        estimator, target
            As for :func:`mercer.explain.kmer_weights`.
        max_substrings : int, default=20
            At most so many substrings are shown.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : KmerDisplay
            The display, drawn.
        """
        pyplot()
        found = kmer_weights(estimator, target=target)
        return cls.from_predictions(
            found.names,
            found.weights,
            name=function_name(estimator, target),
            max_substrings=max_substrings,
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        names: Sequence[str],
        weights: ArrayLike,
        *,
        name: str = "value",
        max_substrings: int = 20,
        ax: Any = None,
    ) -> Self:
        """Show weights of substrings.

        Parameters
        ----------
        names : sequence of str
            The substrings.
        weights : array-like of shape (n_names,)
            Their weights.
        name : str, default="value"
            What the weights are in.
        max_substrings : int, default=20
            At most so many substrings are shown.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : KmerDisplay
            The display, drawn.
        """
        pyplot()
        names = checked_names(names)
        return cls(
            names,
            numbers_1d(weights, "weights", len(names)),
            name=str(name),
            max_substrings=checked_count(max_substrings, "max_substrings"),
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        self : KmerDisplay
            The display itself.
        """
        names = [visible(self.names[place]) for place in self.order_]
        weights = self.weights[self.order_]
        (ax,) = self._panels(ax, size=size_for(names, len(names)))
        theme = theme_of(ax)
        up, down = colours(theme)
        fills = [up if weight >= 0 else down for weight in weights]
        # Letters of one width, so that substrings can be compared letter by letter.
        draw_bars(ax, theme, names, weights, fills, family="monospace")
        ax.axvline(0, color=theme.muted, linewidth=1)
        ax.set_xlabel(plain(f"weight in the {self.name}"))
        hidden = len(self.names) - len(names)
        if hidden:
            title = f"{hidden:,} substring{'s' * (hidden != 1)} of less weight not shown"
            ax.set_title(title, loc="right", fontsize="medium")
        return self


def visible(text: str) -> str:
    """Return a substring with its spaces and its unprintable letters as signs that are seen."""
    found = "".join(
        _SPACE if one == " " else one if one.isprintable() else ascii(one)[1:-1] for one in text
    )
    return found if len(found) <= _LONGEST else found[: _LONGEST - 1] + "…"
