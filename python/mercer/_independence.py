"""Whether the rows of two sets of samples are independent of each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer import _core, _params
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Precomputed, choose_with, kernel_argument
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._pairwise import _NullEstimator
from mercer._progress import Step
from mercer._run import running
from mercer._samples import features, to_core, validate_samples
from mercer._test_result import TestResult, basics, permutations_of


@dataclass(eq=False)
class HSICTest(TestResult):
    """The result of :func:`mercer.hsic_test`; printing it gives a summary.

    It has the attributes of :class:`mercer.TestResult`, and this one:

    Attributes
    ----------
    correlation : float
        HSIC(x, y) / √(HSIC(x, x)·HSIC(y, y)), between 0 and 1: the centred kernel alignment. For
        the kernels ``"energy"`` it is the squared distance correlation.
    """

    correlation: float

    _what = "they are independent"
    _found = "dependence detected"


def hsic_test(
    X,
    Y,
    *,
    kernel_x: str | Kernel | Callable = "rbf(sigma=median)",
    kernel_y: str | Kernel | Callable = "rbf(sigma=median)",
    null: str = "permutation",
    n_permutations: int = 999,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
) -> HSICTest:
    """Test whether the rows of X are independent of the rows of Y beside them.

    The statistic is the Hilbert–Schmidt independence criterion 1/n² tr(K J L J), with J the
    centring matrix. With the kernels ``"energy"`` it is the squared distance covariance, with
    ``"linear"`` the squared covariances, summed.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features_X)
        Samples of any kind, or a kernel matrix for ``kernel_x="precomputed"``.
    Y : array-like of shape (n_samples, n_features_Y)
        What stands beside each of them: samples of any kind, or a kernel matrix. A one-dimensional
        array is one column.
    kernel_x, kernel_y : str, Kernel or callable, default="rbf(sigma=median)"
        The kernels of X and of Y, as for :func:`mercer.pairwise_kernels`.
    null : {"permutation", "gamma"}, default="permutation"
        What the statistic is compared with: random permutations, which need both kernel matrices
        in memory, or a Gamma distribution with the exact mean and variance over all permutations,
        which does not.
    n_permutations : int, default=999
        Number of permutations, at least 9.
    random_state : int or RandomState instance, default=0
        Seed of the permutations. None stands for 0.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Returns
    -------
    result : HSICTest
        Statistic, p-value and correlation.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import hsic_test
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> abs(float(np.corrcoef(x, x**2)[0, 1])) < 0.2
    True
    >>> hsic_test(x, x**2).p_value
    0.001
    """
    permutations = permutations_of(null, n_permutations)
    x, first = _given(X, kernel_x, memory_budget)
    y, second = _given(Y, kernel_y, memory_budget)
    seed = _params.seed(random_state)
    with running(n_jobs, memory_budget, progress) as run:
        found = _core.hsic(x, y, first, second, permutations, seed, run)
    return HSICTest(**basics(found), correlation=found["correlation"])


def _given(X, kernel, memory_budget):
    """Samples or a kernel matrix, and the kernel, for the extension module."""
    purpose, owner = purpose_of(kernel), _NullEstimator(memory_budget)
    if purpose.kind == "numbers" and isinstance(X, np.ndarray) and X.ndim == 1:
        X = X.reshape(-1, 1)
    X = validate_samples(owner, X, purpose, reset=True)
    choice = choose_with(kernel, features(X), {})
    if isinstance(choice, Precomputed):
        return X, kernel_argument(choice)
    single = getattr(X, "dtype", None) == np.float32
    return to_core(X, single=single, custom=is_custom(choice)), kernel_argument(choice)
