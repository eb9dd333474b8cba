"""How kernel k-means is fitted and evaluated."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer import _core, _params
from mercer._arrays import dtype_of, weights
from mercer._base import Estimator
from mercer._kernel_choice import Choice, written
from mercer._kernel_model import PRECISIONS, SampleModel, is_mixed
from mercer._params import ParameterError, is_integer, refuse
from mercer._samples import Checked
from mercer.reports import ClusteringReport

_STARTS = ("k-means++", "random", "spectral")
# As in scikit-learn, random samples are tried this often, for want of a better beginning.
_RANDOM_STARTS = 10


class KernelKMeansFit(SampleModel, Estimator):
    """The private half of :class:`mercer.KernelKMeans`."""

    labels_: np.ndarray
    inertia_: float
    n_iter_: int
    cluster_sizes_: np.ndarray
    gamma_: float
    kernel_: str
    report_: ClusteringReport
    n_features_in_: int
    feature_names_in_: np.ndarray

    def _fit(self, X, sample_weight) -> None:
        self._check_params()
        X = self._samples(X)
        _check_count(self, X.shape[0])
        choice = self._choose(X)
        values = self._values(X, choice)
        with self._run() as run:
            choices = self._choices(X, choice)
            own = weights(sample_weight, X.shape[0])
            model = _core.fit_kernel_kmeans(values, own, choices, run)
        self._choice = choice
        self._restore(model)

    @staticmethod
    def _category(note: str) -> type[Warning]:
        return ConvergenceWarning

    def _check_params(self) -> None:
        _params.at_least(self, "n_clusters", 1, integer=True)
        _params.at_least(self, "max_iter", 1, integer=True)
        _params.at_least(self, "tol", 0)
        _params.one_of(self, "precision", PRECISIONS)
        if isinstance(self.init, str):
            _params.one_of(self, "init", _STARTS)
        if not (isinstance(self.n_init, str) and self.n_init == "auto") and not (
            is_integer(self.n_init) and self.n_init >= 1
        ):
            raise refuse(self, "n_init", "'auto' or an integer of at least 1", self.n_init)

    def _choices(self, X: Checked, choice: Choice) -> dict[str, object]:
        """The parameters as the compiled part takes them."""
        return {
            "clusters": int(self.n_clusters),
            "kernel": written(choice),
            "init": self.init if isinstance(self.init, str) else _labels(self, X.shape[0]),
            "starts": self._starts(),
            "max_rounds": int(self.max_iter),
            "tolerance": float(self.tol),
            "seed": _params.seed(self.random_state),
            "dtype": "f64" if self._results(X) == np.float64 else "f32",
        }

    def _starts(self) -> int:
        named = self.init if isinstance(self.init, str) else "an array"
        if self.n_init == "auto":
            return _RANDOM_STARTS if named == "random" else 1
        if named in ("k-means++", "random") or self.n_init == 1:
            return int(self.n_init)
        warnings.warn(
            f"n_init={self.n_init!r} has no effect with init={named!r}, which gives the same "
            "beginning each time: one start is made",
            UserWarning,
            stacklevel=5,
        )
        return 1

    def _restore(self, model: _core.Model) -> None:
        """Take over a fitted model, fresh or from a file."""
        if not hasattr(self, "_choice"):
            self._choice = self._choice_of(model)
        self._keep(model)
        self._tell_kernel(model)
        facts = _core.kmeans_facts(model)
        self.labels_, self.inertia_ = facts["labels"], facts["inertia"]
        self.n_iter_, self.cluster_sizes_ = facts["rounds"], facts["sizes"]

    @staticmethod
    def _params_of(saved: dict, model: _core.Model) -> dict[str, object]:
        """The parameters that mean the same as those in a file."""
        names = {"PlusPlus": "k-means++", "Random": "random", "Spectral": "spectral"}
        given = isinstance(saved["init"], dict)
        return {
            "n_clusters": saved["clusters"],
            "kernel": "precomputed" if model.anchors is None else saved["kernel"],
            "init": "k-means++" if given else names[saved["init"]],
            "n_init": saved["starts"],
            "max_iter": saved["max_rounds"],
            "tol": saved["tolerance"],
            "random_state": saved["seed"],
            "precision": "mixed" if is_mixed(model) else "auto",
        }

    def _plain_params(self) -> dict[str, object]:
        # One number for each sample is more than the head of a file has room for.
        plain = super()._plain_params()
        return plain if isinstance(self.init, str) else plain | {"init": "k-means++"}

    def _nearest(self, X) -> np.ndarray:
        """The clusters of new samples."""
        X = self._rows(X)
        with self._run() as run:
            return _core.kmeans_labels(self._model, self._tiles(X), run)

    def _squares(self, X: Checked, diagonal) -> np.ndarray:
        """The squared distances of checked samples to the centres: rows × clusters."""
        own = self._own_values(X, diagonal)
        with self._run() as run:
            return _core.kmeans_distances(self._model, self._tiles(X), own, run)

    def _distances(self, X: Checked, diagonal) -> np.ndarray:
        found = np.sqrt(self._squares(X, diagonal))
        return found.astype(dtype_of(self._model.dtype), copy=False)


def _check_count(estimator, n: int) -> None:
    if estimator.n_clusters > n:
        raise ValueError(
            f"n_samples={n} should be >= n_clusters={estimator.n_clusters}: ask for fewer clusters"
        )


def _labels(estimator, n: int) -> np.ndarray:
    """Return the clusters to begin with, one for each of n samples."""
    try:
        found = np.asarray(estimator.init)
    except ValueError:
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in "iu" or found.shape != (n,):
        raise ParameterError(
            "The 'init' parameter of KernelKMeans must be 'k-means++', 'random', 'spectral', or an "
            f"array of {n} integers, the cluster of each sample; centres are points of the feature "
            f"space and cannot be given. Got {found.dtype} in the shape {found.shape} instead."
        )
    wrong = np.flatnonzero((found < 0) | (found >= estimator.n_clusters))
    if wrong.size:
        raise ParameterError(
            f"init puts the sample of row {wrong[0]} into cluster {found[wrong[0]]}, but with "
            f"n_clusters={estimator.n_clusters} they are numbered from 0 to "
            f"{estimator.n_clusters - 1}"
        )
    return np.ascontiguousarray(found, dtype=np.int64)
