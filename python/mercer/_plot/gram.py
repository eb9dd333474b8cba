"""The matrix of kernel values, ordered by class."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer import _fit, _predict
from mercer._arrays import Samples, scaled
from mercer._base import Estimator
from mercer._kernel_choice import Precomputed
from mercer._kernel_kmeans import KernelKMeans
from mercer._pairwise import kernel_matrix
from mercer._params import ParameterError, is_integer
from mercer._plot.display import Display, plain, pyplot, short
from mercer._plot.samples import Classes, classes_of, fitted_with, last_step, table_of, unwrapped
from mercer._plot.theme import theme_of
from mercer._samples import take

# Names of more classes than these would not fit beside the matrix.
_MOST_NAMES = 25
# Names of blocks that are a smaller share of the matrix would overlap their neighbours'.
_THINNEST = 0.035


class GramDisplay(Display):
    """The kernel matrix as a heat map, with the samples of each class or cluster together.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. Many samples are
    thinned evenly, and the title says so.

    Parameters
    ----------
    matrix : ndarray of shape (n_shown, n_shown)
        Kernel values, in the order in which they are shown.
    rows : ndarray of shape (n_shown,)
        The indices of the samples shown, in order.
    classes : list of str
        The names of the classes in order; empty without classes.
    sizes : ndarray of shape (n_classes,)
        Number of samples shown of each class.
    n_samples : int
        Total number of samples.
    name : str
        The kernel.
    by : str
        What the samples are ordered by.

    Attributes
    ----------
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, GramDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = GramDisplay.from_estimator(SVC(gamma=0.5).fit(X, y), X, y, max_samples=60)
    >>> display.matrix.shape, display.sizes.tolist()
    ((60, 60), [20, 20, 20])
    >>> display.ax_.get_title()
    'rbf(gamma=0.5), 60 of 150 samples'
    """

    def __init__(
        self,
        matrix: np.ndarray,
        rows: np.ndarray,
        *,
        classes: list[str],
        sizes: np.ndarray,
        n_samples: int,
        name: str = "kernel matrix",
        by: str = "class",
    ) -> None:
        self.matrix = matrix
        self.rows = rows
        self.classes = classes
        self.sizes = sizes
        self.n_samples = n_samples
        self.name = name
        self.by = by

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples,
        y: ArrayLike | None = None,
        *,
        max_samples: int = 400,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show the kernel values of samples by the kernel of a fitted estimator.

        Parameters
        ----------
        estimator : any mercer estimator with a kernel
            Fitted. Its kernel is used, with the parameters that were resolved from the data.
        X : samples
            Whatever the estimator takes; the square kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,), optional
            The class of each sample. By default samples are ordered by cluster for
            :class:`mercer.KernelKMeans`, and stay in their order for other estimators.
        max_samples : int, default=400
            Maximum number of samples shown. More are thinned evenly.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : GramDisplay
            The display, drawn.
        """
        pyplot()
        fitted_with(estimator)
        model = last_step(estimator)
        if not (isinstance(model, Estimator) and hasattr(model, "kernel")):
            raise TypeError(
                f"{type(model).__name__} is not a mercer estimator with a kernel: compute the "
                "matrix with pairwise_kernels, and pass it to GramDisplay.from_predictions"
            )
        if unwrapped(estimator) is not model:
            X = unwrapped(estimator)[:-1].transform(X)
        n = _predict.new_samples(model, X).shape[0]
        by = "cluster" if y is None and isinstance(model, KernelKMeans) else "class"
        if by == "cluster":
            y = model.predict(X)
        classes = None if y is None else classes_of(y, n, most=None)
        if by == "cluster":
            classes.names = [f"cluster {name}" for name in classes.names]
        rows = _shown(classes, n, max_samples)
        matrix = _kernel_values(model, X, rows)
        return cls._of(matrix, rows, classes, n, model.kernel_, by).plot(ax, **style)

    @classmethod
    def from_predictions(
        cls,
        K: ArrayLike,
        y: ArrayLike | None = None,
        *,
        max_samples: int = 400,
        name: str = "kernel matrix",
        by: str | None = None,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show a kernel matrix.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples)
            Kernel values.
        y : array-like of shape (n_samples,), optional
            The class of each sample, or its cluster.
        max_samples : int, default=400
            Maximum number of samples shown.
        name : str, default="kernel matrix"
            The title.
        by : str, optional
            What y is, written beside the axes, by default "class".
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : GramDisplay
            The display, drawn.
        """
        pyplot()
        if by is not None and y is None:
            raise ParameterError("by describes y, which is not given: omit it")
        K = _square(table_of(K, "K"))
        classes = None if y is None else classes_of(y, len(K), most=None)
        rows = _shown(classes, len(K), max_samples)
        return cls._of(K[np.ix_(rows, rows)], rows, classes, len(K), name, by or "class").plot(
            ax, **style
        )

    @classmethod
    def _of(
        cls, matrix, rows, classes: Classes | None, n: int, name: str, by: str = "class"
    ) -> Self:
        names = [] if classes is None else classes.names
        sizes = np.zeros(0, dtype=int)
        if classes is not None:
            sizes = np.bincount(classes.codes[rows], minlength=len(names))
        return cls(matrix, rows, classes=names, sizes=sizes, n_samples=n, name=name, by=by)

    def plot(self, ax: Any = None, *, colorbar: bool = True) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default those of a new figure.
        colorbar : bool, default=True
            Whether to draw a colour bar.

        Returns
        -------
        self : GramDisplay
            The display itself.
        """
        ax = self._panels(ax, size=(6.0, 4.8))[0]
        ax.grid(False)  # some styles have one, which would lie on the matrix
        drawn = ax.imshow(self.matrix, interpolation="nearest", **self._colours(ax))
        if colorbar:
            self.figure_.colorbar(drawn, ax=ax, label="kernel value", shrink=0.9)
        if 0 < len(self.classes) <= _MOST_NAMES:
            self._name_blocks(ax)
        else:
            ax.set(xlabel="sample", ylabel="sample")
        ax.set_title(plain(self._title()))
        return self

    def _colours(self, ax: Any) -> dict[str, object]:
        """Values on both sides of zero have a map with zero in its middle."""
        theme, low = theme_of(ax), float(self.matrix.min())
        if low >= -1e-12 * abs(float(self.matrix.max())):
            return {"cmap": theme.sequential()}
        most = float(np.abs(self.matrix).max())
        return {"cmap": theme.signed(), "vmin": -most, "vmax": most}

    def _name_blocks(self, ax: Any) -> None:
        ends = np.cumsum(self.sizes)
        # White shows on all of the map of positive numbers, whatever the paper.
        colour = "white" if self.matrix.min() >= 0 else theme_of(ax).ink
        for end in ends[:-1] - 0.5:
            ax.axhline(end, color=colour, linewidth=1.2)
            ax.axvline(end, color=colour, linewidth=1.2)
        shown = self.sizes >= _THINNEST * len(self.rows)
        middles = (ends - self.sizes / 2 - 0.5)[shown]
        names = [plain(name) for name, there in zip(self.classes, shown, strict=True) if there]
        ax.set_yticks(middles, names)
        ax.set_xticks(middles, names, **self._turn(names, middles))
        ax.tick_params(length=0)
        by = plain(f"samples by {self.by}")
        ax.set(xlabel=by, ylabel=by)

    def _turn(self, names: list[str], middles: np.ndarray) -> dict[str, object]:
        """How names stand below the matrix: turned if they are long, upright if they are dense."""
        if sum(len(name) + 2 for name in names) <= 44:
            return {}
        if np.min(np.diff(middles), initial=np.inf) < 0.065 * len(self.rows):
            return {"rotation": 90}
        return {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}

    def _title(self) -> str:
        shown = len(self.rows)
        name = re.sub(r"\d+\.\d+(e[+-]?\d+)?", lambda found: short(float(found[0])), self.name)
        name = name if len(name) <= 40 else name[:39] + "…"
        if shown == self.n_samples:
            return f"{name}, {shown:,} sample{'s' * (shown != 1)}"
        return f"{name}, {shown:,} of {self.n_samples:,} samples"


