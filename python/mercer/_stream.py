"""Fits on rows that come in blocks, and results that are written as they come."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_array, has_fit_parameter

from mercer import _core
from mercer._arrays import as_contiguous, validate_weights
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._labels import codes_of
from mercer._params import ParameterError, is_integer
from mercer._samples import Checked, features, to_core, validate_samples
from mercer._scan import Block, Choice, Reader, RemoteReader, Scan, Slices, reader_of

_Method = TypeVar("_Method", bound=Callable)

_ALL = Choice(None, [], None, None)


def is_stream(X: object) -> bool:
    """Whether X is a source of rows in blocks, and not samples itself."""
    if isinstance(X, Scan):
        return True
    if isinstance(X, np.ndarray) or hasattr(X, "shape"):
        return False
    is_iterator = hasattr(X, "__next__")
    is_dataset = hasattr(X, "to_batches") and hasattr(X, "scanner")
    return is_iterator or is_dataset or (callable(X) and not hasattr(X, "__array__"))


def is_mapped(X: object) -> bool:
    """Whether X is an array that lies in a file, which a fit on landmarks reads in slices."""
    return isinstance(X, np.memmap) and X.ndim == 2


def fits_in_blocks(estimator: Any, X: object) -> bool:
    """Whether a fit reads X in blocks."""
    return is_stream(X) or (_wanted(estimator) is not None and is_mapped(X))


def _wanted(estimator: Any) -> Any:
    """The landmarks that an estimator is asked for."""
    return getattr(estimator, estimator._landmark_name, None)


def _reader(X: Any, y: Any = None, sample_weight: Any = None) -> Reader:
    if is_mapped(X):
        return Slices(X, y, validate_weights(sample_weight, X.shape[0]), _ALL)
    if y is not None or sample_weight is not None:
        raise ParameterError(
            "targets and weights come with the blocks: name their columns, as in "
            "mercer.scan(path, target='y'), or give blocks (X, y, weights)"
        )
    return X.reader() if isinstance(X, Scan) else reader_of(X, _ALL)


class Streamed:
    """Samples in blocks, as the steps of a fit take them; for those steps it looks like the first
    block with the number of all rows.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        reset: bool = True,
        kernel: object = None,
    ) -> None:
        self._estimator = estimator
        self._purpose = purpose_of(estimator.kernel if kernel is None else kernel)
        self._reader = _reader(X, y, sample_weight)
        self._started = self._counted = False
        once = _has_own_landmarks(estimator) and not estimator._reads_again
        self._refuse(passes=1 if once or not reset else 2)
        self._at, self._number = 0, 0
        self._reader.rewind()
        self._first = self._reader.next()
        if self._first is None:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        first = self._checked(self._first[0], reset=reset)
        self._refuse_kinds()
        self.dtype = first.dtype
        self.shape = (self._reader.rows or sys.maxsize, features(first))
        self._supervised = is_classifier(estimator) or is_regressor(estimator)
        weighted = has_fit_parameter(estimator, "sample_weight")
        if self._first[2] is not None and not weighted:
            name = type(estimator).__name__
            raise ParameterError(f"{name} takes no sample weights: leave weights= out")
        # What targets and weights of a block become, if not themselves.
        self.convert: Callable[[np.ndarray, np.ndarray | None, int], tuple] | None = None
        self._single = self._custom = False

    def _refuse_kinds(self) -> None:
        if self._purpose.kind == "anything":
            raise ParameterError(
                "a kernel that is a Python function cannot be fitted on rows in blocks: pass the "
                "samples as one set"
            )
        if getattr(self._estimator, "_codes", None):
            raise ParameterError(
                "categories are not learned from rows in blocks: encode them as numbers first, or "
                "pass the samples as one set"
            )

    def _refuse(self, passes: int) -> None:
        """Refuse a source that can be read only once where that is not enough."""
        if self._reader.once and (passes > 1 or self._counted):
            own = not self._estimator._reads_again and not _has_own_landmarks(self._estimator)
            advice = ", or give landmarks= as samples" if own else ""
            raise ValueError(
                "the source can be read only once, but the fit reads it several times: pass a "
                "function that returns a fresh iterator" + advice
            )

    def label_sums(self) -> dict[Any, Fraction]:
        """Return the labels of all rows, with the sums of the weights of their samples."""
        if self.remote:
            return self._reader.label_sums()
        sums: dict[Any, Fraction] = {}
        start = 0
        for block in self.blocks():
            start += add_labels(sums, block, start)
        return sums

    def label_counts(self) -> dict[Any, Fraction]:
        """Return the labels of all rows, with the numbers of their samples."""
        counts: dict[Any, Fraction] = {}
        start = 0
        for X, y, _ in self.blocks():
            start += add_labels(counts, (X, y, None), start)
        return counts

    def converter(self) -> Streamed:
        """Return what makes samples and targets of blocks, as other machines need it."""
        found = copy.copy(self)
        found._reader, found._first = Reader(), None
        found._estimator = estimator = copy.copy(self._estimator)
        # What calls back cannot be sent, and what was fitted before need not be.
        estimator.progress = False
        vars(estimator).pop("_model", None)
        return found

    def reading(self, reader: Reader) -> Streamed:
        """Return the same for other rows, which are read once."""
        found = copy.copy(self)
        found._reader = reader
        return found

    @property
    def flat(self) -> bool:
        """Whether there is one column of targets."""
        return self.first_targets().ndim == 1

    def first_targets(self) -> np.ndarray:
        """Return the targets of the first block."""
        y = None if self._first is None else self._first[1]
        if y is None:
            raise ValueError(
                f"{type(self._estimator).__name__} requires y to be passed: name the target, as in "
                "mercer.scan(path, target='y'), or give blocks (X, y)"
            )
        return np.asarray(y)

    def blocks(self) -> Iterator[Block]:
        """Iterate over the blocks as they come, in a pass of its own."""
        self._refuse(passes=2)
        self._started = True
        self._reader.rewind()
        while (block := self._reader.next()) is not None:
            yield block

    def core(self, *, single: bool, custom: bool) -> _core.Blocks:
        """Return the blocks as the extension module takes them."""
        self._single, self._custom = single, custom
        return _core.Blocks(self, single)

    # The extension module calls the following; the last two of rows that lie on other machines.

    @property
    def rows(self) -> int | None:
        """The number of all rows, if it is known."""
        return self._reader.rows

    @property
    def share(self) -> float | None:
        """How much of a pass is read, if it is known."""
        return self._reader.share

    @property
    def once(self) -> bool:
        """Whether the source can be read only once."""
        return self._reader.once

    def rewind(self, passes: int) -> None:
        """Go back to the first row."""
        self._refuse(passes)
        self._at, self._number = 0, 0
        if self._reader.once or not self._started:
            self._started = self._counted = True
            return  # The first block was read already, and waits.
        self._first = None
        self._reader.rewind()

    def next(self) -> tuple[_core.Samples, tuple | None] | None:
        """Return the next block: samples, and their targets and weights."""
        first, self._first = self._first, None
        block = self._reader.next() if first is None else first
        if block is None:
            return None
        self._number += 1
        try:
            return self._converted(block)
        except (ValueError, TypeError) as error:
            if self._reader.places:
                raise
            text = f"in block {self._number}, which begins at row {self._at}: {error}"
            raise type(error)(text) from error

    @property
    def remote(self) -> bool:
        """Whether the rows lie on other machines."""
        return isinstance(self._reader, RemoteReader)

    def head(self) -> tuple[_core.Samples, tuple | None]:
        """Return the first rows: their samples, and their targets and weights."""
        return self._converted(self._reader.head())

    def run_pass(
        self,
        name: str,
        described: bytes,
        merged: bool,
        beside: list[tuple[int, bytes]],
        report: Callable[[float, float], None],
    ) -> list[bytes]:
        """Make a pass over all rows, and return what was found."""
        work = (name, described, merged)
        return self._reader.run_pass(self.converter(), work, beside, report)

    def _converted(self, block: Block) -> tuple[_core.Samples, tuple | None]:
        X = self._checked(block[0], reset=False)
        samples = to_core(X, single=self._single, custom=self._custom, copy=True)
        targets = None
        if (block[1] is not None and self._supervised) or block[2] is not None:
            targets = self._targets(block, X.shape[0])
        self._at += X.shape[0]
        return samples, targets

    def _targets(self, block: Block, n: int) -> tuple:
        _, y, weights = block
        weights = validate_weights(weights, n)
        if y is None or not self._supervised:
            y = np.empty((n, 0))
        elif self.convert is not None:
            y, weights = self.convert(np.asarray(y), weights, self._at)
        y = check_array(
            y,
            dtype=np.float64,
            ensure_2d=False,
            ensure_all_finite=False,
            order="C",
            input_name="y",
            ensure_min_features=0,
        )
        if len(y) != n:
            raise ValueError(f"X has {n} samples, but y has {len(y)}")
        return as_contiguous(np.ascontiguousarray(y.reshape(n, -1))), weights

    def _checked(self, X: Any, *, reset: bool) -> Checked:
        return validate_samples(self._estimator, X, self._purpose, reset=reset)


