"""The classes on the sides of a decision boundary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mercer._plot.samples import labels_of, last_step
from mercer._plot.theme import CLASSES


class BoundaryClasses:
    """Classes in order, with their names.

    `turned` says that two classes are in another order than in their estimator.
    """

    def __init__(self, classes: Sequence, names: list[str] | None = None, *, turned: bool = False):
        self.classes = list(classes)
        self.turned = turned
        self.names = names or [str(one) for one in self.classes]
        if len(self.classes) > len(CLASSES):
            raise ValueError(
                f"regions of {len(self.classes)} classes cannot be distinguished by "
                f"{len(CLASSES)} colours: fit on fewer classes, or show the samples with "
                "EmbeddingDisplay"
            )

    def places(self, labels: np.ndarray) -> np.ndarray:
        """Return the indices of labels among the classes."""
        known = {one: place for place, one in enumerate(self.classes)}
        found = np.array([known.get(label, -1) for label in labels.tolist()], dtype=int)
        strange = np.flatnonzero(found < 0)
        if strange.size:
            raise ValueError(
                f"y contains the class {labels.tolist()[strange[0]]!r}, which is not one of "
                f"{', '.join(map(repr, self.classes))}"
            )
        return found

    def codes(self, y: ArrayLike | None, n: int) -> np.ndarray | None:
        """Return the places of the classes of n samples."""
        return None if y is None else self.places(labels_of(y, n))


def boundary_classes_of(estimator: object, order: list | None = None) -> BoundaryClasses:
    """Return the classes of an estimator, in the order of categories if these name all of them."""
    model = last_step(estimator)
    classes = getattr(model, "classes_", None)
    if classes is not None:
        sorted_ones = np.asarray(classes).tolist()
        found = [one for one in order or () if one in sorted_ones]
        found = found if len(found) == len(sorted_ones) else sorted_ones
        return BoundaryClasses(found, turned=found != sorted_ones)
    if hasattr(model, "offset_"):
        return BoundaryClasses([-1, 1], ["unusual", "usual"])
    raise TypeError(
        f"{type(model).__name__} has no decision boundary: pass a classifier, a OneClassSVM or a "
        "regression on one column"
    )


def boundary_classes_in(predictions: np.ndarray, y: np.ndarray | None) -> BoundaryClasses:
    """Return the classes that occur."""
    seen = set(predictions.tolist()) | set([] if y is None else y.tolist())
    try:
        return BoundaryClasses(sorted(seen))
    except TypeError:
        raise ValueError("predictions and y must have the same type") from None


def same_sides(decision: np.ndarray, places: np.ndarray, names: list[str]) -> None:
    """Refuse decision values whose signs contradict the predicted classes."""
    if len(names) != 2:
        many = "one class" if len(names) == 1 else f"{len(names)} classes"
        raise ValueError(f"decision needs two classes, but there is {many}: omit it")
    wrong = np.argwhere(np.where(places == 1, decision < 0, decision > 0))
    if wrong.size:
        row, column = wrong[0]
        raise ValueError(
            f"the decision in row {row}, column {column} of the grid is "
            f"{decision[row, column]:.3g}, but {names[int(places[row, column])]!r} is predicted "
            f"there: it must be positive where {names[1]!r} is, and negative where {names[0]!r} is"
        )
