"""The matrix of kernel values, for whoever asks for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.validation import check_array

from mercer import _core
from mercer._arrays import _FLOATS, _no_halves, dense, plain
from mercer._kernel_choice import Foreign, Precomputed, choose
from mercer._params import ParameterError
from mercer._progress import Step
from mercer._run import bytes_of, running
from mercer.kernels import Kernel


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

    Beside the samples, only the matrix is held. Of a matrix of X with itself, one half is
    evaluated and mirrored.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Samples. float32 is kept; anything else becomes float64. Sparse matrices are written out.
    Y : array-like of shape (n_samples_Y, n_features), optional
        Other samples.
    kernel : str, Kernel or callable, default="linear"
        The name of a family, a spec such as ``"0.5*rbf(gamma=0.1) + linear"``, a kernel object, or
        what scikit-learn's function of the same name takes. Rules such as ``gamma=scale`` are
        worked out on X.
    n_jobs : int, optional
        Threads; see :func:`mercer.set_num_threads`.
    memory_budget : int or str, optional
        Bytes that the matrix may take, such as ``"2GiB"``. By default what the machine has free.
    progress : bool or callable, default=False
        Whether to show a bar, or a function that is called with each :class:`mercer.Step`.
    **params
        Parameters of a kernel that is given by its name. As in scikit-learn, gamma is
        1 / n_features where nothing else is said.

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
    X = _samples(X, memory_budget)
    Y = None if Y is None else _samples(Y, memory_budget)
    if Y is not None and Y.dtype != X.dtype:
        X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    choice = choose(kernel, X.shape[1], **_sorted_params(kernel, params))
    if isinstance(choice, Precomputed):
        raise ParameterError("kernel='precomputed' leaves nothing to compute")
    if isinstance(choice, Foreign):
        return choice.matrix(X, Y, n_jobs)
    if Y is not None and Y.shape[1] != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features, but Y has {Y.shape[1]}")
    shape = (len(X), len(X if Y is None else Y))
    need(shape[0] * shape[1] * X.dtype.itemsize, memory_budget)
    out = np.empty(shape, dtype=X.dtype)
    with running(n_jobs, memory_budget, progress) as run:
        _core.fill_matrix(choice.text, X, Y, out, run)
    return out


def _samples(X, memory_budget) -> np.ndarray:
    X = check_array(
        _no_halves(X), dtype=_FLOATS, accept_sparse=("csr", "csc"), ensure_all_finite=False
    )
    return plain(dense(X, memory_budget))


def _sorted_params(kernel: object, params: dict) -> dict:
    """Parameters of a name are the kernel's own; those of a function are handed on to it."""
    return {"kernel_params": params} if params else {}


def need(needed: int, memory_budget: int | str | None) -> None:
    """Refuse a matrix of more bytes than the budget."""
    budget = bytes_of(memory_budget)
    if budget is None:
        budget = _core.available_memory()
    if needed > budget:
        raise MemoryError(
            f"the kernel matrix needs {needed} bytes, but the memory budget is {budget} bytes: "
            "take fewer rows, use float32, or raise the budget"
        )
