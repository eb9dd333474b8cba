"""The fraction of outliers of a detector, if it follows from the scores of the training samples."""

from __future__ import annotations

import numpy as np

from mercer._params import is_real, refuse

# The median absolute deviation of a normal distribution, as a fraction of its standard deviation.
_MAD_OF_NORMAL = 0.6744897501960817
# Thresholds lie this many robust standard deviations above the median.
_DEVIATIONS = 3.0
# A threshold keeps this distance from the training scores on both sides, as a fraction of the gap
# between them, so that rounding moves no sample across it.
_MARGIN = 1e-9


def check_contamination(estimator) -> None:
    """Refuse a contamination that is neither ``"auto"`` nor a number above 0 and at most 0.5."""
    value = estimator.contamination
    if isinstance(value, str) and value == "auto":
        return
    if not is_real(value) or not 0 < value <= 0.5:
        expected = "'auto' or a positive number of at most 0.5"
        raise refuse(estimator, "contamination", expected, value)


def robust_threshold(scores: np.ndarray) -> float:
    """Return the threshold that ``contamination="auto"`` stands for; higher scores are outliers.

    Sums of squares are nearly normal after a cube root (Wilson and Hilferty, 1931). There the
    threshold is the median plus three standard deviations, estimated from the median absolute
    deviation; it is at most the largest score.
    """
    roots = np.cbrt(scores)
    middle = np.median(roots)
    spread = np.median(np.abs(roots - middle)) / _MAD_OF_NORMAL
    found = (middle + _DEVIATIONS * spread) ** 3 if spread > 0 else np.median(scores)
    return float(min(found, scores.max()))


def fraction_above(scores: np.ndarray, threshold: float) -> float:
    """Return the fraction at which the interpolated quantile of the scores is the threshold."""
    ordered = np.sort(scores)
    below = int(np.searchsorted(ordered, threshold, side="right")) - 1
    last = len(ordered) - 1
    if below >= last:
        # No sample is above: the smallest fraction that there is.
        return float(np.finfo(np.float64).tiny)
    gap = ordered[below + 1] - ordered[below]
    place = np.clip((threshold - ordered[below]) / gap, _MARGIN, 1 - _MARGIN)
    return float(1 - (below + place) / last)