def _has_own_landmarks(estimator: Any) -> bool:
    wanted = _wanted(estimator)
    return wanted is not None and not isinstance(wanted, str) and not is_integer(wanted)


def opened(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Streamed:
    """Return the blocks of a source for a fit."""
    name = type(estimator).__name__
    reads = getattr(estimator, "_reads_blocks", True)
    if not reads or not hasattr(estimator, estimator._landmark_name):
        raise ParameterError(
            f"{name} cannot be fitted on rows in blocks: pass the samples as one set"
        )
    if _wanted(estimator) is None:
        raise ParameterError(
            f"{name} reads rows in blocks only with landmarks: set landmarks= to their number"
        )
    if hasattr(estimator, "landmarks") and getattr(estimator, "fit_inverse_transform", False):
        raise ParameterError(
            "fit_inverse_transform is not available with landmarks: use another method of "
            "inverse_transform"
        )
    return Streamed(estimator, X, y, sample_weight)


def reader_for(X: Any) -> Reader:
    """Return a reader of a source of rows in blocks that stands before the first row."""
    return _reader(X)


def first_block(X: Any) -> Any:
    """Return the samples of the first block of a source, which is read again later."""
    refuse_once(X)
    reader = _reader(X)
    reader.rewind()
    block = reader.next()
    if block is None:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return block[0]


def refuse_once(X: Any) -> None:
    """Refuse a source that can be read only once where it is read again after a fit."""
    if is_stream(X) and _reader(X).once:
        raise ValueError(
            "the source can be read only once: pass a function that returns a fresh iterator"
        )


def class_targets(
    estimator: Any,
    X: Streamed,
    weigh: Callable[[np.ndarray, np.ndarray], np.ndarray | None],
    *,
    counted: bool = False,
) -> np.ndarray:
    """Return the classes of a stream, which one more pass finds, and let its targets become -1 and
    1 for each class, or for the second of two.

    `weigh(classes, sums)` returns factors of the weights of the classes, given the sums of the
    weights of their samples, or their numbers if they are to be `counted`.
    """
    if X.first_targets().ndim != 1:
        raise ParameterError("rows in blocks have one label each: several are not supported")
    sums = X.label_counts() if counted else X.label_sums()
    classes = np.unique(np.asarray(list(sums)))
    if len(classes) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got 1 class, "
            f"{classes.tolist()[0]!r}"
        )
    factors = weigh(classes, np.array([float(sums[label]) for label in classes.tolist()]))
    encode_classes(X, classes, factors)
    return classes


