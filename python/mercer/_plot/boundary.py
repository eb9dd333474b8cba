"""What estimators decide over a plane, or along a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier, is_regressor

from mercer._arrays import Samples
from mercer._plot.boundary_classes import (
    BoundaryClasses,
    boundary_classes_in,
    boundary_classes_of,
    same_sides,
)
from mercer._plot.boundary_draw import clipping_of, draw_curve, draw_regions, draw_support
from mercer._plot.boundary_support import support_of
from mercer._plot.display import Display, pyplot
from mercer._plot.plane import (
    PlaneGrid,
    checked_grid,
    fit_limits,
    name_axes,
    panel_height,
    plane_grid,
)
from mercer._plot.points import draw_classes, draw_plain
from mercer._plot.samples import (
    Classes,
    fitted_with,
    labels_of,
    last_step,
    marks_of,
    order_of,
    pairs_of,
)
from mercer._plot.theme import theme_of
from mercer._plot.tube import tube_of


class BoundaryDisplay(Display):
    """Regions of classes, the boundary, its margin and the support vectors.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Two classes of a support vector
    machine have margin lines, where the decision is −1 and 1. A regression on one column is shown
    as a curve, with its epsilon tube if it has one.

    Parameters
    ----------
    first, second : ndarray
        Coordinates of the grid; `second` is None along a line.
    regions : ndarray of shape (n_second, n_first), optional
        The index of the class on the grid among `classes`; None along a line.
    decision : ndarray of shape (n_second, n_first) or (n_first,), optional
        The decision on the grid where there are two sides, or the regression along the line.
    classes : list of str
        The names of the classes.
    points : ndarray of shape (n_samples, 2), optional
        Positions of the samples.
    codes : ndarray of shape (n_samples,), optional
        The index of the class of each among `classes`.
    support : ndarray of shape (n_support, 2), optional
        Positions of the support vectors.
    margin_lines : bool
        Whether decision values of −1 and 1 are the margin.
    epsilon : float, optional
        Half the width of the tube.
    names : tuple of str
        The names of the coordinates.
    note : str
        A note on the plane.

    Attributes
    ----------
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SVC, BoundaryDisplay
    >>> X, y = make_moons(100, noise=0.15, random_state=0)
    >>> model = SVC(gamma=1.0).fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(model, X, y)
    >>> len(display.support) == model.n_support_.sum()
    np.True_
    >>> display.decision.shape
    (200, 200)
    """

    def __init__(
        self,
        first: np.ndarray,
        second: np.ndarray | None,
        *,
        regions: np.ndarray | None = None,
        decision: np.ndarray | None = None,
        classes: list[str] | None = None,
        points: np.ndarray | None = None,
        codes: np.ndarray | None = None,
        support: np.ndarray | None = None,
        margin_lines: bool = False,
        epsilon: float | None = None,
        names: tuple[str, str] = ("first", "second"),
        note: str = "",
    ) -> None:
        self.first = first
        self.second = second
        self.regions = regions
        self.decision = decision
        self.classes = classes or []
        self.points = points
        self.codes = codes
        self.support = support
        self.margin_lines = margin_lines
        self.epsilon = epsilon
        self.names = names
        self.note = note

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples,
        y: ArrayLike | None = None,
        *,
        columns: Sequence | None = None,
        plane: str | None = None,
        grid_resolution: int = 200,
        margin: float = 0.1,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the decisions of a fitted estimator.

        Parameters
        ----------
        estimator : SVC, NuSVC, KernelRidgeClassifier, OneClassSVM, SVR or pipeline with one
            Fitted. A regression must be one on one column.
        X : array-like of shape (n_samples, n_features)
            Samples to draw. Support vectors are ringed where they are among these.
        y : array-like of shape (n_samples,), optional
            Their classes, or their targets, which a regression needs.
        columns, plane, grid_resolution, margin
            As for :meth:`mercer.ComponentDisplay.from_estimator`.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : BoundaryDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(estimator, "predict")
        model = last_step(estimator)
        if is_regressor(model):
            if columns is not None or plane is not None:
                raise ValueError("a regression on one column has no plane: omit columns and plane")
            return cls(**tube_of(estimator, X, y, grid_resolution, margin)).plot(ax, **style)
        grid = plane_grid(
            estimator,
            X,
            columns=columns,
            plane=plane,
            grid_resolution=grid_resolution,
            margin=margin,
        )
        sides = boundary_classes_of(estimator, order_of(y))
        classes, codes = sides.names, sides.codes(y, len(grid.points))
        return cls(
            grid.first,
            grid.second,
            regions=grid.field(sides.places(grid.estimator.predict(grid.rows))),
            decision=_decision(grid, sides),
            classes=classes,
            points=grid.points,
            codes=codes,
            support=support_of(estimator, X, grid),
            margin_lines=is_classifier(model) and hasattr(model, "support_"),
            names=grid.plane.names,
            note=grid.plane.note,
        ).plot(ax, **style)

    @classmethod
    def from_predictions(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        predictions: ArrayLike,
        *,
        decision: ArrayLike | None = None,
        points: ArrayLike | None = None,
        y: ArrayLike | None = None,
        support: ArrayLike | None = None,
        margin_lines: bool = False,
        names: tuple[str, str] = ("first", "second"),
        note: str = "",
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show classes that were predicted on a grid.

        Parameters
        ----------
        first, second : array-like of shape (n_first,) and (n_second,)
            Coordinates of the grid, ascending.
        predictions : array-like of shape (n_second, n_first)
            The predicted class on the grid.
        decision : array-like of shape (n_second, n_first), optional
            For two classes: the decision, positive where the second of them, in the order of
            their names, is predicted.
        points : array-like of shape (n_samples, 2), optional
            Positions of the samples.
        y : array-like of shape (n_samples,), optional
            Their classes.
        support : array-like of shape (n_support, 2), optional
            Positions of the support vectors.
        margin_lines : bool, default=False
            Whether to draw the lines where the decision is −1 and 1.
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
        display : BoundaryDisplay
            The display, drawn.
        """
        pyplot()
        points = marks_of(points, y)
        labels = np.asarray(predictions)
        flat = labels_of(labels.ravel(), labels.size, "predictions")
        sides = boundary_classes_in(flat, None if y is None else labels_of(y, len(points)))
        places = sides.places(flat).reshape(labels.shape)
        first, second, places = checked_grid(first, second, places)
        if decision is not None:
            decision = checked_grid(first, second, decision)[2]
            same_sides(decision, places, sides.names)
        elif margin_lines:
            raise ValueError("margin lines need the decision on the grid")
        return cls(
            first,
            second,
            regions=places.astype(int),
            decision=decision,
            classes=sides.names,
            points=points,
            codes=sides.codes(y, 0 if points is None else len(points)),
            support=None if support is None else pairs_of(support, "support"),
            margin_lines=margin_lines,
            names=names,
            note=note,
        ).plot(ax, **style)

    def plot(self, ax: Any = None, *, show_support: bool = True) -> Self:
        """Draw regions, boundaries and samples.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default those of a new figure.
        show_support : bool, default=True
            Whether support vectors are ringed.

        Returns
        -------
        self : BoundaryDisplay
            The display itself.
        """
        flat = self.second is None
        height = 3.6 if flat else panel_height(self.first, self.second, 5.6)
        ax = self._panels(ax, size=(6.4, height + 1.2))[0]
        theme = theme_of(ax)
        handles = draw_curve(ax, self, theme) if self.second is None else []
        handles += self._samples(ax)
        if self.second is not None:
            handles += draw_regions(ax, self, theme)
            fit_limits(ax, self.first, self.second)
        if show_support and self.support is not None and len(self.support):
            handles += draw_support(ax, self, theme)
        self._legend(handles, below=True)
        name_axes([ax], self.names, self.note)
        return self

    def _samples(self, ax: Any) -> list:
        if self.points is None:
            return []
        theme, clip = theme_of(ax), clipping_of(self, self.points)
        if self.codes is None:
            return [draw_plain(ax, self.points, theme, **clip)]
        return draw_classes(ax, self.points, Classes(self.classes, self.codes), theme, **clip)


def _decision(grid: PlaneGrid, sides: BoundaryClasses) -> np.ndarray | None:
    """The decision on the grid, where one number separates two sides."""
    if len(sides.names) != 2 or not hasattr(grid.estimator, "decision_function"):
        return None
    found = np.asarray(grid.estimator.decision_function(grid.rows), dtype=np.float64)
    return grid.field(-found if sides.turned else found)
