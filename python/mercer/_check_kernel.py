"""Whether a function is a positive semi-definite kernel on given samples."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mercer import _core
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Precomputed, choose_with
from mercer._kernel_purpose import Purpose, purpose_of
from mercer._pairwise import _NullEstimator, kernel_matrix
from mercer._params import ParameterError, is_integer
from mercer._progress import Step
from mercer._run import running
from mercer._samples import features, take, validate_samples

# All eigenvalues of so many samples take seconds; far fewer samples reveal an indefinite kernel.
_MOST = 4096


@dataclass
class KernelCheck:
    """The result of :func:`mercer.check_kernel`.

    Attributes
    ----------
    verdict : str
        The result in one sentence.
    is_valid : bool
        Whether the samples are consistent with a kernel. False is a proof; True is not, since other
        samples may reveal a negative eigenvalue.
    asymmetry : float
        The largest difference of K_ij and K_ji, relative to the largest entry.
    smallest, largest : float
        The smallest and the largest eigenvalue.
    ratio : float
        How far the smallest eigenvalue is below 0, relative to the largest absolute one.
    negative_share : float
        The share of negative eigenvalues in the sum of absolute eigenvalues.
    witness : ndarray or None
        Weights a of the samples `carriers` with aᵀKa < 0, by descending size.
    carriers : ndarray or None
        The rows of the samples with these weights.
    witness_value : float or None
        aᵀKa.
    eigenvalues : ndarray
        All eigenvalues that were computed, descending.
    n_samples, n_examined : int
        The number of samples, and of those whose eigenvalues were computed.
    """

    verdict: str
    is_valid: bool
    asymmetry: float
    smallest: float
    largest: float
    ratio: float
    negative_share: float
    witness: np.ndarray | None
    carriers: np.ndarray | None
    witness_value: float | None
    eigenvalues: np.ndarray = field(repr=False)
    n_samples: int
    n_examined: int
    _text: str = field(repr=False)
    _matrix: np.ndarray = field(repr=False)

    def repair(self, method: str = "clip") -> np.ndarray:
        """Return the matrix that was examined, made positive semi-definite.

        Parameters
        ----------
        method : {"clip", "flip", "shift", "nearest"}, default="clip"
            How, as for :class:`mercer.KernelRepair`, which also repairs the values of new samples.

        Returns
        -------
        K : ndarray of shape (n_examined, n_examined)
            The repaired matrix.
        """
        from mercer._kernel_repair import KernelRepair

        return KernelRepair(method).fit_transform(self._matrix)

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        lines = html.escape(self._text).split("\n")
        return (
            f"<p><b>{lines[0]}</b></p><ul>" + "".join(f"<li>{x}</li>" for x in lines[1:]) + "</ul>"
        )


def check_kernel(
    kernel: str | Kernel | Callable,
    X=None,
    *,
    max_samples: int = _MOST,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
    **params: object,
) -> KernelCheck:
    """Check whether a function is a kernel on these samples.

    A kernel's matrix is symmetric and has no negative eigenvalue, on any samples. So one matrix can
    prove that a function is not a kernel, with a witness: weights a of a few samples with
    aᵀKa < 0. It never proves that a function is one.

    Parameters
    ----------
    kernel : str, Kernel, callable or array-like
        As for :func:`mercer.pairwise_kernels`, or ``"precomputed"``. A matrix of kernel values can
        be passed in its place, without X.
    X : array-like of shape (n_samples, n_features), optional
        Samples of any kind, or the matrix of kernel values for ``"precomputed"``.
    max_samples : int, default=4096
        Of more samples, this many are drawn with a fixed seed.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.
    **params
        Parameters of a kernel given by its name or as a function.

    Returns
    -------
    check : KernelCheck
        The result; printing it gives a summary.

    Examples
    --------
    >>> import mercer
    >>> points = [[0.0], [1.0], [2.0]]
    >>> mercer.check_kernel("rbf", points, gamma=1.0).is_valid
    True
    >>> def nearness(x, y):
    ...     return -abs(x[0] - y[0])
    >>> check = mercer.check_kernel(nearness, points)
    >>> check.verdict
    'not a kernel: indefinite on these 3 samples, the most negative eigenvalue is ...'
    >>> check.carriers
    array([0, 1])
    """
    if not is_integer(max_samples) or max_samples < 1:
        raise ParameterError(f"max_samples must be a positive integer, not {max_samples!r}")
    if X is None:
        kernel, X = "precomputed", _matrix_in_place_of(kernel)
    purpose, owner = purpose_of(kernel), _NullEstimator(memory_budget)
    X = validate_samples(owner, X, purpose, reset=True)
    n, rows = X.shape[0], None
    if n > max_samples:
        rows = np.sort(np.random.default_rng(0).choice(n, int(max_samples), replace=False))
        X = X[np.ix_(rows, rows)] if purpose == Purpose("matrix") else take(X, rows)
    choice = choose_with(kernel, features(X), params)
    given = isinstance(choice, Precomputed) and rows is None
    more = 0 if given else X.shape[0] ** 2 * np.dtype(X.dtype).itemsize
    with running(n_jobs, memory_budget, progress) as run:
        _core.check_memory(X.shape[0], more, run)
        K = _full_matrix(choice, X, memory_budget, run)
        among = None if rows is None else rows.tolist()
        found = _core.check_matrix(K, int(max_samples), among, n, more, run)
    return _kernel_check(found, K)


def _matrix_in_place_of(kernel: object):
    if isinstance(kernel, (str, Kernel)) or callable(kernel):
        raise ParameterError(
            "a function can only be checked on samples: pass some as X, or a matrix of kernel "
            "values in place of the kernel"
        )
    return kernel


def _full_matrix(choice, X, memory_budget, run) -> np.ndarray:
    """The kernel values of all pairs in both orders, which reveals asymmetry."""
    if isinstance(choice, Precomputed):
        return X
    return kernel_matrix(choice, X, X if choice.functions else None, memory_budget, run)


def _kernel_check(found: dict, K: np.ndarray) -> KernelCheck:
    carriers, weights, value = found["witness"] or (None, None, None)
    names = ("verdict", "is_valid", "asymmetry", "smallest", "largest", "ratio", "negative_share")
    return KernelCheck(
        **{name: found[name] for name in names},
        witness=weights,
        carriers=carriers,
        witness_value=value,
        eigenvalues=found["eigenvalues"],
        n_samples=found["samples"],
        n_examined=found["examined"],
        _text=found["text"],
        _matrix=K,
    )
