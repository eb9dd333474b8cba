"""The training samples that argue for and against one prediction, as bars."""

from __future__ import annotations

import sys
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
    in_two_lines,
    number,
    size_for,
)
from mercer._plot.display import Display, plain, pyplot
from mercer._plot.responses import function_name, has_landmarks
from mercer._plot.samples import numbers_1d
from mercer._plot.theme import theme_of
from mercer._rows import count_rows, rows_of
from mercer.explain import influential_samples


class InfluenceDisplay(Display):
    """The largest terms of a kernel expansion at one sample: training samples for and against.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. All bars together, with those of
    the other samples and of the intercept, are the value, which is written above.

    Parameters
    ----------
    labels : list of str
        The names of the training samples.
    terms : ndarray of shape (n_labels,)
        Their terms c_i k(x_i, x).
    intercept : float
        The intercept.
    name : str
        What the value is.
    max_samples : int
        So many training samples are shown one by one.

    Attributes
    ----------
    value : float
        The sum of all terms and the intercept.
    order_ : ndarray of int
        The terms shown one by one, from the largest size to the smallest.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import InfluenceDisplay, KernelRidge
    >>> X = np.arange(10.0)[:, None]
    >>> model = KernelRidge(0.1, kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> display = InfluenceDisplay.from_estimator(model, [[2.1]], max_samples=2)
    >>> [display.labels[place] for place in display.order_]
    ['row 2', 'row 1']
    """

    def __init__(
        self,
        labels: list[str],
        terms: np.ndarray,
        intercept: float = 0.0,
        *,
        name: str = "value",
        max_samples: int = 10,
    ) -> None:
        self.labels = labels
        self.terms = terms
        self.intercept = intercept
        self.name = name
        self.max_samples = max_samples
        self.value = float(terms.sum() + intercept)
        self.order_ = np.argsort(-np.abs(terms), kind="stable")[:max_samples]

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: object,
        row: int = 0,
        *,
        labels: Sequence[str] | None = None,
        target: object = None,
        max_samples: int = 10,
        ax: Any = None,
    ) -> Self:
        """Show the training samples with the largest terms in the value of a sample.

        Parameters
        ----------
        estimator : estimator
            As for :func:`mercer.explain.influential_samples`, fitted.
        X : array-like
            Samples.
        row : int, default=0
            The sample that is explained, counted from 0.
        labels : sequence of str, optional
            A name for each training sample, or of a fit on landmarks for each landmark. By default
            its row, counted from 0.
        target : object, optional
            As for :func:`mercer.explain.influential_samples`.
        max_samples : int, default=10
            So many training samples are shown one by one.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : InfluenceDisplay
            The display, drawn.
        """
        pyplot()
        one = rows_of(X, np.array([checked_row(row, count_rows(X))]))
        found = influential_samples(estimator, one, sys.maxsize, target=target)
        rows = found.indices[0]
        if labels is None:
            kind = "landmark" if has_landmarks(estimator) else "row"
            names = [f"{kind} {place}" for place in rows]
        else:
            labels = checked_names(labels, "labels")
            if len(labels) <= rows.max():
                raise ParameterError(
                    f"labels must have a name for each training sample, but has {len(labels)} "
                    f"and no name for row {rows.max()}"
                )
            names = [labels[place] for place in rows]
        return cls.from_predictions(
            names,
            found.terms[0],
            found.intercept,
            name=function_name(estimator, target),
            max_samples=max_samples,
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        labels: Sequence[str],
        terms: ArrayLike,
        intercept: float = 0.0,
        *,
        name: str = "value",
        max_samples: int = 10,
        ax: Any = None,
    ) -> Self:
        """Show terms of training samples.

        Parameters
        ----------
        labels : sequence of str
            The names of the training samples.
        terms : array-like of shape (n_labels,)
            What each adds to the value.
        intercept : float, default=0
            The intercept.
        name : str, default="value"
            What the value is.
        max_samples : int, default=10
            So many training samples are shown one by one.
        ax : Axes, optional
            Axes to draw on.

        Returns
        -------
        display : InfluenceDisplay
            The display, drawn.
        """
        pyplot()
        labels = checked_names(labels, "labels")
        return cls(
            labels,
            numbers_1d(terms, "terms", len(labels)),
            float(numbers_1d([intercept], "intercept")[0]),
            name=str(name),
            max_samples=checked_count(max_samples, "max_samples"),
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        self : InfluenceDisplay
            The display itself.
        """
        names = [in_two_lines(self.labels[place]) for place in self.order_]
        terms = self.terms[self.order_].tolist()
        own = len(names)
        others = len(self.terms) - own
        if others:
            names.append(f"{others:,} other sample{'s' * (others != 1)}")
            terms.append(self.terms.sum() - sum(terms))
        if self.intercept:
            names.append("intercept")
            terms.append(self.intercept)
        (ax,) = self._panels(ax, size=size_for(names, len(names)))
        theme = theme_of(ax)
        up, down = colours(theme)
        fills = [
            theme.tint(theme.ink, 0.4) if place >= own else up if term >= 0 else down
            for place, term in enumerate(terms)
        ]
        draw_bars(ax, theme, names, np.array(terms), fills)
        ax.axvline(0, color=theme.muted, linewidth=1)
        if len(names) > own:
            ax.axhline(own - 0.5, color=theme.muted, linewidth=0.8, linestyle=":")
        ax.set_xlabel("term of the training sample")
        ax.set_title(plain(f"{self.name}: {number(self.value)}"), loc="right", fontsize="medium")
        return self
