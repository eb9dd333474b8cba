"""Every row of the benchmark, one short definition each. To add a row, add a ``Case`` here."""

from __future__ import annotations

from bench import (
    checks,
    contestants,
    costs,
    data,
    detector_cases,
    feature_cases,
    histogram_cases,
    hypothesis_cases,
    kmeans_cases,
    landmark_cases,
    process_cases,
    ridge_cases,
    small_cases,
    string_cases,
    svm_cases,
    svm_landmark_cases,
)
from bench.problem import GIB, MB, Case, MemoryTarget, Target

CASES: list[Case] = [
    Case(
        name="gram-rbf",
        work="RBF Gram, n = 10,000, d = 50, f64",
        data=data.normal,
        full={"n": 10_000, "d": 50},
        quick={"n": 300, "d": 50},
        contestants=contestants.gram,
        check=checks.gram,
        target=Target(ratio=5.0, memory=MemoryTarget(lambda p: 1.1 * 8 * p.n * p.n)),
        cost=costs.gram,
        why=(
            "two fifths of the time the system clears the fresh pages of the result; "
            "distances are sums of differences, twice the arithmetic counted"
        ),
    ),
    Case(
        name="kpca-california-10k",
        work="kernel PCA, k = 10, n = 10,000, California (d = 8)",
        data=data.california,
        full={"n": 10_000},
        quick={"n": 200},
        contestants=contestants.kernel_pca(),
        check=checks.kernel_pca(),
        target=Target(ratio=4.0),
        cost=costs.kernel_pca(),
        why=(
            "products with 16 vectors reach two thirds of a core's arithmetic from the cache, "
            "less from memory; exp, fresh pages and orthogonalisation are not counted"
        ),
    ),
    Case(
        name="kpca-mnist-10k",
        work="kernel PCA, k = 10, n = 10,000, MNIST (d = 784), f64",
        data=data.mnist,
        full={"n": 10_000},
        quick={"n": 200},
        contestants=contestants.kernel_pca(),
        check=checks.kernel_pca(),
        target=Target(ratio=2.0),
        cost=costs.kernel_pca(),
        why=(
            "tiles of 256 × 256 are smaller products than the one that the limit is measured "
            "by; the passes are as for d = 8"
        ),
    ),
    Case(
        name="kpca-mnist-10k-mixed",
        work="kernel PCA, k = 10, n = 10,000, MNIST (d = 784), mixed",
        data=data.mnist,
        full={"n": 10_000},
        quick={"n": 200},
        contestants=contestants.kernel_pca_mixed,
        check=checks.kernel_pca(checks.EIGEN_MIXED),
        target=Target(ratio=4.0),
        cost=costs.kernel_pca("f32"),
        why="as in f64",
    ),
    Case(
        name="kpca-california-2k",
        work="kernel PCA, k = 10, n = 2,000, California (d = 8)",
        data=data.california,
        full={"n": 2_000},
        quick={"n": 120},
        contestants=contestants.kernel_pca(),
        check=checks.kernel_pca(),
        target=Target(ratio=2.0),
        cost=costs.kernel_pca(),
        why=(
            "short steps: hand-over between threads, projected eigenproblems, "
            "orthogonalisation, exp"
        ),
    ),
    Case(
        name="kpca-mnist-2k",
        work="kernel PCA, k = 10, n = 2,000, MNIST (d = 784)",
        data=data.mnist,
        full={"n": 2_000},
        quick={"n": 120},
        contestants=contestants.kernel_pca(),
        check=checks.kernel_pca(),
        target=Target(ratio=2.0),
        cost=costs.kernel_pca(),
        why=("short steps: hand-over between threads, projected eigenproblems, orthogonalisation"),
    ),
    Case(
        name="kpca-all-3k",
        work="kernel PCA, all components, n = 3,000, California (d = 8)",
        data=data.california_all,
        full={"n": 3_000},
        quick={"n": 150},
        contestants=contestants.kernel_pca(),
        check=checks.kernel_pca(),
        target=Target(ratio=2.0),
        cost=costs.kernel_pca_all,
        why=(
            "the reduction to a band and the way back through the second stage run at 40 to "
            "60 GFLOP/s"
        ),
    ),
    Case(
        name="kpca-small",
        work="kernel PCA, n = 200, fit and transform, California (d = 8)",
        data=data.california_split,
        full={"n": 200, "m": 200},
        quick={"n": 100, "m": 100},
        contestants=contestants.fit_transform,
        check=checks.fit_and_columns,
        target=Target(ratio=1.0),
        cost=costs.fit_transform,
        why=(
            "a quarter of the fit is Python and checks; the rest is column by column, on one thread"
        ),
    ),
    Case(
        name="transform-california",
        work="transform of 100,000 rows, 5,000 anchors, d = 8",
        data=data.california_split,
        full={"n": 5_000, "m": 100_000},
        quick={"n": 200, "m": 1_000},
        contestants=contestants.transform,
        check=checks.columns,
        target=Target(ratio=6.0, memory=MemoryTarget(lambda p: 200 * MB, "beyond output")),
        cost=costs.transform,
        why="exp and differences of 8 features outweigh the products counted",
    ),
    Case(
        name="transform-mnist",
        work="transform of 20,000 rows, 5,000 anchors, d = 784",
        data=data.mnist_split,
        full={"n": 5_000, "m": 20_000},
        quick={"n": 200, "m": 400},
        contestants=contestants.transform,
        check=checks.columns,
        target=Target(ratio=2.0),
        cost=costs.transform,
        why=("tiles of 256 × 384 are smaller products than the one that the limit is measured by"),
    ),
    Case(
        name="pca-wide",
        work="PCA 500 × 20,000, k = 50",
        data=data.low_rank,
        full={"n": 500, "d": 20_000, "k": 50},
        quick={"n": 60, "d": 150, "k": 6},
        contestants=contestants.pca,
        check=checks.pca,
        target=Target(ratio=3.0),
        cost=costs.pca_dual,
        why=(
            "less than half of the time is products; the rest centres and copies the data "
            "into panels"
        ),
    ),
    Case(
        name="pca-tall",
        work="PCA 50,000 × 784, k = 50",
        data=data.mnist_pca,
        full={"n": 50_000, "k": 50},
        quick={"n": 400, "k": 6, "pixels": 60},
        contestants=contestants.pca_covariance,
        check=checks.pca,
        target=Target(ratio=1.0),
        cost=costs.pca_primal,
        why=(
            "tiles of 192 columns are smaller products than the one that the limit is measured by"
        ),
    ),
    Case(
        name="kpca-tiled-50k",
        work="kernel PCA, k = 10, n = 50,000, d = 8, budget 2 GiB",
        data=data.mixture_tiled,
        full={"n": 50_000, "budget": 2 * GIB},
        quick={"n": 2_000, "budget": 12 * 2**20},  # less than the matrix, so tiled here too
        contestants=contestants.kernel_pca_alone,
        check=checks.kernel_pca_alone(),
        target=Target(memory=MemoryTarget(lambda p: 2.3 * GIB, "process")),
        cost=costs.kernel_pca_tiled,
        max_repeat=1,
        why=(
            "exp and differences of 8 features, computed again in every pass, outweigh the products"
        ),
    ),
    *ridge_cases.CASES,
    *process_cases.CASES,
    *svm_cases.CASES,
    *small_cases.CASES,
    *kmeans_cases.CASES,
    *landmark_cases.CASES,
    *svm_landmark_cases.CASES,
    *detector_cases.CASES,
    *feature_cases.CASES,
    *histogram_cases.CASES,
    *string_cases.CASES,
    *hypothesis_cases.CASES,
]
