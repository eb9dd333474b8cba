"""What distinguishes clusters: sizes, means, deviations, and the labels in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from mercer._params import ParameterError
from mercer._strings import is_missing
from mercer.explain._tables import column_names, column_of, is_sequence


@dataclass
class ClusterProfiles:
    """What distinguishes clusters: see :func:`cluster_profiles`.

    Attributes
    ----------
    clusters : ndarray of shape (n_clusters,)
        The labels of the clusters.
    sizes : ndarray of shape (n_clusters,)
        How many samples are in each.
    names : list of str
        The columns of numbers; others have no mean.
    means : ndarray of shape (n_clusters, n_names)
        Means of the columns.
    deviations : ndarray of shape (n_clusters, n_names)
        How far a mean is from that of all samples, in standard deviations of all samples; 0 for a
        constant column.
    classes : ndarray of shape (n_classes,) or None
        The different labels of y.
    table : ndarray of shape (n_clusters, n_classes) or None
        How many samples of each cluster have each label.
    """

    clusters: np.ndarray
    sizes: np.ndarray
    names: list[str]
    means: np.ndarray
    deviations: np.ndarray
    classes: np.ndarray | None = None
    table: np.ndarray | None = None


def cluster_profiles(kmeans: Any, X: Any, y: ArrayLike | None = None) -> ClusterProfiles:
    """Return what distinguishes the clusters of samples.

    Parameters
    ----------
    kmeans : KernelKMeans or any fitted clustering with ``predict``
        Fitted.
    X : array-like, sparse matrix, data frame or dictionary of columns
        Samples, as the clustering takes them.
    y : array-like of shape (n_samples,), optional
        Known labels, to be counted in each cluster.

    Returns
    -------
    profiles : ClusterProfiles
        Sizes, means, deviations and counts. Clusters without samples are left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KernelKMeans, explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = explain.cluster_profiles(KernelKMeans(3, random_state=0).fit(X), X, y)
    >>> found.table.shape, int(found.table.sum())
    ((3, 3), 150)
    >>> bool(abs(found.sizes @ found.deviations).max() < 1e-9)
    True
    """
    check_is_fitted(kmeans)
    if is_sequence(X):
        raise ParameterError("X has no columns: profiles are means of columns of numbers")
    assigned = np.asarray(kmeans.predict(X))
    clusters, codes = np.unique(assigned, return_inverse=True)
    member = np.equal.outer(np.arange(len(clusters)), codes).astype(float)
    sizes = member.sum(axis=1).astype(int)
    names, values = _numbers(X)
    means = member @ values / sizes[:, None]
    spread = values.std(axis=0)
    deviations = (means - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    found = ClusterProfiles(clusters, sizes, names, means, deviations)
    if y is not None:
        y = column_or_1d(y)
        check_consistent_length(assigned, y)
        _refuse_unlabelled(y)
        found.classes, of_label = np.unique(y, return_inverse=True)
        labels = np.equal.outer(np.arange(len(found.classes)), of_label).astype(float)
        found.table = (member @ labels.T).astype(int)
    return found


def _refuse_unlabelled(y: np.ndarray) -> None:
    labels = y.tolist()
    missing = next((row for row, label in enumerate(labels) if is_missing(label)), None)
    if missing is not None:
        raise ValueError(f"y is missing at row {missing} (counted from 0): drop the row")
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ParameterError("y mixes strings and other values: use one type for all labels")


def _numbers(X: Any) -> tuple[list[str], np.ndarray]:
    """The names and values of the columns of numbers."""
    if sparse.issparse(X):
        return column_names(X), X.toarray().astype(np.float64)
    found = []
    for place, name in enumerate(column_names(X)):
        values = np.asarray(column_of(X, place))
        if values.dtype.kind in "biuf":
            found.append((name, values.astype(np.float64)))
    if not found:
        raise ParameterError("X has no column of numbers, whose means could be compared")
    return [name for name, _ in found], np.column_stack([values for _, values in found])
