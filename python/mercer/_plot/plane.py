"""Planes through the space of samples, and grids on them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._params import ParameterError, is_integer, is_real
from mercer._plot.breaks import break_names
from mercer._plot.display import of_variance, plain
from mercer._plot.samples import numbers_1d
from mercer._plot.tables import Numbers, columns_of_numbers, named, seen_by_last

_PLANES = ("columns", "pca")


@dataclass
class Plane:
    """A plane: sample = origin + a·directions[0] + b·directions[1], for coordinates (a, b).

    The directions (2 × d) are orthonormal; `names` are those of the coordinates.
    """

    origin: np.ndarray
    directions: np.ndarray
    names: tuple[str, str]
    note: str = ""

    def place(self, X: np.ndarray) -> np.ndarray:
        """Return where samples (n × d) are on the plane, or are projected to (n × 2)."""
        return (X - self.origin) @ self.directions.T

    def samples(self, places: np.ndarray) -> np.ndarray:
        """Return the samples (n × d) at places on the plane (n × 2)."""
        return self.origin + places @ self.directions


@dataclass
class PlaneGrid:
    """A plane with a grid over the samples.

    `first` and `second` are the coordinates of the grid, `points` (n × 2) where the samples are,
    and `rows` the grid as samples, the first coordinate running fastest, for `estimator`: the one
    that the picture is of or, of a pipeline, its last step.
    """

    plane: Plane
    numbers: Numbers
    first: np.ndarray
    second: np.ndarray
    points: np.ndarray
    rows: Any

    @property
    def estimator(self) -> Any:
        """What the rows are samples for."""
        return self.numbers.estimator

    def field(self, values: np.ndarray) -> np.ndarray:
        """Return values of the rows as a table over the grid, one line for each `second`."""
        return np.asarray(values).reshape(len(self.second), len(self.first), *values.shape[1:])


def plane_grid(
    estimator: object,
    X: object,
    *,
    columns: Sequence | None,
    plane: str | None,
    grid_resolution: int,
    margin: float,
) -> PlaneGrid:
    """Return the plane that is asked for, with a grid over the samples."""
    numbers = columns_of_numbers(estimator, X)
    columns = named(columns, X, numbers)
    if _is_principal(numbers.table.shape[1], columns, plane):
        seen = seen_by_last(estimator, X)
        numbers, found = _principal(numbers, seen)
    else:
        found = _of_columns(numbers, columns if columns is not None else (0, 1))
    points = found.place(numbers.table)
    whole = not found.note.startswith("plane")
    first, second = (
        checked_span(values, grid_resolution, margin, floor=whole) for values in points.T
    )
    places = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
    return PlaneGrid(found, numbers, first, second, points, numbers.like(found.samples(places)))


def _is_principal(width: int, columns: Sequence | None, plane: str | None) -> bool:
    """Whether the plane is that of principal components, by the user's word or for want of one."""
    if plane is not None and plane not in _PLANES:
        raise ParameterError(f"plane must be one of 'columns', 'pca' or None, not {plane!r}")
    if width < 2:
        there = "one: show its values on a line" if width else "none"
        raise ValueError(f"a plane needs two columns of numbers, but X has {there}")
    if plane == "pca" and columns is not None:
        raise ParameterError("columns are given beside plane='pca': leave one of them out")
    if plane == "pca" or columns is not None or width == 2:
        return plane == "pca"
    if plane == "columns":
        raise ParameterError(
            f"plane='columns' of {width} columns: say which two, as in columns=(0, 1)"
        )
    warnings.warn(
        f"X has {width} columns and a picture has two: this is the plane of the first two "
        "principal components. Say plane='pca' to have it without a warning, or choose two "
        "columns, as in columns=(0, 1)",
        UserWarning,
        stacklevel=5,
    )
    return True


def _of_columns(numbers: Numbers, columns: Sequence) -> Plane:
    chosen = [_column(one, numbers) for one in _two(columns)]
    if chosen[0] == chosen[1]:
        raise ParameterError(f"columns must be distinct, not {columns!r}")
    width = numbers.table.shape[1]
    origin = np.median(numbers.table, axis=0)
    origin[chosen] = 0.0
    names = tuple(numbers.names[one] for one in chosen)
    return Plane(origin, np.eye(width)[chosen], names, _elsewhere(width - 2, numbers.others))


def _elsewhere(rest: int, others: int) -> str:
    """Where the columns are that are not shown: so many of numbers, so many of something else."""
    if not rest and not others:
        return ""
    many = rest + others > 1
    where = ["the medians" if many else "the median"] if rest else []
    where += ["the most frequent values" if many else "the most frequent value"] if others else []
    return f"other column{'s' * many} at {' and '.join(where)}"


def _two(columns: object) -> Sequence:
    if isinstance(columns, (str, bytes)) or not hasattr(columns, "__len__") or len(columns) != 2:
        raise ParameterError(f"columns must be two numbers or names of columns, not {columns!r}")
    return columns


