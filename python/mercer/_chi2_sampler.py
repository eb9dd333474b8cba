"""Features of the additive chi-squared kernel with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer import _core, _fit, _params
from mercer._arrays import Samples, Table, as_scikit_learn, scaled
from mercer._params import is_real, refuse
from mercer._progress import Step
from mercer._sampler import Sampler
from mercer._stream import by_blocks

# The intervals that suit few samples of the spectrum (Vedaldi & Zisserman 2012, figure 2c).
_INTERVALS = {1: 0.8, 2: 0.5, 3: 0.4}


class AdditiveChi2Sampler(Sampler):
    """Features whose inner products approximate the additive chi-squared kernel of histograms.

    Parameters, attributes, defaults and numbers are those of scikit-learn's estimator of the same
    name; parameters after `sample_interval` are additions. The kernel is
    Σ 2 * x_i * x'_i / (x_i + x'_i); a column becomes 2 * sample_steps - 1 features. As in
    scikit-learn, `transform` needs no fit.

    Parameters
    ----------
    sample_steps : int, default=2
        Number of samples of the spectrum.
    sample_interval : float, optional
        Distance between them; must be set if `sample_steps` is above 3.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Attributes
    ----------
    worst_error_ : float
        A bound: φ(x)·φ(x') differs from k(x, x') by at most this times Σ max(x_i, x'_i).
    error_ : dict or None
        The measured error on pairs of training samples, as for :class:`RBFSampler`.
    kernel_ : str
        The kernel as a spec.
    report_ : dict
        How the fit went.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import AdditiveChi2Sampler
    >>> X = np.array([[0.2, 0.8], [0.5, 0.5], [0.0, 1.0]])
    >>> sampler = AdditiveChi2Sampler(sample_steps=3).fit(X)
    >>> Z = sampler.transform(X)
    >>> Z.shape
    (3, 10)
    >>> (Z @ Z.T).round(2)
    array([[0.95, 0.87, 0.85],
           [0.87, 0.95, 0.65],
           [0.85, 0.65, 0.95]])
    """

    worst_error_: float

    def __init__(
        self,
        *,
        sample_steps: int = 2,
        sample_interval: float | None = None,
        n_jobs: int | None = None,
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
    ) -> None:
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress

    @by_blocks
    def transform(self, X: Samples) -> Table:
        """Return the features of histograms.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Histograms, without negative values; also a table in blocks, as for other estimators.

        Returns
        -------
        X_new : {ndarray, sparse matrix} of shape (n_samples, n_features * (2 * sample_steps - 1))
            The features: square roots of all columns, then the first cosines of all columns, and
            so on. Sparse if X is.
        """
        X = self._rows(X, reset=False, check_finite=True)
        model = self._model if hasattr(self, "_model") else self._map_of(X)
        if not sparse.issparse(X) or model.scaling is not None:
            return self._transform(model, X)
        return as_scikit_learn(self._sparse(model, scaled(model, X)))

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Return the names of the features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; by default those of the fit, or x0, x1, ….

        Returns
        -------
        names : ndarray of str
            The names.
        """
        check_is_fitted(self, attributes="n_features_in_")
        columns = _check_feature_names_in(self, input_features, generate_names=True)
        waves = [f"{wave}{j}" for j in range(1, self.sample_steps) for wave in ("cos", "sin")]
        prefix = type(self).__name__.lower()
        names = [f"{prefix}_{name}_{end}" for end in ["sqrt", *waves] for name in columns]
        return np.asarray(names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.positive_only = True
        return tags

    def _rows(self, X, *, reset: bool, check_finite: bool = False):
        X = super()._rows(X, reset=reset, check_finite=check_finite)
        if (X.data if sparse.issparse(X) else X).min(initial=0) < 0:
            raise ValueError(
                f"Negative values in data passed to X in {type(self).__name__}: histograms must "
                "not have negative values"
            )
        return X

    def _sparse(self, model: _core.Model, X: sparse.csr_array) -> sparse.csr_array:
        """The features of each number alone: a zero has none."""
        values = X.data.reshape(-1, 1)
        with _fit.run_of(self) as run:
            alone = _core.features_of_values(model, values, run).astype(X.dtype, copy=False)
        columns = [
            sparse.csr_array((values, X.indices, X.indptr), shape=X.shape) for values in alone.T
        ]
        return sparse.csr_array(sparse.hstack(columns, format="csr"))

    def _settings(self, X) -> dict[str, object]:
        _params.at_least(self, "sample_steps", 1, integer=True)
        steps, interval = int(self.sample_steps), self.sample_interval
        if interval is not None and not (is_real(interval) and interval >= 0):
            raise refuse(self, "sample_interval", "a number of at least 0 or None", interval)
        if interval is None and steps not in _INTERVALS:
            raise ValueError(
                "If sample_steps is not in [1, 2, 3], you need to provide sample_interval"
            )
        interval = _INTERVALS[steps] if interval is None else float(interval)
        return {
            "kernel": "additive_chi2",
            "random": None,
            "frequencies": "auto",
            "seed": 0,
            "sampled": (steps - 1, interval),
        }

    def _set_model(self, model: _core.Model) -> None:
        super()._set_model(model)
        self.worst_error_ = _core.features_facts(model)["worst_error"]

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        return {"sample_steps": stored["samples"] + 1, "sample_interval": stored["interval"]}
