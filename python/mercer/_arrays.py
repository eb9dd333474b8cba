"""Arrays as the extension module takes them: float32 or float64, 2-D, in C or Fortran order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from mercer import _core
from mercer._missing import also, not_finite
from mercer._params import ParameterError
from mercer._run import bytes_of

# Samples may also be data frames, whose types have no common base class.
Samples: TypeAlias = ArrayLike | sparse.sparray | sparse.spmatrix | Any
# An array or, after ``set_output``, a data frame.
Table: TypeAlias = Any

_FLOATS = [np.float64, np.float32]


def validate_rows(
    estimator, X, *, reset: bool, accept_sparse: bool, check_finite: bool = False
) -> np.ndarray | sparse.csr_array:
    """Return validated rows of numbers, without a copy where possible; sparse ones as CSR.

    Without `check_finite`, non-finite values are left for the extension module to find. Both name
    row and column, which scikit-learn's own check does not.
    """
    if isinstance(X, Rows):
        return _named_rows(estimator, X, reset=reset)
    original, ready = X, _is_ready(X)
    if not ready:
        _refuse_dates(X)
        try:
            X = check_array(
                _widen_float16(X),
                dtype=_FLOATS,
                accept_sparse="csr" if accept_sparse else False,
                ensure_all_finite=False,
                estimator=estimator,
                input_name="X",
            )
        except (TypeError, ValueError):
            # scikit-learn's own error does not name the column.
            _refuse_column(original)
            raise
    X = _canonical(X) if sparse.issparse(X) else as_contiguous(X)
    if check_finite or not ready:
        require_finite(X, _names_of(original))
    if not (ready and _has_columns(estimator, X.shape[1], reset=reset)):
        validate_data(estimator, original, reset=reset, skip_check_array=True)
    return X


def _names_of(X: object) -> list[str] | None:
    """The names of the columns of a data frame."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    return None if names is None else [str(name) for name in names]


class Rows(np.ndarray):
    """Rows of numbers whose columns have names."""

    names: list[str]

    def __array_finalize__(self, whole: object) -> None:
        """Some of the rows have the names of all."""
        self.names = getattr(whole, "names", [])


def _named_rows(estimator, X: Rows, *, reset: bool) -> np.ndarray:
    """Return rows as they are; store or compare the names of their columns."""
    known = getattr(estimator, "feature_names_in_", None)
    if reset:
        estimator.n_features_in_ = X.shape[1]
        estimator.feature_names_in_ = np.array(X.names, dtype=object)
    elif known is not None and list(known) != X.names:
        raise ValueError(
            "The feature names should match those that were passed during fit: expected "
            f"{list(known)[:12]}, got {X.names[:12]}"
        )
    elif estimator.n_features_in_ != X.shape[1]:
        validate_data(estimator, np.asarray(X), reset=False, skip_check_array=True)
    return as_contiguous(X.view(np.ndarray))


def _refuse_dates(X: object) -> None:
    """Refuse dates and durations, which would become counts of nanoseconds or other units."""
    if getattr(getattr(X, "dtype", None), "kind", "?") in "mM":
        raise ParameterError(
            "X contains dates or durations: encode them as numbers, as in "
            "TableEncoder(dates='expand'), or drop them"
        )
    if any(_is_temporal(kind) for kind in getattr(X, "dtypes", ())):
        _refuse_column(X)


def _is_temporal(kind: Any) -> bool:
    """Whether a column's type, of pandas or of polars, is one of dates or durations."""
    return kind.is_temporal() if hasattr(kind, "is_temporal") else kind.kind in "mM"


def _refuse_column(X: object) -> None:
    """Refuse a data frame with a column that is not numeric, and name the column."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return
    for name in X.columns:
        values = np.asarray(X[name])
        if not _holds_numbers(values):
            what = "dates" if values.dtype.kind in "mM" else "values that are not numbers"
            raise ParameterError(
                f"column {name!r} of X contains {what}, such as {values.tolist()[0]!r}: encode it "
                "as numbers, drop it, or use a kernel on the other columns, as in "
                "'columns(age, income: rbf)'"
            )


def _holds_numbers(values: np.ndarray) -> bool:
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return values.dtype.kind not in "mM"


def _canonical(X: sparse.csr_array) -> sparse.csr_array:
    """A sparse matrix in canonical format; the caller's own is not changed."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _has_columns(estimator, columns: int, *, reset: bool) -> bool:
    """Whether an array has the expected number of columns; a fit stores that number.

    scikit-learn's own function also looks for column names, which takes longer than a small fit.
    """
    if hasattr(estimator, "feature_names_in_"):
        return False
    if reset:
        estimator.n_features_in_ = columns
    return getattr(estimator, "n_features_in_", None) == columns


def require_y(estimator, y) -> None:
    """Refuse a missing target, in scikit-learn's words."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")


def validate_targets(estimator, y, X: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return validated targets as a 2-D float64 array, and whether they were 1-D.

    Non-finite values are left for the extension module to find, which names the row.
    """
    require_y(estimator, y)
    y = check_array(
        y, dtype=np.float64, ensure_2d=False, ensure_all_finite=False, order="C", input_name="y"
    )
    check_consistent_length(X, y)
    return as_contiguous(y).reshape(len(y), -1), y.ndim == 1


