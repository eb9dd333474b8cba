"""Warnings of the best value of a grid being its smallest or largest."""

from __future__ import annotations

import numpy as np

from mercer._params import is_real
from mercer._reports import warn

# The parameter of the search that holds the values of each parameter of the model.
_GRIDS = {"C": "Cs", "gamma": "gammas", "epsilon": "epsilons"}
# The relative change of the score, from one value to the next, that counts as none.
_FLAT = 1e-4


def warn_of_edges(results: dict[str, object], best: int) -> None:
    """Warn of parameters whose best value is at an end of the grid, unless the score is flat."""
    for name, grid in _GRIDS.items():
        value = results["params"][best].get(name)
        if not is_real(value):
            continue
        values = _values(results["params"], best, name)
        end = _end_of(values, value)
        if end is None or _is_flat(results, best, name, _neighbour(values, value)):
            continue
        more = {"smallest": "smaller", "largest": "larger"}[end]
        warn(
            f"the best {name} is the {end} of those compared, {value:.4g}: {more} values may be "
            f"better; set {grid}"
        )


def _values(params: list[dict], best: int, name: str) -> list[float]:
    """The different values that were compared for the kernel of the best combination."""
    kernel = params[best].get("kernel")
    found = {one[name] for one in params if one.get("kernel") is kernel and name in one}
    return sorted(float(value) for value in found if is_real(value))


def _end_of(values: list[float], value: float) -> str | None:
    """Which end of the grid a value is, if there is something beyond."""
    if len(values) < 2:
        return None
    if value == values[0]:
        return "smallest" if value > 0 else None
    return "largest" if value == values[-1] else None


def _neighbour(values: list[float], value: float) -> float:
    return values[1] if value == values[0] else values[-2]


def _is_flat(results: dict[str, object], best: int, name: str, neighbour: float) -> bool:
    """Whether the score hardly changes from the best value to its neighbour.

    They are compared in the last round that scored both.
    """
    chosen, rounds = results["params"][best], results.get("iter")
    rounds = np.zeros(len(results["params"]), dtype=int) if rounds is None else rounds
    of = {}
    for index, (one, number) in enumerate(zip(results["params"], rounds, strict=True)):
        if {**one, name: None} == {**chosen, name: None}:
            of.setdefault(int(number), {})[one.get(name)] = results["mean_test_score"][index]
    for number in sorted(of, reverse=True):
        if {chosen[name], neighbour} <= set(of[number]):
            here, there = of[number][chosen[name]], of[number][neighbour]
            return bool(abs(here - there) <= _FLAT * abs(here))
    return False
