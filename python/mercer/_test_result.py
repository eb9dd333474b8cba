"""What tests of hypotheses return, and the parameters that they share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer._params import ParameterError, is_integer


@dataclass(eq=False)
class TestResult:
    """The result of a test.

    Attributes
    ----------
    statistic : float
        The statistic.
    p_value : float
        The probability of so large a statistic, or a larger one, if the hypothesis holds. With
        permutations (1 + the number of them that reach the statistic) / (1 + their number), so
        never 0.
    null : ndarray of shape (n_permutations,)
        The statistics of the permutations; empty for other null distributions.
    null_mean, null_std : float
        Mean and standard deviation of the statistic if the hypothesis holds: exact for
        ``null="gamma"``, else those of `null`.
    kernels : list of str
        The kernels, with their widths as numbers; empty for precomputed matrices.
    n_samples : int
        Number of samples that the statistic is computed from.
    notes : list of str
        What else a reader should know.
    """

    #: Tells pytest that this is no class of tests.
    __test__ = False

    statistic: float
    p_value: float
    null: np.ndarray = field(repr=False)
    null_mean: float
    null_std: float
    kernels: list[str]
    n_samples: int
    notes: list[str]

    _what = "the hypothesis"
    _found = "rejected"

    def detected(self, level: float = 0.05) -> bool:
        """Return whether the hypothesis is rejected at a level.

        Parameters
        ----------
        level : float, default=0.05
            The probability of rejecting a hypothesis that holds.

        Returns
        -------
        detected : bool
            Whether ``p_value <= level``.
        """
        return bool(self.p_value <= level)

    def __str__(self) -> str:
        found = self._found if self.detected() else f"no {self._found}"
        lines = [
            f"{found} at the level 0.05: p = {self.p_value:.4g}",
            f"statistic {self.statistic:.6g} ({self.null_mean:.4g} ± {self.null_std:.4g} expected "
            f"if {self._what})",
        ]
        return "\n".join(lines + self.notes)


def basics(found: dict) -> dict:
    """Return the arguments of a result, from what the extension module found."""
    null = found["null"]
    mean, std = found["moments"] or (float(null.mean()), float(null.std()))
    return {
        "statistic": found["statistic"],
        "p_value": found["p_value"],
        "null": null,
        "null_mean": mean,
        "null_std": std,
        "kernels": found["kernels"],
        "n_samples": found["used"],
        "notes": found["notes"],
    }


def permutations_of(null: object, n_permutations: object) -> int | None:
    """Return the number of permutations, or None for a Gamma distribution."""
    if not isinstance(null, str) or null not in ("permutation", "gamma"):
        raise ParameterError(f"null must be 'permutation' or 'gamma', not {null!r}")
    return None if null == "gamma" else count("n_permutations", n_permutations)


def count(name: str, value: object) -> int:
    """Return a number of permutations or draws."""
    if not is_integer(value) or not 9 <= value <= 10_000_000:
        raise ParameterError(f"{name} must be an integer from 9 to 10,000,000, not {value!r}")
    return int(value)
