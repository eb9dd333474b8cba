"""Warnings of the search for parameters as notes of AutoKernel's report."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def noting() -> Iterator[list[str]]:
    """Yield a list that holds, after the block, what it warned the user of.

    The grids are AutoKernel's own, so that advice to set them is left out. Warnings to programmers,
    such as those of deprecated functions, are passed on.
    """
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield notes
    for one in found:
        if not issubclass(one.category, UserWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            continue
        text = str(one.message).partition("; set ")[0]
        if text not in notes:
            notes.append(text)
