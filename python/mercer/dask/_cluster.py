"""The client's side: rows that lie on workers, and passes over them."""

from __future__ import annotations

import itertools
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from queue import Empty, Queue
from typing import Any

from dask.delayed import Delayed
from distributed import CancelledError, Client, default_client
from distributed.client import Future

from mercer import _core
from mercer._run import get_num_threads
from mercer._scan import Block, RemoteReader, Scan
from mercer.dask import _blocks
from mercer.dask._table import Partitions

# Tasks of a pass for each thread of the cluster: enough that a slow worker holds up little.
_TASKS = 4
# Groups of rows that are worth a task of their own.
_LEAST = 2
# Results on a worker that are put together while others come.
_TOGETHER = 4
# Results that are put together when all have come, on one worker of them.
_FAN = 8
# Of a worker's memory, the share that the rows of one of its tasks may take.
_ROWS = 0.1
# Seconds between two looks at whether to stop.
_TICK = 0.2
# The first rows, which defaults are taken from.
_HEAD = 1024


class Progress(dict):
    """What passes took: tasks, those that began again, and blocks that were computed again."""

    def __init__(self) -> None:
        super().__init__(passes=0, tasks=0, retries=0, recomputed=0, lost_workers=0)


class ClusterRows(Scan):
    """The rows of partitions, as a fit takes them."""

    def __init__(self, client: Client | None, table: Partitions) -> None:
        self.client = client_of(client)
        self.source = None
        self._remote = ClusterReader(self.client, table)

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

    def __init__(self, client: Client, table: Partitions) -> None:
        self._client, self._values = client, table.values
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
                    value = self._compute([self._values[place]])[0]
                    found = self._client.submit(_blocks.cut, value, 0, size, pure=False)
                    blocks.extend(found.result())
                    wanted -= size
                if wanted == 0:
                    break
            if not blocks:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            self._head = _blocks.joined(blocks)
        return self._head

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
            run.submit((described, converter), parts, self._compute(self._values), beside)
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
        places = [i for i, value in enumerate(values) if isinstance(value, Delayed)]
        found: list[Any] = list(values)
        if places:
            delayed = [values[i] for i in places]
            futures = self._client.compute(delayed, optimize_graph=False)
            for place, future in zip(places, futures, strict=True):
                found[place] = future
        return found

    def _gather(self, work: Callable[[Any], Any]) -> list[Any]:
        values = self._compute(self._values)
        futures = [self._client.submit(work, value, pure=False) for value in values]
        try:
            return self._client.gather(futures)
        except BaseException:
            self._client.cancel(futures + [one for one in values if isinstance(one, Future)])
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


def ended(futures: list[Future], tick: Callable[[], None]) -> Iterator[Future]:
    """Iterate over futures as they end; `tick` is called now and then, and may raise."""
    queue: Queue[Future] = Queue()
    for future in futures:
        future.add_done_callback(queue.put)
    left = {future.key for future in futures}
    while left:
        try:
            future = queue.get(timeout=_TICK)
        except Empty:
            tick()
            continue
        if future.key not in left:
            continue  # Computed again, after a worker was lost.
        left.remove(future.key)
        if future.status == "error":
            raise future.exception()
        if future.status == "cancelled":
            raise CancelledError(future.key)
        yield future


class Part:
    """Rows from `first` on: the places of partitions, and which rows of each."""

    def __init__(self, first: int) -> None:
        self.first, self.rows = first, 0
        self.pieces: list[tuple[int, int, int]] = []


def planned(lengths: list[int], size: int) -> list[Part]:
    """Divide partitions into parts of about `size` rows, which begin where a group of rows does, as
    near to the beginning of a partition as there is one.
    """
    cuts = _cuts(lengths, size, _core.group_rows())
    parts = [Part(cut) for cut in cuts[:-1]]
    row, number = 0, 0
    for place, length in enumerate(lengths):
        start = 0
        while start < length:
            if row == cuts[number + 1]:
                number += 1
            taken = min(length - start, cuts[number + 1] - row)
            parts[number].pieces.append((place, start, start + taken))
            parts[number].rows += taken
            start, row = start + taken, row + taken
    return parts


