"""Tables that do not fit into memory: sources of rows in blocks."""

from __future__ import annotations

import copy
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from mercer import _core
from mercer._arrays import Rows
from mercer._params import ParameterError, is_integer

# Features, targets and weights of a block.
Block: TypeAlias = tuple[Any, Any, Any]
Column: TypeAlias = str | int

# Bytes of the blocks that arrays are cut into.
_BLOCK_BYTES = 2 << 20
_CHUNK = 1024


def scan(
    source: Any,
    *,
    columns: Sequence[Column] | None = None,
    target: Column | Sequence[Column] | None = None,
    weights: Column | None = None,
    batch_rows: int | None = None,
) -> Scan:
    """Describe a table that is read in blocks of rows, and never held whole.

    Estimators with `landmarks` are fitted on it, and every ``transform``, ``predict`` and score of
    theirs takes it and returns :class:`mercer.BlockResults`. Results are those of the same rows in
    memory, to the last bit.

    Parameters
    ----------
    source : path, array, dataset, iterable of blocks, or function
        A file (Parquet, Arrow, CSV, NumPy array, LIBSVM text; CSV and LIBSVM text also as ``.gz``);
        a directory of such files, or a pattern such as ``"data/*.parquet"``, read in the order of
        their names; an array that is read in slices, such as ``np.memmap``; a pyarrow dataset;
        an iterable of arrays, sparse matrices or data frames, or of pairs ``(X, y)`` or triples
        ``(X, y, weights)`` of them; or a function without arguments that returns a fresh iterator
        of blocks. What can be read only once, such as a generator or a named pipe, is enough for
        predictions and for fits whose landmarks are given as samples.
    columns : sequence of str or int, optional
        The features, by name or by place counted from 0. By default all columns without another
        role.
    target : str, int or sequence of them, optional
        The column or columns that are predicted. By default the label of LIBSVM text, or what comes
        with the blocks.
    weights : str or int, optional
        The column of sample weights.
    batch_rows : int, optional
        Rows of the blocks that files and arrays are read in. By default a multiple of 1,024 that
        depends on the number of columns.

    Returns
    -------
    table : Scan
        The table; nothing but the heads of files is read yet.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCA, scan
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> np.save("rows.npy", X)
    >>> kpca = KernelPCA(2, kernel="rbf", landmarks=50)
    >>> whole = kpca.fit(X).eigenvalues_
    >>> blocks = kpca.fit(scan("rows.npy")).eigenvalues_
    >>> bool((whole == blocks).all())
    True
    >>> kpca.transform(scan("rows.npy")).write("components.npy")
    5000
    """
    return Scan(source, columns=columns, target=target, weights=weights, batch_rows=batch_rows)


class Scan:
    """A table that is read in blocks of rows: see :func:`mercer.scan`."""

    def __init__(
        self,
        source: Any,
        *,
        columns: Sequence[Column] | None = None,
        target: Column | Sequence[Column] | None = None,
        weights: Column | None = None,
        batch_rows: int | None = None,
    ) -> None:
        if batch_rows is not None and not (is_integer(batch_rows) and batch_rows >= 1):
            raise ParameterError(f"batch_rows must be an integer of at least 1, not {batch_rows!r}")
        if isinstance(columns, (str, int)):
            columns = [columns]
        targets = [target] if isinstance(target, (str, int)) else list(target or [])
        self.source = source
        self._choice = Choice(columns, targets, weights, batch_rows)
        if not _is_pipe(source):
            self.reader()  # refuses what cannot be read

    def reader(self) -> Reader:
        """Return a reader that stands before the first row."""
        return reader_of(self.source, self._choice)

    def with_source(self, source: Any) -> Scan:
        """Return the same columns of another table."""
        found = copy.copy(self)
        found.source = source
        return found

    def __iter__(self) -> Iterator[Block]:
        """Iterate over the blocks: features, targets and weights, None where there are none."""
        reader = self.reader()
        reader.rewind()
        while (block := reader.next()) is not None:
            yield block


