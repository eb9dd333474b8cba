"""Profiles of clusters: deviations of means, and the labels in each cluster, as two tables."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._plot.bars import checked_count, elided, in_two_lines, name_bars, number, width_of
from mercer._plot.display import Display, plain, pyplot
from mercer._plot.theme import Theme, contrast, theme_of
from mercer.explain import ClusterProfiles, cluster_profiles

# In more clusters, cells are too narrow for numbers.
_MOST_WRITTEN = 16
_MOST_LABELS = 20
# Small deviations are pale even where there are no large ones.
_LEAST_RANGE = 0.5
# In rows: the name of the colour bar stands beside the table.
_LEAST_HEIGHT = 4


class ClusterDisplay(Display):
    """What distinguishes clusters: means of columns, coloured by deviation, and known labels.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. The colour of a cell is how far the
    mean of the cluster is from that of all samples, in standard deviations; the number is the mean.
    The second table counts the labels of each cluster, coloured by their share of it.

    Parameters
    ----------
    profiles : mercer.explain.ClusterProfiles
        The profiles.
    max_columns : int
        At most so many columns are shown, those with the largest deviations.

    Attributes
    ----------
    order_ : ndarray of int
        The columns shown, from the one with the largest deviation.
    axes_ : ndarray of Axes
        The tables, after :meth:`plot`; ``ax_`` is the first.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import ClusterDisplay, KernelKMeans
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = ClusterDisplay.from_estimator(KernelKMeans(3, random_state=0).fit(X), X, y)
    >>> len(display.axes_), display.profiles.names[display.order_[0]]
    (2, 'petal length (cm)')
    """

    def __init__(self, profiles: ClusterProfiles, *, max_columns: int = 20) -> None:
        self.profiles = profiles
        self.max_columns = max_columns
        largest = np.abs(profiles.deviations).max(axis=0)
        self.order_ = np.argsort(-largest, kind="stable")[:max_columns]

    @classmethod
    def from_estimator(
        cls,
        kmeans: object,
        X: object,
        y: ArrayLike | None = None,
        *,
        max_columns: int = 20,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show what distinguishes the clusters of samples.

        Parameters
        ----------
        kmeans, X, y
            As for :func:`mercer.explain.cluster_profiles`.
        max_columns : int, default=20
            At most so many columns are shown.
        ax : Axes or array of Axes, optional
            Axes to draw on: one, or two with y.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : ClusterDisplay
            The display, drawn.
        """
        pyplot()
        profiles = cluster_profiles(kmeans, X, y)
        return cls.from_predictions(profiles, max_columns=max_columns, ax=ax, **style)

    @classmethod
    def from_predictions(
        cls,
        profiles: ClusterProfiles,
        *,
        max_columns: int = 20,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show profiles that :func:`mercer.explain.cluster_profiles` has computed.

        Parameters
        ----------
        profiles : ClusterProfiles
            The profiles.
        max_columns : int, default=20
            At most so many columns are shown.
        ax : Axes or array of Axes, optional
            Axes to draw on: one, or two for profiles with labels.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : ClusterDisplay
            The display, drawn.
        """
        pyplot()
        if not isinstance(profiles, ClusterProfiles):
            raise TypeError("profiles must be those of mercer.explain.cluster_profiles")
        return cls(profiles, max_columns=checked_count(max_columns, "max_columns")).plot(
            ax, **style
        )

    def plot(self, ax: Any = None, *, colorbar: bool = True) -> Self:
        """Draw the tables.

        Parameters
        ----------
        ax : Axes or array of Axes, optional
            Axes to draw on; by default those of a new figure.
        colorbar : bool, default=True
            Whether to draw a colour bar for the deviations.

        Returns
        -------
        self : ClusterDisplay
            The display itself.
        """
        heights = [max(len(self.order_), _LEAST_HEIGHT)]
        if self.profiles.table is not None:
            heights.append(max(len(self._labels()[0]), _LEAST_HEIGHT))
        axes = self._panels(ax, len(heights), size=self._size(heights), across=1, heights=heights)
        drawn = self._draw_means(axes[0])
        if colorbar:
            self.figure_.colorbar(drawn, ax=axes[0], label="standard deviations\nfrom the mean")
        if len(axes) > 1:
            self._draw_labels(axes[1])
        return self

    def _draw_means(self, ax: Any) -> Any:
        profiles, theme = self.profiles, theme_of(ax)
        deviations = profiles.deviations[:, self.order_].T
        most = max(float(np.abs(deviations).max()), _LEAST_RANGE)
        names = [profiles.names[place] for place in self.order_]
        texts = [[number(mean) for mean in row] for row in profiles.means[:, self.order_].T]
        drawn = _table(ax, theme, deviations, texts, theme.diverging(), (-most, most))
        self._name(ax, names, "column")
        hidden = len(profiles.names) - len(names)
        rest = f" ({hidden:,} with smaller deviations not shown)" * bool(hidden)
        ax.set_title("means of columns" + rest, loc="left", fontsize="medium")
        return drawn

    def _draw_labels(self, ax: Any) -> None:
        profiles, theme = self.profiles, theme_of(ax)
        names, counts = self._labels()
        texts = [[f"{count:,}" for count in row] for row in counts]
        _table(ax, theme, counts / profiles.sizes, texts, theme.diverging(), (-1.0, 1.0))
        self._name(ax, names, "label")
        ax.set_title("samples by label", loc="left", fontsize="medium")

    def _labels(self) -> tuple[list[str], np.ndarray]:
        """The labels with their counts in each cluster; of many, the least frequent together."""
        names = [str(label) for label in self.profiles.classes.tolist()]
        counts = self.profiles.table.T
        if len(names) <= _MOST_LABELS:
            return names, counts
        frequent = np.argsort(-counts.sum(axis=1), kind="stable")[: _MOST_LABELS - 1]
        kept = np.sort(frequent)
        rest = counts.sum(axis=0) - counts[kept].sum(axis=0)
        names = [names[place] for place in kept]
        others = f"{len(self.profiles.classes) - len(kept):,} other labels"
        return [*names, others], np.vstack([counts[kept], rest])

    def _name(self, ax: Any, names: list[str], kind: str) -> None:
        profiles = self.profiles
        name_bars(ax, [in_two_lines(name) for name in names])
        clusters = [elided(name, 12) for name in profiles.clusters.tolist()]
        if len(clusters) <= _MOST_WRITTEN:
            sizes = profiles.sizes.tolist()
            clusters = [f"{name}\nn = {size:,}" for name, size in zip(clusters, sizes, strict=True)]
        step = -(-len(clusters) // 24)
        ax.set_xticks(np.arange(0, len(clusters), step), [plain(one) for one in clusters[::step]])
        ax.set(xlabel="cluster", ylabel=kind)

    def _size(self, heights: list[int]) -> tuple[float, float]:
        """Return the size of a panel, in the middle between both."""
        names = width_of([in_two_lines(self.profiles.names[place]) for place in self.order_])
        count = len(self.profiles.clusters)
        cell = 0.85 if count <= _MOST_WRITTEN else 0.3
        return 2.0 + names + cell * max(count, 3), 1.1 + 0.3 * sum(heights) / len(heights)


def _table(ax: Any, theme: Theme, values: np.ndarray, texts: list, cmap: Any, limits) -> Any:
    """Draw cells of these values, with texts that can be read on their colours."""
    ax.grid(False)  # some styles have one, which would lie on the cells
    low, high = limits
    drawn = ax.imshow(values, cmap=cmap, vmin=low, vmax=high, aspect="auto")
    ax.tick_params(length=0)
    if values.shape[1] > _MOST_WRITTEN:
        return drawn
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            ground = drawn.to_rgba(values[row, column])[:3]
            ink = max((theme.ink, theme.paper), key=lambda one: contrast(one, ground))
            ax.text(column, row, text, ha="center", va="center", color=ink, fontsize="small")
    return drawn
