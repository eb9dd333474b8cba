"""The kernels of support vector machines, whose gamma is found from the variance of samples."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mercer._arrays import finite
from mercer._kernel_choice import FAMILIES, Choice, choose, is_name, knows_scale
from mercer._samples import Checked, features

USUAL = {"gamma": "scale", "degree": 3, "coef0": 0.0}


def choose_for(estimator, X: Checked) -> Choice:
    """Return what the estimator's kernel is for samples X."""
    kernel, gamma = estimator.kernel, estimator.gamma
    by_rule = is_name(kernel) and isinstance(gamma, str) and gamma == "scale"
    if by_rule and FAMILIES.get(kernel, {}).get("input") == "texts":
        gamma = None
    elif by_rule and not knows_scale(kernel, estimator.degree):
        gamma = scale(X)
    degree, coef0 = estimator.degree, estimator.coef0
    own = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return choose(kernel, features(X), **own, usual=USUAL, form=estimator._form)


def scale(X: Checked) -> float:
    """Return 1 / (n_features · variance of X), or 1 for samples that are all the same."""
    finite(X)
    if sparse.issparse(X):
        squares = X.multiply(X).mean(dtype=np.float64)
        variance = float(squares - X.mean(dtype=np.float64) ** 2)
    else:
        variance = X.var(dtype=np.float64)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
