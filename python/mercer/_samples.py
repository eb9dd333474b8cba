"""Samples of any kind, validated for a kernel, and as the extension module takes them.

All estimators with a kernel validate their samples here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv
from sklearn.utils.validation import _check_feature_names, _check_n_features

from mercer import _core
from mercer._arrays import as_contiguous, dense, listing_values, validate_rows
from mercer._categories import is_category
from mercer._columns import Table, form_of
from mercer._custom import Store, quoted
from mercer._kernel_purpose import Purpose
from mercer._params import ParameterError, is_integer, refuse
from mercer._strings import holds_strings, one_column, strings_of, values_of


@dataclass
class Strings:
    """Strings, one for each sample."""

    values: list[str]
    dtype = np.dtype(object)

    @property
    def shape(self) -> tuple[int, int]:
        """Their number, and one column."""
        return len(self.values), 1


@dataclass
class Items:
    """Objects that only a user-defined function understands."""

    store: Store
    dtype = np.dtype(object)

    @property
    def shape(self) -> tuple[int]:
        """Their number."""
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
Checked: TypeAlias = np.ndarray | sparse.csr_array | Strings | Items | Groups


def validate_samples(estimator, X, purpose: Purpose, *, reset: bool) -> Checked:
    """Return samples as the kernel needs them; store or compare their number of columns."""
    match purpose.kind:
        case "strings":
            found = Strings(strings_of(one_column(X)))
            _refuse_empty(len(found.values))
            _check_width(estimator, X, 1, reset=reset)
            return found
        case "columns":
            return _groups(estimator, X, purpose, reset=reset)
        case "categories" if _has_categories(estimator, X, reset=reset):
            return _categories(estimator, X, reset=reset)
        case "anything" if not _as_table(estimator, X, purpose, reset=reset):
            store = Store(_objects(X))
            _refuse_empty(len(store))
            if reset:
                _forget_width(estimator)
            return Items(store)
        case "numbers" | "categories" if isinstance(X, Mapping) and not sparse.issparse(X):
            raise ParameterError(
                "the kernel takes rows of numbers, but X is a dictionary: pass an array or a data "
                f"frame, or name the columns, as in {_on_columns(X)!r}"
            )
        case "numbers" | "categories" if _is_strings(X):
            raise ParameterError(
                "the kernel takes rows of numbers, but X contains strings: use a kernel on "
                "strings, such as 'spectrum(p=3)', or pass numbers"
            )
    # The extension module checks rows of numbers itself, but not what only a function sees.
    unchecked = purpose.kind in ("matrix", "anything")
    found = validate_rows(estimator, X, reset=reset, accept_sparse=True, check_finite=unchecked)
    if purpose.kind == "matrix":
        return as_contiguous(dense(found, estimator.memory_budget))
    return found


def _has_categories(estimator, X, *, reset: bool) -> bool:
    """Whether a data frame has columns of categories, or the one of the fit had."""
    if reset:
        vars(estimator).pop("_codes", None)
    elif hasattr(estimator, "_codes"):
        return True
    named = hasattr(X, "columns") or hasattr(X, "column_names") or isinstance(X, Mapping)
    if sparse.issparse(X) or not named:
        return False
    table = Table(X)
    return any(is_category(table.column(name)) for name in table.names)


def _categories(estimator, X, *, reset: bool) -> np.ndarray:
    """The rows of a table of numbers and categories, as numbers."""
    table = Table(X)
    if reset:
        _check_width(estimator, X, len(table.names), reset=True)
        estimator._codes, estimator._coded = {}, tuple(table.names)
    with table.naming_all(estimator._coded):
        return table.categories(estimator._coded, estimator._codes, learn=reset)


def _on_columns(X: Mapping) -> str:
    names = ", ".join(quoted(name) for name in list(X)[:3])
    return f"columns({names}: rbf)"


def _is_strings(X) -> bool:
    # Arrays of numbers are by far the most common samples.
    numbers = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
    return not numbers and holds_strings(X)


def _groups(estimator, X, purpose: Purpose, *, reset: bool) -> Groups:
    table = Table(X)
    if reset:
        estimator._codes = {}
    codes = getattr(estimator, "_codes", {})
    read = {
        "numbers": table.numbers,
        "categories": lambda names: table.categories(names, codes, learn=reset),
        "strings": lambda names: Strings(table.strings(names)),
        "anything": lambda names: Items(Store(table.objects(names))),
    }
    needed = [name for names, kind in purpose.groups if kind != "anything" for name in names]
    with table.naming_all(needed):
        parts = [(names, read[kind](names)) for names, kind in purpose.groups]
    if reset:
        if not codes:
            del estimator._codes
        # A kernel on named columns does not care about other columns, or about their order.
        _check_width(estimator, X, len(table.names), reset=True)
        estimator._table = (form_of(X), table.names)
    return Groups(parts, len(table.names))


def _check_width(estimator, X, width: int, *, reset: bool) -> None:
    """Store the number of columns and their names, or compare with those stored."""
    if hasattr(X, "columns") or hasattr(estimator, "feature_names_in_"):
        _check_feature_names(estimator, X, reset=reset)
    if reset:
        estimator.n_features_in_ = width
    elif hasattr(X, "shape") and len(X.shape) == 2:
        _check_n_features(estimator, X, reset=False)


def _forget_width(estimator) -> None:
    for name in ("n_features_in_", "feature_names_in_"):
        vars(estimator).pop(name, None)


def _refuse_empty(n: int) -> None:
    if n == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")


def _as_table(estimator, X, purpose: Purpose, *, reset: bool) -> bool:
    """Whether a function gets rows of numbers; new samples are treated as those of the fit."""
    if not reset:
        return hasattr(estimator, "n_features_in_")
    # Elements of a list reach kernels.pair and kernels.block unchanged. For a plain function, as in
    # scikit-learn, lists of numbers become an array.
    untouched = purpose.untouched and isinstance(X, (list, tuple))
    return not untouched and is_table(X)


def is_table(X: object) -> bool:
    """Whether X is rows of numbers."""
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
    """Whether a list consists of rows of numbers of equal length."""
    if not len(X) or not all(isinstance(row, (list, tuple, np.ndarray)) for row in X):
        return False
    try:
        found = np.asarray(X)
    except ValueError:  # rows of different lengths
        return False
    return found.ndim == 2 and found.dtype.kind in "biuf"


def _objects(X: object) -> object:
    """Samples for a function in their own container, or in a list."""
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise ParameterError(f"X must be a sequence of samples, not {type(X).__name__}")
    if isinstance(X, Mapping):
        Table(X)  # refuses columns of different lengths
        return dict(X)
    if hasattr(X, "column_names"):  # a pyarrow table
        return X.to_pydict()
    indexable = isinstance(X, (np.ndarray, list)) or hasattr(X, "iloc") or _is_polars(X)
    return X if indexable else values_of(X)


def _is_polars(X: object) -> bool:
    return type(X).__module__.partition(".")[0] == "polars"


def features(X: Checked) -> int:
    """Return the number of columns."""
    return X.shape[1] if len(X.shape) > 1 else 1


def splits_of(
    estimator, X: Checked, y: np.ndarray, expected: str, *, classifier: bool, groups=None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the training and test rows of the estimator's `cv`."""
    cv = estimator.cv
    invalid = isinstance(cv, (str, bool)) or (is_integer(cv) and cv < 2)
    if invalid or not (is_integer(cv) or hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise refuse(estimator, "cv", expected, cv)
    # Of samples that scikit-learn cannot split it gets their number.
    rows = X if isinstance(X, np.ndarray) or sparse.issparse(X) else np.zeros((X.shape[0], 1))
    if groups is not None and is_integer(cv):
        cv = _grouped(int(cv), groups, classifier=classifier)
    splits = check_cv(cv, y, classifier=classifier).split(rows, y, groups)
    return [(_indices(train), _indices(test)) for train, test in splits]


def _grouped(folds: int, groups: Any, *, classifier: bool) -> StratifiedGroupKFold | GroupKFold:
    """The splitter that a number of folds stands for when samples belong to groups."""
    count = len(set(values_of(groups)))
    if count < folds:
        raise ValueError(
            f"groups has {count} different value{'s' * (count != 1)}, but cv={folds} needs at "
            f"least {folds}: use fewer folds"
        )
    return StratifiedGroupKFold(folds) if classifier else GroupKFold(folds)


def _indices(rows) -> np.ndarray:
    rows = np.asarray(rows)
    found = np.flatnonzero(rows) if rows.dtype == bool else rows
    return np.ascontiguousarray(found, dtype=np.int64)


def take(X: Checked, rows: np.ndarray) -> Checked:
    """Return the samples of these rows."""
    if isinstance(X, Strings):
        return Strings([X.values[row] for row in rows])
    if isinstance(X, Items):
        return Items(X.store.part(rows))
    if isinstance(X, Groups):
        return Groups([(names, take(part, rows)) for names, part in X.parts], X.columns)
    return X[rows]


def to_core(X: Checked, *, single: bool, custom: bool = False, copy: bool = False) -> _core.Samples:
    """Return samples as the extension module takes them.

    `custom` says that only user-defined functions compare them, which get them unchanged; with
    `copy`, the samples are copied, so that later changes by the caller have no effect.
    """
    if isinstance(X, Strings):
        return _core.Samples.strings(X.values, single)
    if isinstance(X, Groups):
        parts = [(list(names), to_core(part, single=single, copy=copy)) for names, part in X.parts]
        return _core.Samples.parts(parts, single)
    if isinstance(X, Items):
        return _core.Samples.items(X.store.copy() if copy else X.store, X.shape[0], single)
    if custom:
        return _core.Samples.items(Store(X.copy() if copy else X), X.shape[0], single)
    with listing_values(X):
        if sparse.issparse(X):
            return _core.Samples.sparse(X.shape, X.indptr, X.indices, X.data, single)
        return _core.Samples.dense(as_contiguous(X), single)
