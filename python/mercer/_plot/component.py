"""Components over a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_clusterer

from mercer._arrays import Samples
from mercer._params import ParameterError, is_integer
from mercer._plot.display import Display, of_variance, plain, pyplot
from mercer._plot.plane import (
    checked_grid,
    clipping,
    fit_limits,
    name_axes,
    panel_height,
    plane_grid,
)
from mercer._plot.points import draw_classes, draw_plain
from mercer._plot.samples import (
    are_values,
    classes_of,
    fitted_with,
    labels_of,
    last_step,
    marks_of,
    order_of,
)
from mercer._plot.theme import theme_of
from mercer._plot.ticks import few


class ComponentDisplay(Display):
    """Contours of components over a plane of samples, one panel for each.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Where a component is negative its
    contours are dashed, and the zero contour is drawn thick.

    Parameters
    ----------
    first, second : ndarray of shape (n_first,) and (n_second,)
        Coordinates of the grid.
    values : ndarray of shape (n_components, n_second, n_first)
        The components on the grid.
    points : ndarray of shape (n_samples, 2), optional
        Positions of the samples on the plane.
    y : ndarray of shape (n_samples,), optional
        Their classes.
    explained_variance_ratio : ndarray, optional
        The fraction of the variance of each component.
    names : tuple of str
        The names of the coordinates.
    note : str
        A note on the plane.
    titles : sequence of str, optional
        What each panel shows; by default components by their numbers.
    value_name : str
        What the values are, written beside the colour bar.
    order : list, optional
        The classes in the order of the legend; by default they are sorted.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The panels, after :meth:`plot`; ``ax_`` is the first.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from mercer import ComponentDisplay, KernelPCA
    >>> X, y = make_circles(100, factor=0.3, noise=0.05, random_state=0)
    >>> kpca = KernelPCA(2, kernel="rbf", gamma=2.0).fit(X)
    >>> display = ComponentDisplay.from_estimator(kpca, X, y)
    >>> display.values.shape
    (2, 100, 100)
    >>> display.axes_[0].get_title()
    'component 1 (21.7 % of variance)'
    """

    def __init__(
        self,
        first: np.ndarray,
        second: np.ndarray,
        values: np.ndarray,
        *,
        points: np.ndarray | None = None,
        y: np.ndarray | None = None,
        explained_variance_ratio: np.ndarray | None = None,
        names: tuple[str, str] = ("first", "second"),
        note: str = "",
        titles: Sequence[str] | None = None,
        value_name: str = "score",
        order: list | None = None,
    ) -> None:
        self.first = first
        self.second = second
        self.values = values
        self.points = points
        self.y = y
        self.explained_variance_ratio = explained_variance_ratio
        self.names = names
        self.note = note
        self.titles = component_names(len(values)) if titles is None else list(titles)
        self.value_name = value_name
        self.order = order

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples,
        y: ArrayLike | None = None,
        *,
        n_components: int | None = None,
        columns: Sequence | None = None,
        plane: str | None = None,
        grid_resolution: int = 100,
        margin: float = 0.1,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the components of a fitted estimator.

        Parameters
        ----------
        estimator : KernelPCA, PCA or pipeline that ends with one
            Fitted, with a method ``transform``. For :class:`mercer.KernelKMeans`, the distances to
            the centres of clusters are shown.
        X : array-like of shape (n_samples, n_features)
            Samples to draw, which also set the extent of the plane.
        y : array-like of shape (n_samples,), optional
            Their classes.
        n_components : int, optional
            Number of components to show; by default the first four, or all if there are fewer.
        columns : tuple of int or str, optional
            The two columns that span the plane; all others are at their medians, or at their most
            frequent values if they are not numeric. May be omitted if there are two columns.
        plane : {"columns", "pca"}, optional
            ``"pca"`` is the plane of the first two principal components of X through its mean,
            which is taken, with a warning, if there are more than two columns and none is chosen.
            For a pipeline it is the plane of the input of the last step, such as scaled columns.
        grid_resolution : int, default=100
            Number of grid points in each direction.
        margin : float, default=0.1
            How far the grid extends beyond the samples, relative to their range. If no value of a
            column is below 0, the grid does not go below 0 either: kernels on histograms refuse
            negative values.
        ax : array of Axes, optional
            One axes per component.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : ComponentDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(estimator, "transform")
        grid = plane_grid(
            estimator,
            X,
            columns=columns,
            plane=plane,
            grid_resolution=grid_resolution,
            margin=margin,
        )
        found = np.asarray(grid.estimator.transform(grid.rows), dtype=np.float64)
        count = _count(n_components, found.shape[1])
        return cls(
            grid.first,
            grid.second,
            np.moveaxis(grid.field(found[:, :count]), -1, 0),
            points=grid.points,
            y=None if y is None else _classes(y, len(grid.points)),
            explained_variance_ratio=ratios_of(estimator),
            names=grid.plane.names,
            note=grid.plane.note,
            titles=outputs_of(estimator, count),
            value_name="distance" if is_clusterer(last_step(estimator)) else "score",
            order=order_of(y),
        ).plot(ax, **style)

    @classmethod
    def from_predictions(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        values: ArrayLike,
        *,
        points: ArrayLike | None = None,
        y: ArrayLike | None = None,
        explained_variance_ratio: ArrayLike | None = None,
        names: tuple[str, str] = ("first", "second"),
        note: str = "",
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show components that were computed on a grid.

        Parameters
        ----------
        first, second : array-like of shape (n_first,) and (n_second,)
            Coordinates of the grid, ascending.
        values : array-like of shape (n_components, n_second, n_first)
            The components on the grid.
        points : array-like of shape (n_samples, 2), optional
            Positions of the samples.
        y : array-like of shape (n_samples,), optional
            Their classes.
        explained_variance_ratio : array-like, optional
            The fraction of the variance of each component.
        names : tuple of str
            The names of the coordinates.
        note : str
            Written below the name of the first coordinate.
        ax : array of Axes, optional
            One axes per component.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : ComponentDisplay
            The display, drawn.
        """
        pyplot()
        points = marks_of(points, y)
        first, second, values = checked_grid(first, second, values, panels=True)
        ratios = explained_variance_ratio
        return cls(
            first,
            second,
            values,
            points=points,
            y=None if y is None else _classes(y, len(points)),
            explained_variance_ratio=None if ratios is None else np.asarray(ratios, dtype=float),
            names=names,
            note=note,
            order=order_of(y),
        ).plot(ax, **style)

    def plot(self, ax: Any = None, *, levels: int = 8, colorbar: bool = True) -> Self:
        """Draw the panels.

        Parameters
        ----------
        ax : array of Axes, optional
            One axes per component; by default those of a new figure.
        levels : int, default=8
            Number of contours on either side of zero.
        colorbar : bool, default=True
            Whether each panel has a colour bar.

        Returns
        -------
        self : ComponentDisplay
            The display itself.
        """
        if not is_integer(levels) or levels < 1:
            raise ParameterError(f"levels must be an integer of at least 1, not {levels!r}")
        height = panel_height(self.first, self.second, 3.2) + 0.7
        axes = self._panels(ax, len(self.values), size=(4.6 if colorbar else 3.9, height))
        handles: list = []
        for place, panel in enumerate(axes):
            self._contours(panel, self.values[place], levels, colorbar)
            handles = self._samples(panel)
            name = self.titles[place]
            panel.set_title(plain(of_variance(name, self.explained_variance_ratio, place)))
            fit_limits(panel, self.first, self.second)
        self._legend(handles, below=True)
        name_axes(axes, self.names, self.note)
        return self

    def _contours(self, ax: Any, values: np.ndarray, levels: int, colorbar: bool) -> None:
        theme = theme_of(ax)
        most = float(np.abs(values).max()) or 1.0
        steps = np.linspace(-most, most, 2 * levels + 1)
        # The sum of rounded steps need not be the extreme itself, which must not be left white.
        steps[[0, -1]] *= 1 + 1e-9
        fill = ax.contourf(self.first, self.second, values, levels=steps, cmap=theme.diverging())
        line = {"colors": [theme.tint(theme.ink, 0.6)], "linewidths": 0.6}
        below, above = steps[1:levels], steps[levels + 1 : -1]
        for some, dashes in ((below, "dashed"), (above, "solid")):
            if np.any((some > values.min()) & (some < values.max())):
                ax.contour(self.first, self.second, values, some, linestyles=dashes, **line)
        if values.min() < 0 < values.max():
            ax.contour(self.first, self.second, values, [0.0], colors=[theme.ink], linewidths=[1.8])
        if colorbar:
            bar = self.figure_.colorbar(fill, ax=ax, label=plain(self.value_name), shrink=0.9)
            bar.locator = few(5, symmetric=True)
            bar.update_ticks()

    def _samples(self, ax: Any) -> list:
        theme = theme_of(ax)
        if self.points is None:
            return []
        clip = clipping(self.points, self.first, self.second)
        if self.y is None:
            draw_plain(ax, self.points, theme, **clip)
            return []
        classes = classes_of(self.y, len(self.points), order=self.order)
        return draw_classes(ax, self.points, classes, theme, **clip)