def _cuts(lengths: list[int], size: int, group: int) -> list[int]:
    """The first rows of parts, and the number of rows."""
    rows, ends = sum(lengths), [0]
    for end in itertools.accumulate(lengths):
        near = min(rows, round(end / group) * group) if end < rows else rows
        if near > ends[-1]:
            ends.append(near)
    cuts = [0]
    for end, after in zip(ends[1:], [*ends[2:], None], strict=True):
        pieces = -(-(end - cuts[-1]) // size)
        step = -(-(end - cuts[-1]) // (pieces * group)) * group
        while end - cuts[-1] > step:
            cuts.append(cuts[-1] + step)
        # Partitions may lie on different workers: only small ones are put together.
        is_small = end - cuts[-1] < min(size, _LEAST * group)
        if after is None or after - cuts[-1] > size or not is_small:
            cuts.append(end)
    return cuts


class Pass:
    """A pass over all rows."""

    def __init__(self, client: Client, name: str, merged: bool) -> None:
        self._client, self._name, self._merged = client, name, merged
        self._futures: list[Future] = []
        self._others: list[Future] = []
        self._rows: dict[str, int] = {}
        self._parts = self._done = 0

    def submit(
        self,
        work: tuple[bytes, Any],
        parts: list[Part],
        values: list[Any],
        beside: list[tuple[int, bytes]],
    ) -> None:
        """Send the work off."""
        submit, name = self._client.submit, self._name
        self._parts = len(parts)
        # A task, so that it comes to a worker that was added, or again if all that had it are gone.
        described, converter = (
            submit(_blocks.same, one, key=f"mercer-{what}-{name}")
            for what, one in zip(("pass", "rows"), work, strict=True)
        )
        self._others += [described, converter]
        pieces = self._pieces(parts, values)
        for number, part in enumerate(parts):
            future = submit(
                _blocks.run_part,
                name,
                described,
                converter,
                number,
                part.first,
                [(size, lists[part.first * size :][: part.rows * size]) for size, lists in beside],
                [places for places, _ in pieces[number]],
                [value for _, value in pieces[number]],
                key=f"mercer-part-{name}-{number}",
                pure=False,
            )
            self._rows[future.key] = part.rows
            self._futures.append(future)

    def _pieces(self, parts: list[Part], values: list[Any]) -> list[list[tuple]]:
        """The pieces of each part with their values. What a part needs of a partition that lies
        mostly elsewhere is cut out there, so that it alone moves.
        """
        lengths: dict[int, int] = defaultdict(int)
        for place, start, stop in itertools.chain.from_iterable(part.pieces for part in parts):
            lengths[place] += stop - start
        found = []
        for part in parts:
            own: list[tuple] = []
            for place, start, stop in part.pieces:
                value, whole = values[place], lengths[place]
                if isinstance(value, Future) and 2 * (stop - start) < whole:
                    value = self._client.submit(_blocks.taken, value, start, stop, pure=False)
                    own.append(((place, start, stop, start), value))
                else:
                    own.append(((place, start, stop, 0), value))
            found.append(own)
        return found

    def results(self, report: Callable[[float, float], None]) -> list[bytes]:
        """Return what parts find, as they are or added up."""
        total = sum(self._rows.values())
        held: dict[str, list[Future]] = defaultdict(list)
        report(0, total)
        for future in ended(self._futures, lambda: report(self._done, total)):
            self._done += self._rows[future.key]
            report(self._done, total)
            if self._merged:
                self._hold(held, future)
        if self._merged:
            return [self._added_up([one for some in held.values() for one in some])]
        return self._client.gather(self._futures)

    def _hold(self, held: dict[str, list[Future]], future: Future) -> None:
        """Put what was found on a worker together there."""
        who = self._client.who_has([future]).get(future.key) or ("",)
        some = held[next(iter(who))]
        some.append(future)
        if len(some) == _TOGETHER:
            some[:] = [self._merge(some)]

    def _merge(self, some: list[Future]) -> Future:
        key = f"mercer-sum-{self._name}-{uuid.uuid4().hex[:8]}"
        return self._client.submit(_blocks.merge, list(some), key=key, pure=False)

    def _added_up(self, found: list[Future]) -> bytes:
        """What all parts find: once from each worker, and from many of them by way of others."""
        by_worker: dict[str, list[Future]] = defaultdict(list)
        for key, who in self._client.who_has(found).items():
            by_worker[next(iter(who), "")].append(next(one for one in found if one.key == key))
        ones = [some[0] if len(some) == 1 else self._merge(some) for some in by_worker.values()]
        while len(ones) > _FAN:
            groups = [ones[at : at + _FAN] for at in range(0, len(ones), _FAN)]
            ones = [some[0] if len(some) == 1 else self._merge(some) for some in groups]
        self._others += ones
        parts = self._client.gather(ones)
        return _core.merge_parts(parts, (get_num_threads(), None, None, None))

    def repeated(self) -> tuple[int, int]:
        """Return how many parts began more than once, and how many were computed more than once."""
        events = self._client.get_events(_blocks.topic_of(self._name))
        began = sum(kind == "began" for _, (kind, _) in events)
        ended = sum(kind == "ended" for _, (kind, _) in events)
        return max(0, began - self._parts), max(0, ended - self._parts)

    def cancel(self) -> None:
        """Remove what the fit left on the cluster."""
        self._client.cancel(self._futures + self._others, force=True)