class Choice:
    """The columns of a source by role, and the rows of a block."""

    def __init__(
        self,
        columns: Sequence[Column] | None,
        targets: list[Column],
        weights: Column | None,
        batch_rows: int | None,
    ) -> None:
        self.columns, self.targets, self.weights = columns, targets, weights
        self.batch_rows = batch_rows

    def split(self, X: Any) -> Block:
        """Split a block by the roles of its columns."""
        if self.columns is None and not self.targets and self.weights is None:
            return X, None, None
        names = list(_names(X))
        others = [*self.targets, *([] if self.weights is None else [self.weights])]
        chosen = self.columns
        if chosen is None:
            taken = {_name(names, other) for other in others}
            chosen = [name for name in names if name not in taken]
        y = _column(X, names, self.targets[0]) if len(self.targets) == 1 else None
        if len(self.targets) > 1:
            y = np.column_stack([_column(X, names, one) for one in self.targets])
        w = None if self.weights is None else _column(X, names, self.weights)
        return _select(X, [_name(names, one) for one in chosen]), y, w


class Reader:
    """Blocks of rows, from the first on as often as :meth:`rewind` is called."""

    # Whether it can be read only once.
    once = False
    # How many rows there are, if that is known, and the names of the features.
    rows: int | None = None
    names: list[str] | None = None
    # How much of a pass is read, from 0 to 1, if that is known.
    share: float | None = None
    # Whether errors name the place of what is wrong themselves.
    places = False

    def rewind(self) -> None:
        """Go back to the first row."""
        raise NotImplementedError

    def next(self) -> Block | None:
        """Return the next block; None at the end."""
        raise NotImplementedError


class RemoteReader(Reader):
    """Rows that lie on other machines: passes over them are made there."""

    def head(self) -> Block:
        """Return the first rows, at least 1,024 if there are so many."""
        raise NotImplementedError

    def label_sums(self) -> dict[Any, Fraction]:
        """Return the labels of all rows, with the sums of the weights of their samples."""
        raise NotImplementedError

    def run_pass(
        self,
        converter: Any,
        work: tuple[str, bytes, bool],
        beside: list[tuple[int, bytes]],
        report: Callable[[float, float], None],
    ) -> list[bytes]:
        """Make a pass over all rows, and return what was found: `work` is its name, what describes
        it, and whether what parts find is added up; `beside` are lists of so many bytes for each
        row.
        """
        raise NotImplementedError


def reader_of(source: Any, choice: Choice) -> Reader:
    """Return a reader of a source of any kind."""
    if isinstance(source, (str, os.PathLike)):
        return Files(os.fspath(source), choice)
    if hasattr(source, "to_batches"):  # a pyarrow dataset, or a table
        return Items(lambda: _batches(source, choice), choice)
    if is_sliceable(source):
        return Slices(source, None, None, choice)
    if choice.batch_rows is not None:
        raise ParameterError("batch_rows is for files and arrays; this source has its own blocks")
    if callable(source):
        return Items(source, choice)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, dict)):
        if hasattr(source, "columns") or hasattr(source, "column_names"):
            raise ParameterError("a data frame is in memory already: pass it itself, or a list")
        return Items(lambda: iter(source), choice, once=iter(source) is source)
    raise ParameterError(
        "a source of rows is a path, an array, a pyarrow dataset, an iterable of blocks or a "
        f"function that returns one, not {type(source).__name__}"
    )


