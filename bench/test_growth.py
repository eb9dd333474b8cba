"""Tests of the measurement of growth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench import growth
from bench.growth_methods import METHODS, Method, rows


@pytest.mark.parametrize("power", [0, 1, 2, 3])
def test_exponents_of_powers(power: int) -> None:
    points = [(2**i, 0.02 * (2**i) ** power) for i in range(10)]
    assert growth.exponent(points, 0.01) == pytest.approx(power, abs=1e-9)


def test_values_that_are_not_the_work_do_not_count() -> None:
    points = [(2**i, max(0.005, 1e-6 * 4**i)) for i in range(12)]
    assert growth.exponent(points, 0.01) == pytest.approx(2)
    assert growth.exponent(points[:9], 0.01) is None


def test_sizes_double_until_the_next_would_take_too_long() -> None:
    sizes: list[int] = []

    def work(X: np.ndarray, y: np.ndarray, classes: np.ndarray) -> None:
        if len(X) == 1:
            raise ValueError("two rows at least")
        sizes.append(len(X))

    found = []
    for point in growth.points(Method("none", work, 1, 1), 10.0):
        found.append(point)
        if point["n"] == 64:
            break
    assert [point["n"] for point in found] == [2, 4, 8, 16, 32, 64]
    slow = Method("slow", lambda X, y, c: growth.time.sleep(0.001 * len(X)), 1, 1)
    assert [point["n"] for point in growth.points(slow, 0.02)] == [1, 2, 4, 8, 16]


def test_memory_is_what_the_work_takes() -> None:
    def take() -> np.ndarray:
        return np.ones(4 << 20)

    growth.above(take)
    assert 31 << 20 <= growth.above(take) < 40 << 20


def test_rows_are_the_same_each_time() -> None:
    (X, y, classes), (again, _, _) = rows(50), rows(50)
    assert np.array_equal(X, again)
    assert (X.shape, y.shape, set(classes)) == ((50, 8), (50,), {0, 1})


def test_the_script_runs(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "growth.png"
    assert growth.main(["--quick", "--only", "landmarks", "--picture", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [method.name for method in METHODS if "landmarks" in method.name]
    assert [line.split("|")[1].strip() for line in lines[2:6]] == names
    assert picture.stat().st_size > 5000
    with pytest.raises(SystemExit, match="no method"):
        growth.main(["--only", "nothing"])


def test_a_method_runs_alone(capsys: pytest.CaptureFixture) -> None:
    assert growth.main(["--one", "kernel matrix", "--quick", "--threads", "1"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [point["n"] for point in found][:3] == [1, 2, 4]
    assert set(found[0]) == {"n", "seconds", "bytes"}
