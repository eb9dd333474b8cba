"""The number of clusters of kernel k-means, chosen by a criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from mercer import _core, _fit, _params
from mercer import _n_clusters_scores as criteria
from mercer._arrays import Samples
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Choice, Described, Precomputed, choose_with
from mercer._kernel_kmeans import KernelKMeans
from mercer._kernel_purpose import purpose_of
from mercer._pairwise import _NullEstimator, kernel_matrix, require_memory
from mercer._params import ParameterError, is_integer
from mercer._run import running
from mercer._samples import Checked, features, to_core, validate_samples
from mercer._time_limit import Clock

_CRITERIA = ("silhouette", "gap", "stability")
_DRAWS = 20


@dataclass(eq=False)
class ClusterCount:
    """The result of :func:`mercer.choose_n_clusters`.

    Attributes
    ----------
    n_clusters : int
        The number of clusters chosen.
    criterion : str
        The criterion.
    k : ndarray of shape (n_k,)
        The numbers that were compared, ascending.
    scores : ndarray of shape (n_k,)
        The criterion of each; higher is better.
    std_errors : ndarray of shape (n_k,)
        Their standard errors; NaN for the silhouette, which is not repeated.
    """

    n_clusters: int
    criterion: str
    k: np.ndarray
    scores: np.ndarray
    std_errors: np.ndarray

    def __str__(self) -> str:
        lines = [f"{self.n_clusters} clusters by {self.criterion}"]
        for k, score, error in zip(self.k, self.scores, self.std_errors, strict=True):
            spread = "" if np.isnan(error) else f" ± {error:.4f}"
            lines.append(f"{'*' if k == self.n_clusters else ' '} {k:4d}  {score:.4f}{spread}")
        return "\n".join(lines)


def choose_n_clusters(
    X: Samples,
    *,
    kernel: str | Kernel | Callable[..., float] = "rbf",
    k: Iterable[int] = range(2, 11),
    criterion: str = "silhouette",
    n_draws: int | None = None,
    n_init: int = 10,
    random_state: int | np.random.RandomState | None = 0,
    max_time: float | None = None,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    **params: object,
) -> ClusterCount:
    """Choose the number of clusters of :class:`mercer.KernelKMeans`.

    The kernel matrix is computed once and stored; memory grows with the square of the number of
    samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples of any kind, or the kernel matrix if the kernel is precomputed.
    kernel : str, Kernel or callable, default="rbf"
        The kernel, as for :class:`mercer.KernelKMeans`.
    k : iterable of int, default=range(2, 11)
        The numbers of clusters to compare, below the number of samples. ``"gap"`` can compare 1.
    criterion : {"silhouette", "gap", "stability"}, default="silhouette"
        ``"silhouette"`` is the mean of (b − a) / max(a, b) over samples: a is the mean distance in
        feature space to the samples of the same cluster, b that to the nearest other cluster. The
        largest is chosen.
        ``"gap"`` is the gap statistic of Tibshirani, Walther and Hastie (2001): how far the
        logarithm of the inertia is below its mean on samples that are uniform in the box of X along
        its principal axes. The smallest k is chosen whose gap is at least the next one less its
        standard error; if there is none, the one with the largest gap.
        ``"stability"`` is the mean adjusted Rand index of the clusters of two random subsamples of
        80 %, on the samples that both have. The largest k is chosen that is within one standard
        error of the most stable one.
    n_draws : int, optional
        Number of reference sets of ``"gap"``, or of pairs of subsamples of ``"stability"``. By
        default 20.
    n_init : int, default=10
        Starts of each clustering.
    random_state : int or RandomState instance, default=0
        Seed of starts, references and subsamples. None stands for 0.
    max_time : float, optional
        Seconds that the comparison may take; beyond them a TimeoutError is raised.
    n_jobs, memory_budget
        How the work is run, as for :class:`mercer.KernelPCA`.
    **params
        Parameters of the kernel, such as gamma, as for :func:`mercer.pairwise_kernels`.

    Returns
    -------
    choice : ClusterCount
        The number chosen, and the scores of all; printing it gives a table.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from mercer import KernelKMeans, choose_n_clusters
    >>> X, _ = make_blobs(90, centers=[[0, 0], [4, 0], [0, 4]], cluster_std=0.5, random_state=0)
    >>> found = choose_n_clusters(X, k=range(2, 6), gamma=0.1)
    >>> found.n_clusters
    3
    >>> KernelKMeans(found.n_clusters, gamma=0.1, n_init=10).fit(X).cluster_sizes_
    array([30, 30, 30], dtype=int32)
    """
    if "landmarks" in params:
        raise ParameterError(
            "choose_n_clusters compares exact kernel values and takes no landmarks: choose the "
            "number on a sample of the rows"
        )
    clock = Clock(KernelKMeans(max_time=max_time))
    draws = _draws(criterion, n_draws)
    owner = _NullEstimator(memory_budget)
    X = validate_samples(owner, X, purpose_of(kernel), reset=True)
    ks = _counts(k, X.shape[0], least=1 if criterion == "gap" else 2)
    choice = choose_with(kernel, features(X), params)
    require_memory(2 * X.shape[0] ** 2 * 8, memory_budget)
    seed = _params.seed(random_state)
    settings = {"n_jobs": n_jobs, "memory_budget": memory_budget}
    try:
        scores, errors = _scores(choice, X, criterion, draws, ks, n_init, seed, settings, clock)
    except (TimeoutError, _core.OutOfTimeError):
        advice = "raise max_time, compare fewer numbers of clusters, or take fewer samples"
        raise clock.error(advice) from None
    best = _CHOSEN[criterion](scores, errors)
    return ClusterCount(ks[best], criterion, np.array(ks), scores, errors)


def _scores(
    choice: Choice,
    X: Checked,
    criterion: str,
    draws: int,
    ks: list[int],
    n_init: int,
    seed: int,
    settings: dict,
    clock: Clock,
) -> criteria.Scores:
    """The score and the standard error of each number of clusters."""
    rng = np.random.default_rng(seed)
    cluster = partial(_cluster, n_init, settings, clock)
    if criterion == "gap":
        K, others = _with_references(choice, X, draws, rng, settings, clock)
        return criteria.gaps(K, others, ks, cluster, seed)
    K = _matrix(choice, X, settings, clock)
    if criterion == "stability":
        pairs = criteria.subsamples(X.shape[0], draws, rng)
        return criteria.stabilities(K, pairs, ks, cluster, seed)
    return criteria.silhouettes(K, ks, cluster, seed)


def _draws(criterion: object, n_draws: object) -> int:
    """The number of draws that a criterion takes."""
    if not isinstance(criterion, str) or criterion not in _CRITERIA:
        options = ", ".join(map(repr, _CRITERIA))
        raise ParameterError(f"criterion must be one of {options}, not {criterion!r}")
    if n_draws is None:
        return _DRAWS
    if criterion == "silhouette":
        raise ParameterError(
            "n_draws has no effect on the silhouette, which draws nothing: omit it"
        )
    if not is_integer(n_draws) or n_draws < 2:
        raise ParameterError(f"n_draws must be an integer of at least 2 or None, not {n_draws!r}")
    return int(n_draws)


def _counts(k: Iterable[int], n: int, least: int) -> list[int]:
    """The numbers of clusters, sorted."""
    found = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else []
    if not found or not all(is_integer(one) for one in found):
        raise ParameterError(f"k must be integers, as in range(2, 11), not {k!r}")
    wrong = [int(one) for one in found if not least <= one < n]
    if wrong:
        raise ParameterError(
            f"k={wrong[0]} is out of range: of {n} samples, {least} to {n - 1} clusters can be "
            "compared"
        )
    return sorted({int(one) for one in found})


def _cluster(
    n_init: int, settings: dict, clock: Clock, K: np.ndarray, k: int, seed: int
) -> KernelKMeans:
    if clock.is_over:
        raise TimeoutError
    model = KernelKMeans(k, kernel="precomputed", n_init=n_init, random_state=seed, **settings)
    return model.set_params(max_time=clock.left).fit(K)


def _matrix(choice: Choice, X: Checked, settings: dict, clock: Clock) -> np.ndarray:
    """The kernel matrix of validated samples, in double precision."""
    if isinstance(choice, Precomputed):
        checker = KernelKMeans(kernel="precomputed", precision="f64", **settings)
        return _fit.training_data(checker, X, choice)
    if choice.text == "linear" and isinstance(X, np.ndarray):
        # Distances do not change, and lose no digits to an offset.
        X = X - X.mean(axis=0, dtype=np.float64)
    limits = (settings["n_jobs"], settings["memory_budget"], False)
    with running(*limits, seconds=clock.left) as run:
        found = kernel_matrix(choice, X, None, settings["memory_budget"], run)
    return found.astype(np.float64, copy=False)


def _with_references(
    choice: Choice,
    X: Checked,
    draws: int,
    rng: np.random.Generator,
    settings: dict,
    clock: Clock,
) -> tuple[np.ndarray, Iterator[np.ndarray]]:
    """The kernel matrix, and those of samples that are uniform in the box of X.

    Rules such as ``gamma=scale`` are resolved on X.
    """
    if not isinstance(X, np.ndarray) or isinstance(choice, Precomputed):
        raise ParameterError(
            "criterion='gap' draws reference samples from the box of X, which must be dense rows "
            "of numbers: use 'silhouette' or 'stability'"
        )
    X = X.astype(np.float64, copy=False)
    if isinstance(choice, Described) and not choice.functions:
        choice = Described(_core.resolve(choice.text, to_core(X, single=False)))
    others = (criteria.uniform_in_box(X, rng) for _ in range(draws))
    matrices = (_matrix(choice, other, settings, clock) for other in others)
    return _matrix(choice, X, settings, clock), matrices


def _largest(scores: np.ndarray, errors: np.ndarray) -> int:
    return int(np.argmax(scores))


def _first_not_below_the_next(scores: np.ndarray, errors: np.ndarray) -> int:
    enough = scores[:-1] >= scores[1:] - errors[1:]
    return int(np.argmax(enough)) if enough.any() else int(np.argmax(scores))


def _last_near_the_largest(scores: np.ndarray, errors: np.ndarray) -> int:
    near = scores >= scores.max() - errors
    return int(np.flatnonzero(near)[-1])


_CHOSEN = {
    "silhouette": _largest,
    "gap": _first_not_below_the_next,
    "stability": _last_near_the_largest,
}
