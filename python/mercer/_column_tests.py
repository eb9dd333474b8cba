"""Which columns of two tables differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer import _core, _params
from mercer._arrays import as_contiguous, dense
from mercer._kernel_purpose import Purpose
from mercer._pairwise import _NullEstimator
from mercer._progress import Step
from mercer._run import running
from mercer._stack import stacked, validate_two
from mercer._test_result import count


@dataclass(eq=False)
class ColumnTests:
    """The result of :func:`mercer.column_tests`; printing it gives a table.

    Attributes
    ----------
    names : list of str
        The names of the columns, ``x0``, ``x1``, … where they have none.
    statistic : ndarray of shape (n_features,)
        The energy distance of each column.
    p_value : ndarray of shape (n_features,)
        Its p-value by permutations.
    adjusted_p_value : ndarray of shape (n_features,)
        The p-value adjusted for the number of columns by Holm's method.
    """

    names: list[str]
    statistic: np.ndarray
    p_value: np.ndarray
    adjusted_p_value: np.ndarray

    def moved(self, level: float = 0.05) -> np.ndarray:
        """Return the columns that differ at a level.

        Parameters
        ----------
        level : float, default=0.05
            The probability of naming any column of two equal distributions.

        Returns
        -------
        columns : ndarray of int
            Their positions, the smallest p-value first.
        """
        order = np.lexsort((-self.statistic, self.p_value))
        return order[self.adjusted_p_value[order] <= level]

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [f"{'column':{max(width, 6)}}  adjusted p       p  energy distance"]
        for i in np.lexsort((-self.statistic, self.p_value)):
            numbers = f"{self.adjusted_p_value[i]:10.4g}  {self.p_value[i]:6.4g}"
            lines.append(f"{self.names[i]:{max(width, 6)}}  {numbers}  {self.statistic[i]:15.6g}")
        return "\n".join(lines)


def column_tests(
    X,
    Y,
    *,
    n_permutations: int = 999,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
) -> ColumnTests:
    """Test each column of X and Y for a difference, by its energy distance.

    All permutations of a column are evaluated in one walk along its sorted values. A difference
    that no column shows alone, such as a changed correlation, is seen by :func:`mercer.mmd_test`.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features)
        Rows of numbers.
    n_permutations : int, default=999
        Number of permutations, at least 9. With many columns more are needed: an adjusted p-value
        is at least the number of columns / (n_permutations + 1).
    random_state : int or RandomState instance, default=0
        Seed of the permutations. None stands for 0.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Returns
    -------
    result : ColumnTests
        Statistics and p-values of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import column_tests
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.normal(size=(200, 3)), rng.normal(size=(150, 3)) + [0, 0.8, 0]
    >>> column_tests(old, new).moved()
    array([1])
    """
    permutations, seed = count("n_permutations", n_permutations), _params.seed(random_state)
    owner = _NullEstimator(memory_budget)
    X, Y = validate_two(owner, X, Y, Purpose("numbers"))
    names = getattr(owner, "feature_names_in_", [f"x{i}" for i in range(X.shape[1])])
    rows = as_contiguous(dense(stacked(X, Y), memory_budget).astype(np.float64, copy=False))
    with running(n_jobs, memory_budget, progress) as run:
        found = _core.column_tests(rows, X.shape[0], permutations, seed, run)
    statistic, p_value, adjusted = np.array(found).T
    return ColumnTests([str(name) for name in names], statistic, p_value, adjusted)
