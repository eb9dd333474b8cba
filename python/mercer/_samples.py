"""Samples of any kind, checked for the kernel that compares them, and as the compiled part takes
them. This is the one way in for all estimators with a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_feature_names, _check_n_features

from mercer import _core
from mercer._arrays import dense, plain, samples
from mercer._columns import Table
from mercer._kernel_parts import quoted
from mercer._kernel_purpose import Purpose
from mercer._own import Store
from mercer._params import ParameterError
from mercer._texts import holds_texts, one_column, texts_of


@dataclass
class Texts:
    """Texts, one for each sample."""

    values: list[str]
    dtype = np.dtype(object)

    @property
    def shape(self) -> tuple[int, int]:
        """How many there are, in one column."""
        return len(self.values), 1


@dataclass
class Items:
    """Objects that only a function of the user's understands."""

    store: Store
    dtype = np.dtype(object)

    @property
    def shape(self) -> tuple[int]:
        """How many there are."""
        return (len(self.store),)


@dataclass
class Groups:
    """Groups of columns by their names, each with its samples."""

    parts: list[tuple[tuple[str, ...], Any]]
    columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the table."""
        return self.parts[0][1].shape[0], self.columns

    @property
    def dtype(self) -> np.dtype:
        """Single precision if all numbers are."""
        kinds = {part.dtype for _, part in self.parts if part.dtype != object}
        return np.dtype(np.float32 if kinds == {np.dtype(np.float32)} else np.float64)


# Rows of numbers stay what they are: an array, or a sparse matrix in rows.
Checked: TypeAlias = np.ndarray | sparse.csr_array | Texts | Items | Groups


def checked(estimator, X, purpose: Purpose, *, reset: bool) -> Checked:
    """Return samples as the kernel needs them, and keep or compare how wide they are."""
    match purpose.kind:
        case "texts":
            found = Texts(texts_of(one_column(X)))
            _refuse_none(len(found.values))
            _keep_width(estimator, X, 1, reset=reset)
            return found
        case "columns":
            return _groups(estimator, X, purpose, reset=reset)
        case "anything" if not is_table(X):
            store = Store(_objects(X))
            _refuse_none(len(store))
            if reset:
                _forget_width(estimator)
            return Items(store)
        case "numbers" if isinstance(X, Mapping) and not sparse.issparse(X):
            raise ParameterError(
                "the kernel is for rows of numbers, and X is a dictionary: give an array or a data "
                f"frame, or say which columns are meant, as in {_on_columns(X)!r}"
            )
        case "numbers" if _named_texts(X):
            raise ParameterError(
                "the kernel is for rows of numbers, and X holds texts: choose a kernel for texts, "
                "such as 'spectrum(p=3)', or give numbers"
            )
    # The compiled part looks at rows of numbers itself, and not at what only a function sees.
    unseen = purpose.kind in ("matrix", "anything")
    found = samples(estimator, X, reset=reset, accept_sparse=True, check_finite=unseen)
    return plain(dense(found, estimator.memory_budget)) if purpose.kind == "matrix" else found


def _on_columns(X: Mapping) -> str:
    names = ", ".join(quoted(name) for name in list(X)[:3])
    return f"columns({names}: rbf)"


def _named_texts(X) -> bool:
    # Arrays of numbers are by far the most common samples.
    numbers = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
    return not numbers and holds_texts(X)


def _groups(estimator, X, purpose: Purpose, *, reset: bool) -> Groups:
    table = Table(X)
    take = {"numbers": table.numbers, "texts": table.texts, "anything": table.objects}
    hold = {"numbers": lambda x: x, "texts": Texts, "anything": lambda x: Items(Store(x))}
    parts = [(names, hold[kind](take[kind](names))) for names, kind in purpose.groups]
    if reset:
        # Which columns there are besides, and in which order, is nothing to a kernel on names.
        _keep_width(estimator, X, len(table.names), reset=True)
    return Groups(parts, len(table.names))


def _keep_width(estimator, X, width: int, *, reset: bool) -> None:
    """Keep how many columns there are and their names, or compare with what was kept."""
    if hasattr(X, "columns") or hasattr(estimator, "feature_names_in_"):
        _check_feature_names(estimator, X, reset=reset)
    if reset:
        estimator.n_features_in_ = width
    elif hasattr(X, "shape") and len(X.shape) == 2:
        _check_n_features(estimator, X, reset=False)


def _forget_width(estimator) -> None:
    for name in ("n_features_in_", "feature_names_in_"):
        vars(estimator).pop(name, None)


def _refuse_none(n: int) -> None:
    if n == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")


def is_table(X: object) -> bool:
    """Whether X is to be checked as rows of numbers; a function may take anything else."""
    if sparse.issparse(X) or not isinstance(X, (list, tuple, np.ndarray)):
        return sparse.issparse(X) or (
            not holds_texts(X) and (hasattr(X, "__array__") or hasattr(X, "__dataframe__"))
        )
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.dtype.kind in "biuf"
    first = X[0] if len(X) else None
    rows = isinstance(first, (list, tuple)) or (isinstance(first, np.ndarray) and first.ndim == 1)
    return rows and not any(isinstance(value, (str, bytes)) for value in first)


def _objects(X: object) -> object:
    """Samples of a function's as they are kept: an array of one axis, else a list."""
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise ParameterError(f"X must be a sequence of samples, not {type(X).__name__}")
    return X if isinstance(X, np.ndarray) else list(X)


def features(X: Checked) -> int:
    """Return how many columns samples have."""
    return X.shape[1] if len(X.shape) > 1 else 1


def splittable(X: Checked) -> np.ndarray | sparse.csr_array:
    """Return what scikit-learn can split: the samples, or as many rows of nothing."""
    plain_rows = isinstance(X, np.ndarray) or sparse.issparse(X)
    return X if plain_rows else np.zeros((X.shape[0], 1))


def some(X: Checked, rows: np.ndarray) -> Checked:
    """Return the samples of these rows."""
    if isinstance(X, Texts):
        return Texts([X.values[row] for row in rows])
    if isinstance(X, Items):
        return Items(X.store.part(rows))
    if isinstance(X, Groups):
        return Groups([(names, some(part, rows)) for names, part in X.parts], X.columns)
    return X[rows]


def held(X: Checked, *, single: bool, own: bool = False, keep: bool = False) -> _core.Samples:
    """Return samples as the compiled part takes them.

    `own` says that a function of the user's compares them, to which they are shown as they are;
    with `keep`, as a copy that the user cannot change.
    """
    if isinstance(X, Texts):
        return _core.Samples.texts(X.values, single)
    if isinstance(X, Groups):
        parts = [(list(names), held(part, single=single, keep=keep)) for names, part in X.parts]
        return _core.Samples.parts(parts, single)
    if isinstance(X, Items):
        return _core.Samples.items(X.store, X.shape[0], single)
    if own:
        return _core.Samples.items(Store(X.copy() if keep else X), X.shape[0], single)
    if sparse.issparse(X):
        return _core.Samples.sparse(X.shape, X.indptr, X.indices, X.data, single)
    return _core.Samples.dense(plain(X), single)