def add_labels(sums: dict[Any, Fraction], block: Block, start: int) -> int:
    """Add the weights of the samples of a block, which begins at row `start`, to the sums of their
    labels, which are exact: so they do not depend on where blocks begin. Returns its rows.
    """
    _, y, weights = block
    found, codes = np.unique(_labels(y, start), return_inverse=True)
    for code, label in enumerate(found.tolist()):
        own = codes == code
        weight = Fraction(int(own.sum())) if weights is None else _sum(np.asarray(weights)[own])
        sums[label] = sums.get(label, Fraction(0)) + weight
    return len(codes)


def _sum(values: np.ndarray) -> Fraction:
    """The exact sum of numbers."""
    values = validate_weights(values, len(values))
    parts, exponents = np.frexp(values)
    whole = (parts * 2.0**53).astype(np.int64)
    total = Fraction(0)
    for exponent in np.unique(exponents).tolist():
        own = whole[exponents == exponent]
        digits = (int((own >> 26).sum()) << 26) + int((own & (2**26 - 1)).sum())
        total += Fraction(digits) * Fraction(2) ** (exponent - 53)
    return total


def encode_classes(X: Streamed, classes: np.ndarray, factors: np.ndarray | None) -> None:
    """Let the targets of a stream become -1 and 1 for each of these classes, or for the second of
    two, with weights that are multiplied by the factors of their classes.
    """
    X.convert = partial(_encoded, classes, factors)


