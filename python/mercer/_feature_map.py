"""Explicit feature maps: kernels as inner products of named features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from mercer import _core
from mercer._arrays import as_contiguous, dense, validate_rows
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Described, choose_with
from mercer._kernel_purpose import Purpose, purpose_of
from mercer._pairwise import _NullEstimator
from mercer._params import ParameterError, is_integer
from mercer._progress import Step
from mercer._run import running
from mercer._samples import Strings, to_core, validate_samples


@dataclass
class FeatureMap:
    """The features of samples whose inner products are a kernel: see :func:`mercer.feature_map`.

    Attributes
    ----------
    features : {ndarray, sparse array} of shape (n_samples, dimension)
        Features of the samples that the map was made from; sparse for strings.
    names : list of str
        Names of the features.
    dimension : int
        Number of features.
    exact : bool
        Whether inner products are the kernel up to rounding; otherwise they approximate it.
    worst_error : float or None
        For an approximate map of a single kernel, the largest error of inner products, relative to
        Σ max(x_i, x'_i).
    kernel : str
        The kernel with all its parameters, as a spec.
    """

    kernel: str
    features: np.ndarray = field(repr=False)
    names: list[str] = field(repr=False)
    dimension: int
    exact: bool
    worst_error: float | None
    _map: _core.FeatureMap | _core.TextMap = field(repr=False)
    _checker: _NullEstimator = field(repr=False)

    def transform(self, X) -> np.ndarray | sparse.csr_array:
        """Return the features of new samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        features : {ndarray, sparse array} of shape (n_samples, dimension)
            Their features. Substrings that none of the strings of the map has are omitted: they do
            not contribute to its inner products.
        """
        purpose = Purpose("strings" if isinstance(self._map, _core.TextMap) else "numbers")
        X = _rows(self._checker, X, purpose, reset=False)
        with running(None, self._checker.memory_budget, progress=False) as run:
            return _apply(self._map, X, run)


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

    They exist for ``"linear"``, ``"poly"``, ``"cosine"``, ``"hellinger"``, and sums, products,
    multiples and normalised forms of these; and for ``"spectrum"`` and ``"substrings"``, whose
    sums, multiples and normalised forms have a feature for each substring. Those of
    ``"additive_chi2"``, ``"intersection"`` and ``"jensen_shannon"`` are approximate. Other kernels
    have infinitely many features.

    Parameters
    ----------
    kernel : str or Kernel
        The kernel, also on columns of a data frame.
    X : array-like of shape (n_samples, n_features)
        Samples, on which rules such as ``gamma=scale`` are resolved; or strings.
    n_sampled : int, default=3
        Resolution of an approximate map: a column becomes 2 * n_sampled + 1 features.
    memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.
    **params
        Parameters of a kernel that is given by its name.

    Returns
    -------
    map : FeatureMap
        The features and their names, and a method for new samples.

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

    Features of strings are their substrings:

    >>> found = mercer.feature_map("spectrum(p=2)", ["anna", "ann"])
    >>> found.names
    ['an', 'na', 'nn']
    >>> found.features.toarray()
    array([[1., 1., 1.],
           [1., 0., 1.]])
    """
    if not is_integer(n_sampled) or n_sampled < 1:
        raise ParameterError(f"n_sampled must be a positive integer, not {n_sampled!r}")
    checker = _NullEstimator(memory_budget)
    X = _rows(checker, X, purpose_of(kernel), reset=True)
    choice = choose_with(kernel, X.shape[1], params)
    if not isinstance(choice, Described) or choice.functions:
        raise ParameterError("a feature map needs a kernel given by a name or spec")
    names = [str(name) for name in getattr(checker, "feature_names_in_", ())]
    if isinstance(X, Strings):
        made = _core.TextMap(choice.text, X.values)
        facts = {"names": made.names(), "exact": True, "worst_error": None}
    else:
        made = _core.FeatureMap(_resolved(choice.text, X), X.shape[1], names, int(n_sampled))
        facts = {"names": made.names(names or None)}
        facts |= {"exact": made.exact, "worst_error": made.worst_error}
    with running(None, memory_budget, progress) as run:
        found = _apply(made, X, run)
    shape = {"features": found, "dimension": made.dimension}
    return FeatureMap(kernel=choice.text, **shape, **facts, _map=made, _checker=checker)


def _rows(checker: _NullEstimator, X, purpose: Purpose, *, reset: bool) -> np.ndarray | Strings:
    if purpose.kind == "strings":
        return validate_samples(checker, X, purpose, reset=reset)
    X = validate_rows(checker, X, reset=reset, accept_sparse=True)
    return as_contiguous(dense(X, checker.memory_budget))


def _apply(made, X: np.ndarray | Strings, run: tuple) -> np.ndarray | sparse.csr_array:
    if not isinstance(X, Strings):
        return made.apply(X, run)
    parts = made.apply(to_core(X, single=False), run)
    return sparse.csr_array(parts, shape=(X.shape[0], made.dimension))


def _resolved(text: str, X: np.ndarray) -> str:
    """The kernel with its parameters resolved; one on columns must have them in its spec."""
    groups, _ = _core.purpose(text)
    return text if groups else _core.resolve(text, to_core(X, single=False))