def _classes(y: ArrayLike, n: int) -> np.ndarray:
    """The classes of n samples. A scale of colours would lie on that of the contours."""
    y = labels_of(y, n)
    if are_values(y):
        raise ValueError(
            "y is continuous, but marks on contours can only show classes: bin y, as "
            "in np.digitize(y, np.quantile(y, [0.33, 0.67])), or show it with EmbeddingDisplay"
        )
    return y


def _count(asked: int | None, there: int) -> int:
    if asked is None:
        return min(4, there)
    if not is_integer(asked) or not 1 <= asked <= there:
        raise ParameterError(
            f"n_components must be an integer from 1 to {there}, the number of components of the "
            f"estimator, not {asked!r}"
        )
    return int(asked)


def component_names(count: int) -> list[str]:
    """Return what components are called."""
    return [f"component {place + 1}" for place in range(count)]


def outputs_of(estimator: object, count: int) -> list[str]:
    """Return what the first columns are called that an estimator's ``transform`` gives."""
    if is_clusterer(last_step(estimator)):
        return [f"distance to cluster {place}" for place in range(count)]
    return component_names(count)


def ratios_of(estimator: object) -> np.ndarray | None:
    """Return the shares of variance of an estimator's components, if it has them."""
    return getattr(last_step(estimator), "explained_variance_ratio_", None)