def _encoded(
    classes: np.ndarray,
    factors: np.ndarray | None,
    y: np.ndarray,
    weights: np.ndarray | None,
    start: int,
) -> tuple:
    columns = [1] if len(classes) == 2 else np.arange(len(classes))
    codes = codes_of(_labels(y, start), classes, start)
    if factors is not None:
        weights = factors[codes] * (1.0 if weights is None else weights)
    return np.where(codes[:, None] == columns, 1.0, -1.0), weights


def _labels(y: Any, start: int) -> np.ndarray:
    """Return the labels of the rows from `start` on."""
    y = np.asarray(y)
    if y.dtype.kind == "f" and np.isnan(y).any():
        row = start + int(np.flatnonzero(np.isnan(y))[0])
        raise ValueError(f"Input y contains NaN at row {row}: label the sample, or drop it")
    return y.astype(str) if y.dtype == object else y


def continued(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    prepare: Callable[[Streamed], None] | None = None,
) -> _core.Blocks:
    """Return the blocks of a source that a fitted model goes on with, prepared if need be."""
    choice, model = estimator._choice, estimator._model
    rows = Streamed(estimator, X, y, sample_weight, reset=False, kernel=choice)
    if prepare is not None:
        prepare(rows)
    return rows.core(single=model.precision == "f32", custom=is_custom(choice))


class BlockResults:
    """Results for a table that is read in blocks: iterate over it, or write it to a file.

    Nothing is computed before; each iteration reads the table anew.
    """

    def __init__(self, evaluate: Callable[[Any], Any], X: Any, names: Callable[[int], list[str]]):
        self._evaluate, self._X, self._names = evaluate, X, names

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the results, block by block, in the order of the rows."""
        reader = _reader(self._X)
        reader.rewind()
        while (block := reader.next()) is not None:
            yield self._evaluate(block[0])

    def write(self, path: str | os.PathLike) -> int:
        """Write the results to a file as they come.

        The file appears whole, or not at all.

        Parameters
        ----------
        path : str or path-like
            The file: ``.parquet``, ``.arrow``, ``.csv``, ``.tsv`` (also with ``.gz``) or ``.npy``.

        Returns
        -------
        rows : int
            The rows that were written.
        """
        blocks = iter(self)

        def piece() -> list | None:
            found = next(blocks, None)
            return None if found is None else self._cells(found)

        return _core.write_pieces(os.fspath(path), piece)

    def _cells(self, found: Any) -> list[tuple[str, Any]]:
        if isinstance(found, tuple):
            if any(np.ndim(one) != 1 for one in found):
                message = "several results at once cannot be written: iterate over them"
                raise ParameterError(message)
            found = np.column_stack(found)
        found = np.asarray(found)
        columns = found.reshape(len(found), -1).T
        return list(zip(self._names(len(columns)), map(_cells, columns), strict=True))


def _cells(column: np.ndarray) -> Any:
    if column.dtype.kind not in "biuf":
        return [str(value) for value in column]
    single = column.dtype == np.float32
    return np.ascontiguousarray(column, dtype=np.float32 if single else np.float64)


def by_blocks(method: _Method) -> _Method:
    """Make a method of a fitted estimator take sources of rows in blocks, too."""
    name = method.__name__

    @wraps(method)
    def either(estimator, X, *args, **options):
        if not is_stream(X):
            return method(estimator, X, *args, **options)
        if estimator.__sklearn_tags__().requires_fit:
            estimator._fitted_model()

        def names(count: int) -> list[str]:
            if name == "transform":
                return list(estimator.get_feature_names_out())
            title = "prediction" if name == "predict" else name
            return [title] if count == 1 else [f"{title}_{i}" for i in range(count)]

        return BlockResults(lambda rows: method(estimator, rows, *args, **options), X, names)

    return cast(_Method, either)
