"""Support vector machines on cells, each of which a worker fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
from distributed import Client

import mercer
from mercer import _core
from mercer._params import ParameterError
from mercer.dask import _blocks
from mercer.dask._cluster import client_of, ended
from mercer.dask._estimators import Distributed, Predictor
from mercer.dask._predict import evaluated
from mercer.dask._table import is_collection


class CellMachine(Distributed):
    """A support vector machine whose cells are fitted by workers."""

    predict = Predictor.predict
    score = Predictor.score

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> CellMachine:
        """Divide the samples into cells here, and fit an SVM for each on the cluster.

        Parameters
        ----------
        X : array-like or dask collection
            Samples, which come to this machine; the rows of a cell go to a worker.
        y : array-like or dask collection
            Classes or values.
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
        X, y, sample_weight = (
            dask.compute(one)[0] if is_collection(one) else one for one in (X, y, sample_weight)
        )
        local._elsewhere = farm = Farm(client)
        try:
            local.fit(X, y, sample_weight)
        finally:
            vars(local).pop("_elsewhere", None)
        self._model = local
        workers = client.scheduler_info(n_workers=-1)["workers"]
        facts = {"workers": len(workers), "tasks": farm.tasks, "dashboard": client.dashboard_link}
        self.report_ = local.report_ | {"dask": facts}
        return self


class Farm:
    """Fits SVMs on workers."""

    def __init__(self, client: Client) -> None:
        self._client, self.tasks = client, 0

    def __call__(
        self, described: list[bytes], report: Callable[[float, float], None]
    ) -> list[bytes]:
        """Return the SVMs that bytes describe."""
        futures = [self._client.submit(fit_cell, one, pure=False) for one in described]
        self.tasks += len(futures)
        try:
            for done, _ in enumerate(ended(futures, lambda: report(0, len(futures))), start=1):
                report(done, len(futures))
            return self._client.gather(futures)
        except BaseException:
            self._client.cancel(futures, force=True)
            raise


def fit_cell(described: bytes) -> bytes:
    """Return the SVM that bytes describe."""
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
