"""The same estimators on the workers of a Dask cluster.

They take ``client=None`` and the parameters of the estimators of :mod:`mercer`; the fitted model is
that of one machine, to the last bit.
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError("mercer.dask needs Dask: install it with pip install mercer[dask]") from error

from mercer.dask._estimators import (
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Nystroem,
)
from mercer.dask._machines import SVC, SVR
from mercer.dask._search import SVCSearch

__all__ = [
    "SVC",
    "SVR",
    "KernelKMeans",
    "KernelPCA",
    "KernelPCADetector",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "Nystroem",
    "SVCSearch",
]
