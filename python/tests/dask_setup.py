"""What tests of fits on Dask share: a cluster of two processes, rows, options."""

import numpy as np
import pytest

pytest.importorskip("distributed")
pytest.importorskip("dask.array")

from dask.distributed import Client, LocalCluster

N = 70_000
OPTIONS = {"kernel": "rbf", "gamma": 0.3, "landmarks": 40}


def started(workers=2, **options):
    """A cluster of processes with a thread each."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None} | options
    return LocalCluster(workers, **options)


@pytest.fixture(scope="module")
def client():
    with started(memory_limit="2GiB") as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=N)
    return X, y, rng.uniform(0.5, 2, size=N)


def same(found, expected, *names):
    for name in names:
        a, b = getattr(found, name), getattr(expected, name)
        assert np.array_equal(a, b), name
