"""Contributions of columns to one prediction, as steps from the mean to it."""

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
from mercer._plot.display import Display, plain, pyplot
from mercer._plot.responses import response_name
from mercer._plot.samples import numbers_1d
from mercer._plot.theme import theme_of
from mercer._rows import count_rows, rows_of
from mercer.explain import contributions
from mercer.explain._tables import values_of


class ContributionDisplay(Display):
    """What each column adds to one prediction: steps from the mean prediction, largest first.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Thin lines are two standard errors
    of estimated contributions.

    Parameters
    ----------
    names : list of str
        The columns, or groups of columns.
    values : ndarray of shape (n_names,)
        Their contributions.
    base : float
        The mean prediction.
    std_error : ndarray of shape (n_names,) or None
        The standard errors of the contributions.
    column_values : list or None
        What the row has in each column; None where nothing is shown.
    name : str
        What is explained.
    max_columns : int
        At most so many bars are shown; the last then stands for all other columns.

    Attributes
    ----------
    prediction : float
        The prediction: the base and all contributions.
    order_ : ndarray of int
        The columns shown one by one, from the largest contribution to the smallest.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import ContributionDisplay, KernelRidge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = KernelRidge(0.1, kernel="linear", fit_intercept=True).fit(X, y)
    >>> display = ContributionDisplay.from_estimator(model, X, row=3)
    >>> display.names[display.order_[0]]
    'bp'
    """

    def __init__(
        self,
        names: list[str],
        values: np.ndarray,
        base: float = 0.0,
        *,
        std_error: np.ndarray | None = None,
        column_values: list | None = None,
        name: str = "prediction",
        max_columns: int = 10,
    ) -> None:
        self.names = names
        self.values = values
        self.base = base
        self.std_error = std_error
        self.column_values = column_values
        self.name = name
        self.max_columns = max_columns
        self.prediction = float(base + values.sum())
        order = np.argsort(-np.abs(values), kind="stable")
        self.order_ = order if len(order) <= max_columns else order[: max_columns - 1]

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: object,
        row: int = 0,
        *,
        background: object = None,
        target: object = None,
        n_permutations: int = 64,
        random_state: int | np.random.RandomState | None = None,
        max_columns: int = 10,
        ax: Any = None,
    ) -> Self:
        """Show what each column adds to the prediction of a row.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : array-like, sparse matrix, data frame or dictionary of columns
            Samples.
        row : int, default=0
            The row of X that is explained, counted from 0.
        background, target, n_permutations, random_state
            As for :func:`mercer.explain.contributions`; the background is X by default.
        max_columns : int, default=10
            At most so many bars are shown; the last then stands for all other columns.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : ContributionDisplay
            The display, drawn.
        """
        pyplot()
        one = rows_of(X, np.array([checked_row(row, count_rows(X))]))
        found = contributions(
            estimator,
            one,
            background=X if background is None else background,
            target=target,
            n_permutations=n_permutations,
            random_state=random_state,
        )
        seen = values_of(one, 0)
        return cls.from_predictions(
            found.names,
            found.values[0],
            found.base,
            std_error=None if found.exact else found.std_error[0],
            column_values=[seen.get(name) for name in found.names],
            name=response_name(estimator, target),
            max_columns=max_columns,
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        names: Sequence[str],
        values: ArrayLike,
        base: float = 0.0,
        *,
        std_error: ArrayLike | None = None,
        column_values: Sequence | None = None,
        name: str = "prediction",
        max_columns: int = 10,
        ax: Any = None,
    ) -> Self:
        """Show contributions, such as a row of those of :func:`mercer.explain.contributions`.

        Parameters
        ----------
        names : sequence of str
            The columns.
        values : array-like of shape (n_names,)
            Their contributions.
        base : float, default=0
            The mean prediction, which the contributions are added to.
        std_error : array-like of shape (n_names,), optional
            Their standard errors.
        column_values : sequence, optional
            What the row has in each column; None where nothing is to be shown.
        name : str, default="prediction"
            What is explained, written below the axes.
        max_columns : int, default=10
            At most so many bars are shown; the last then stands for all other columns.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : ContributionDisplay
            The display, drawn.
        """
        pyplot()
        names = checked_names(names)
        values = numbers_1d(values, "values", len(names))
        if std_error is not None:
            std_error = numbers_1d(std_error, "std_error", len(names))
        if column_values is not None and len(column_values) != len(names):
            raise ParameterError(
                f"column_values must have {len(names)} values, one for each name, "
                f"not {len(column_values)}"
            )
        return cls(
            names,
            values,
            float(numbers_1d([base], "base")[0]),
            std_error=std_error,
            column_values=None if column_values is None else list(column_values),
            name=str(name),
            max_columns=checked_count(max_columns, "max_columns"),
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the steps.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        self : ContributionDisplay
            The display itself.
        """
        names, steps, errors = self._bars()
        (ax,) = self._panels(ax, size=size_for(names, len(names)))
        theme = theme_of(ax)
        ends = self.base + np.cumsum(steps)
        starts = ends - steps
        up, down = colours(theme)
        fills = [up if step >= 0 else down for step in steps]
        draw_bars(ax, theme, names, steps, fills, starts=starts, errors=errors)
        for place, end in enumerate(ends[:-1]):
            ax.plot([end, end], [place - 0.35, place + 1.35], color=theme.muted, linewidth=0.8)
        look = {"color": theme.muted, "zorder": 0}
        scale = float(np.abs(steps).max())
        mean = ax.axvline(self.base, ls=":", label=f"mean {number(self.base, scale)}", **look)
        label = f"{self.name} {number(self.prediction, scale)}"
        found = ax.axvline(self.prediction, label=plain(label), **look)
        errors_said = " (with two standard errors)" if errors is not None else ""
        ax.set_xlabel(plain(self.name) + errors_said)
        self._legend([mean, found], below=True)
        return self

    def _bars(self) -> tuple[list[str], np.ndarray, np.ndarray | None]:
        """Names, steps and lengths of error bars, the rest of the columns last."""
        shown, seen = self.order_, self.column_values
        texts = with_values(
            [self.names[place] for place in shown],
            None if seen is None else [seen[place] for place in shown],
        )
        steps = self.values[shown]
        errors = None if self.std_error is None else 2 * self.std_error[shown]
        others = len(self.names) - len(shown)
        if others:
            texts.append(f"{others} other column{'s' * (others != 1)}")
            steps = np.append(steps, self.values.sum() - steps.sum())
            errors = None if errors is None else np.append(errors, np.nan)
        return texts, steps, errors
