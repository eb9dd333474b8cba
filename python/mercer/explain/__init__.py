"""Explanations of fitted estimators: of columns, of samples, of substrings and of clusters.

Functions take fitted estimators of mercer or of scikit-learn, also pipelines, and samples in any
container that these take: arrays, sparse matrices, data frames, dictionaries of columns, strings.

>>> from sklearn.datasets import load_iris
>>> from mercer import SVC, explain
>>> X, y = load_iris(return_X_y=True, as_frame=True)
>>> found = explain.permutation_importance(SVC().fit(X, y), X, y)
>>> found.names[found.mean.argmax()]
'petal length (cm)'
"""

from mercer.explain._clusters import ClusterProfiles, cluster_profiles
from mercer.explain._contributions import Contributions, contributions
from mercer.explain._dependence import Dependence, partial_dependence
from mercer.explain._importance import Importance, permutation_importance
from mercer.explain._influence import Influence, influential_samples
from mercer.explain._kmers import KmerWeights, kmer_weights
from mercer.explain._outliers import OutlierColumns, outlier_columns

__all__ = [
    "ClusterProfiles",
    "Contributions",
    "Dependence",
    "Importance",
    "Influence",
    "KmerWeights",
    "OutlierColumns",
    "cluster_profiles",
    "contributions",
    "influential_samples",
    "kmer_weights",
    "outlier_columns",
    "partial_dependence",
    "permutation_importance",
]
