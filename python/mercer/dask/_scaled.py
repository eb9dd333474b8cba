"""Scaled columns of tables in files: learned on the cluster, applied as workers read rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from distributed import Client

from mercer import _core
from mercer._arrays import Rows
from mercer._fit import run_of
from mercer._params import ParameterError
from mercer._scan import Block, Scan
from mercer._stream import Streamed
from mercer.dask._blocks import named
from mercer.dask._cluster import ClusterRows
from mercer.dask._table import partitions


class Scaled(Scan):
    """A table whose values become ``(value - shift) * factor``."""

    def __init__(self, table: Scan, shift: np.ndarray, factor: np.ndarray) -> None:
        vars(self).update(vars(table))
        self._shift, self._factor = shift, factor

    def __iter__(self) -> Iterator[Block]:
        for X, y, w in super().__iter__():
            yield self._scaled(X), y, w

    def _scaled(self, X: Any) -> np.ndarray:
        if not isinstance(X, np.ndarray):
            raise ParameterError(
                "columns are scaled only where all are numbers: name these, or scale none"
            )
        values = (X.view(np.ndarray).astype(np.float64) - self._shift) * self._factor
        found = values.astype(X.dtype)
        return named(found, X.names) if isinstance(X, Rows) else found


def scaled(client: Client, estimator: Any, table: Scan, kind: str) -> tuple[Scan, tuple]:
    """Return the table with its columns scaled, and the scaling: its kind, shifts and factors."""
    stream = Streamed(estimator, ClusterRows(client, partitions(table)))
    blocks = stream.core(single=stream.dtype == np.float32, custom=False)
    with run_of(estimator) as run:
        shift, factor = _core.remote_scaling(blocks, kind, run)
    return Scaled(table, np.array(shift), np.array(factor)), (kind, shift, factor)
