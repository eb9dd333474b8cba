"""Random Fourier features with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from mercer import _core, _params
from mercer._arrays import dtype_of
from mercer._kernel_base import Kernel
from mercer._params import ParameterError, is_integer, is_real, refuse
from mercer._progress import Step
from mercer._sampler import Sampler, rule_or_number

_FEATURES = ("auto", "orthogonal", "independent")
# The kernels that have a name of their own here; gamma is 1 / (2 * length**2) for the last two.
_NAMED = ("rbf", "laplacian", "matern", "rational_quadratic")


class RBFSampler(ClassNamePrefixFeaturesOutMixin, Sampler):
    """Random features whose inner products approximate an RBF, Laplacian or Matérn kernel.

    Parameters, attributes and defaults are those of scikit-learn's estimator of the same name;
    parameters after `random_state` are additions. The random numbers of a seed are not
    scikit-learn's. By default, features come in pairs of a cosine and a sine of orthogonal
    frequencies, which have a smaller error than scikit-learn's at the same cost.

    Features are computed block by block on all threads; results do not depend on how many. The
    product with the frequencies and its cosines are never held beside the result.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        Width of the kernel exp(-gamma * ‖x - x'‖²). ``"scale"`` stands for
        1 / (n_features * X.var()). For ``kernel="laplacian"``, exp(-gamma * Σ|x_i - x'_i|); for
        ``"matern"`` and ``"rational_quadratic"``, the length is 1 / sqrt(2 * gamma).
    n_components : int or "auto", default=100
        Number of features. ``"auto"`` takes as many as make the expected root mean square error on
        pairs of training samples at most `tol`.
    random_state : int, RandomState instance, optional
        Seed. None stands for 0, so that results are repeatable.
    kernel : {"rbf", "laplacian", "matern", "rational_quadratic"}, spec or Kernel, default="rbf"
        The kernel. A spec such as ``"matern(nu=2.5, length=3)"`` has parameters of its own.
    features : {"auto", "orthogonal", "independent"}, default="auto"
        ``"orthogonal"``: cosine and sine of each of n_components / 2 frequencies, which are
        orthogonal in blocks of n_features; not for the Laplacian kernel. ``"independent"``:
        cosines of independent frequencies with random phases, as in scikit-learn. ``"auto"``:
        orthogonal frequencies, or for the Laplacian kernel independent ones in pairs of a cosine
        and a sine.
    tol : float, default=0.05
        The error for ``n_components="auto"``.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The frequency of each feature, which is sqrt(2 / n_components) * cos(X @ weight + offset).
    random_offset_ : ndarray of shape (n_components,)
        The phase of each feature; 0 and -π/2 for cosine and sine of a pair.
    n_components_ : int
        The number of features.
    error_ : dict or None
        The measured error φ(x)·φ(x') - k(x, x'), on up to 1000 random pairs of different training
        samples: ``"pairs"``, the ``"mean"`` of its absolute values, its root mean square
        ``"rms"`` and its largest absolute value ``"max"``; and ``"kernel_rms"``, the root mean
        square of k(x, x'). None for a single sample.
    kernel_ : str
        The kernel with its parameters as numbers, as a spec.
    report_ : dict
        How the fit went.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, if it had any.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBFSampler, pairwise_kernels
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> sampler = RBFSampler(gamma=0.1, n_components=500, random_state=0).fit(X)
    >>> Z = sampler.transform(X)
    >>> error = np.abs(Z @ Z.T - pairwise_kernels(X, kernel="rbf", gamma=0.1))
    >>> bool(error.mean() < 0.02)
    True
    >>> bool(sampler.error_["mean"] < 0.02)
    True
    """

    random_weights_: np.ndarray
    random_offset_: np.ndarray
    n_components_: int

    def __init__(
        self,
        *,
        gamma: float | str = 1.0,
        n_components: int | str = 100,
        random_state: int | np.random.RandomState | None = None,
        kernel: str | Kernel = "rbf",
        features: str = "auto",
        tol: float = 0.05,
        n_jobs: int | None = None,
        memory_budget: int | str | None = None,
        progress: bool | Callable[[Step], object] = False,
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.kernel = kernel
        self.features = features
        self.tol = tol
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress

    def _settings(self, X) -> dict[str, object]:
        self._check_params()
        count = float(self.tol) if self.n_components == "auto" else int(self.n_components)
        return {
            "kernel": self._spec(X),
            "random": count,
            "frequencies": self.features,
            "seed": _params.seed(self.random_state),
            "sampled": None,
        }

    def _check_params(self) -> None:
        gamma, count = self.gamma, self.n_components
        if not (isinstance(gamma, str) and gamma == "scale") and not (
            is_real(gamma) and gamma >= 0
        ):
            raise refuse(self, "gamma", "'scale' or a number of at least 0", gamma)
        if not (isinstance(count, str) and count == "auto") and not (
            is_integer(count) and count >= 1
        ):
            raise refuse(self, "n_components", "'auto' or a positive integer", count)
        _params.one_of(self, "features", _FEATURES)
        _params.positive(self, "tol")

    def _spec(self, X) -> str:
        """The kernel with gamma as a number."""
        kernel = self.kernel
        if not isinstance(kernel, (str, Kernel)):
            raise refuse(self, "kernel", "a name, a spec or a Kernel", kernel)
        if not isinstance(kernel, str) or kernel not in _NAMED:
            if self.gamma != 1.0:
                raise ParameterError(
                    f"gamma={self.gamma!r} is for a kernel given by its name: set it in {kernel!r}"
                )
            return kernel if isinstance(kernel, str) else kernel.spec
        gamma = rule_or_number(self.gamma, X)
        if kernel in ("rbf", "laplacian"):
            return f"{kernel}(gamma={gamma!r})"
        if gamma == 0:
            raise refuse(self, "gamma", f"positive with kernel={kernel!r}", self.gamma)
        return f"{kernel}(length={1 / sqrt(2 * gamma)!r})"

    def _set_model(self, model: _core.Model) -> None:
        super()._set_model(model)
        waves = _core.feature_waves(model)
        if waves is None:
            raise ParameterError(f"the kernel {self.kernel_} has no random Fourier features")
        dtype = dtype_of(model.dtype)
        self.random_weights_, self.random_offset_ = (
            numbers.astype(dtype, copy=False) for numbers in waves
        )
        self.n_components_ = model.shape[2]

    @classmethod
    def _params_from_file(cls, stored: dict, model: _core.Model) -> dict[str, object]:
        return {
            "kernel": stored["kernel"],
            "n_components": model.shape[2],
            "features": stored["frequencies"],
            "random_state": stored["seed"],
        }