def validate_weights(sample_weight, n: int) -> np.ndarray | None:
    """Return the weights of n samples as float64; a single number stands for all.

    Invalid values are left for the extension module to find, which names the row.
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        return np.full(n, float(sample_weight))
    found = check_array(
        sample_weight,
        dtype=np.float64,
        ensure_2d=False,
        ensure_all_finite=False,
        order="C",
        input_name="sample_weight",
    )
    if found.shape != (n,):
        raise ValueError(
            f"sample_weight must be one number or one for each of the {n} samples, but has shape "
            f"{found.shape}"
        )
    return as_contiguous(found)


def finite_weights(sample_weight, n: int) -> np.ndarray | None:
    """Return the weights of n samples, all finite and not negative."""
    found = validate_weights(sample_weight, n)
    if found is None or (np.isfinite(found) & (found >= 0)).all():
        return found
    row = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))[0]
    rule = "not be negative" if np.isfinite(found[row]) else "be finite"
    raise ValueError(f"sample_weight must {rule}, but is {found[row]} in row {row}")


def svm_weights(sample_weight, n: int) -> np.ndarray | None:
    """Return the weights of n samples, with 0 in place of negative ones, which scikit-learn's
    support vector machines ignore as well.
    """
    found = validate_weights(sample_weight, n)
    if found is None:
        return None
    if (found <= 0).all():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return np.where(found < 0, 0.0, found)


def validate_diagonal(diagonal, n: int) -> np.ndarray:
    """Return k(x, x) of n samples."""
    found = check_array(
        diagonal, dtype=np.float64, ensure_2d=False, order="C", input_name="diagonal"
    )
    if found.shape != (n,):
        raise ValueError(
            f"diagonal must contain k(x, x) of each of the {n} samples, but has shape {found.shape}"
        )
    return found


def validate_scores(X, columns: int) -> np.ndarray:
    """Return validated component scores with `columns` columns."""
    X = check_array(_widen_float16(X), dtype=_FLOATS, ensure_all_finite=False, input_name="X")
    if X.shape[1] != columns:
        raise ValueError(f"X has {X.shape[1]} columns, but the model has {columns} components")
    require_finite(X)
    return as_contiguous(X)


def require_finite(X: np.ndarray, names: list[str] | None = None) -> None:
    """Refuse NaN and infinity, naming the first row and column, and all columns with some."""
    values = X.tocsr().data if sparse.issparse(X) else X
    total = np.einsum("i->" if values.ndim == 1 else "ij->", values)
    if np.isfinite(total) or np.isfinite(values).all():
        return
    found = not_finite(X)
    row, column = min((rows[0], column) for column, rows in found)
    value = X.tocsr()[row, column] if sparse.issparse(X) else X[row, column]
    called = str if names is None else lambda column: repr(names[column])
    raise ValueError(
        f"input contains {'NaN' if np.isnan(value) else 'infinity'} at row {row}, column "
        f"{called(column)} (zero-based): remove the row or impute the value first"
        + also((called(column), rows) for column, rows in found)
    )


@contextmanager
def listing_values(X: np.ndarray | sparse.csr_array) -> Iterator[None]:
    """Let an error for NaN or infinity list all columns of X that have some."""
    try:
        yield
    except ValueError:
        require_finite(X)
        raise


def dense(X, memory_budget) -> np.ndarray:
    """Return a sparse matrix as a dense one, if that fits the budget."""
    if not sparse.issparse(X):
        return X
    needed, budget = X.shape[0] * X.shape[1] * X.dtype.itemsize, bytes_of(memory_budget)
    if budget is not None and needed > budget:
        raise MemoryError(
            f"the sparse matrix needs {needed} bytes in dense form, but the memory budget is "
            f"{budget} bytes: raise the budget, or reduce the matrix with TruncatedSVD first"
        )
    return X.toarray()


def as_contiguous(X: np.ndarray) -> np.ndarray:
    """Return the array, or a copy in C order if it is in neither C nor Fortran order, or lies at a
    place in memory that does not suit its numbers, as an array may that came from another process.
    """
    flags = X.flags
    ordered = flags.c_contiguous or flags.f_contiguous
    return X if ordered and flags.aligned else np.require(X, requirements=["C", "A"])


def as_scikit_learn(X):
    """Return a sparse array in the type that scikit-learn returns: by default, a sparse matrix."""
    if sparse.issparse(X) and get_config().get("sparse_interface") != "sparray":
        return sparse.csr_matrix(X)
    return X


def dtype_of(name: str) -> np.dtype:
    """Return the dtype that ``"f32"`` or ``"f64"`` names."""
    return np.dtype(np.float32 if name == "f32" else np.float64)


def scaled(model: _core.Model, X: np.ndarray) -> np.ndarray:
    """Return the samples after the model's scaling."""
    if model.scaling is None:
        return X
    X = np.array(X.toarray() if sparse.issparse(X) else X, order="C")
    model.scale(X)
    return X


def _is_ready(X) -> bool:
    """Whether scikit-learn's check, which takes longer than a small fit, can be skipped."""
    table = type(X) is np.ndarray and X.ndim == 2 and X.size > 0
    return table and X.dtype.isnative and X.dtype in _FLOATS


def _widen_float16(X):
    # Half precision is a storage format: its range is too small for squared distances.
    return X.astype(np.float32) if getattr(X, "dtype", None) == np.float16 else X
