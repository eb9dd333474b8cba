"""Whether two sets of samples come from one distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mercer import _core
from mercer import _params as params_of
from mercer._custom import quoted
from mercer._kernel_base import Kernel
from mercer._kernel_choice import Choice, Described, Precomputed, choose_with, kernel_argument
from mercer._kernel_purpose import is_custom, purpose_of
from mercer._pairwise import _NullEstimator
from mercer._params import ParameterError, is_integer
from mercer._progress import Step
from mercer._run import running
from mercer._samples import Checked, features, to_core, validate_samples
from mercer._stack import stacked, validate_two
from mercer._test_result import TestResult, basics, permutations_of

_STATISTICS = ("biased", "unbiased", "block", "linear")


@dataclass(eq=False)
class MMDTest(TestResult):
    """The result of :func:`mercer.mmd_test`; printing it gives a summary.

    It has the attributes of :class:`mercer.TestResult`, and these:

    Attributes
    ----------
    witness_x, witness_y : ndarray
        The witness function at the samples: high where X is denser, low where Y is. NaN where a
        kernel was chosen on the sample; empty for the statistics of blocks.
    """

    witness_x: np.ndarray = field(repr=False)
    witness_y: np.ndarray = field(repr=False)
    _samples: tuple | None = field(repr=False)

    _what = "the distributions are equal"
    _found = "difference detected"

    def witness(self, Z) -> np.ndarray:
        """Return the witness function at other samples.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_features)
            Samples of the kind that was tested.

        Returns
        -------
        f : ndarray of shape (n_samples,)
            The mean kernel value with X less that with Y.
        """
        if self._samples is None:
            raise ValueError("the witness at other samples needs a kernel that is not precomputed")
        owner, purpose, choice, core, first, (single, kernel) = self._samples
        Z = validate_samples(owner, Z, purpose, reset=False)
        Z = to_core(Z, single=single, custom=is_custom(choice))
        with running(None, None, False) as run:
            return _core.witness(kernel, core, first, Z, run)


def mmd_test(
    X,
    Y,
    *,
    kernel: str | Kernel | Callable | list = "rbf(sigma=median)",
    statistic: str = "biased",
    null: str = "permutation",
    n_permutations: int = 999,
    block_size: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
    **params: object,
) -> MMDTest:
    """Test whether X and Y come from one distribution, by the maximum mean discrepancy.

    MMD² is the squared distance of the means of both samples in feature space. All permutations are
    evaluated in one pass over the kernel matrix, which is stored only if it fits the memory budget.
    A large p-value is no evidence that the distributions are equal.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Samples of any kind; for ``kernel="precomputed"`` the kernel matrix of all samples of both
        sets.
    Y : array-like of shape (n_samples_Y, n_features) or int
        Other samples; for ``kernel="precomputed"`` the number of rows of X that are the first set.
    kernel : str, Kernel, callable or list of these, default="rbf(sigma=median)"
        As for :func:`mercer.pairwise_kernels`; rules such as ``sigma=median`` are resolved on all
        samples. ``"energy"`` makes MMD² the energy distance. Of a list, the kernel with the largest
        estimated power is chosen on half of the samples, and the test is made on the other half;
        so is a width, for a kernel with ``gamma="power"``.
    statistic : {"biased", "unbiased", "block", "linear"}, default="biased"
        ``"biased"`` is MMD² of the samples, ``"unbiased"`` leaves the kernel values of samples with
        themselves out. ``"block"`` is the mean of the unbiased statistic over blocks, which takes
        linear time for a fixed `block_size`; ``"linear"`` is that of blocks of 2. Both are compared
        with Student's t.
    null : {"permutation", "gamma"}, default="permutation"
        What the biased statistic is compared with: random permutations, or a Gamma distribution
        with the exact mean and variance over all permutations. The unbiased statistic is compared
        with permutations; blocks ignore this parameter.
    n_permutations : int, default=999
        Number of permutations, at least 9.
    block_size : int, optional
        Samples of each set in a block; by default the square root of the smaller set's size.
    random_state : int or RandomState instance, default=0
        Seed of permutations, blocks and halves. None stands for 0.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.
    **params
        Parameters of the kernel, as for :func:`mercer.pairwise_kernels`.

    Returns
    -------
    result : MMDTest
        Statistic, p-value, and the witness function.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import mmd_test
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.normal(size=(200, 3)), rng.normal(size=(150, 3)) + [0.5, 0, 0]
    >>> result = mmd_test(old, new)
    >>> result.p_value
    0.001
    >>> bool(result.witness([[-1, 0, 0]]) > result.witness([[2, 0, 0]]))
    True
    """
    block = _block(statistic, block_size)
    permutations = permutations_of(null, n_permutations)
    purpose, owner = purpose_of(kernel), _NullEstimator(memory_budget)
    if purpose.kind == "matrix":
        samples, first = validate_samples(owner, X, purpose, reset=True), _first(Y, len(X))
    else:
        X, Y = validate_two(owner, X, Y, purpose)
        samples, first = stacked(X, Y), X.shape[0]
    choice, candidates = _chosen(kernel, samples, params)
    single = getattr(samples, "dtype", None) == np.float32
    core = _core_samples(samples, choice, single)
    settings = {
        "kernel": kernel_argument(choice),
        "candidates": [kernel_argument(one) for one in candidates],
        "statistic": "block" if block else statistic,
        "block_size": block or 2,
        "permutations": permutations,
        "seed": params_of.seed(random_state),
    }
    if block == -1:
        settings["block_size"] = max(2, int(min(first, samples.shape[0] - first) ** 0.5))
    with running(n_jobs, memory_budget, progress) as run:
        found = _core.mmd(core, first, settings, run)
    witness = _witness(found, samples.shape[0], first)
    state = None
    if isinstance(core, _core.Samples):
        resolved = _argument(choice, candidates, found["kernels"][0])
        state = (owner, purpose, choice, core, first, (single, resolved))
    return MMDTest(
        **basics(found), witness_x=witness[:first], witness_y=witness[first:], _samples=state
    )


def energy_test(
    X,
    Y,
    *,
    n_permutations: int = 999,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    memory_budget: int | str | None = None,
    progress: bool | Callable[[Step], object] = False,
) -> MMDTest:
    """Test whether X and Y come from one distribution, by the energy distance.

    The statistic is 2 E‖x − y‖ − E‖x − x'‖ − E‖y − y'‖, which has no parameters. It is
    :func:`mercer.mmd_test` with the kernel ``"energy"``.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features)
        Rows of numbers. Columns of different units should be scaled first.
    n_permutations : int, default=999
        Number of permutations, at least 9.
    random_state : int or RandomState instance, default=0
        Seed of the permutations. None stands for 0.
    n_jobs, memory_budget, progress
        How the work is run, as for :func:`mercer.pairwise_kernels`.

    Returns
    -------
    result : MMDTest
        Statistic, p-value, and the witness function.

    Examples
    --------
    >>> from mercer import energy_test
    >>> energy_test([[0.0], [1.0]], [[2.0], [4.0]]).statistic
    3.5
    """
    return mmd_test(
        X,
        Y,
        kernel="energy",
        n_permutations=n_permutations,
        random_state=random_state,
        n_jobs=n_jobs,
        memory_budget=memory_budget,
        progress=progress,
    )


def _block(statistic: object, block_size: object) -> int:
    """The size of blocks: 0 for a statistic of all samples, and -1 for the default."""
    if not isinstance(statistic, str) or statistic not in _STATISTICS:
        options = ", ".join(map(repr, _STATISTICS))
        raise ParameterError(f"statistic must be one of {options}, not {statistic!r}")
    if block_size is not None and statistic != "block":
        raise ParameterError(f"block_size has no effect on statistic={statistic!r}: omit it")
    if block_size is not None and (not is_integer(block_size) or block_size < 2):
        raise ParameterError(f"block_size must be an integer of at least 2, not {block_size!r}")
    if statistic == "block":
        return -1 if block_size is None else int(block_size)
    return 2 if statistic == "linear" else 0


def _first(Y: object, n: int) -> int:
    """The rows of a kernel matrix that are the first set."""
    if not is_integer(Y) or not 0 < Y < n:
        raise ParameterError(
            "with kernel='precomputed', X is the kernel matrix of all samples and Y the number of "
            f"its rows that are the first set: an integer from 1 to {n - 1}, not {Y!r}"
        )
    return int(Y)


def _chosen(kernel: object, samples: Checked, params: dict) -> tuple[Choice, list[Choice]]:
    """The kernel, and the candidates that it is chosen among, if it is."""
    if isinstance(kernel, (list, tuple)):
        if len(kernel) < 2:
            raise ParameterError("a list of kernels to choose from needs at least two")
        candidates = [choose_with(one, features(samples), params) for one in kernel]
        return candidates[0], candidates
    if params.get("gamma") != "power":
        return choose_with(kernel, features(samples), params), []
    rest = {name: value for name, value in params.items() if name != "gamma"}
    text = _core.canonical(kernel) if isinstance(kernel, str) else None
    if rest or text is None:
        raise ParameterError("gamma='power' needs the name of a kernel with a width, such as 'rbf'")
    widths = _core.widths(text, to_core(samples, single=False))
    if len(widths) < 2:
        raise ParameterError(
            f"gamma='power' needs a kernel whose width is open, such as 'rbf', not {kernel!r}"
        )
    candidates = [Described(width) for width in widths]
    return candidates[0], candidates


def _core_samples(samples: Checked, choice: Choice, single: bool):
    if isinstance(choice, Precomputed):
        return samples
    return to_core(samples, single=single, custom=is_custom(choice), copy=True)


def _argument(choice: Choice, candidates: list[Choice], resolved: str):
    """The kernel of the test, for the extension module."""
    functions = {f.name: f for one in candidates or [choice] for f in one.functions}
    texts = {name: (f"custom({name})", f"custom({quoted(name)})") for name in functions}
    named = [functions[name] for name in functions if any(t in resolved for t in texts[name])]
    return (resolved, named) if named else resolved


def _witness(found: dict, n: int, first: int) -> np.ndarray:
    """The witness at all samples, with NaN for those that chose the kernel."""
    if found["tested"] is None:
        return found["witness"]
    witness = np.full(n, np.nan)
    witness[found["tested"]] = found["witness"]
    return witness
