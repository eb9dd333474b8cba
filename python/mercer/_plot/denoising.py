"""Images before and after noise is taken off them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._arrays import Samples
from mercer._kernel_pca import KernelPCA
from mercer._params import ParameterError, is_integer
from mercer._plot.display import Display, plain, pyplot
from mercer._plot.samples import fitted_with, last_step, table_of
from mercer._plot.theme import Theme, theme_of

# The gap between images, as a share of their size.
_GAP = 0.12


class DenoisingDisplay(Display):
    """Rows of images: clean, noisy, and restored by one or more methods.

    Made by :meth:`from_estimator` or :meth:`from_predictions`. If clean images are given, each
    row shows its mean squared error over all images, not only over those that are shown.

    Parameters
    ----------
    rows : dict of str to ndarray of shape (n_images, height, width)
        The images of each row, by its name.
    errors : dict of str to float
        The mean squared error of each row, by its name.
    n_images : int
        Number of images shown in each row.

    Attributes
    ----------
    ax_ : Axes
        The axes, after :meth:`plot`.
    figure_ : Figure
        Its figure.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from mercer import PCA, DenoisingDisplay
    >>> X = load_digits(return_X_y=True)[0]
    >>> noisy = X + 4 * np.random.default_rng(0).normal(size=X.shape)
    >>> display = DenoisingDisplay.from_estimator(PCA(16).fit(X), noisy, clean=X)
    >>> {name: round(error, 1) for name, error in display.errors.items()}
    {'noisy': 16.0, 'PCA': 6.8}
    """

    def __init__(
        self, rows: dict[str, np.ndarray], *, errors: dict[str, float], n_images: int = 8
    ) -> None:
        self.rows = rows
        self.errors = errors
        self.n_images = n_images

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: Samples,
        *,
        clean: ArrayLike | None = None,
        method: str | None = None,
        image_shape: tuple[int, int] | None = None,
        n_images: int = 8,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show images after ``transform`` and ``inverse_transform`` of estimators.

        Parameters
        ----------
        estimator : KernelPCA, PCA, or dict of str to these
            Fitted, with ``transform`` and ``inverse_transform``; several with their names.
        X : array-like of shape (n_images, n_pixels)
            Noisy images, one in each row.
        clean : array-like of shape (n_images, n_pixels), optional
            The same images without noise.
        method : str, optional
            The method of :meth:`mercer.KernelPCA.inverse_transform`, for those that have one.
        image_shape : tuple of int, optional
            Height and width; by default square.
        n_images : int, default=8
            Number of images shown.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : DenoisingDisplay
            The display, drawn.
        """
        pyplot()
        several = isinstance(estimator, Mapping)
        named = dict(estimator) if several else {type(estimator).__name__: estimator}
        for one in named.values():
            fitted_with(one, "transform")
        if method is not None:
            _check_method(named)
        restored = {name: _restored(one, X, method) for name, one in named.items()}
        return cls.from_predictions(
            restored,
            X,
            clean=clean,
            image_shape=image_shape,
            n_images=n_images,
            ax=ax,
            **style,
        )

    @classmethod
    def from_predictions(
        cls,
        restored: Mapping[str, ArrayLike],
        noisy: ArrayLike | None = None,
        *,
        clean: ArrayLike | None = None,
        image_shape: tuple[int, int] | None = None,
        n_images: int = 8,
        ax: Any = None,
        **style: object,
    ) -> Self:
        """Show restored images.

        Parameters
        ----------
        restored : dict of str to array-like of shape (n_images, n_pixels)
            The images that each method restored, by its name.
        noisy, clean : array-like of shape (n_images, n_pixels), optional
            The images with noise, and without.
        image_shape : tuple of int, optional
            Height and width; by default square.
        n_images : int, default=8
            Number of images shown.
        ax : Axes, optional
            The axes to draw on.
        **style
            As for :meth:`plot`.

        Returns
        -------
        display : DenoisingDisplay
            The display, drawn.
        """
        pyplot()
        if not isinstance(restored, Mapping) or not restored:
            raise TypeError("restored must be a dictionary of names and images, and not empty")
        taken = {"clean", "noisy"} & set(restored)
        if taken:
            raise ValueError(
                f"{min(taken)!r} is already the name of another row: rename the method"
            )
        if not is_integer(n_images) or n_images < 1:
            raise ParameterError(f"n_images must be an integer of at least 1, not {n_images!r}")
        given = {"clean": clean, "noisy": noisy} | dict(restored)
        tables = {name: table_of(X, name) for name, X in given.items() if X is not None}
        _same_shape(tables)
        pixels = next(iter(tables.values())).shape[1]
        height, width = _image_shape(image_shape, pixels)
        rows = {str(name): X.reshape(-1, height, width) for name, X in tables.items()}
        return cls(rows, errors=_errors(tables), n_images=int(n_images)).plot(ax, **style)

    def plot(self, ax: Any = None, *, cmap: object = None) -> Self:
        """Draw the images.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default those of a new figure.
        cmap : colormap, optional
            The colour map; by default from background for the lowest to foreground for the highest.

        Returns
        -------
        self : DenoisingDisplay
            The display itself.
        """
        shown = min(self.n_images, len(next(iter(self.rows.values()))))
        height, width = next(iter(self.rows.values())).shape[1:]
        size = (1.6 + 0.72 * shown, 0.4 + 0.8 * len(self.rows) * height / width)
        ax = self._panels(ax, size=size)[0]
        theme = theme_of(ax)
        ax.grid(False)  # some styles have one, which would lie between the images
        look = {"cmap": _ink_map(theme) if cmap is None else cmap, "interpolation": "nearest"}
        low, high = self._range()
        for line, images in enumerate(self.rows.values()):
            for place, image in enumerate(images[:shown]):
                x, y = place * (1 + _GAP) * width, line * (1 + _GAP) * height
                box = (x, x + width, y + height, y)
                ax.imshow(image, extent=box, vmin=low, vmax=high, **look)
                _frame(ax, x, y, width, height, theme)
        self._name_rows(ax, shown, height, width)
        return self

    def _name_rows(self, ax: Any, shown: int, height: int, width: int) -> None:
        ax.set_xlim(-0.3, (shown * (1 + _GAP) - _GAP) * width + 0.3)
        ax.set_ylim((len(self.rows) * (1 + _GAP) - _GAP) * height + 0.3, -0.3)
        ax.set_xticks([])
        middles = [(line * (1 + _GAP) + 0.5) * height for line in range(len(self.rows))]
        ax.set_yticks(middles, [self._row_name(name) for name in self.rows])
        ax.tick_params(length=0)
        count = len(next(iter(self.rows.values())))
        said = "" if shown == count else f"{shown} of {count:,} images"
        if self.errors:
            over = f"mean squared errors (MSE) over all {count:,} images"
            said = f"{said}; {over}" if said else over
        ax.set_xlabel(said, fontsize="small")
        for side in ax.spines.values():
            side.set_visible(False)

    def _row_name(self, name: str) -> str:
        error = self.errors.get(name)
        return plain(name if error is None else f"{name}\nMSE {error:.3g}")

    def _range(self) -> tuple[float, float]:
        """The range of the clean images, or else of the restored: noise goes beyond it."""
        without = [images for name, images in self.rows.items() if name != "noisy"]
        known = [self.rows["clean"]] if "clean" in self.rows else without
        return min(float(x.min()) for x in known), max(float(x.max()) for x in known)


