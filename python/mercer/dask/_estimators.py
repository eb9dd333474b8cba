"""Estimators that are fitted on the workers of a Dask cluster."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from distributed import Client, progress
from sklearn.base import BaseEstimator, clone

import mercer
from mercer.dask._cluster import ClusterRows, client_of
from mercer.dask._predict import evaluated
from mercer.dask._table import partitions

_FIT = """Fit on the workers of the cluster.

        Parameters
        ----------
        X : dask array, dask data frame, list of dask.delayed, path or mercer.scan of a path
            Samples. A delayed block is X, (X, y) or (X, y, weights). Files are read by the workers,
            which must see them under the same path. What is not persisted is computed, or read,
            once in each pass over the rows.
        y : dask array, dask series or array-like, optional
            Targets, or classes, of a collection.
        sample_weight : dask array, dask series or array-like, optional
            Weights of the samples of a collection.

        Returns
        -------
        self
            The estimator itself.
        """


class Distributed(BaseEstimator):
    """The base of estimators on a cluster: `client` and the parameters of the local estimator.

    Attributes of the fitted local estimator are attributes of this one. `progress` may also be
    ``distributed.progress``, which is called with the tasks of each pass over the rows.
    """

    _local: ClassVar[type]
    _model: Any

    def __init__(self, client: Client | None = None, **params: Any) -> None:
        known = self._local._get_param_names()
        for name in params:
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}")
        self.client = client
        self._params = params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the client and all parameters of the local estimator."""
        return {"client": self.client} | self._estimator().get_params(deep=deep)

    def set_params(self, **params: Any) -> Distributed:
        """Set the client, or parameters of the local estimator."""
        if "client" in params:
            self.client = params.pop("client")
        if params:
            self._params = self._estimator().set_params(**params).get_params(deep=False)
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Distributed:
        local, watch = self._estimator(), None
        if getattr(local, "progress", None) is progress:
            local.progress, watch = False, progress
        rows = ClusterRows(self.client, partitions(X, y, sample_weight), watch)
        self._model = self._fitted(local, rows)
        self.report_ = self._model.report_ | {"dask": self._told(rows)}
        return self

    fit.__doc__ = _FIT

    def to_local(self) -> Any:
        """Return the ordinary fitted estimator, as if it had been fitted on one machine.

        It needs no cluster, and has ``save``, ``predict`` and the rest.
        """
        return self._fitted_model()

    def _estimator(self) -> Any:
        return self._local(**self._params)

    def _fitted(self, local: Any, rows: ClusterRows) -> Any:
        return local.fit(rows)

    def _told(self, rows: ClusterRows) -> dict[str, Any]:
        """What is reported of the cluster."""
        workers = rows.client.scheduler_info(n_workers=-1)["workers"]
        threads = sum(worker["nthreads"] for worker in workers.values())
        facts = {"workers": len(workers), "threads": threads}
        return dict(rows.progress) | facts | {"dashboard": rows.client.dashboard_link}

    def _fitted_model(self) -> Any:
        if "_model" not in vars(self):
            raise AttributeError("the estimator is not fitted yet: call fit first")
        return self._model

    def __getattr__(self, name: str) -> Any:
        own = name.startswith("__") or not name.endswith("_") or name.startswith("_")
        if own or "_model" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._model, name)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the client, which belongs to this process."""
        return vars(self) | {"client": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def __sklearn_tags__(self) -> Any:
        return self._estimator().__sklearn_tags__()

    def __sklearn_clone__(self) -> Distributed:
        params = {name: clone(one, safe=False) for name, one in self._params.items()}
        return type(self)(self.client, **params)


class Transformer(Distributed):
    """An estimator that transforms samples."""

    def transform(self, X: Any) -> Any:
        """Transform samples, lazily where they are a collection.

        Parameters
        ----------
        X : dask array, dask data frame, list of dask.delayed, path, mercer.scan or array-like
            Samples. Of files, each is a chunk of the result.

        Returns
        -------
        X_new : dask array, list of dask.delayed or ndarray
            What the local estimator returns, block by block.
        """
        return evaluated(self._fitted_model(), "transform", X)

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit, and return what :meth:`transform` does."""
        return self.fit(X, y, **params).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of :meth:`transform`."""
        return self._fitted_model().get_feature_names_out(input_features)


class Predictor(Distributed):
    """An estimator that predicts."""

    def predict(self, X: Any) -> Any:
        """Predict for samples, lazily where they are a collection.

        Parameters
        ----------
        X : dask array, dask data frame, list of dask.delayed, path, mercer.scan or array-like
            Samples. Of files, each is a chunk of the result.

        Returns
        -------
        y : dask array, list of dask.delayed or ndarray
            What the local estimator returns, block by block.
        """
        return evaluated(self._fitted_model(), "predict", X)

    def score(self, X: Any, y: Any) -> float:
        """Return the mean accuracy of classes, or R² of numbers; it is computed at once."""
        predicted, truth = (np.asarray(one) for one in (self.predict(X), y))
        if hasattr(self._fitted_model(), "classes_"):
            return float(np.mean(predicted == truth))
        from sklearn.metrics import r2_score

        return float(r2_score(truth, predicted))


class KernelPCA(Transformer):
    """Kernel PCA on landmarks, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.KernelPCA`; `landmarks` is required.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client, progress
    >>> from mercer.dask import KernelPCA
    >>> client = Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None)
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> model = KernelPCA(n_components=2, kernel="rbf", landmarks=50)
    >>> components = model.fit(da.from_array(X, chunks=(500, 3))).transform(X)
    >>> components.shape
    (2000, 2)
    >>> model.to_local().save("components.mercer")
    >>> client.close()
    """

    _local = mercer.KernelPCA


class Nystroem(Transformer):
    """Features of landmarks, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.Nystroem`.
    """

    _local = mercer.Nystroem


class KernelRidge(Predictor):
    """Kernel ridge regression on landmarks, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.KernelRidge`; `landmarks` is required.
    """

    _local = mercer.KernelRidge


class KernelRidgeClassifier(Predictor):
    """Classification by kernel ridge regression on landmarks, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.KernelRidgeClassifier`; `landmarks` is required.
    """

    _local = mercer.KernelRidgeClassifier

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of samples, lazily where they are a collection."""
        return evaluated(self._fitted_model(), "decision_function", X)


class KernelRidgeCV(Predictor):
    """Kernel ridge regression on landmarks with the penalty chosen by cross-validation, on the
    workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.KernelRidgeCV`; `landmarks` is required.
    """

    _local = mercer.KernelRidgeCV


class KernelPCADetector(Predictor):
    """Outliers by kernel PCA on landmarks, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.KernelPCADetector`; `landmarks` is required.
    """

    _local = mercer.KernelPCADetector

    def score_samples(self, X: Any) -> Any:
        """Return how usual samples are, lazily where they are a collection."""
        return evaluated(self._fitted_model(), "score_samples", X)

    def decision_function(self, X: Any) -> Any:
        """Return the scores less the threshold, lazily where samples are a collection."""
        return evaluated(self._fitted_model(), "decision_function", X)


class KernelKMeans(Predictor):
    """Kernel k-means on landmarks, on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the most recently created client.
    **params
        Those of :class:`mercer.KernelKMeans`; `landmarks` is required.
    """

    _local = mercer.KernelKMeans


__all__ = ["client_of"]
