"""The client's side: rows that lie on workers, and passes over them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dask.delayed import Delayed
from distributed import Client, default_client

from mercer import _core
from mercer._scan import Block, RemoteReader, Scan
from mercer.dask import _blocks
from mercer.dask._parts import Part, planned
from mercer.dask._pass import Pass, futures_of, several
from mercer.dask._table import Partitions

# Tasks of a pass for each thread of the cluster: enough that a slow worker holds up little.
_TASKS = 4
# Of a worker's memory, the share that the rows of one of its tasks may take.
_ROWS = 0.1
# The first rows, which defaults are taken from.
_HEAD = 1024


class Progress(dict):
    """What passes took: tasks, those that began again, and blocks that were computed again."""

    def __init__(self) -> None:
        super().__init__(passes=0, tasks=0, retries=0, recomputed=0, lost_workers=0)


class ClusterRows(Scan):
    """The rows of partitions, as a fit takes them."""

    def __init__(
        self, client: Client | None, table: Partitions, watch: Callable | None = None
    ) -> None:
        self.client = client_of(client)
        self.source = None
        self._remote = ClusterReader(self.client, table, watch)

    @property
    def progress(self) -> Progress:
        """What passes took."""
        return self._remote.progress

    def reader(self) -> ClusterReader:
        return self._remote


def client_of(client: Client | None) -> Client:
    """Return the client, or the one that was made last."""
    try:
        return default_client() if client is None else client
    except ValueError:
        raise ValueError(
            "there is no cluster: make a client first, as in dask.distributed.Client()"
        ) from None


class ClusterReader(RemoteReader):
    """Partitions on workers."""

    def __init__(self, client: Client, table: Partitions, watch: Callable | None = None) -> None:
        self._client, self._values, self._watch = client, table.values, watch
        self._lengths = table.lengths
        self._head: Block | None = None
        self._is_read = False
        self.progress = Progress()

    @property
    def rows(self) -> int:  # type: ignore[override]
        return sum(self.lengths)

    @property
    def lengths(self) -> list[int]:
        """The rows of each partition."""
        if self._lengths is None:
            self._lengths = self._gather(_blocks.count)
        return self._lengths

    def rewind(self) -> None:
        self._is_read = False

    def next(self) -> Block | None:
        """Return the first rows: the others are on the workers."""
        if self._is_read:
            return None
        self._is_read = True
        return self.head()

    def head(self) -> Block:
        if self._head is None:
            wanted, blocks = _HEAD, []
            for place, length in enumerate(self.lengths):
                size = min(wanted, length)
                if size:
                    blocks.extend(self._first_rows(place, size))
                    wanted -= size
                if wanted == 0:
                    break
            if not blocks:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            self._head = _blocks.joined(blocks)
        return self._head

    def _first_rows(self, place: int, size: int) -> list[Block]:
        """The first rows of a partition; of files they are read here, with the names of columns."""
        value = self._values[place]
        if isinstance(value, Scan):
            return _blocks.cut(value, 0, size)
        [value] = self._compute([value])
        return self._client.submit(_blocks.cut, value, 0, size, pure=False).result()

    def label_sums(self) -> dict[Any, Fraction]:
        sums: dict[Any, Fraction] = {}
        for found in self._gather(_blocks.label_sums):
            for label, weight in found.items():
                sums[label] = sums.get(label, Fraction(0)) + weight
        return sums

    def run_pass(
        self,
        converter: Any,
        work: tuple[str, bytes, bool],
        beside: list[tuple[int, bytes]],
        report: Callable[[float, float], None],
    ) -> list[bytes]:
        name, described, merged = work
        before = self._workers()
        run = Pass(self._client, f"{name}-{uuid.uuid4().hex[:12]}", merged)
        try:
            parts = self._plan()
            futures = run.submit((described, converter), parts, self._compute(self._values), beside)
            if self._watch is not None:
                self._watch(futures)
            found = run.results(report)
        except BaseException:
            run.cancel()
            raise
        self._note(run, len(parts))
        self.progress["lost_workers"] += len(before - self._workers())
        return found

    def _workers(self) -> set[str]:
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return {f"{worker['id']} {address}" for address, worker in workers.items()}

    def _note(self, run: Pass, parts: int) -> None:
        retries, recomputed = run.repeated()
        self.progress["passes"] += 1
        self.progress["tasks"] += parts
        self.progress["retries"] += retries
        self.progress["recomputed"] += recomputed

    def _compute(self, values: list[Any]) -> list[Any]:
        """The values of partitions on the workers; what is not delayed goes there with its task."""
        delayed = [one for value in values for one in several(value) if isinstance(one, Delayed)]
        futures = iter(self._client.compute(delayed, optimize_graph=False) if delayed else [])

        def there(one: Any) -> Any:
            return next(futures) if isinstance(one, Delayed) else one

        return [
            tuple(map(there, value)) if isinstance(value, tuple) else there(value)
            for value in values
        ]

    def _gather(self, work: Callable[[Any], Any]) -> list[Any]:
        values = self._compute(self._values)
        futures = [self._client.submit(work, value, pure=False) for value in values]
        try:
            return self._client.gather(futures)
        except BaseException:
            self._client.cancel(futures + [one for value in values for one in futures_of(value)])
            raise

    def _plan(self) -> list[Part]:
        """Parts of the rows of about the same size, which begin where a group of rows does."""
        group, rows = _core.group_rows(), self.rows
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        threads = sum(worker["nthreads"] for worker in workers) or 1
        most = max(1, -(-rows // group))
        wanted = max(1, min(most, _TASKS * threads))
        size = -(-most // wanted) * group
        limits = [worker["memory_limit"] for worker in workers if worker["memory_limit"]]
        if limits:
            width = self._row_bytes()
            fits = int(_ROWS * min(limits) / max(1, width)) // group * group
            size = max(group, min(size, fits))
        return planned(self.lengths, size)

    def _row_bytes(self) -> float:
        X = self.head()[0]
        size = getattr(X, "nbytes", None)
        if size is None:
            data = getattr(X, "data", None)
            size = getattr(data, "nbytes", 0)
        return float(size if isinstance(size, int) else 0) / max(1, _blocks.length_of(X))
