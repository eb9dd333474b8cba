"""Permutation importances as bars with standard errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._plot.bars import checked_count, in_two_lines, name_bars
from mercer._plot.display import Display, pyplot
from mercer._plot.samples import numbers_1d
from mercer._plot.theme import theme_of
from mercer.explain import permutation_importance


class ImportanceDisplay(Display):
    """Importances of columns as bars, the largest on top, with two standard errors.

    Made by :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    names : list of str
        The columns.
    mean : ndarray of shape (n_columns,)
        Their importances.
    std_error : ndarray of shape (n_columns,) or None
        The standard errors.
    max_columns : int
        At most so many columns are shown, those with the largest importances.

    Attributes
    ----------
    order_ : ndarray of int
        The columns shown, from the largest importance to the smallest.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, ImportanceDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = ImportanceDisplay.from_estimator(SVC().fit(X, y), X, y)
    >>> display.names[display.order_[0]]
    'petal length (cm)'
    """

    def __init__(
        self,
        names: list[str],
        mean: np.ndarray,
        std_error: np.ndarray | None = None,
        *,
        max_columns: int = 20,
    ) -> None:
        self.names = names
        self.mean = mean
        self.std_error = std_error
        self.max_columns = max_columns
        self.order_ = np.argsort(-mean, kind="stable")[:max_columns]

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: object,
        y: object = None,
        *,
        scoring: str | Callable[..., float] | None = None,
        n_repeats: int = 10,
        random_state: int | np.random.RandomState | None = None,
        max_columns: int = 20,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the permutation importances of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X, y, scoring, n_repeats, random_state
            As for :func:`mercer.explain.permutation_importance`.
        max_columns : int, default=20
            At most so many columns are shown.
        ax : Axes, optional
            Axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : ImportanceDisplay
            The display, drawn.
        """
        pyplot()
        found = permutation_importance(
            estimator, X, y, scoring=scoring, n_repeats=n_repeats, random_state=random_state
        )
        error = None if np.isnan(found.std_error).any() else found.std_error
        return cls.from_predictions(
            found.names, found.mean, error, max_columns=max_columns, ax=ax, **style
        )

    @classmethod
    def from_predictions(
        cls,
        names: list[str],
        mean: ArrayLike,
        std_error: ArrayLike | None = None,
        *,
        max_columns: int = 20,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show importances.

        Parameters
        ----------
        names : list of str
            The columns.
        mean : array-like of shape (n_columns,)
            Their importances.
        std_error : array-like of shape (n_columns,), optional
            The standard errors.
        max_columns : int, default=20
            At most so many columns are shown.
        ax : Axes, optional
            Axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : ImportanceDisplay
            The display, drawn.
        """
        pyplot()
        max_columns = checked_count(max_columns, "max_columns")
        names = [str(name) for name in names]
        mean = numbers_1d(mean, "mean", len(names))
        if std_error is not None:
            std_error = numbers_1d(std_error, "std_error", len(names))
        return cls(names, mean, std_error, max_columns=max_columns).plot(ax, **style)

    def plot(self, ax: Any = None, *, color: object = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        color : color, optional
            The colour of the bars.

        Returns
        -------
        self : ImportanceDisplay
            The display itself.
        """
        shown = self.order_
        (ax,) = self._panels(ax, size=(6.4, 1.1 + 0.32 * len(shown)))
        theme, places = theme_of(ax), np.arange(len(shown))
        colour = theme.classes(1)[0] if color is None else color
        ax.barh(places, self.mean[shown], color=colour, height=0.7)
        if self.std_error is not None:
            error = 2 * self.std_error[shown]
            ax.errorbar(
                self.mean[shown], places, xerr=error, fmt="none", ecolor=theme.ink, capsize=3
            )
        ax.axvline(0, color=theme.muted, linewidth=1)
        name_bars(ax, [in_two_lines(self.names[place]) for place in shown])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        two = " (with two standard errors)" if self.std_error is not None else ""
        ax.set_xlabel(f"loss of score when the column is shuffled{two}")
        hidden = len(self.names) - len(shown)
        if hidden:
            title = f"{hidden} column{'s' * (hidden > 1)} of less importance not shown"
            ax.set_title(title, loc="right", fontsize="medium")
        return self
