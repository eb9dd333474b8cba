"""Searches whose combinations are scored by the workers of a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Client, get_worker

import mercer
from mercer._search_folds import paths_of
from mercer._search_grid import kernels_of
from mercer._svm_search import scores_of
from mercer.dask._blocks import aligned
from mercer.dask._cluster import client_of
from mercer.dask._estimators import Predictor
from mercer.dask._predict import evaluated
from mercer.dask._table import gathered


class SVCSearch(Predictor):
    """The search for kernel, C and gamma of a support vector classifier, with combinations and
    folds divided among the workers of a Dask cluster.

    Each worker needs all samples in memory, which are sent to it once. Values of C of one kernel on
    one fold are a task, in which fits begin where the one before ended. The final fit is made here.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.SVCSearch`.
    """

    _local = mercer.SVCSearch

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SVCSearch:
        """Choose C and gamma on the cluster, and fit the model with them here.

        Parameters
        ----------
        X : array-like, dask collection, list of dask.delayed, path or mercer.scan of a path
            Samples, which fit into the memory of each worker.
        y : array-like or dask collection, optional
            The class of each sample; they come with delayed blocks and tables in files.
        sample_weight : array-like or dask collection, optional
            Weights of the samples in fits.

        Returns
        -------
        self : SVCSearch
            The estimator itself.
        """
        client = client_of(self.client)
        X, y, sample_weight = gathered(client, X, y, sample_weight)
        local = self._estimator()
        local._elsewhere = Scores(client, local, (X, y, sample_weight))
        try:
            local.fit(X, y, sample_weight)
        finally:
            tasks = vars(local).pop("_elsewhere").tasks
        self._model = local
        workers = client.scheduler_info(n_workers=-1)["workers"]
        link = client.dashboard_link
        self.report_ = {"dask": {"workers": len(workers), "tasks": tasks, "dashboard": link}}
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of samples, lazily where they are a collection."""
        return evaluated(self._fitted_model(), "decision_function", X)


class Scores:
    """Scores of combinations on splits, computed by workers."""

    def __init__(self, client: Client, estimator: Any, data: tuple) -> None:
        self._client, self._estimator, self._data = client, estimator, data
        self._kernels = kernels_of(estimator)
        self._sent: Any = None
        self.tasks = 0

    def __call__(self, params: list[dict], splits: list) -> np.ndarray:
        """Return the scores, of shape (n_combinations, n_splits)."""
        table = np.full((len(params), len(splits)), np.nan)
        places, futures = [], []
        for path in paths_of(params):
            for fold, split in enumerate(splits):
                places.append(([index for index, _ in path], fold))
                own = [self._travelling(one) for _, one in path]
                futures.append(self._submit(own, [split]))
        self.tasks += len(futures)
        try:
            found = self._client.gather(futures)
        except BaseException:
            self._client.cancel(futures, force=True)
            raise
        for (rows, fold), scores in zip(places, found, strict=True):
            table[rows, fold] = scores[:, 0]
        return table

    def _submit(self, params: list[dict], splits: list) -> Any:
        if self._sent is None:
            sent = (_without(self._estimator), self._data)
            self._sent = self._client.scatter(sent, broadcast=True)
        return self._client.submit(_scored, self._sent, params, splits, pure=False)

    def _travelling(self, params: dict) -> dict:
        """A combination whose kernel is its place among several."""
        if "kernel" not in params:
            return params
        place = next(i for i, one in enumerate(self._kernels) if one is params["kernel"])
        return params | {"kernel": place}


def _without(estimator: Any) -> Any:
    """The estimator as a worker needs it: without the cluster, and with the threads of a task."""
    params = estimator.get_params(deep=False) | {"progress": False, "n_jobs": 1}
    return type(estimator)(**params)


def _scored(sent: tuple, params: list[dict], splits: list) -> np.ndarray:
    estimator, data = sent
    data = tuple(aligned(one) for one in data)
    splits = [tuple(aligned(rows) for rows in split) for split in splits]
    worker = get_worker()
    limit = worker.memory_manager.memory_limit
    if limit and estimator.memory_budget is None:
        estimator = _without(estimator)
        estimator.memory_budget = int(0.6 * limit / worker.state.nthreads)
    return scores_of(estimator, data, params, splits)
