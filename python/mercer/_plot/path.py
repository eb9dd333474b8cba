"""Scores over the parameters that a search compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._arrays import Samples
from mercer._kernel_ridge_cv import KernelRidgeCV
from mercer._params import ParameterError
from mercer._plot.display import Display, plain, pyplot, short
from mercer._plot.path_results import (
    score_name_of,
    scores_of,
    scores_of_arrays,
    scores_of_models,
)
from mercer._plot.samples import fitted_with
from mercer._plot.theme import CLASSES, LINES, MARKERS, Theme, theme_of
from mercer._plot.ticks import cells, positions, scale_of

_STYLES = ("curves", "heat", "points")
# Beyond these, curves of one picture can no longer be distinguished.
_MOST_CURVES = 8
_SYMBOLS = {"alpha": "λ (alpha)", "gamma": "γ (gamma)", "nu": "ν (nu)", "epsilon": "ε (epsilon)"}


class PathDisplay(Display):
    """Validation scores against one or two parameters.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. The best is marked, and a band shows
    the spread of scores where it is known. Two parameters are a heat map, or a curve for each
    value of the second. Randomly drawn combinations are points.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Values of the parameter.
    mean : ndarray of shape (n_values,) or (n_values, n_second)
        The score of each; higher is better.
    spread : ndarray of the same shape, optional
        The uncertainty of each score.
    name : str
        The parameter.
    second_name : str, optional
        The second parameter.
    second_values : ndarray of shape (n_second,), optional
        Its values.
    score_name : str
        What the score is.
    spread_name : str
        What the spread is.
    best : tuple of int, optional
        The index of the best among the values; by default the first of the highest scores.
    scattered : bool
        Whether the combinations were drawn at random, not a grid. Values of one parameter may then
        occur several times.

    Attributes
    ----------
    best_ : tuple of int
        The index of the best score among the values of the parameter, or of both.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import PathDisplay, SVCSearch
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SVCSearch(Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1]).fit(X, y)
    >>> display = PathDisplay.from_estimator(search)
    >>> display.name, display.second_name, display.mean.shape
    ('C', 'gamma', (3, 3))
    >>> display.values[display.best_[0]], display.second_values[display.best_[1]]
    (np.float64(1.0), np.float64(0.1))
    """

    def __init__(
        self,
        values: np.ndarray,
        mean: np.ndarray,
        *,
        spread: np.ndarray | None = None,
        name: str = "parameter",
        second_name: str | None = None,
        second_values: np.ndarray | None = None,
        score_name: str = "score",
        spread_name: str = "standard deviation",
        best: tuple[int, ...] | None = None,
        scattered: bool = False,
    ) -> None:
        self.values = values
        self.mean = mean
        self.spread = spread
        self.name = name
        self.second_name = second_name
        self.second_values = second_values
        self.score_name = score_name
        self.spread_name = spread_name
        self.scattered = scattered
        if np.isnan(mean).all():
            raise ValueError("all scores are NaN: every fit of the search failed")
        place = np.unravel_index(np.nanargmax(mean), mean.shape) if best is None else best
        self.best_ = tuple(int(one) for one in place)

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples | None = None,
        y: ArrayLike | None = None,
        *,
        params: Sequence[str] | str | None = None,
        score_name: str | None = None,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the results of a search.

        Parameters
        ----------
        estimator : KernelRidgeCV, SVCSearch, SVRSearch, a search of scikit-learn or list of SVC
            A fitted search with ``cv_results_`` (of KernelRidgeCV, one with
            ``store_cv_results=True``), or what :func:`mercer.svc_path` returned.
        X, y : samples and classes, optional
            What the models of a list are scored on; required for a list.
        params : str or sequence of two, optional
            Which parameters are shown, if more than two were varied: the others are as in the
            best combination or, for a random search, whatever was drawn.
        score_name : str, optional
            What the score is; by default as the search says.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : PathDisplay
            The display, drawn.
        """
        pyplot()
        if isinstance(estimator, (list, tuple)):
            if params is not None:
                raise ParameterError("models along a path differ in C alone: leave params out")
            name, found = score_name or "accuracy", scores_of_models(estimator, X, y)
            return cls(found.values, found.mean, name="C", score_name=name).plot(ax, **style)
        if X is not None or y is not None:
            raise ParameterError("a search has scores of its own: leave X and y out")
        fitted_with(estimator)
        found = scores_of(estimator, params)
        error = isinstance(estimator, KernelRidgeCV)
        return cls(
            found.values,
            found.mean,
            spread=found.spread,
            name=found.name,
            second_name=found.second_name,
            second_values=found.second_values,
            score_name=score_name or score_name_of(estimator),
            spread_name="standard error" if error else "standard deviation",
            best=found.best,
            scattered=found.scattered,
        ).plot(ax, **style)

    @classmethod
    def from_predictions(
        cls,
        values: ArrayLike,
        scores: ArrayLike,
        *,
        spread: ArrayLike | None = None,
        name: str = "parameter",
        second_values: ArrayLike | None = None,
        second_name: str | None = None,
        score_name: str = "score",
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show given scores, such as those of scikit-learn's ``validation_curve``.

        Parameters
        ----------
        values : array-like of shape (n_values,)
            Values of the parameter.
        scores : array-like of shape (n_values,) or (n_values, n_folds)
            Scores; higher is better. Of several folds the mean is shown, with a band of one
            standard deviation. With a second parameter, (n_values, n_second) or
            (n_values, n_second, n_folds).
        spread : array-like, optional
            The uncertainty of scores without folds, at least 0. Curves show it, heat maps do not.
        name : str
            The parameter.
        second_values, second_name : array-like of shape (n_second,) and str, optional
            A second parameter.
        score_name : str
            What the score is.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : PathDisplay
            The display, drawn.
        """
        pyplot()
        found = scores_of_arrays(values, scores, spread, name, second_values, second_name)
        display = cls(
            found.values,
            found.mean,
            spread=found.spread,
            name=found.name,
            second_name=found.second_name,
            second_values=found.second_values,
            score_name=score_name,
        )
        if spread is not None and display._is_heat(style.get("kind")):
            raise ParameterError("a heat map shows no spread: pass kind='curves', or omit it")
        return display.plot(ax, **style)

    def plot(self, ax: Any = None, *, kind: str | None = None) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default those of a new figure.
        kind : {"curves", "heat", "points"}, optional
            For two parameters: a curve for each value of the second, or a heat map, which is the
            default where both are numbers with three or more values, or there are many values.
            A point for each combination is the default of a random search.

        Returns
        -------
        self : PathDisplay
            The display itself.
        """
        if kind is not None and kind not in _STYLES:
            raise ParameterError(f"kind must be 'curves', 'heat', 'points' or None, not {kind!r}")
        if kind == "heat" and self.second_values is None:
            raise ParameterError("a heat map needs two parameters, and there is one")
        kind = "points" if kind is None and self.scattered else kind
        heat = self._is_heat(kind)
        ax = self._panels(ax, size=(6.4, 4.6))[0]
        theme = theme_of(ax)
        if kind == "points":
            self._points(ax, theme)
        elif heat:
            self._heat(ax, theme)
        elif self.second_values is None:
            handles = self._curve(ax, theme, 0, self.mean, self.spread, "mean")
            self._legend(handles, below=True)
        else:
            self._curves(ax, theme)
        return self

    def _is_heat(self, kind: object) -> bool:
        if self.second_values is None or kind is not None:
            return kind == "heat"
        numbers = self.values.dtype != object and self.second_values.dtype != object
        many = len(self.second_values) > _MOST_CURVES
        return many or (numbers and min(self.mean.shape) >= 3)

    def _curves(self, ax: Any, theme: Theme) -> None:
        handles = []
        for place, value in enumerate(self.second_values):
            whole = self._short(self.second_name) == "kernel"  # its text says what it is
            label = plain(value) if whole else self._setting(self.second_name, value)
            spread = None if self.spread is None else self.spread[:, place]
            handles += self._curve(ax, theme, place, self.mean[:, place], spread, label)
        bands = [one for one in handles if one.get_label().startswith("±")]
        best = [one for one in handles if one.get_label().startswith("best")]
        lines = [one for one in handles if one not in bands and one not in best]
        self._legend([*lines, *bands[:1], *best], below=True)

    def _curve(self, ax: Any, theme: Theme, place: int, mean, spread, label: str) -> list:
        """Draw the curve of one value of the second parameter and return its handles."""
        colour = theme.classes(place + 1)[place]
        marker = MARKERS[place % len(MARKERS)] if mean.size <= 40 else None
        at = positions(self.values)
        look = {
            "color": colour,
            "linestyle": LINES[(place + place // len(CLASSES)) % len(LINES)],
            "markersize": 4,
        }
        handles = ax.plot(at, mean, marker=marker, label=label, zorder=3, **look)
        if spread is not None and np.isfinite(spread).any():
            band = {
                "color": theme.tint(colour, 0.55 if theme.dark else 0.35),
                "alpha": 0.55,
                "linewidth": 0,
            }
            name = f"± 1 {self.spread_name}"
            handles.append(
                ax.fill_between(at, mean - spread, mean + spread, label=name, zorder=1, **band)
            )
        if self.best_[1:] in ((), (place,)):
            handles.append(self._mark_best(ax, theme, at[self.best_[0]], mean[self.best_[0]]))
        scale_of(ax, self.values)
        ax.set(xlabel=self._symbol(self.name), ylabel=plain(self.score_name))
        return handles

    def _points(self, ax: Any, theme: Theme) -> None:
        """Draw a point for each combination: by its score, or coloured by it over two values."""
        if self.second_values is None:
            scale_of(ax, self.values)
            at, colour = positions(self.values), theme.classes(1)[0]
            drawn = ax.scatter(
                at, self.mean, s=26, color=[colour], edgecolors=[theme.edge(colour)], zorder=3
            )
            drawn.set_label("a combination")
            best = self._mark_best(ax, theme, at[self.best_[0]], self.mean[self.best_])
            ax.set(xlabel=self._symbol(self.name), ylabel=plain(self.score_name))
            if self.values.dtype == object:
                ax.set_xlim(-0.5, at.max() + 0.5)
            self._legend([drawn, best], below=True)
            return
        there = np.argwhere(np.isfinite(self.mean))
        first, second = positions(self.values), positions(self.second_values)
        scale_of(ax, self.values)
        scale_of(ax, self.second_values, "y")
        drawn = ax.scatter(
            first[there[:, 0]],
            second[there[:, 1]],
            c=self.mean[tuple(there.T)],
            s=60,
            cmap=theme.of_marks(),
            edgecolors=[theme.muted],
            linewidths=0.5,
            zorder=3,
        )
        self.figure_.colorbar(drawn, ax=ax, label=plain(self.score_name))
        x, y = first[self.best_[0]], second[self.best_[1]]
        self._legend([self._mark_best(ax, theme, x, y)], below=True)
        ax.set(xlabel=self._symbol(self.name), ylabel=self._symbol(self.second_name))

    def _mark_best(self, ax: Any, theme: Theme, x: float, y: float) -> Any:
        return ax.scatter(
            [x],
            [y],
            marker="*",
            s=170,
            color=[theme.ink],
            edgecolors=[theme.paper],
            linewidths=0.8,
            zorder=5,
            label=self._best_text(),
        )

    def _best_text(self) -> str:
        parts = [self._setting(self.name, self.values[self.best_[0]])]
        if self.second_values is not None:
            parts.append(self._setting(self.second_name, self.second_values[self.best_[1]]))
        return "best: " + ", ".join(parts)

    def _heat(self, ax: Any, theme: Theme) -> None:
        ax.grid(False)  # some styles have one, which would lie on the cells
        # Every cell has the same size, so that one star marks the best of any grid.
        drawn = ax.imshow(self.mean.T, origin="lower", aspect="auto", cmap=theme.sequential())
        ax.set_facecolor(theme.tint(theme.ink, 0.25))
        self.figure_.colorbar(drawn, ax=ax, label=plain(self.score_name))
        cells(ax.xaxis, self.values)
        cells(ax.yaxis, self.second_values)
        ax.set_xlabel(self._symbol(self.name))
        ax.set_ylabel(self._symbol(self.second_name))
        star = {"marker": "*", "s": 210, "color": "black", "edgecolors": "white", "zorder": 5}
        ax.scatter([self.best_[0]], [self.best_[1]], **star)
        score = self.mean[self.best_]
        name = plain(self.score_name)
        ax.set_title(f"{self._best_text()}, {name} {short(score)}", fontsize="medium")

    def _short(self, name: str) -> str:
        """The name of a parameter without the steps of pipelines that lead to it, if one has it."""
        names = [one for one in (self.name, self.second_name) if one is not None]
        ends = [one.rpartition("__")[2] for one in names]
        return name if len(set(ends)) < len(ends) else name.rpartition("__")[2]

    def _setting(self, name: str, value: object) -> str:
        return plain(f"{self._short(name)} = {short(value)}")

    def _symbol(self, name: str) -> str:
        """The name of a parameter beside an axis, with its letter if it has one."""
        return _SYMBOLS.get(self._short(name), plain(self._short(name)))
