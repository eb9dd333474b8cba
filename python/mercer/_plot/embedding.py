"""Samples by their components."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._arrays import Samples
from mercer._params import ParameterError, is_integer, is_real
from mercer._plot.component import outputs_of, ratios_of
from mercer._plot.display import Display, of_variance, plain, pyplot
from mercer._plot.labels import checked_texts, write_labels
from mercer._plot.points import draw_classes, draw_plain, mark_size
from mercer._plot.samples import (
    are_values,
    classes_of,
    fitted_with,
    numbers_1d,
    order_of,
    table_of,
)
from mercer._plot.theme import Theme, theme_of
from mercer._plot.ticks import few

_KINDS = ("class", "value")


class EmbeddingDisplay(Display):
    """Samples by two or three of their components.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Classes have colours and shapes,
    values a colour bar. Labels are written beside their points where there is space; the number of
    those omitted is written above the axes.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2) or (n_samples, 3)
        Positions of the samples.
    y : ndarray of shape (n_samples,), optional
        A class or a value for each.
    labels : list of str, optional
        A label for each.
    kind : {"class", "value"}
        What y is.
    names : list of str
        The names of the axes.
    target_name : str, optional
        The name of y, written beside its colour bar or above its legend.
    order : list, optional
        The classes in the order of the legend; by default they are sorted.

    Attributes
    ----------
    n_left_out_ : int
        Number of labels omitted for lack of space, after :meth:`plot`.
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import EmbeddingDisplay, KernelPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> display = EmbeddingDisplay.from_estimator(KernelPCA(2, kernel="rbf").fit(X), X, y)
    >>> display.points.shape, display.kind
    ((150, 2), 'class')
    """

    def __init__(
        self,
        points: np.ndarray,
        *,
        y: np.ndarray | None = None,
        labels: list[str] | None = None,
        kind: str = "class",
        names: Sequence[str] = ("component 1", "component 2"),
        target_name: str | None = None,
        order: list | None = None,
    ) -> None:
        self.points = points
        self.y = y
        self.labels = labels
        self.kind = kind
        self.names = list(names)
        self.target_name = target_name
        self.order = order

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples,
        y: ArrayLike | None = None,
        *,
        labels: Sequence[str] | None = None,
        components: Sequence[int] = (0, 1),
        kind: str | None = None,
        target_name: str | None = None,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show samples as a fitted estimator transforms them.

        Parameters
        ----------
        estimator : KernelPCA, PCA or another with ``transform``
            Fitted.
        X : samples
            Whatever the estimator takes: rows of numbers, strings, kernel values.
        y : array-like of shape (n_samples,), optional
            A class or a value of each sample.
        labels : sequence of str, optional
            A label for each sample.
        components : sequence of int, default=(0, 1)
            Which two or three components are the axes, counted from 0.
        kind : {"class", "value"}, optional
            What y is. By default, numbers with fractions and integers with more than twelve
            distinct values are values; everything else is a class. Categories of a data frame keep
            their order.
        target_name : str, optional
            The name of y; by default that of its column, if it has one.
        ax : Axes, optional
            The axes to draw on; 3-D axes for three components.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : EmbeddingDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(estimator, "transform")
        scores = np.asarray(estimator.transform(X), dtype=np.float64)
        chosen = _chosen(components, scores.shape[1])
        ratios, outputs = ratios_of(estimator), outputs_of(estimator, scores.shape[1])
        return cls.from_predictions(
            scores[:, chosen],
            y,
            labels=labels,
            kind=kind,
            names=[of_variance(outputs[place], ratios, place) for place in chosen],
            target_name=target_name,
            ax=ax,
            **style,
        )

    @classmethod
    def from_predictions(
        cls,
        points: ArrayLike,
        y: ArrayLike | None = None,
        *,
        labels: Sequence[str] | None = None,
        kind: str | None = None,
        names: Sequence[str] | None = None,
        target_name: str | None = None,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show samples at given coordinates.

        Parameters
        ----------
        points : array-like of shape (n_samples, 2) or (n_samples, 3)
            Positions of the samples.
        y, labels, kind, target_name
            As for :meth:`from_estimator`.
        names : sequence of str, optional
            The names of the axes.
        ax : Axes, optional
            The axes to draw on; 3-D axes for three columns.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : EmbeddingDisplay
            The display, drawn.
        """
        pyplot()
        points = table_of(points, "points")
        if points.shape[1] not in (2, 3):
            raise ValueError(f"points must have two or three columns, not {points.shape[1]}")
        if names is None:
            names = [f"component {place + 1}" for place in range(points.shape[1])]
        if len(names) != points.shape[1]:
            raise ValueError(
                f"names must be {points.shape[1]} strings, one for each axis, not {names!r}"
            )
        if y is None and (kind is not None or target_name is not None):
            which = "kind" if kind is not None else "target_name"
            raise ParameterError(f"{which} describes y, which is not given: omit it")
        target_name, order = target_name or _name_of(y), order_of(y)
        y = None if y is None else np.asarray(y)
        return cls(
            points,
            y=y,
            labels=_texts(labels, *points.shape),
            kind=_kind(kind, y),
            names=names,
            target_name=target_name,
            order=order,
        ).plot(ax, **style)

    def plot(self, ax: Any = None, *, size: float | None = None) -> Self:
        """Draw the samples.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on, 3-D for three components; by default those of a new figure.
        size : float, optional
            The area of the markers; by default smaller if there are many.

        Returns
        -------
        self : EmbeddingDisplay
            The display itself.
        """
        deep = self.points.shape[1] == 3
        ax = self._deep_panel(ax) if deep else self._panels(ax, size=(6.4, 4.8))[0]
        theme = theme_of(ax)
        if size is not None and not (is_real(size) and size > 0):
            raise ParameterError(f"size must be a number above 0, not {size!r}")
        size = mark_size(len(self.points)) if size is None else float(size)
        self._marks(ax, theme, size)
        self._name_axes(ax, theme)
        self.n_left_out_ = self._texts(ax, theme, size)
        return self

    def _name_axes(self, ax: Any, theme: Theme) -> None:
        if len(self.names) == 2:
            ax.set(xlabel=plain(self.names[0]), ylabel=plain(self.names[1]))
            return
        # The edges of a box are short: names are broken before what stands in brackets.
        broken = [plain(name).replace(" (", "\n(", 1) for name in self.names]
        for axis, name in zip((ax.xaxis, ax.yaxis, ax.zaxis), broken, strict=True):
            axis.set_label_text(name)
            axis.labelpad = 16
            axis.set_major_locator(few(5))
            # matplotlib's own walls are grey on dark paper, and hide what stands before them.
            axis.set_pane_color(theme.tint(theme.ink, 0.06))

    def _deep_panel(self, ax: Any) -> Any:
        if ax is not None and not hasattr(ax, "set_zlabel"):
            raise ValueError("three components need 3-D axes: figure.add_subplot(projection='3d')")
        panel = self._panels(ax, size=(6.4, 5.2), projection="3d")[0]
        if self._own:
            # The name of the third axis would be cut off by the edge of the figure.
            panel.set_box_aspect(None, zoom=0.82)
        return panel

    def _marks(self, ax: Any, theme: Theme, size: float) -> None:
        if self.y is None:
            draw_plain(ax, self.points, theme, s=size)
        elif self.kind == "class":
            classes = classes_of(self.y, len(self.points), order=self.order)
            # Paler marks farther away would be other colours than those of the legend.
            style = {"s": size} | ({"depthshade": False} if len(self.names) == 3 else {})
            handles = draw_classes(ax, self.points, classes, theme, **style)
            self._legend(handles, title=self.target_name)
        else:
            values = numbers_1d(self.y, "y", len(self.points))
            drawn = ax.scatter(
                *self.points.T,
                c=values,
                s=size,
                cmap=theme.of_marks(),
                edgecolors=[theme.muted],
                linewidths=0.5,
            )
            far = 0.12 if self.points.shape[1] == 3 else 0.02
            self.figure_.colorbar(drawn, ax=ax, label=plain(self.target_name or "value"), pad=far)

    def _texts(self, ax: Any, theme: Theme, size: float) -> int:
        if self.labels is None:
            return 0
        gap = 0.55 * size**0.5 + 2
        return write_labels(ax, self.points, self.labels, theme, gap=gap)