def _is_pipe(source: object) -> bool:
    """Whether a source is a file that can be read only once."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_sliceable(source: object) -> bool:
    """Whether rows of an array are read by slicing it."""
    shape = getattr(source, "shape", None)
    is_frame = hasattr(source, "columns") or hasattr(source, "column_names")
    indexed = hasattr(source, "__getitem__") and not sparse.issparse(source) and not is_frame
    return isinstance(shape, tuple) and len(shape) == 2 and indexed


class Files(Reader):
    """A table in files, read by the extension module."""

    places = True

    def __init__(self, path: str, choice: Choice) -> None:
        self._path, self._choice = path, choice
        self._table: _core.TableScan | None = None
        # A pipe is opened when it is read: what was taken from it is gone.
        self.once = _is_pipe(path)
        if not self.once:
            self._open()

    def _open(self) -> _core.TableScan:
        if self._table is None:
            choice = self._choice
            columns = None if choice.columns is None else list(choice.columns)
            self._table = _core.TableScan(
                self._path, columns, choice.targets, choice.weights, choice.batch_rows
            )
            self.names = self._table.names
        return self._table

    @property
    def rows(self) -> int | None:  # type: ignore[override]
        """How many rows there are; of text, after it was read once."""
        return None if self._table is None else self._table.rows

    @property
    def share(self) -> float | None:  # type: ignore[override]
        """How much of a pass is read."""
        return None if self._table is None else self._table.share

    def rewind(self) -> None:
        self._open().rewind()

    def next(self) -> Block | None:
        found = self._open().next()
        if found is None:
            return None
        X, y, w = found
        if isinstance(X, np.ndarray) and self.names is not None:
            X = X.view(Rows)
            X.names = self.names
        elif isinstance(X, dict) and len(X) == 1:
            X = next(iter(X.values()))
        if isinstance(y, np.ndarray) and y.shape[1] == 1:
            y = y[:, 0]
        return X, np.asarray(y) if isinstance(y, list) else y, w


class Slices(Reader):
    """An array that is read slice by slice, with its targets and weights."""

    def __init__(self, X: Any, y: Any, weights: Any, choice: Choice) -> None:
        self._arrays, self._choice, self._at = (X, y, weights), choice, 0
        self.rows = X.shape[0]
        width = max(1, X.shape[1] * X.dtype.itemsize)
        fitting = min(64 * _CHUNK, max(_CHUNK, _BLOCK_BYTES // width // _CHUNK * _CHUNK))
        self._size = choice.batch_rows or fitting

    def rewind(self) -> None:
        self._at = 0

    def next(self) -> Block | None:
        if self._at >= self.rows:
            return None
        part = slice(self._at, min(self._at + self._size, self.rows))
        self._at = part.stop
        # A copy of the slice, so that the pages of a mapped file are not held by an array.
        X, y, w = (None if whole is None else np.array(whole[part]) for whole in self._arrays)
        return (X, y, w) if y is not None or w is not None else self._choice.split(X)


class Items(Reader):
    """An iterable of blocks."""

    def __init__(
        self, make: Callable[[], Iterable[Any]], choice: Choice, *, once: bool = False
    ) -> None:
        self._make, self._choice, self.once = make, choice, once
        self._items: Iterator[Any] = iter(())
        self._last: Iterator[Any] | None = None

    def rewind(self) -> None:
        items = iter(self._make())
        if items is self._last and not self.once:
            raise ValueError(
                "the function returned the same iterator again: it must return a fresh one each "
                "time, since the rows are read several times"
            )
        self._items = self._last = items

    def next(self) -> Block | None:
        for item in self._items:
            if isinstance(item, tuple):
                if not 1 <= len(item) <= 3:
                    raise ValueError(
                        f"a block is X, (X, y) or (X, y, weights), not {len(item)} things"
                    )
                X, y, w = (*item, None, None)[:3]
            else:
                X, y, w = self._choice.split(item)
            if _length(X):
                return X, y, w
        return None


def _length(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _batches(source: Any, choice: Choice) -> Iterator[Any]:
    """The batches of a pyarrow dataset or table, as tables."""
    import pyarrow

    options: dict[str, object] = {}
    if hasattr(source, "scanner"):  # of a dataset only what is needed is read, and little ahead
        options = {"batch_readahead": 1, "fragment_readahead": 1}
        if choice.columns is not None:
            other = [] if choice.weights is None else [choice.weights]
            options["columns"] = [*choice.columns, *choice.targets, *other]
    if choice.batch_rows is not None:
        options["batch_size" if hasattr(source, "scanner") else "max_chunksize"] = choice.batch_rows
    for batch in source.to_batches(**options):
        if batch.num_rows:
            yield pyarrow.Table.from_batches([batch])


def _names(X: Any) -> Sequence[Any]:
    """The columns of a block by name, or by place."""
    if hasattr(X, "column_names"):
        return X.column_names
    if hasattr(X, "columns"):
        return list(X.columns)
    if isinstance(X, dict):
        return list(X)
    if hasattr(X, "shape") and len(X.shape) == 2:
        return range(X.shape[1])
    raise ParameterError(f"columns cannot be chosen from blocks of type {type(X).__name__}")


def _name(names: Sequence[Any], column: Column) -> Any:
    if column in names:
        return column
    if is_integer(column) and 0 <= column < len(names):
        return names[int(column)]
    raise ValueError(f"there is no column {column!r}: the columns are {list(names)[:12]}")


def _column(X: Any, names: Sequence[Any], column: Column) -> np.ndarray:
    name = _name(names, column)
    if hasattr(X, "column_names"):
        return X.column(name).to_numpy()
    if sparse.issparse(X):
        return X[:, [name]].toarray()[:, 0]
    return np.asarray(X[:, name] if isinstance(X, np.ndarray) else X[name])


def _select(X: Any, names: list[Any]) -> Any:
    if hasattr(X, "column_names"):
        return X.select(names)
    if isinstance(X, dict):
        return {name: X[name] for name in names}
    return X[:, names] if hasattr(X, "shape") and not hasattr(X, "columns") else X[names]
