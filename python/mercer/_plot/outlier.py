"""Scores of unusual samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._arrays import Samples
from mercer._params import ParameterError, is_integer, is_real
from mercer._plot.display import Display, pyplot
from mercer._plot.labels import checked_texts, write_labels
from mercer._plot.outlier_scores import is_wide, scores_of, threshold_of
from mercer._plot.plane import (
    PlaneGrid,
    checked_grid,
    clipping,
    fit_limits,
    name_axes,
    panel_height,
    plane_grid,
)
from mercer._plot.points import mark_size, ring
from mercer._plot.samples import fitted_with, numbers_1d, pairs_of
from mercer._plot.theme import Theme, theme_of
from mercer._plot.ticks import few

_SCORE = "score (lower is more unusual)"


class OutlierDisplay(Display):
    """Outlier scores with their threshold, over a plane or sorted; samples below it are ringed.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Samples that are not rows of
    numbers have no plane: their scores are shown in ascending order.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        Higher is more normal.
    threshold : float
        Samples with lower scores are flagged.
    points : ndarray of shape (n_samples, 2), optional
        Positions of the samples on the plane.
    first, second : ndarray, optional
        Coordinates of the grid on the plane.
    values : ndarray of shape (n_second, n_first), optional
        Scores on the grid. Without them, scores are shown sorted.
    labels : list of str, optional
        A label for each sample, written beside those that are flagged.
    names : tuple of str
        The names of the coordinates.
    note : str
        A note on the plane.

    Attributes
    ----------
    flagged_ : ndarray of shape (n_samples,)
        Whether each sample is below the threshold.
    n_left_out_ : int
        Number of labels omitted for lack of space, after :meth:`plot`.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCADetector, OutlierDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detector = KernelPCADetector(contamination=0.05).fit(X)
    >>> display = OutlierDisplay.from_estimator(detector, X)
    >>> int(display.flagged_.sum())
    10
    """

    def __init__(
        self,
        scores: np.ndarray,
        threshold: float,
        *,
        points: np.ndarray | None = None,
        first: np.ndarray | None = None,
        second: np.ndarray | None = None,
        values: np.ndarray | None = None,
        labels: list[str] | None = None,
        names: tuple[str, str] = ("first", "second"),
        note: str = "",
    ) -> None:
        self.scores = scores
        self.threshold = threshold
        self.points = points
        self.first = first
        self.second = second
        self.values = values
        self.labels = labels
        self.names = names
        self.note = note
        self.flagged_ = scores < threshold

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples,
        *,
        labels: Sequence[str] | None = None,
        columns: Sequence | None = None,
        plane: str | None = None,
        grid_resolution: int | None = None,
        margin: float | None = None,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the scores of a fitted detector.

        Parameters
        ----------
        estimator : KernelPCADetector, OneClassSVM or pipeline that ends with one
            Fitted, with ``score_samples`` and ``offset_``.
        X : samples
            Samples to draw; the square kernel matrix if the kernel is precomputed.
        labels : sequence of str, optional
            A label for each sample, written beside those that are flagged.
        columns, grid_resolution, margin
            As for :meth:`mercer.ComponentDisplay.from_estimator`, over a plane.
        plane : {"columns", "pca", "none"}, optional
            As for :class:`mercer.ComponentDisplay`; ``"none"`` shows sorted scores, which is
            the only option for strings and kernel matrices.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : OutlierDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(estimator, "score_samples")
        threshold = threshold_of(estimator)
        scores = scores_of(estimator, X)
        labels = checked_texts(labels, len(scores))
        flat = plane is None and columns is None and not is_wide(estimator, X)
        if plane == "none" or flat:
            _refuse_over_plane(columns=columns, grid_resolution=grid_resolution, margin=margin)
            return cls(scores, threshold, labels=labels).plot(ax, **style)
        grid: PlaneGrid = plane_grid(
            estimator,
            X,
            columns=columns,
            plane=plane,
            grid_resolution=100 if grid_resolution is None else grid_resolution,
            margin=0.1 if margin is None else margin,
        )
        return cls(
            scores,
            threshold,
            points=grid.points,
            first=grid.first,
            second=grid.second,
            values=grid.field(np.asarray(grid.estimator.score_samples(grid.rows))),
            labels=labels,
            names=grid.plane.names,
            note=grid.plane.note,
        ).plot(ax, **style)

    @classmethod
    def from_predictions(
        cls,
        scores: ArrayLike,
        threshold: float,
        *,
        points: ArrayLike | None = None,
        first: ArrayLike | None = None,
        second: ArrayLike | None = None,
        values: ArrayLike | None = None,
        labels: Sequence[str] | None = None,
        names: tuple[str, str] = ("first", "second"),
        note: str = "",
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show given scores.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Higher is more normal.
        threshold : float
            Samples with lower scores are flagged.
        points, first, second, values
            Samples, grid and scores on the grid, to show them over a plane: all four or none.
        labels : sequence of str, optional
            A label for each sample, written beside those that are flagged.
        names : tuple of str
            The names of the coordinates.
        note : str
            Written below the name of the first coordinate.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : OutlierDisplay
            The display, drawn.
        """
        pyplot()
        scores = numbers_1d(scores, "scores")
        if not is_real(threshold):
            raise ParameterError(f"threshold must be a number, not {threshold!r}")
        given = [part is not None for part in (points, first, second, values)]
        if any(given) != all(given):
            raise ValueError("points, first, second and values belong together: give all or none")
        if all(given):
            first, second, values = checked_grid(first, second, values)
            points = pairs_of(points, "points", len(scores))
        return cls(
            scores,
            float(threshold),
            points=points,
            first=first,
            second=second,
            values=values,
            labels=checked_texts(labels, len(scores)),
            names=names,
            note=note,
        ).plot(ax, **style)

    def plot(self, ax: Any = None, *, levels: int | None = None) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default those of a new figure.
        levels : int, optional
            Number of colour levels of scores over a plane, by default 10.

        Returns
        -------
        self : OutlierDisplay
            The display itself.
        """
        if self.values is None:
            _refuse_over_plane(levels=levels)
        levels = 10 if levels is None else levels
        if not is_integer(levels) or levels < 1:
            raise ParameterError(f"levels must be an integer of at least 1, not {levels!r}")
        height = 3.6 if self.values is None else panel_height(self.first, self.second, 4.6)
        ax = self._panels(ax, size=(6.4, height + 1.1))[0]
        theme = theme_of(ax)
        if self.values is None:
            places, handles = self._in_order(ax, theme)
        else:
            places, handles = self.points, self._over_plane(ax, theme, levels)
        self._legend(handles, below=True)
        self.n_left_out_ = self._texts(ax, theme, places)
        return self

    def _over_plane(self, ax: Any, theme: Theme, levels: int) -> list:
        grid = (self.first, self.second, self.values)
        fill = ax.contourf(*grid, levels=levels, cmap=theme.rising())
        handles = self._marks(ax, theme, self.points)
        if self.values.min() < self.threshold < self.values.max():
            line = {"colors": [theme.ink], "linewidths": [1.8], "linestyles": ["solid"]}
            ax.contour(*grid, levels=[self.threshold], **line)
            handles.append(_line(theme))
        self.figure_.colorbar(fill, ax=ax, label=_SCORE)
        name_axes([ax], self.names, self.note)
        fit_limits(ax, self.first, self.second)
        return handles

    def _in_order(self, ax: Any, theme: Theme) -> tuple[np.ndarray, list]:
        order = np.argsort(self.scores, kind="stable")
        places = np.empty((len(order), 2))
        places[order, 0] = np.arange(1, len(order) + 1)
        places[:, 1] = self.scores
        handles = self._marks(ax, theme, places)
        ax.axhline(self.threshold, color=theme.ink, linewidth=1.4, zorder=1)
        ax.set(xlabel="samples, the most unusual first", ylabel=_SCORE)
        ax.margins(x=0.03, y=0.08)
        ax.xaxis.set_major_locator(few(9, integer=True, min_n_ticks=1))
        return places, [*handles, _line(theme)]

    def _marks(self, ax: Any, theme: Theme, places: np.ndarray) -> list:
        """Usual and unusual samples, in marks of two shapes."""
        usual, unusual = theme.classes(4)[0], theme.classes(4)[3]
        area = mark_size(len(places))
        clip = {} if self.values is None else clipping(places, self.first, self.second)
        style = {"linewidths": 0.5, "zorder": 3} | clip
        kinds = ((~self.flagged_, usual, "o", "usual", 1.0), (self.flagged_, unusual, "^", "", 1.4))
        handles = []
        for rows, colour, marker, name, larger in kinds:
            name = name or f"flagged ({int(rows.sum())})"
            look = {"color": [colour], "edgecolors": [theme.edge(colour)], "marker": marker}
            handles.append(
                ax.scatter(*places[rows].T, s=larger * area, label=name, **look, **style)
            )
        ring(ax, places[self.flagged_], theme, label="flagged", area=1.4 * area, **clip)
        return handles

    def _texts(self, ax: Any, theme: Theme, places: np.ndarray) -> int:
        if self.labels is None or not self.flagged_.any():
            return 0
        texts = [text for text, out in zip(self.labels, self.flagged_, strict=True) if out]
        flagged, others = places[self.flagged_], places[~self.flagged_]
        return write_labels(ax, flagged, texts, theme, gap=7.0, others=others)


def _refuse_over_plane(**given: object) -> None:
    """Refuse what says how to draw over a plane where scores are shown in order."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{name} is for scores over a plane, but these are sorted: omit it"
            )


def _line(theme: Theme) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=theme.ink, linewidth=1.8, label="threshold")
