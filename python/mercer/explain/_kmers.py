"""Weights of substrings in a model with a spectrum kernel, exact through its feature map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer import _predict
from mercer._feature_map import FeatureMap, feature_map
from mercer._kernel_choice import Described
from mercer._kernel_purpose import purpose_of
from mercer._params import ParameterError, is_integer
from mercer.explain._influence import expansion_of, model_of


@dataclass
class KmerWeights:
    """A linear function of counts of substrings: see :func:`kmer_weights`.

    Attributes
    ----------
    names : list of str
        The substrings.
    weights : ndarray of shape (n_substrings,)
        Their weights.
    intercept : float
        The intercept.
    """

    names: list[str]
    weights: np.ndarray
    intercept: float
    _map: FeatureMap = field(repr=False)

    def features(self, X: Any) -> Any:
        """Return the features of strings, a column for each substring, as a sparse array.

        For a spectrum kernel these are counts; for a normalised one, counts divided by the length
        of the vector of counts.
        """
        return self._map.transform(X)

    def values(self, X: Any) -> np.ndarray:
        """Return Σ weight · feature + intercept: the decision values or predictions of strings."""
        return self.features(X) @ self.weights + self.intercept

    def largest(self, k: int = 10) -> list[tuple[str, float]]:
        """Return the k substrings with the largest weights by size, the largest first."""
        if not is_integer(k) or k < 1:
            raise ParameterError(f"k must be a positive integer, not {k!r}")
        order = np.argsort(-np.abs(self.weights), kind="stable")[:k]
        return [(self.names[place], float(self.weights[place])) for place in order]


def kmer_weights(estimator: Any, *, target: object = None) -> KmerWeights:
    """Return the weight of each substring in a model with a spectrum kernel on strings.

    The kernel is an inner product of counts of substrings, so that the model is a linear function
    of these counts: Σ_i c_i k(x_i, x) = Σ_s w_s count_s(x) with w_s = Σ_i c_i count_s(x_i).

    Parameters
    ----------
    estimator : estimator of mercer, search or pipeline that ends with one
        Fitted, with a kernel that has a feature for each substring: ``"spectrum"``,
        ``"substrings"``, and sums, multiples and normalised forms of them.
    target : object, optional
        As for :func:`influential_samples`.

    Returns
    -------
    weights : KmerWeights
        The substrings of the training samples, their weights, and the intercept.

    Examples
    --------
    >>> from mercer import SVC, explain
    >>> words = ["abab", "baba", "cdcd", "dcdc"] * 3
    >>> model = SVC(kernel="spectrum(p=2)").fit(words, [0, 0, 1, 1] * 3)
    >>> found = explain.kmer_weights(model)
    >>> sorted(name for name, weight in zip(found.names, found.weights) if weight > 0)
    ['cd', 'dc']
    """
    model, _ = model_of(estimator, []) if not hasattr(estimator, "steps") else _last(estimator)
    choice = model._choice
    if (
        not isinstance(choice, Described)
        or choice.functions
        or purpose_of(choice).kind != "strings"
    ):
        raise TypeError(f"the kernel {model.kernel_} is not a kernel on strings")
    _, coef, intercept = expansion_of(model, target)
    made = feature_map(model.kernel_, _predict.kept_samples(model))
    return KmerWeights(made.names, np.asarray(made.features.T @ coef), intercept, made)


def _last(pipeline: Any) -> tuple[Any, None]:
    """The last step of a pipeline, whose samples the weights are about."""
    return model_of(pipeline.steps[-1][1], [])[0], None
