"""Scores of a search in the format of scikit-learn's grid search."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from mercer._search_strategy import Search


def search_results(search: Search) -> dict[str, object]:
    """Return all scores of a search, with the round and samples of each if there are several."""
    results = grid_results(search.params, search.table, np.asarray(search.rows))
    if search.rounds[-1] > 0:
        results["iter"] = np.asarray(search.rounds)
        results["n_resources"] = np.asarray(search.rows)
    return results


def grid_results(
    params: list[dict[str, object]], table: np.ndarray, rows: np.ndarray
) -> dict[str, object]:
    """Return all scores; `table` has a row for each combination and a column for each fold.

    Scores on fewer than the most samples, `rows`, rank last.
    """
    names = list(dict.fromkeys(name for one in params for name in one))
    mean = np.average(table, axis=1)
    results: dict[str, object] = {f"param_{name}": _values(params, name) for name in names}
    results["params"] = params
    results |= {f"split{fold}_test_score": table[:, fold] for fold in range(table.shape[1])}
    scored = ~np.isnan(mean)
    final = scored & (rows == rows[scored].max(initial=0))
    ranked = np.where(final, mean, -np.inf)
    return results | {
        "mean_test_score": mean,
        "std_test_score": table.std(axis=1),
        "rank_test_score": rankdata(-ranked, method="min").astype(np.int32),
    }


def _values(params: list[dict[str, object]], name: str) -> np.ma.MaskedArray:
    """The values of a parameter; masked where a combination does not have it."""
    missing = [name not in one for one in params]
    values = [one.get(name) for one in params]
    given = [value for value, absent in zip(values, missing, strict=True) if not absent]
    if all(isinstance(value, (int, float, np.number)) for value in given):
        filled = [0.0 if absent else v for v, absent in zip(values, missing, strict=True)]
        return np.ma.MaskedArray(filled, mask=missing if any(missing) else False)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return np.ma.MaskedArray(found, mask=missing if any(missing) else False, dtype=object)
