"""Random features of the polynomial kernel with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from mercer import _core, _params
from mercer._params import ParameterError
from mercer._progress import Step
from mercer._sampler import Sampler


class PolynomialCountSketch(ClassNamePrefixFeaturesOutMixin, Sampler):
    """Random features whose inner products approximate a polynomial kernel (TensorSketch).

    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name;
    parameters after `random_state` are additions. The random numbers of a seed are not
    scikit-learn's. The kernel is (gamma * x·x' + coef0)^degree.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the inner product.
    degree : int, default=2
        Degree of the polynomial.
    coef0 : float, default=0.0
        Constant; not negative, since there would be no features.
    n_components : int, default=100
        Number of features. The error falls as 1 / sqrt(n_components).
    random_state : int, RandomState instance, optional
        Seed. None stands for 0, so that results are repeatable.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Attributes
    ----------
    indexHash_ : ndarray of shape (degree, n_features)
        The feature that each column is added to; with a column more for `coef0`.
    bitHash_ : ndarray of shape (degree, n_features)
        The sign that it is added with.
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
    >>> from mercer import PolynomialCountSketch
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) / 2
    >>> sketch = PolynomialCountSketch(degree=2, coef0=1.0, n_components=2000).fit(X)
    >>> Z = sketch.transform(X)
    >>> bool(np.abs(Z @ Z.T - (X @ X.T + 1) ** 2).mean() < 0.1)
    True
    """

    # scikit-learn's names.
    indexHash_: np.ndarray  # noqa: N815
    bitHash_: np.ndarray  # noqa: N815

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0.0,
        n_components: int = 100,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
    ) -> None:
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress

    def _settings(self, X) -> dict[str, object]:
        _params.at_least(self, "gamma", 0)
        _params.at_least(self, "degree", 1, integer=True)
        _params.at_least(self, "coef0", 0)
        _params.at_least(self, "n_components", 1, integer=True)
        gamma, coef0 = float(self.gamma), float(self.coef0)
        return {
            "kernel": f"poly(degree={int(self.degree)}, gamma={gamma!r}, coef0={coef0!r})",
            "random": int(self.n_components),
            "frequencies": "auto",
            "seed": _params.seed(self.random_state),
            "sampled": None,
        }

    def _set_model(self, model: _core.Model) -> None:
        super()._set_model(model)
        hashes = _core.sketch_hashes(model)
        if hashes is None:
            raise ParameterError(f"the kernel {self.kernel_} has no sketch")
        self.indexHash_ = np.array(hashes[0], dtype=np.int64)
        self.bitHash_ = np.array(hashes[1], dtype=np.int64)

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        kernel = _core.features_facts(model)["parameters"]
        found = {name: kernel[name] for name in ("gamma", "coef0")}
        shape = {"degree": int(kernel["degree"]), "n_components": model.shape[2]}
        return found | shape | {"random_state": stored["seed"]}
