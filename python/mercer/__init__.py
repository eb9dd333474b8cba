"""Kernel PCA, PCA, kernel ridge regression, support vector machines, kernel k-means and outlier
detection with scikit-learn's interface, computed in Rust.

Changing the import is enough:

>>> import numpy as np
>>> from mercer import KernelPCA
>>> X = np.array([[1.0, 1.0], [2.0, 4.0], [-1.0, 1.0], [-2.0, 4.0]])
>>> kpca = KernelPCA(n_components=2, kernel="poly", degree=2, gamma=1.0).fit(X)
>>> kpca.eigenvalues_.round(3)
array([277.928, 252.   ])
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from mercer import _pickles as _pickles
from mercer import kernels
from mercer._check_kernel import KernelCheck, check_kernel
from mercer._chi2_sampler import AdditiveChi2Sampler
from mercer._conformal import ConformalRegressor
from mercer._conformal_classifier import ConformalClassifier
from mercer._core import FormatError, InternalError, __version__
from mercer._count_sketch import PolynomialCountSketch
from mercer._detector import KernelPCADetector
from mercer._explore import Explorer, explore
from mercer._feature_map import FeatureMap, feature_map
from mercer._kernel_kmeans import KernelKMeans
from mercer._kernel_pca import KernelPCA
from mercer._kernel_repair import KernelRepair
from mercer._kernel_ridge import KernelRidge
from mercer._kernel_ridge_classifier import KernelRidgeClassifier
from mercer._kernel_ridge_cv import KernelRidgeCV
from mercer._load import load, read_libsvm_model
from mercer._n_clusters import ClusterCount, choose_n_clusters
from mercer._nu_svc import NuSVC
from mercer._nystroem import Nystroem
from mercer._one_class_svm import OneClassSVM
from mercer._pairwise import pairwise_kernels
from mercer._params import ParameterError
from mercer._pca import PCA
from mercer._pipeline_files import save
from mercer._progress import Step
from mercer._rbf_sampler import RBFSampler
from mercer._run import get_num_threads, set_num_threads
from mercer._scan import Scan, scan
from mercer._stream import BlockResults
from mercer._svc import SVC
from mercer._svc_path import svc_path
from mercer._svc_search import SVCSearch
from mercer._svr import SVR, NuSVR
from mercer._svr_search import SVRSearch
from mercer._table_encoder import TableEncoder
from mercer._versions import show_versions

if _TYPE_CHECKING:
    from mercer import explain
    from mercer._auto_kernel import AutoKernel
    from mercer._plot import (
        BoundaryDisplay,
        ClusterDisplay,
        ComponentDisplay,
        ContributionDisplay,
        DenoisingDisplay,
        DependenceDisplay,
        EmbeddingDisplay,
        GramDisplay,
        ImportanceDisplay,
        InfluenceDisplay,
        KmerDisplay,
        OutlierColumnsDisplay,
        OutlierDisplay,
        PathDisplay,
        SpectrumDisplay,
    )

__all__ = [
    "PCA",
    "SVC",
    "SVR",
    "AdditiveChi2Sampler",
    "AutoKernel",
    "BlockResults",
    "BoundaryDisplay",
    "ClusterCount",
    "ClusterDisplay",
    "ComponentDisplay",
    "ConformalClassifier",
    "ConformalRegressor",
    "ContributionDisplay",
    "DenoisingDisplay",
    "DependenceDisplay",
    "EmbeddingDisplay",
    "Explorer",
    "FeatureMap",
    "FormatError",
    "GramDisplay",
    "ImportanceDisplay",
    "InfluenceDisplay",
    "InternalError",
    "KernelCheck",
    "KernelKMeans",
    "KernelPCA",
    "KernelPCADetector",
    "KernelRepair",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "KmerDisplay",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "OutlierColumnsDisplay",
    "OutlierDisplay",
    "ParameterError",
    "PathDisplay",
    "PolynomialCountSketch",
    "RBFSampler",
    "SVCSearch",
    "SVRSearch",
    "Scan",
    "SpectrumDisplay",
    "Step",
    "TableEncoder",
    "__version__",
    "check_kernel",
    "choose_n_clusters",
    "explain",
    "explore",
    "feature_map",
    "get_num_threads",
    "kernels",
    "load",
    "pairwise_kernels",
    "read_libsvm_model",
    "save",
    "scan",
    "set_num_threads",
    "show_versions",
    "svc_path",
]

# Modules that are imported when they are first used: most programs need none of them, and the
# package takes half the time to import without.
_ON_USE = {"explain": "mercer.explain", "AutoKernel": "mercer._auto_kernel"} | {
    name: "mercer._plot" for name in __all__ if name.endswith("Display")
}

if not _TYPE_CHECKING:

    def __getattr__(name: str):
        if name not in _ON_USE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = _import_module(_ON_USE[name])
        found = module if name == "explain" else getattr(module, name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
