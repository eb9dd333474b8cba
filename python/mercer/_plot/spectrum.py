"""Eigenvalues and their share of the whole."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._params import ParameterError, is_real
from mercer._plot.display import Display, percent, plain, pyplot
from mercer._plot.samples import fitted_with, last_step, numbers_1d
from mercer._plot.theme import theme_of
from mercer._plot.ticks import few


class SpectrumDisplay(Display):
    """Eigenvalues as bars, and the cumulative fraction of variance.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. A mark shows how many
    components reach a given fraction, or that all together do not.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n_components,)
        Eigenvalues, descending.
    explained_variance_ratio : ndarray of shape (n_components,)
        The fraction of the total variance of each.
    share : float
        The fraction that is marked.
    name : str
        What the eigenvalues are.

    Attributes
    ----------
    cumulative_ : ndarray of shape (n_components,)
        The cumulative fraction of the variance.
    n_needed_ : int or None
        How many components reach the fraction; None if all together do not.
    axes_ : ndarray of two Axes
        The panels, after :meth:`plot`; ``ax_`` is the first.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from mercer import PCA, SpectrumDisplay
    >>> X = load_wine(return_X_y=True)[0]
    >>> display = SpectrumDisplay.from_estimator(PCA().fit((X - X.mean(0)) / X.std(0)))
    >>> display.n_needed_
    8
    >>> display.cumulative_[:2].round(3)
    array([0.362, 0.554])
    """

    def __init__(
        self,
        eigenvalues: np.ndarray,
        explained_variance_ratio: np.ndarray,
        *,
        share: float = 0.9,
        name: str = "eigenvalue",
    ) -> None:
        self.eigenvalues = eigenvalues
        self.explained_variance_ratio = explained_variance_ratio
        self.share = share
        self.name = name
        self.cumulative_ = np.cumsum(explained_variance_ratio)
        # Shares that sum to the mark but for rounding do reach it.
        reached = np.flatnonzero(self.cumulative_ >= share - 1e-12)
        self.n_needed_ = int(reached[0]) + 1 if reached.size else None

    @classmethod
    def from_estimator(
        cls, estimator: object, *, share: float = 0.9, ax: Any = None, **style: object
    ) -> Self:
        """Show the spectrum of a fitted estimator.

        Parameters
        ----------
        estimator : KernelPCA, PCA, KernelPCADetector or pipeline that ends with one
            Fitted, with ``explained_variance_ratio_`` and ``eigenvalues_`` or
            ``explained_variance_``.
        share : float, default=0.9
            The fraction of the variance to mark, between 0 and 1.
        ax : array of two Axes, optional
            Axes for the eigenvalues and for the cumulative variance.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : SpectrumDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(estimator)
        model = last_step(estimator)
        if not hasattr(model, "explained_variance_ratio_"):
            raise TypeError(
                f"{type(model).__name__} has no explained_variance_ratio_: pass mercer's KernelPCA "
                "or PCA, or its eigenvalues to SpectrumDisplay.from_predictions"
            )
        kernel = hasattr(model, "eigenvalues_")
        values = model.eigenvalues_ if kernel else model.explained_variance_
        return cls.from_predictions(
            values,
            explained_variance_ratio=model.explained_variance_ratio_,
            share=share,
            name="eigenvalue of\nthe kernel matrix" if kernel else "variance",
            ax=ax,
            **style,
        )

    @classmethod
    def from_predictions(
        cls,
        eigenvalues: ArrayLike,
        *,
        explained_variance_ratio: ArrayLike | None = None,
        share: float = 0.9,
        name: str = "eigenvalue",
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show eigenvalues.

        Parameters
        ----------
        eigenvalues : array-like of shape (n_components,)
            Eigenvalues, descending.
        explained_variance_ratio : array-like of shape (n_components,), optional
            The fraction of the total variance of each. By default the eigenvalues are taken to be
            complete, and must not be negative.
        share : float, default=0.9
            The fraction of the variance to mark, between 0 and 1.
        name : str, default="eigenvalue"
            What the eigenvalues are.
        ax : array of two Axes, optional
            Axes for the eigenvalues and for the cumulative variance.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : SpectrumDisplay
            The display, drawn.
        """
        pyplot()
        if not is_real(share) or not 0 < share <= 1:
            raise ParameterError(f"share must be a number above 0 and at most 1, not {share!r}")
        values = numbers_1d(eigenvalues, "eigenvalues")
        if np.any(np.diff(values) > 1e-9 * np.abs(values).max()):
            raise ValueError("eigenvalues must fall from the first to the last: sort them first")
        ratios = explained_variance_ratio
        if ratios is None:
            ratios = _shares(values)
        ratios = numbers_1d(ratios, "explained_variance_ratio", len(values))
        return cls(values, ratios, share=float(share), name=name).plot(ax, **style)

    def plot(self, ax: Any = None, *, color: object = None) -> Self:
        """Draw the two panels.

        Parameters
        ----------
        ax : array of two Axes, optional
            Axes for the eigenvalues and for the cumulative variance; by default those of a new
            figure.
        color : color, optional
            The colour of bars and line.

        Returns
        -------
        self : SpectrumDisplay
            The display itself.
        """
        axes = self._panels(ax, 2, size=(6.4, 2.5), across=1)
        numbers = np.arange(1, len(self.eigenvalues) + 1)
        self._bars(axes[0], numbers, color)
        self._line(axes[1], numbers, color)
        for one in axes:
            one.set_xlim(0.4, len(numbers) + 0.6)
            one.xaxis.set_major_locator(few(12, integer=True, min_n_ticks=1))
            one.set_xlabel("component")
        if self._own:
            axes[0].set_xlabel("")
            axes[0].tick_params(labelbottom=False)
        return self

    def _bars(self, ax: Any, numbers: np.ndarray, color: object) -> None:
        theme = theme_of(ax)
        colour = theme.classes(1)[0] if color is None else color
        within = numbers <= (self.n_needed_ or len(numbers))
        colours = [colour if inside else theme.tint(colour, 0.45) for inside in within]
        ax.bar(numbers, self.eigenvalues, color=colours, width=0.8)
        ax.set_ylabel(plain(self.name))

    def _line(self, ax: Any, numbers: np.ndarray, color: object) -> None:
        theme = theme_of(ax)
        colour = theme.classes(1)[0] if color is None else color
        size = 4 if len(numbers) <= 60 else 0
        ax.plot(numbers, self.cumulative_, color=colour, marker="o", markersize=size)
        ax.axhline(self.share, color=theme.muted, linestyle="--", linewidth=1)
        ax.set_ylim(0, 1.05)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        ax.set_ylabel("share of variance")
        if self.n_needed_ is not None:
            ax.axvline(self.n_needed_, color=theme.muted, linestyle="--", linewidth=1)
            reached = self.cumulative_[self.n_needed_ - 1]
            ax.plot([self.n_needed_], [reached], "D", color=theme.ink, markersize=6, zorder=4)
        ax.set_title(self._verdict(), loc="right", fontsize="medium")

    def _verdict(self) -> str:
        mark, kept = f"{100 * self.share:.6g} %", len(self.eigenvalues)
        if self.n_needed_ is None:
            reached = percent(self.cumulative_[-1])
            many = f"the {kept} components" if kept > 1 else "the component"
            return f"{many} kept reach{'es' * (kept == 1)} {reached}, not {mark}"
        takes = "component reaches" if self.n_needed_ == 1 else "components reach"
        return f"{self.n_needed_} {takes} {mark}"


def _shares(values: np.ndarray) -> np.ndarray:
    whole = values.sum()
    if values.min() < 0 or whole <= 0:
        raise ValueError(
            "eigenvalues must not be negative, and not all zero, to be shares of their sum: give "
            "explained_variance_ratio"
        )
    return values / whole
