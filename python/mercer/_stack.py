"""Two sets of validated samples, one behind the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from mercer._custom import Store
from mercer._kernel_purpose import Purpose
from mercer._samples import Checked, Groups, Items, Strings, features, validate_samples


def validate_two(owner, X, Y, purpose: Purpose) -> tuple[Checked, Checked]:
    """Return two sets of samples of the same kind with the same columns."""
    X = validate_samples(owner, X, purpose, reset=True)
    objects = isinstance(X, Items)
    Y = validate_samples(owner, Y, replace(purpose, untouched=objects), reset=not objects)
    if features(Y) != features(X) and not isinstance(X, Groups):
        raise ValueError(f"X has {features(X)} features, but Y has {features(Y)}")
    return X, Y


def stacked(X: Checked, Y: Checked) -> Checked:
    """Return the samples of X, followed by those of Y."""
    if isinstance(X, Strings):
        return Strings(X.values + Y.values)
    if isinstance(X, Items):
        arrays = X.store.data, Y.store.data
        if all(isinstance(data, np.ndarray) for data in arrays):
            return Items(Store(np.concatenate(arrays)))
        return Items(Store(_objects(X) + _objects(Y)))
    if isinstance(X, Groups):
        others = dict(Y.parts)
        parts = [(names, stacked(part, others[names])) for names, part in X.parts]
        return Groups(parts, X.columns)
    if sparse.issparse(X) or sparse.issparse(Y):
        return sparse.csr_array(sparse.vstack([X, Y]))
    return np.concatenate([X, Y])


def _objects(X: Items) -> list:
    """The objects of a store, whatever holds them."""
    return list(X.store.each(np.arange(len(X.store))))
