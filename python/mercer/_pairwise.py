"""The kernel matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator

from mercer import _core
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Described, Precomputed, choose_with, kernel_argument
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._params import ParameterError
from mercer._progress import Step
from mercer._run import bytes_of, running
from mercer._samples import Checked, Groups, Items, features, to_core, validate_samples


def pairwise_kernels(
    X,
    Y=None,
    kernel: str | Kernel | Callable = "linear",
    *,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
    **params: object,
) -> np.ndarray:
    """Return the matrix of kernel values of the rows of X with those of Y, or of X itself.

    Only the samples and the matrix are in memory. For X with itself, one triangle is evaluated and
    mirrored.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Samples: rows of numbers, dense or sparse (float32 stays float32, anything else becomes
        float64), strings, a data frame, or any objects, depending on the kernel.
    Y : array-like of shape (n_samples_Y, n_features), optional
        Other samples.
    kernel : str, Kernel or callable, default="linear"
        The name of a family, a spec such as ``"0.5*rbf(gamma=0.1) + linear"``, a kernel object, a
        function of two samples, or anything else that scikit-learn's function of the same name
        takes. Rules such as ``gamma=scale`` are resolved on X.
    n_jobs : int, optional
        Threads; see :func:`mercer.set_num_threads`.
    memory_budget : int or str, optional
        Bytes that the matrix may take, such as ``"2GiB"``. By default all free memory.
    progress : bool or callable, default=False
        Whether to show a progress bar, or a function that is called with each :class:`mercer.Step`.
    **params
        Parameters of a kernel given by its name. As in scikit-learn, the default of gamma is
        1 / n_features. Beside an object or a spec, gamma, degree and coef0 apply to the parts that
        leave them open, as in estimators.

    Returns
    -------
    K : ndarray of shape (n_samples_X, n_samples_Y)
        The matrix.

    Examples
    --------
    >>> import mercer
    >>> mercer.pairwise_kernels([[0.0], [1.0]], kernel="rbf", gamma=1.0).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    if "metric" in params:
        given = params["metric"]
        raise ParameterError(
            "metric is scikit-learn's name for the kernel: pass it as kernel=, as in "
            f"pairwise_kernels(X, kernel={given!r})"
        )
    purpose = purpose_of(kernel)
    owner = _NullEstimator(memory_budget)
    X = validate_samples(owner, X, purpose, reset=True)
    if Y is not None:
        # A function gets both as the same kind of samples.
        objects = isinstance(X, Items)
        Y = validate_samples(owner, Y, replace(purpose, untouched=objects), reset=not objects)
    choice = choose_with(kernel, features(X), params)
    if isinstance(choice, Precomputed):
        raise ParameterError("kernel='precomputed' has nothing to compute: X is the kernel matrix")
    if Y is not None and features(Y) != features(X) and not isinstance(X, Groups):
        raise ValueError(f"X has {features(X)} features, but Y has {features(Y)}")
    with running(n_jobs, memory_budget, progress) as run:
        return kernel_matrix(choice, X, Y, memory_budget, run)


def kernel_matrix(choice: Described, X: Checked, Y: Checked | None, memory_budget, run: tuple):
    """Return the kernel values of validated samples, in single precision if all of them are."""
    single = all(part is None or part.dtype == np.float32 for part in (X, Y))
    dtype = np.dtype(np.float32 if single else np.float64)
    shape = (X.shape[0], (X if Y is None else Y).shape[0])
    require_memory(shape[0] * shape[1] * dtype.itemsize, memory_budget)
    left, right = (
        None if part is None else to_core(part, single=single, custom=is_custom(choice))
        for part in (X, Y)
    )
    out = np.empty(shape, dtype=dtype)
    _core.fill_matrix(kernel_argument(choice), left, right, out, run)
    return out


class _NullEstimator(BaseEstimator):
    """Stands for an estimator where samples are validated without one."""

    def __init__(self, memory_budget=None):
        self.memory_budget = memory_budget


def require_memory(needed: int, memory_budget: int | str | None) -> None:
    """Refuse a matrix of more bytes than the budget."""
    budget = bytes_of(memory_budget)
    if budget is None:
        budget = _core.available_memory()
    if needed > budget:
        raise MemoryError(
            f"the kernel matrix needs {needed} bytes, but the memory budget is {budget} bytes: "
            "use fewer samples or float32, or raise the budget"
        )
