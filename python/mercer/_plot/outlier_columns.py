"""The columns that make one row an outlier, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._params import ParameterError
from mercer._plot.bars import (
    checked_count,
    checked_names,
    checked_row,
    colours,
    draw_bars,
    number,
    size_for,
    with_values,
)
from mercer._plot.display import Display, pyplot
from mercer._plot.samples import fitted_with, numbers_1d
from mercer._plot.theme import theme_of
from mercer._rows import count_rows, rows_of
from mercer.explain import outlier_columns
from mercer.explain._tables import values_of


class OutlierColumnsDisplay(Display):
    """By how much the score of a row rises when a column's value is replaced by a usual one.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Long bars are columns that make the
    row an outlier; a bar to the left is a column that is more usual than most.

    Parameters
    ----------
    names : list of str
        The columns.
    gains : ndarray of shape (n_columns,)
        The gains of the row.
    score : float or None
        The score of the row.
    column_values : list or None
        What the row has in each column.
    row : int or None
        The row, counted from 0.
    max_columns : int
        At most so many columns are shown, those with the largest gains.

    Attributes
    ----------
    order_ : ndarray of int
        The columns shown, from the largest gain to the smallest.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OneClassSVM, OutlierColumnsDisplay
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[7, 1] = 9.0
    >>> display = OutlierColumnsDisplay.from_estimator(OneClassSVM(nu=0.1).fit(X), X)
    >>> display.row, display.names[display.order_[0]]
    (7, 'x1')
    """

    def __init__(
        self,
        names: list[str],
        gains: np.ndarray,
        *,
        score: float | None = None,
        column_values: list | None = None,
        row: int | None = None,
        max_columns: int = 10,
    ) -> None:
        self.names = names
        self.gains = gains
        self.score = score
        self.column_values = column_values
        self.row = row
        self.max_columns = max_columns
        self.order_ = np.argsort(-gains, kind="stable")[:max_columns]

    @classmethod
    def from_estimator(
        cls,
        detector: object,
        X: object,
        row: int | None = None,
        *,
        background: object = None,
        n_samples: int = 32,
        random_state: int | np.random.RandomState | None = None,
        max_columns: int = 10,
        ax: Any = None,
    ) -> Self:
        """Show which columns make a row an outlier.

        Parameters
        ----------
        detector : estimator with ``score_samples``
            Fitted.
        X : array-like, sparse matrix, data frame or dictionary of columns
            Samples.
        row : int, optional
            The row of X that is explained, counted from 0. By default the one with the lowest
            score.
        background, n_samples, random_state
            As for :func:`mercer.explain.outlier_columns`; the background is X by default.
        max_columns : int, default=10
            At most so many columns are shown.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : OutlierColumnsDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(detector, "score_samples")
        if row is None:
            row = int(np.argmin(detector.score_samples(X)))
        row = checked_row(row, count_rows(X))
        one = rows_of(X, np.array([row]))
        found = outlier_columns(
            detector,
            one,
            background=X if background is None else background,
            n_samples=n_samples,
            random_state=random_state,
        )
        seen = values_of(one, 0)
        return cls.from_predictions(
            found.names,
            found.gains[0],
            score=found.scores[0],
            column_values=[seen.get(name) for name in found.names],
            row=row,
            max_columns=max_columns,
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        names: Sequence[str],
        gains: ArrayLike,
        *,
        score: float | None = None,
        column_values: Sequence | None = None,
        row: int | None = None,
        max_columns: int = 10,
        ax: Any = None,
    ) -> Self:
        """Show gains, such as a row of those of :func:`mercer.explain.outlier_columns`.

        Parameters
        ----------
        names : sequence of str
            The columns.
        gains : array-like of shape (n_columns,)
            The gains of the row.
        score : float, optional
            The score of the row, written above.
        column_values : sequence, optional
            What the row has in each column.
        row : int, optional
            The row, written above.
        max_columns : int, default=10
            At most so many columns are shown.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : OutlierColumnsDisplay
            The display, drawn.
        """
        pyplot()
        names = checked_names(names)
        if column_values is not None and len(column_values) != len(names):
            raise ParameterError(
                f"column_values must have {len(names)} values, one for each name, "
                f"not {len(column_values)}"
            )
        return cls(
            names,
            numbers_1d(gains, "gains", len(names)),
            score=None if score is None else float(numbers_1d([score], "score")[0]),
            column_values=None if column_values is None else list(column_values),
            row=row,
            max_columns=checked_count(max_columns, "max_columns"),
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        self : OutlierColumnsDisplay
            The display itself.
        """
        shown, seen = self.order_, self.column_values
        names = with_values(
            [self.names[place] for place in shown],
            None if seen is None else [seen[place] for place in shown],
        )
        (ax,) = self._panels(ax, size=size_for(names, len(names)))
        theme = theme_of(ax)
        gains = self.gains[shown]
        unusual, usual = colours(theme)[1], theme.tint(theme.ink, 0.4)
        draw_bars(ax, theme, names, gains, [unusual if gain > 0 else usual for gain in gains])
        ax.axvline(0, color=theme.muted, linewidth=1)
        hidden = len(self.names) - len(names)
        rest = f"\n({hidden:,} column{'s' * (hidden != 1)} of less gain not shown)"
        ax.set_xlabel("gain of score when the value is replaced" + rest * bool(hidden))
        ax.set_title(self._title(), loc="right", fontsize="medium")
        return self

    def _title(self) -> str:
        row = "" if self.row is None else f"row {self.row}"
        score = "" if self.score is None else f"score {number(self.score)}"
        return ", ".join(filter(None, [row, score]))
