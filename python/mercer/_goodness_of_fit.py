"""Whether samples come from a density that is known up to its norm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mercer import _core, _params
from mercer._arrays import as_contiguous, validate_rows
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Described, choose_with, kernel_argument
from mercer._pairwise import _NullEstimator
from mercer._params import ParameterError, is_real
from mercer._progress import Step
from mercer._run import running
from mercer._test_result import TestResult, basics, count


@dataclass(eq=False)
class SteinTest(TestResult):
    """The result of :func:`mercer.stein_test`; printing it gives a summary.

    It has the attributes of :class:`mercer.TestResult`, and these:

    Attributes
    ----------
    unbiased : float
        The statistic without the terms of samples with themselves.
    contributions : ndarray of shape (n_samples,)
        What each sample contributes: their mean is the statistic.
    """

    unbiased: float
    contributions: np.ndarray = field(repr=False)

    _what = "the samples come from the density"
    _found = "misfit detected"


def stein_test(
    X,
    score: str | Callable | np.ndarray = "normal",
    *,
    kernel: str | Kernel | None = None,
    n_bootstrap: int = 999,
    change: float = 0.5,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
) -> SteinTest:
    """Test whether samples come from a density, by the kernel Stein discrepancy.

    Of the density p only its score ∇ log p(x) is needed, so that its norm need not be known.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows of numbers, such as draws of a sampler.
    score : "normal", callable or array-like of shape (n_samples, n_features), default="normal"
        The gradient of log p at each row: a function of X, or its values. ``"normal"`` tests
        whether the samples are normal with any mean and covariance: they are whitened by their
        own, and compared with normal samples treated alike.
    kernel : str or Kernel, optional
        An ``rbf`` or ``rational_quadratic``, by default
        ``"rational_quadratic(alpha=0.5, length=median)"``, the inverse multiquadric, which detects
        every misfit.
    n_bootstrap : int, default=999
        Draws of the wild bootstrap, or of normal samples; at least 9.
    change : float, default=0.5
        The probability that the sign of the wild bootstrap changes from one row to the next. 0.5
        for independent samples, less for a Markov chain in its order.
    random_state : int or RandomState instance, default=0
        Seed of the draws. None stands for 0.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Returns
    -------
    result : SteinTest
        Statistic and p-value.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import stein_test
    >>> X = np.random.default_rng(0).exponential(size=(200, 1))
    >>> stein_test(X).p_value
    0.001
    >>> stein_test(X[:50], lambda X: -X).p_value <= 0.05
    True
    """
    draws = count("n_bootstrap", n_bootstrap)
    if not is_real(change) or not 0 < change <= 0.5:
        raise ParameterError(f"change must be a number above 0 and at most 0.5, not {change!r}")
    owner = _NullEstimator(memory_budget)
    X = validate_rows(owner, X, reset=True, accept_sparse=False, check_finite=True)
    X = as_contiguous(X.astype(np.float64, copy=False))
    chosen = "rational_quadratic(alpha=0.5, length=median)" if kernel is None else kernel
    choice = choose_with(chosen, X.shape[1], {})
    if not isinstance(choice, Described) or choice.functions:
        raise ParameterError(f"kernel must be an rbf or rational_quadratic, not {kernel!r}")
    scores, seed = _scores(X, score), _params.seed(random_state)
    with running(n_jobs, memory_budget, progress) as run:
        argument = kernel_argument(choice)
        found = _core.stein(X, scores, argument, draws, float(change), seed, run)
    return SteinTest(
        **basics(found), unbiased=found["unbiased"], contributions=found["contributions"]
    )


def _scores(X: np.ndarray, score) -> np.ndarray | None:
    """The score at each row; None for the test of normality."""
    if isinstance(score, str):
        if score != "normal":
            raise ParameterError(
                f"score must be 'normal', a function of X or an array, not {score!r}"
            )
        return None
    values = np.asarray(score(X) if callable(score) else score, dtype=np.float64)
    if values.shape == (X.shape[0],) and X.shape[1] == 1:
        values = values[:, None]
    if values.shape != X.shape:
        raise ValueError(
            f"score must have the shape of X, {X.shape}, but has the shape {values.shape}"
        )
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ValueError(f"score at row {row} (counted from 0) is not finite")
    return as_contiguous(values)