def _restored(estimator: object, X: Samples, method: str | None) -> np.ndarray:
    if not hasattr(estimator, "inverse_transform"):
        raise TypeError(f"{type(estimator).__name__} has no inverse_transform")
    scores = estimator.transform(X)
    if method is None or not _has_methods(estimator):
        return np.asarray(estimator.inverse_transform(scores))
    return np.asarray(estimator.inverse_transform(scores, method=method))


def _check_method(named: dict[str, object]) -> None:
    """Refuse a way back that nobody would take."""
    for name, one in named.items():
        if _has_methods(last_step(one)) and not _has_methods(one):
            raise ParameterError(
                f"a {type(one).__name__} cannot pass method on to the KernelPCA in it: omit "
                f"method, or pass what {name} restored to DenoisingDisplay.from_predictions"
            )
    if not any(map(_has_methods, named.values())):
        raise ParameterError("method has no effect without a KernelPCA: omit it")


def _has_methods(estimator: object) -> bool:
    """Whether an estimator has several ways back from components."""
    return isinstance(estimator, KernelPCA)


def _same_shape(tables: dict[str, np.ndarray]) -> None:
    (first, known), *others = tables.items()
    for name, table in others:
        if table.shape != known.shape:
            raise ValueError(
                f"{name} has shape {table.shape}, but {first} has {known.shape}: all rows must "
                "show the same images"
            )


def _image_shape(given: tuple[int, int] | None, pixels: int) -> tuple[int, int]:
    if given is None:
        side = isqrt(pixels)
        if side * side != pixels:
            raise ValueError(
                f"images of {pixels} pixels are not square: pass image_shape=(height, width)"
            )
        return side, side
    pair = hasattr(given, "__len__") and len(given) == 2
    sides = pair and all(is_integer(one) and one > 0 for one in given)
    if not sides or given[0] * given[1] != pixels:
        raise ParameterError(
            f"image_shape must be the height and width of {pixels} pixels, not {given!r}"
        )
    return int(given[0]), int(given[1])


def _errors(tables: dict[str, np.ndarray]) -> dict[str, float]:
    clean = tables.get("clean")
    if clean is None:
        return {}
    others = ((name, table) for name, table in tables.items() if name != "clean")
    return {str(name): float(np.mean((table - clean) ** 2)) for name, table in others}


def _ink_map(theme: Theme) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ink", [theme.paper, theme.ink])


def _frame(ax: Any, x: float, y: float, width: int, height: int, theme: Theme) -> None:
    from matplotlib.patches import Rectangle

    look = {"edgecolor": theme.tint(theme.ink, 0.3), "linewidth": 0.5, "facecolor": "none"}
    ax.add_patch(Rectangle((x, y), width, height, **look))
