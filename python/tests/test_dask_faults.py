"""Fits on Dask when something happens to workers: the same bits, and a report of it."""

import os
import signal
import time

import numpy as np
import pytest

import mercer

pytest.importorskip("distributed")
pytest.importorskip("dask.array")

import dask
import dask.array as da
from dask.distributed import Client, get_worker
from dask_setup import OPTIONS, client, rows, same, started  # noqa: F401

import mercer.dask as md


@pytest.fixture(scope="module")
def whole(rows):
    X, y, _ = rows
    return mercer.KernelRidge(0.1, **OPTIONS).fit(X, y)


def slowly(block):
    time.sleep(0.3)
    return block


def blocks_of(rows, slow=slowly):
    blocks = da.from_array(rows[0], chunks=(7000, 4))
    return blocks.map_blocks(slow, dtype=float, meta=np.empty((0, 4))), rows[1]


def test_a_killed_worker_changes_nothing_and_is_reported(rows, whole):
    with started() as cluster, Client(cluster) as client:
        pids, killed = client.run(os.getpid), []

        def watch(step):
            # A worker that holds what it found: that is lost.
            for worker, keys in client.has_what().items():
                if not killed and any("mercer-part-sums" in str(key) for key in keys):
                    os.kill(pids[worker], signal.SIGKILL)
                    killed.append(worker)

        model = md.KernelRidge(client, alpha=0.1, **OPTIONS, progress=watch).fit(*blocks_of(rows))
        assert killed
        same(model.to_local(), whole, "dual_coef_")
        told = model.report_["dask"]
        assert told["lost_workers"] == 1
        assert told["retries"] + told["recomputed"] > 0
        # Workers that came later do their part.
        again = md.KernelRidge(client, alpha=0.1, **OPTIONS).fit(*blocks_of(rows))
        same(again.to_local(), whole, "dual_coef_")


def test_a_worker_that_is_added_does_its_part(rows, whole):
    with started(1) as cluster, Client(cluster) as client:
        added = []

        def watch(step):
            if not added and step.done > 0:
                cluster.scale(2)
                client.wait_for_workers(2, timeout=60)
                added.extend(client.scheduler_info(n_workers=-1)["workers"])

        model = md.KernelRidge(client, alpha=0.1, **OPTIONS, progress=watch).fit(*blocks_of(rows))
        assert len(added) == 2
        same(model.to_local(), whole, "dual_coef_")
        told = model.report_["dask"]
        assert (told["workers"], told["lost_workers"], told["retries"]) == (2, 0, 0)


def test_a_slow_worker_changes_nothing(client, rows, whole):
    slow_one = next(iter(client.scheduler_info(n_workers=-1)["workers"]))

    def slow(block):
        if get_worker().address == slow_one:
            time.sleep(0.4)
        return block

    model = md.KernelRidge(alpha=0.1, **OPTIONS).fit(*blocks_of(rows, slow))
    same(model.to_local(), whole, "dual_coef_")
    assert (model.report_["dask"]["retries"], model.report_["dask"]["lost_workers"]) == (0, 0)


def held(client):
    """What workers have of fits."""
    return [key for keys in client.has_what().values() for key in keys if "mercer-" in str(key)]


def assert_clean(client):
    """Nothing is computed, and nothing of a fit is held, at the latest after a moment."""
    deadline = time.monotonic() + 30
    while any(client.processing().values()) or held(client):
        assert time.monotonic() < deadline, client.has_what()
        time.sleep(0.05)


def test_a_block_with_nan_is_refused_with_its_place(client, rows, whole):
    X, y, _ = rows
    broken = X.copy()
    broken[45_678, 2] = np.nan
    with pytest.raises(ValueError, match=r"in partition 2, row 5678 \(row 45678\).*NaN"):
        md.KernelRidge(alpha=0.1, **OPTIONS).fit(da.from_array(broken, chunks=(20_000, 4)), y)
    assert_clean(client)
    again = md.KernelRidge(alpha=0.1, **OPTIONS).fit(da.from_array(X, chunks=(20_000, 4)), y)
    same(again.to_local(), whole, "dual_coef_")
    assert_clean(client)


def test_what_a_worker_has_no_memory_for_is_refused(rows):
    # The process itself is larger: the limit is what tasks are given.
    memory = {"memory_limit": "64MiB", "n_workers": 1, "threads_per_worker": 2}
    with (
        dask.config.set({"distributed.worker.memory.pause": False}),
        Client(processes=False, dashboard_address=None, **memory) as client,
    ):
        blocks = da.from_array(rows[0], chunks=(20_000, 4))
        with pytest.raises(
            MemoryError, match=r"needs .* but the memory budget is .*: use fewer landmarks"
        ):
            md.KernelPCA(client, n_components=2, **OPTIONS | {"landmarks": 1000}).fit(blocks)
        found = md.KernelPCA(client, n_components=2, **OPTIONS).fit(blocks)
        whole = mercer.KernelPCA(2, **OPTIONS).fit(rows[0])
        same(found.to_local(), whole, "eigenvalues_")


def test_machines_of_a_killed_worker_are_fitted_elsewhere(rows):
    X, y, _ = (one[:6000] for one in rows)
    options = {"kernel": "rbf", "gamma": 0.5, "cells": 300}
    whole = mercer.SVR(epsilon=0.05, **options).fit(X, y)
    with started() as cluster, Client(cluster) as client:
        pids, killed = list(client.run(os.getpid).values()), []

        def watch(step):
            if step.done > 0 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        found = md.SVR(client, epsilon=0.05, progress=watch, **options).fit(X, y)
        assert killed
        same(found.to_local(), whole, "support_", "dual_coef_", "intercept_")
        assert found.report_["dask"]["retries"] >= 0