def _chosen(components: Sequence[int], there: int) -> list[int]:
    wanted = list(components) if hasattr(components, "__iter__") else [components]
    if len(wanted) not in (2, 3) or not all(is_integer(one) for one in wanted):
        raise ParameterError(f"components must be two or three integers, not {components!r}")
    beyond = [one for one in wanted if not 0 <= one < there]
    if beyond:
        raise ParameterError(
            f"component {beyond[0]} (counted from 0) does not exist: the estimator has {there}; "
            "fit it with a larger n_components, or choose other components"
        )
    if len(set(wanted)) < len(wanted):
        raise ParameterError(f"components must be distinct, not {components!r}")
    return [int(one) for one in wanted]


def _texts(labels: Sequence[str] | None, n: int, axes: int) -> list[str] | None:
    if labels is not None and axes == 3:
        raise ValueError("labels can be placed in two dimensions only: choose two components")
    return checked_texts(labels, n)


def _name_of(y: object) -> str | None:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def _kind(kind: str | None, y: np.ndarray | None) -> str:
    if kind is not None:
        if kind not in _KINDS:
            raise ParameterError(f"kind must be 'class', 'value' or None, not {kind!r}")
        return kind
    if y is None:
        return "class"
    if y.dtype.kind in "mM" or (y.dtype == object and y.size and isinstance(y.flat[0], date)):
        raise ValueError(
            "y contains times: pass numbers, as in (y - y.min()) / np.timedelta64(1, 'D'), or "
            "kind='class'"
        )
    return "value" if are_values(y) else "class"
