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
from mercer._columns import Table, form_of
from mercer._kernel_parts import quoted
from mercer._kernel_purpose import Purpose
from mercer._own import Store
from mercer._params import ParameterError
from mercer._texts import holds_texts, one_column, texts_of, values_of


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
        case "anything" if not _as_table(estimator, X, purpose, reset=reset):
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
        estimator._table = (form_of(X), table.names)
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


def _as_table(estimator, X, purpose: Purpose, *, reset: bool) -> bool:
    """Whether a function is to see samples as rows of numbers; new samples as those of the fit."""
    if not reset:
        return hasattr(estimator, "n_features_in_")
    # Lists that are given to kernels.pair or kernels.block are never looked into. A plain function
    # means what it means in scikit-learn, which makes an array of lists of numbers.
    untouched = purpose.untouched and isinstance(X, (list, tuple))
    return not untouched and is_table(X)


def is_table(X: object) -> bool:
    """Whether X is rows of numbers; a function may take anything else."""
    if isinstance(X, Mapping):
        return False
    if sparse.issparse(X):
        return True
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return all(is_number(kind) for kind in X.dtypes)
    if isinstance(X, (list, tuple)):
        return _are_rows(X)
    if not hasattr(X, "__array__") and not hasattr(X, "__dataframe__"):
        return False
    found = X if hasattr(X, "ndim") and hasattr(X, "dtype") else np.asarray(X)
    return found.ndim == 2 and getattr(found.dtype, "kind", "f") in "biuf"


def is_number(kind: Any) -> bool:
    """Whether a column's type, of pandas or of polars, is one of numbers."""
    return kind.is_numeric() if hasattr(kind, "is_numeric") else kind.kind in "biuf"


def _are_rows(X: list | tuple) -> bool:
    """Whether a list holds rows of numbers that are all equally long."""
    if not len(X) or not all(isinstance(row, (list, tuple, np.ndarray)) for row in X):
        return False
    try:
        found = np.asarray(X)
    except ValueError:  # rows of different lengths
        return False
    return found.ndim == 2 and found.dtype.kind in "biuf"


def _objects(X: object) -> object:
    """Samples of a function's in the container that they came in, or in a list."""
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise ParameterError(f"X must be a sequence of samples, not {type(X).__name__}")
    if isinstance(X, Mapping):
        Table(X)  # refuses columns of different lengths
        return dict(X)
    if hasattr(X, "column_names"):  # a table of pyarrow's
        return X.to_pydict()
    kept = isinstance(X, (np.ndarray, list)) or hasattr(X, "iloc") or _is_polars(X)
    return X if kept else values_of(X)


def _is_polars(X: object) -> bool:
    return type(X).__module__.partition(".")[0] == "polars"


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

    `own` says that functions of the user's alone compare them, to which they are shown as they
    are; with `keep`, as a copy that the user cannot change.
    """
    if isinstance(X, Texts):
        return _core.Samples.texts(X.values, single)
    if isinstance(X, Groups):
        parts = [(list(names), held(part, single=single, keep=keep)) for names, part in X.parts]
        return _core.Samples.parts(parts, single)
    if isinstance(X, Items):
        return _core.Samples.items(X.store.copy() if keep else X.store, X.shape[0], single)
    if own:
        return _core.Samples.items(Store(X.copy() if keep else X), X.shape[0], single)
    if sparse.issparse(X):
        return _core.Samples.sparse(X.shape, X.indptr, X.indices, X.data, single)
    return _core.Samples.dense(plain(X), single)
