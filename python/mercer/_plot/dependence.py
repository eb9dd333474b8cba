"""Partial dependence: the mean curve, and the interval over the data."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._params import ParameterError, is_integer
from mercer._plot.display import Display, plain, pyplot, short
from mercer._plot.theme import theme_of
from mercer._plot.ticks import few
from mercer.explain import Dependence, partial_dependence

# Marks of the samples' values below a curve.
_MOST_MARKS = 200
# So few values are points: there is nothing between them.
_FEW_VALUES = 5


class DependenceDisplay(Display):
    """What an estimator says as a column varies: a panel for each column.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. A line is the mean over the samples,
    the band contains the responses of a fraction of them, and short lines below are the values that
    occur.

    Parameters
    ----------
    curves : list of mercer.explain.Dependence
        The curves, one for each panel.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The panels, after :meth:`plot`; ``ax_`` is the first.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import DependenceDisplay, KernelRidge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = KernelRidge(0.1, kernel="rbf", gamma=5, fit_intercept=True).fit(X, y)
    >>> display = DependenceDisplay.from_estimator(model, X, ["bmi", "s5"])
    >>> [curve.name for curve in display.curves]
    ['bmi', 's5']
    """

    def __init__(self, curves: list[Dependence]) -> None:
        self.curves = curves

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: object,
        columns: int | str | list,
        *,
        values: ArrayLike | int = 30,
        interval: float = 0.9,
        target: object = None,
        max_samples: int = 500,
        random_state: int | np.random.RandomState | None = None,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the partial dependence of a fitted estimator on one column or several.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : array-like, sparse matrix, data frame or dictionary of columns
            Samples.
        columns : int, str or list of these
            The columns, by place or name; each has a panel.
        values, interval, target, max_samples, random_state
            As for :func:`mercer.explain.partial_dependence`.
        ax : Axes or array of Axes, optional
            Axes to draw on, one for each column.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : DependenceDisplay
            The display, drawn.
        """
        pyplot()
        several = [columns] if is_integer(columns) or isinstance(columns, str) else list(columns)
        if not several:
            raise ParameterError("columns is empty: give at least one column")
        options = {"values": values, "interval": interval, "target": target}
        options |= {"max_samples": max_samples, "random_state": random_state}
        curves = [partial_dependence(estimator, X, one, **options) for one in several]
        return cls.from_predictions(curves, ax=ax, **style)

    @classmethod
    def from_predictions(
        cls, curves: Dependence | list[Dependence], *, ax: Any = None, **style: object
    ) -> Self:
        """Show curves that :func:`mercer.explain.partial_dependence` has computed.

        Parameters
        ----------
        curves : Dependence or list of Dependence
            The curves.
        ax : Axes or array of Axes, optional
            Axes to draw on, one for each curve.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : DependenceDisplay
            The display, drawn.
        """
        pyplot()
        curves = [curves] if isinstance(curves, Dependence) else list(curves)
        if not curves or not all(isinstance(curve, Dependence) for curve in curves):
            raise TypeError("curves must be those of mercer.explain.partial_dependence")
        return cls(curves).plot(ax, **style)

    def plot(self, ax: Any = None, *, color: object = None) -> Self:
        """Draw a panel for each column.

        Parameters
        ----------
        ax : Axes or array of Axes, optional
            Axes to draw on, one for each column; by default those of a new figure.
        color : color, optional
            The colour of lines and bands.

        Returns
        -------
        self : DependenceDisplay
            The display itself.
        """
        axes = self._panels(ax, len(self.curves), size=(4.4, 3.4))
        low = min(curve.lower.min() for curve in self.curves)
        high = max(curve.upper.max() for curve in self.curves)
        room = 0.06 * (high - low) or 1.0
        for one, curve in zip(axes, self.curves, strict=True):
            colour = theme_of(one).classes(1)[0] if color is None else color
            _draw(one, curve, colour)
            # The same scale in all panels: columns are compared by how much they move the curve.
            one.set_ylim(low - 1.6 * room, high + room)
            one.set_xlabel(plain(curve.name))
            one.set_ylabel("mean response")
        handles = axes[0].get_legend_handles_labels()[0]
        self._legend(handles, below=True)
        return self


def _draw(ax: Any, curve: Dependence, colour: object) -> None:
    theme = theme_of(ax)
    share = f"{100 * curve.interval:.6g} % of samples"
    if curve.values.dtype.kind in "iuf" and len(curve.values) > _FEW_VALUES:
        places = curve.values
        ax.fill_between(
            places,
            curve.lower,
            curve.upper,
            color=theme.tint(colour, 0.4 if theme.dark else 0.25),
            lw=0,
            label=share,
        )
        ax.plot(places, curve.mean, color=colour, linewidth=2, label="mean")
        seen = np.sort(curve.observed)[:: max(1, len(curve.observed) // _MOST_MARKS)]
        within = seen[(seen >= places.min()) & (seen <= places.max())]
        ax.plot(
            within,
            np.full(len(within), 0.02),
            "|",
            color=theme.muted,
            markersize=6,
            transform=ax.get_xaxis_transform(),
            label="samples",
        )
        ax.xaxis.set_major_locator(few(6))
        return
    places = np.arange(len(curve.values))
    ends = np.stack([curve.mean - curve.lower, curve.upper - curve.mean]).clip(0)
    ax.errorbar(
        places, curve.mean, yerr=ends, fmt="none", ecolor=theme.tint(colour, 0.5), lw=6, label=share
    )
    ax.plot(places, curve.mean, "o", color=colour, label="mean")
    ax.set_xticks(places, [plain(short(value)) for value in curve.values.tolist()])
    ax.set_xlim(-0.7, len(places) - 0.3)
