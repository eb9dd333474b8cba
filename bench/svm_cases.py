"""The rows of support vector machines, with lower bounds on their costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench import svm, svm_data
from bench.problem import MB, Case, MemoryTarget, Phase, Problem, Target

WHY = (
    "columns are computed more than once, exp is not counted, choosing and moving coefficients is "
    "serial; where most features are zero the count of products is too high"
)


def _columns(columns: int) -> Callable[[Problem], list[Phase]]:
    """Each support vector's kernel column once, in single precision."""

    def cost(problem: Problem) -> list[Phase]:
        return [Phase("columns", 2.0 * problem.n * columns * problem.d, precision="f32")]

    return cost


def rows(anchors: int) -> Callable[[Problem], list[Phase]]:
    """Kernel values of new rows with all support vectors."""

    def cost(problem: Problem) -> list[Phase]:
        assert problem.Y is not None
        m, d = len(problem.Y), problem.d
        return [Phase("rows", 2.0 * m * anchors * d, reads=8.0 * m * d)]

    return cost


# name, file, what to say of it, parameters, support vectors, rows to predict, ratio, intelex only
SETS: list[tuple[str, str, dict[str, Any], int, int, float, bool]] = [
    (
        "a9a",
        "32,561 × 123, C = 1, γ = 0.03",
        {"gamma": 0.03, "cost": 1.0},
        11_600,
        16_281,
        3.0,
        True,
    ),
    (
        "ijcnn1",
        "49,990 × 22, C = 32, γ = 2",
        {"gamma": 2.0, "cost": 32.0},
        2_480,
        20_000,
        2.5,
        True,
    ),
    (
        "mnist",
        "10,000 × 784, C = 10, γ = 0.02",
        {"gamma": 0.02, "cost": 10.0, "n": 10_000, "divide": 255.0},
        4_170,
        10_000,
        2.0,
        True,
    ),
    (
        "letter",
        "15,000 × 16, 26 classes, C = 10, γ = 5",
        {"gamma": 5.0, "cost": 10.0, "divide": 15.0},
        7_000,
        5_000,
        2.0,
        False,
    ),
    (
        "usps",
        "7,291 × 256, C = 10, γ = 1/128",
        {"gamma": 1 / 128, "cost": 10.0},
        2_340,
        2_007,
        2.0,
        False,
    ),
]

MEMORY = MemoryTarget(lambda p: 2300 * MB, "process")


def _set(name: str, words: str, options: dict[str, Any], anchors: int, m: int, ratio: float,
         slow: bool) -> list[Case]:  # fmt: skip
    full = {"file": f"{name}.npz", "m": m, **options}
    quick = {**full, "n": 300, "m": 50}
    fit = Case(
        name=f"svm-{name}",
        work=f"SVC fit, {name}, {words}",
        data=svm_data.published,
        full=full,
        quick=quick,
        contestants=svm.fits(slow=slow),
        check=svm.check_fit,
        target=Target(ratio=ratio, memory=MEMORY),
        cost=_columns(anchors),
        max_repeat=3,
        why=WHY,
    )
    predict = Case(
        name=f"svm-{name}-predict",
        work=f"SVC predict, {name}, {m:,} rows",
        data=svm_data.published,
        full=full,
        quick=quick,
        contestants=svm.predicts(slow=slow),
        check=svm.check_predict,
        target=Target(ratio=1.5),
        cost=rows(anchors),
        why="exp and coefficients of pairs of classes are not counted",
    )
    return [fit, predict]


def _single(name: str, words: str, options: dict[str, Any], anchors: int) -> Case:
    return Case(
        name=f"svm-{name}-f32",
        work=f"SVC fit, {name}, {words}, float32",
        data=svm_data.published,
        full={"file": f"{name}.npz", **options, "dtype": "float32"},
        quick={"file": f"{name}.npz", **options, "dtype": "float32", "n": 300, "m": 50},
        contestants=svm.fits(slow=True),
        check=svm.check_fit,
        target=Target(ratio=1.5),
        cost=_columns(anchors),
        max_repeat=3,
        why=WHY,
    )


def _small(name: str, n: int | None = None) -> Case:
    return Case(
        name=f"svm-small-{name.replace(' ', '-')}",
        work=f"SVC fit, {name}" + (f", first {n:,} rows" if n else ""),
        data=svm_data.small,
        full={"name": name, "n": n},
        quick={"name": name, "n": n},
        contestants=svm.fits(),
        check=svm.check_fit,
        target=Target(ratio=1.0),
        cost=_columns(100),
        why="a fit of a thousand rows is mostly checking of input",
    )


CASES: list[Case] = [
    *(case for one in SETS for case in _set(*one)),
    _single("a9a", SETS[0][1], SETS[0][2], 11_600),
    _single("ijcnn1", SETS[1][1], SETS[1][2], 2_480),
    Case(
        name="svm-sphere",
        work="SVC fit, 50,000 points on a sphere, C = 10, γ = 300",
        data=svm_data.sphere,
        full={"n": 50_000},
        quick={"n": 300},
        contestants=svm.fits(slow=True),
        check=svm.check_fit,
        target=Target(ratio=10.0),
        cost=_columns(100),
        max_repeat=1,
        why="the bound counts what is within reach of a sample, about",
    ),
    Case(
        name="svm-mnist-whole",
        work="SVC fit, mnist, 60,000 × 784, C = 10, γ = 0.02",
        data=svm_data.published,
        full={"file": "mnist.npz", "gamma": 0.02, "cost": 10.0, "divide": 255.0, "m": 10_000},
        quick={
            "file": "mnist.npz",
            "gamma": 0.02,
            "cost": 10.0,
            "divide": 255.0,
            "n": 300,
            "m": 50,
        },
        contestants=svm.fits(slow=True),
        check=svm.check_fit,
        target=Target(ratio=3.0, memory=MEMORY),
        cost=_columns(10_000),
        max_repeat=1,
        why=WHY,
    ),
    Case(
        name="svm-svr",
        work="SVR fit, California housing 20,640 × 8, C = 10, γ = 0.125, ε = 0.1",
        data=svm_data.housing,
        full={"n": 20_640},
        quick={"n": 300},
        contestants=svm.fits("SVR"),
        check=svm.check_fit,
        target=Target(ratio=2.0),
        cost=_columns(14_900),
        max_repeat=3,
        why=WHY,
    ),
    Case(
        name="svm-oneclass",
        work="one-class SVM fit, ijcnn1 20,000 × 22, ν = 0.05, γ = 0.5",
        data=svm_data.support,
        full={"n": 20_000},
        quick={"n": 300},
        contestants=svm.fits("OneClassSVM"),
        check=svm.check_fit,
        target=Target(ratio=2.0),
        cost=_columns(1_010),
        max_repeat=3,
        why=WHY,
    ),
    _small("iris"),
    _small("wine"),
    _small("breast cancer"),
    _small("digits", 1_000),
    Case(
        name="svm-search",
        work="SVC search, 8 C × 8 γ × 5 folds, svmguide1 (3,089 × 4)",
        data=svm_data.guide,
        full={},
        quick={"n": 200},
        contestants=svm.search,
        check=svm.check_search,
        target=Target(ratio=8.0),
        cost=_columns(64 * 5 * 800),
        max_repeat=1,
        why="coefficients are moved one pair at a time, which no product stands for",
    ),
]