def _shown(classes: Classes | None, n: int, most: int) -> np.ndarray:
    """Which samples to show, in which order: those of each class together, evenly thinned."""
    if not is_integer(most) or most < 1:
        raise ParameterError(f"max_samples must be an integer of at least 1, not {most!r}")
    order = np.arange(n) if classes is None else np.argsort(classes.codes, kind="stable")
    if n <= most:
        return order
    # The middles of equal parts, so that classes keep their shares.
    return order[((np.arange(most) + 0.5) * n / most).astype(int)]


def _kernel_values(model: Estimator, X: Samples, rows: np.ndarray) -> np.ndarray:
    X = _predict.new_samples(model, X)
    if isinstance(model._choice, Precomputed):
        return np.asarray(_square(X)[np.ix_(rows, rows)], dtype=np.float64)
    part = scaled(model._model, take(X, rows))
    # The spec of the choice may name rules, such as gamma=scale, which the model has resolved.
    choice = replace(model._choice, text=model._model.kernel)
    with _fit.run_of(model) as run:
        return kernel_matrix(choice, part, None, model.memory_budget, run)


def _square(K: np.ndarray) -> np.ndarray:
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"a kernel matrix must be square, but this one has shape {K.shape}: pass the kernel "
            "values of samples with themselves"
        )
    return K