def _column(column: object, numbers: Numbers) -> int:
    names = numbers.names
    if isinstance(column, str):
        if column not in names:
            shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
            kind = " of numbers" if numbers.others else ""
            raise ParameterError(f"there is no column{kind} {column!r}: there are {shown}")
        return names.index(column)
    if not is_integer(column):
        raise ParameterError(f"a column is a number or a name, not {column!r}")
    if not -len(names) <= column < len(names):
        raise ParameterError(
            f"column {column} is out of range: X has the columns 0 to {len(names) - 1}"
        )
    return int(column) % len(names)


def _principal(numbers: Numbers, seen: Numbers | None) -> tuple[Numbers, Plane]:
    """The plane of the first two principal components of what the last step of a pipeline sees."""
    from mercer._pca import PCA

    note = "plane through the mean"
    if seen is not None:
        numbers, note = seen, f"{note} of what the last step sees"
    if numbers.others:
        note = f"{note}, {_elsewhere(0, numbers.others)}"
    X = numbers.table
    if len(X) < 2:
        raise ValueError(
            "one sample has no principal components: choose two columns, as in columns=(0, 1)"
        )
    if len(X) == 2:
        raise ValueError(
            "two samples have one principal component: choose two columns, as in columns=(0, 1)"
        )
    pca = PCA(2).fit(X)
    names = ("first principal component", "second principal component")
    ratios = pca.explained_variance_ratio_
    shares = tuple(of_variance(name, ratios, place) for place, name in enumerate(names))
    return numbers, Plane(pca.mean_, pca.components_, shares, note)


def checked_span(
    values: np.ndarray, resolution: int, margin: float, *, floor: bool = True
) -> np.ndarray:
    """Return evenly spaced coordinates from somewhat below the values to somewhat above.

    With `floor`, they do not go below 0 where no value does.
    """
    if not is_integer(resolution) or resolution < 2:
        raise ParameterError(
            f"grid_resolution must be an integer of at least 2, not {resolution!r}"
        )
    if not is_real(margin) or margin < 0:
        raise ParameterError(f"margin must be a number of at least 0, not {margin!r}")
    low, high = values.min(), values.max()
    pad = margin * (high - low) if high > low else max(1.0, abs(high))
    # Counts and shares have no values below 0, and kernels on histograms refuse them.
    start = 0.0 if floor and low >= 0 and low - pad < 0 else low - pad
    return np.linspace(start, high + pad, resolution)


def name_axes(axes: Sequence, names: tuple[str, str], note: str = "") -> None:
    """Write the names of coordinates beside the axes, with the note below the first."""
    for ax in axes:
        ax.set_xlabel(plain(f"{names[0]}\n({note})" if note else names[0]))
        ax.set_ylabel(plain(names[1]))
    break_names(axes)


def fit_limits(ax: Any, first: np.ndarray, second: np.ndarray) -> None:
    """Show the grid and nothing beyond; circles are round where the ranges are of one size."""
    ax.set_xlim(first[0], first[-1])
    ax.set_ylim(second[0], second[-1])
    ax.grid(False)  # some styles have one, which would lie on the colours
    if _alike(first, second):
        ax.set_aspect("equal", adjustable="box")


def clipping(points: np.ndarray, first: np.ndarray, second: np.ndarray) -> dict[str, bool]:
    """Return whether marks end at the frame: not where it would cut marks of samples within.

    The grid of values that are never negative begins at 0, where samples may be.
    """
    low, high = (np.array([first[place], second[place]]) for place in (0, -1))
    near = 0.02 * (high - low)
    within = np.all((points >= low) & (points <= high))
    at_edge = np.any((points < low + near) | (points > high - near))
    return {"clip_on": not (within and at_edge)}


def panel_height(first: np.ndarray, second: np.ndarray, width: float) -> float:
    """Return how high a panel is, in inches, that is so wide and shows the grid."""
    ratio = (second[-1] - second[0]) / (first[-1] - first[0])
    return width * ratio if _alike(first, second) else 0.75 * width


def _alike(first: np.ndarray, second: np.ndarray) -> bool:
    return 0.5 < (first[-1] - first[0]) / (second[-1] - second[0]) < 2.2


def checked_grid(first: object, second: object, values: object, panels: bool = False) -> tuple:
    """Return the coordinates of a grid and values over it, as arrays that belong together."""
    first, second = numbers_1d(first, "first"), numbers_1d(second, "second")
    values = np.asarray(values, dtype=np.float64)
    wanted = (len(second), len(first))
    if values.shape[-2:] != wanted or values.ndim != 2 + panels:
        before = "m × " if panels else ""
        raise ValueError(
            f"values must be a table of {before}{wanted[0]} × {wanted[1]} numbers, a line for each "
            f"value of second and a column for each of first, and have the shape {values.shape}"
        )
    if min(wanted) < 2 or np.any(np.diff(first) <= 0) or np.any(np.diff(second) <= 0):
        raise ValueError("first and second must each contain at least two ascending numbers")
    if not np.isfinite(values).all():
        raise ValueError("values contain NaN or infinity")
    return first, second, values
