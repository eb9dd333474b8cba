"""Kernels as inner products of features that can be seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mercer import _core
from mercer._arrays import dense, plain, samples
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Described, choose
from mercer._pairwise import Nobody
from mercer._params import ParameterError, is_integer
from mercer._progress import Step
from mercer._run import running
from mercer._samples import held


@dataclass
class FeatureMap:
    """The features of samples whose inner products are a kernel: see :func:`mercer.feature_map`.

    Attributes
    ----------
    features : ndarray of shape (n_samples, dimension)
        Those of the samples that it was made with.
    names : list of str
        What each feature is.
    dimension : int
        How many there are.
    exact : bool
        Whether inner products are the kernel up to rounding; else they come close.
    worst_error : float or None
        Of an approximate map of a single kernel, how far inner products are off at most, as a share
        of Σ max(x_i, x'_i).
    kernel : str
        The kernel with all its numbers.
    """

    kernel: str
    features: np.ndarray = field(repr=False)
    names: list[str] = field(repr=False)
    dimension: int
    exact: bool
    worst_error: float | None
    _map: _core.FeatureMap = field(repr=False)
    _checker: Nobody = field(repr=False)

    def transform(self, X) -> np.ndarray:
        """Return the features of new samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        features : ndarray of shape (n_samples, dimension)
            Their features.
        """
        X = _rows(self._checker, X, reset=False)
        with running(None, self._checker.memory_budget, progress=False) as run:
            return self._map.apply(X, run)


def feature_map(
    kernel: str | Kernel,
    X,
    *,
    n_sampled: int = 3,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
    **params: object,
) -> FeatureMap:
    """Return the features of samples whose inner products are a kernel, with their names.

    There are such for ``"linear"``, ``"poly"``, ``"cosine"``, ``"hellinger"``, and sums, products,
    multiples and normalised forms of these. Those of ``"additive_chi2"`` and ``"intersection"`` are
    approximate. Other kernels have infinitely many.

    Parameters
    ----------
    kernel : str or Kernel
        The kernel, also on columns of a data frame.
    X : array-like of shape (n_samples, n_features)
        Samples, by which rules such as ``gamma=scale`` are worked out, too.
    n_sampled : int, default=3
        How fine an approximate map is: a column becomes 2 * n_sampled + 1 features.
    memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.
    **params
        Parameters of a kernel that is given by its name.

    Returns
    -------
    map : FeatureMap
        The features and their names, and a way to get those of new samples.

    Examples
    --------
    >>> import mercer
    >>> X = [[1.0, 2.0], [3.0, 4.0]]
    >>> found = mercer.feature_map("poly", X, degree=2, gamma=1, coef0=1)
    >>> found.names
    ['1', '√2·x0', '√2·x1', 'x0^2', '√2·x0·x1', 'x1^2']
    >>> found.features @ found.features.T
    array([[ 36., 144.],
           [144., 676.]])
    >>> mercer.pairwise_kernels(X, kernel="poly", degree=2, gamma=1, coef0=1)
    array([[ 36., 144.],
           [144., 676.]])
    """
    if not is_integer(n_sampled) or n_sampled < 1:
        raise ParameterError(f"n_sampled must be a positive integer, not {n_sampled!r}")
    checker = Nobody(memory_budget)
    X = _rows(checker, X, reset=True)
    choice = choose(kernel, X.shape[1], kernel_params=params or None)
    if not isinstance(choice, Described) or choice.functions:
        raise ParameterError("a feature map needs a kernel that is given by a name or spec")
    columns = getattr(checker, "feature_names_in_", None)
    columns = [] if columns is None else [str(name) for name in columns]
    made = _core.FeatureMap(_resolved(choice.text, X), X.shape[1], columns, int(n_sampled))
    with running(None, memory_budget, progress) as run:
        found = made.apply(X, run)
    return FeatureMap(
        kernel=choice.text,
        features=found,
        names=made.names(columns or None),
        dimension=made.dimension,
        exact=made.exact,
        worst_error=made.worst_error,
        _map=made,
        _checker=checker,
    )


def _rows(checker: Nobody, X, *, reset: bool) -> np.ndarray:
    X = samples(checker, X, reset=reset, accept_sparse=True)
    return plain(dense(X, checker.memory_budget))


def _resolved(text: str, X: np.ndarray) -> str:
    """The kernel with its numbers; one on columns says them itself."""
    groups, _ = _core.purpose(text)
    return text if groups else _core.resolve(text, held(X, single=False))
