"""Support vector machines on cells, each of which a worker fits."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from distributed import Client, get_worker

import mercer
from mercer import _core
from mercer._params import ParameterError
from mercer.dask import _blocks
from mercer.dask._cluster import client_of
from mercer.dask._estimators import Distributed, Predictor
from mercer.dask._pass import ended
from mercer.dask._predict import evaluated
from mercer.dask._table import gathered


class CellMachine(Distributed):
    """A support vector machine whose cells are fitted by workers."""

    predict = Predictor.predict
    score = Predictor.score

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> CellMachine:
        """Divide the samples into cells here, and fit an SVM for each on the cluster.

        Parameters
        ----------
        X : array-like, dask collection, list of dask.delayed, path or mercer.scan of a path
            Samples, which come to this machine; the rows of a cell go to a worker.
        y : array-like or dask collection, optional
            Classes or values; they come with delayed blocks and tables in files.
        sample_weight : array-like or dask collection, optional
            Weights of the samples.

        Returns
        -------
        self
            The estimator itself.
        """
        local, client = self._estimator(), client_of(self.client)
        if local.cells is None:
            raise ParameterError(
                "on a cluster a support vector machine is fitted by cells: set cells= to the rows "
                "of one, such as 5000"
            )
        if getattr(local, "probability", False) is True:
            raise ParameterError("probability=True is not available on a cluster: calibrate later")
        X, y, sample_weight = gathered(client, X, y, sample_weight)
        local._elsewhere = farm = Farm(client)
        try:
            local.fit(X, y, sample_weight)
        finally:
            vars(local).pop("_elsewhere", None)
        self._model = local
        workers = client.scheduler_info(n_workers=-1)["workers"]
        facts = {"workers": len(workers), "tasks": farm.tasks, "retries": farm.retries()}
        facts["dashboard"] = client.dashboard_link
        self.report_ = local.report_ | {"dask": facts}
        return self


class Farm:
    """Fits SVMs on workers."""

    def __init__(self, client: Client) -> None:
        self._client, self.tasks = client, 0
        self._name = f"cells-{uuid.uuid4().hex[:12]}"

    def __call__(
        self, described: list[bytes], report: Callable[[float, float], None]
    ) -> list[bytes]:
        """Return the models of machines that bytes describe."""
        submit, name = self._client.submit, self._name
        futures = [submit(fit_cell, name, one, pure=False) for one in described]
        self.tasks += len(futures)
        try:
            for done, _ in enumerate(ended(futures, lambda: report(0, len(futures))), start=1):
                report(done, len(futures))
            return self._client.gather(futures)
        except BaseException:
            self._client.cancel(futures, force=True)
            raise

    def retries(self) -> int:
        """Return how many machines were begun again, because a worker was lost."""
        return max(0, len(self._client.get_events(_blocks.topic_of(self._name))) - self.tasks)


def fit_cell(name: str, described: bytes) -> bytes:
    """Return the model of the machine that bytes describe."""
    get_worker().log_event(_blocks.topic_of(name), "began")
    return _core.fit_svm_cell(described, _blocks.limits())


class SVC(CellMachine):
    """Support vector classification by cells, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.SVC`; `cells` is required.
    """

    _local = mercer.SVC

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of samples, lazily where they are a collection."""
        return evaluated(self._fitted_model(), "decision_function", X)


class SVR(CellMachine):
    """Support vector regression by cells, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.SVR`; `cells` is required.
    """

    _local = mercer.SVR
