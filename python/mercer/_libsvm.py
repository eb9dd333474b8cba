"""Support vector machines from LIBSVM model files."""

from __future__ import annotations

import os

import numpy as np

from mercer import _core
from mercer._load import MACHINES, Machine, restored
from mercer._params import ParameterError, is_integer
from mercer._reports import warn


def read_libsvm_model(path: str | os.PathLike, n_features: int | None = None) -> Machine:
    """Read a fitted support vector machine from a LIBSVM model file.

    Such a file does not store which training samples the support vectors were, nor the number of
    training samples: ``support_`` numbers the support vectors, and ``shape_fit_`` is their shape.

    Parameters
    ----------
    path : str or path-like
        A file written by LIBSVM's ``svm-train`` or by the method ``to_libsvm`` of an estimator.
    n_features : int, optional
        Columns of new samples, which the file does not store: by default, up to the last one that
        is not zero in some support vector.

    Returns
    -------
    estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        The fitted estimator. Its classes are sorted integers.

    Raises
    ------
    OSError
        If the file cannot be read.
    FormatError
        If the file is not a LIBSVM model file.

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> X, y = [[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]], [1, 2, 1]
    >>> model = mercer.SVC(gamma=0.5).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "svm.model")
    ...     model.to_libsvm(path)
    ...     again = mercer.read_libsvm_model(path)
    >>> again.predict(X)
    array([1, 2, 1])
    """
    if n_features is not None and not (is_integer(n_features) and n_features > 0):
        raise ParameterError(f"n_features must be a positive integer or None, not {n_features!r}")
    model = _core.read_libsvm(os.fspath(path), None if n_features is None else int(n_features))
    facts = _core.svm_facts(model)
    estimator = restored(MACHINES[facts["task"]], model)
    if facts["classes"] is not None:
        estimator.classes_ = np.array([int(name) for name in facts["classes"]])
    for note in estimator.report_["notes"]:
        warn(note)
    return estimator
