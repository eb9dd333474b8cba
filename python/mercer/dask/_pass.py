"""A pass over all rows: its tasks, and how what they find comes here."""

from __future__ import annotations

import itertools
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from queue import Empty, Queue
from typing import Any

from distributed import CancelledError, Client
from distributed.client import Future

from mercer import _core
from mercer._run import get_num_threads
from mercer.dask import _blocks
from mercer.dask._parts import Part, placed

# Results on a worker that are put together while others come.
_TOGETHER = 4
# Results that are put together when all have come, on one worker of them.
_FAN = 8
# Seconds between two looks at whether to stop.
_TICK = 0.2


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


def several(value: Any) -> tuple:
    """Return samples, targets and weights that are computed apart, or what holds all of them."""
    return value if isinstance(value, tuple) else (value,)


def futures_of(value: Any) -> list[Future]:
    """Return what workers hold of a partition."""
    return [one for one in several(value) if isinstance(one, Future)]


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
    ) -> list[Future]:
        """Send the work off; returns its tasks."""
        submit, name = self._client.submit, self._name
        self._parts = len(parts)
        # A task, so that it comes to a worker that was added, or again if all that had it are gone.
        described, converter = (
            submit(_blocks.same, one, key=f"mercer-{what}-{name}")
            for what, one in zip(("pass", "rows"), work, strict=True)
        )
        self._others += [described, converter]
        pieces = self._pieces(parts, values)
        near = self._near(parts, values)
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
                **_at(near[number]),
            )
            self._rows[future.key] = part.rows
            self._futures.append(future)
        return self._futures

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
                if futures_of(value) and 2 * (stop - start) < whole:
                    value = self._client.submit(_blocks.taken, value, start, stop, pure=False)
                    own.append(((place, start, stop, start), value))
                else:
                    own.append(((place, start, stop, 0), value))
            found.append(own)
        return found

    def _near(self, parts: list[Part], values: list[Any]) -> list[str | None]:
        """The workers that hold the rows of parts, as far as these are there."""
        # Samples are the most of it, and come first.
        places = {i: futures_of(value)[0] for i, value in enumerate(values) if futures_of(value)}
        who_has = self._client.who_has(list(places.values())) if places else {}
        holders = {place: who_has.get(one.key, ()) for place, one in places.items()}
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        threads = {address: worker["nthreads"] for address, worker in workers.items()}
        return placed(parts, holders, threads)

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
        worker = next(iter(who))
        some = held[worker]
        some.append(future)
        if len(some) == _TOGETHER:
            some[:] = [self._merge(some, worker)]

    def _merge(self, some: list[Future], worker: str) -> Future:
        key = f"mercer-sum-{self._name}-{uuid.uuid4().hex[:8]}"
        return self._client.submit(_blocks.merge, list(some), key=key, pure=False, **_at(worker))

    def _added_up(self, found: list[Future]) -> bytes:
        """What all parts find: once from each worker, and from many of them by way of others."""
        by_worker: dict[str, list[Future]] = defaultdict(list)
        known = {one.key: one for one in found}
        for key, who in self._client.who_has(found).items():
            by_worker[next(iter(who), "")].append(known[key])
        ones = [
            (worker, some[0] if len(some) == 1 else self._merge(some, worker))
            for worker, some in by_worker.items()
        ]
        while len(ones) > _FAN:
            groups = [ones[at : at + _FAN] for at in range(0, len(ones), _FAN)]
            ones = [self._joined(some) for some in groups]
        ones = [one for _, one in ones]
        self._others += ones
        parts = self._client.gather(ones)
        return _core.merge_parts(parts, (get_num_threads(), None, None, None))

    def _joined(self, some: list[tuple[str, Future]]) -> tuple[str, Future]:
        """What several workers have, put together on the first of them."""
        worker = some[0][0]
        ones = [one for _, one in some]
        return worker, ones[0] if len(ones) == 1 else self._merge(ones, worker)

    def repeated(self) -> tuple[int, int]:
        """Return how many parts began more than once, and how many were computed more than once."""
        events = self._client.get_events(_blocks.topic_of(self._name))
        began = sum(kind == "began" for _, (kind, _) in events)
        ended = sum(kind == "ended" for _, (kind, _) in events)
        return max(0, began - self._parts), max(0, ended - self._parts)

    def cancel(self) -> None:
        """Remove what the fit left on the cluster."""
        self._client.cancel(self._futures + self._others, force=True)


def _at(worker: str | None) -> dict[str, Any]:
    """Where a task is run: on this worker, on another one if it is gone or has too much to do."""
    return {"workers": [worker], "allow_other_workers": True} if worker else {}
