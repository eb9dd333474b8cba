"""Agreement checks: they run before any timing, and recompute what a contestant reports.

Residuals are computed here, with scikit-learn's kernel function in f64, block of rows by block
of rows, so that a check of any size needs little memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from bench.problem import Check, Problem, Verdict

RESIDUAL = 1e-6
EIGEN_F64 = 1e-8
EIGEN_MIXED = 1e-5
GRAM = 1e-12
COLUMN = 1e-6
# Below this share of the largest eigenvalue, eight correct digits of an eigenvalue would be more
# than f64 holds of the matrix itself; such an eigenvalue is compared on this scale instead.
EIGEN_FLOOR = 1e-6
BLOCK_ENTRIES = 2**24


def centred_product(problem: Problem, V: np.ndarray) -> np.ndarray:
    """K̄·V for the doubly centred RBF Gram matrix, n × k, without storing the matrix."""
    V = V - V.mean(axis=0)
    step = max(1, BLOCK_ENTRIES // problem.n)
    out = np.empty_like(V)
    for start in range(0, problem.n, step):
        rows = slice(start, start + step)
        out[rows] = rbf_kernel(problem.X[rows], problem.X, gamma=problem.gamma) @ V
    return out - out.mean(axis=0)


def covariance_product(problem: Problem, V: np.ndarray) -> np.ndarray:
    """C·V for the sample covariance C, d × k, without storing C."""
    centred = problem.X - problem.X.mean(axis=0)
    return centred.T @ (centred @ V) / (problem.n - 1)


def eigenvalue_error(values: np.ndarray, reference: np.ndarray) -> float:
    """Largest relative difference; infinite when one side lacks an eigenvalue that matters."""
    floor = EIGEN_FLOOR * reference[0]
    common = min(len(values), len(reference))
    lacking = np.concatenate([values[common:], reference[common:]])
    if common == 0 or (lacking > floor).any():
        return float("inf")
    scale = np.maximum(np.abs(reference[:common]), floor)
    return float(np.max(np.abs(values[:common] - reference[:common]) / scale))


def column_error(A: np.ndarray, B: np.ndarray) -> float:
    """Largest difference of two sets of columns, up to sign, relative to each column's size."""
    if A.shape != B.shape:
        return float("inf")
    signs = np.where(np.einsum("ij,ij->j", A, B) < 0, -1.0, 1.0)
    return float(np.max(np.abs(A - signs * B).max(axis=0) / np.abs(B).max(axis=0)))


def _pair_errors(values: np.ndarray, V: np.ndarray, product: np.ndarray) -> dict[str, float]:
    """Residual relative to the matrix norm, and distance of V from orthonormal columns."""
    residual = np.linalg.norm(product - V * values, axis=0).max() / np.abs(values).max()
    gram = V.T @ V
    return {
        "residual": float(residual),
        "orthonormal": float(np.abs(gram - np.eye(len(gram))).max()),
    }


Pairs = Mapping[str, "tuple[np.ndarray, np.ndarray]"]  # eigenvalues, eigenvectors in columns


def _eigen_verdicts(
    pairs: Pairs, products: Mapping[str, np.ndarray], reference: str | None, tolerance: float
) -> dict[str, Verdict]:
    limits = {"residual": RESIDUAL, "orthonormal": RESIDUAL}
    if reference is not None:
        limits = {"eigenvalues": tolerance, **limits}
    verdicts = {}
    for name, (values, V) in pairs.items():
        measured = _pair_errors(values, V, products[name])
        if reference is not None:
            measured["eigenvalues"] = eigenvalue_error(values, pairs[reference][0])
        verdicts[name] = Verdict(measured, limits)
    return verdicts


def _split_product(product: Any, problem: Problem, pairs: Pairs) -> dict[str, np.ndarray]:
    """One pass over the matrix for all contestants' vectors together."""
    stacked = product(problem, np.hstack([V for _, V in pairs.values()]))
    edges = np.cumsum([V.shape[1] for _, V in pairs.values()])[:-1]
    return dict(zip(pairs, np.split(stacked, edges, axis=1), strict=True))


def kernel_pca(tolerance: float = EIGEN_F64) -> Check:
    """Fitted kernel PCAs: eigenvalues against the reference, residuals on their own."""

    def check(
        problem: Problem, outputs: Mapping[str, Any], reference: str | None
    ) -> dict[str, Verdict]:
        pairs = {
            name: (np.asarray(m.eigenvalues_, float), np.asarray(m.eigenvectors_, float))
            for name, m in outputs.items()
        }
        products = _split_product(centred_product, problem, pairs)
        return _eigen_verdicts(pairs, products, reference, tolerance)

    return check


def kernel_pca_alone(rounds: int = 2, width: int = 8) -> Check:
    """The same where no rival can do the work: nothing large may hide beside the vectors found.

    A short block Krylov run on the deflated matrix looks for an eigenvalue above the smallest
    one returned; ``missed`` is by how much, relative to it.
    """
    inner = kernel_pca()

    def check(
        problem: Problem, outputs: Mapping[str, Any], reference: str | None
    ) -> dict[str, Verdict]:
        verdicts = inner(problem, outputs, reference)
        return {name: _with_missed(problem, outputs[name], v) for name, v in verdicts.items()}

    def _with_missed(problem: Problem, model: Any, verdict: Verdict) -> Verdict:
        missed = max(0.0, _largest_beside(problem, model) / model.eigenvalues_[-1] - 1.0)
        return Verdict(
            {**verdict.measured, "missed": missed}, {**verdict.limits, "missed": RESIDUAL}
        )

    def _largest_beside(problem: Problem, model: Any) -> float:
        V = np.asarray(model.eigenvectors_, float)
        block = np.random.RandomState(0).normal(size=(problem.n, width))
        basis, images = np.empty((problem.n, 0)), np.empty((problem.n, 0))
        for _ in range(rounds):
            for _ in range(2):  # twice is enough for orthogonality to rounding
                block = block - V @ (V.T @ block) - basis @ (basis.T @ block)
                block = np.linalg.qr(block)[0]
            image = centred_product(problem, block)
            basis, images = np.hstack([basis, block]), np.hstack([images, image])
            block = image
        ritz = basis.T @ images
        return float(np.linalg.eigvalsh((ritz + ritz.T) / 2)[-1])

    return check


def pca(problem: Problem, outputs: Mapping[str, Any], reference: str | None) -> dict[str, Verdict]:
    """Fitted PCAs: variances against the reference, residuals with the covariance on their own."""
    pairs = {
        name: (np.asarray(m.explained_variance_, float), np.asarray(m.components_, float).T)
        for name, m in outputs.items()
    }
    products = _split_product(covariance_product, problem, pairs)
    return _eigen_verdicts(pairs, products, reference, EIGEN_F64)


def gram(problem: Problem, outputs: Mapping[str, Any], reference: str | None) -> dict[str, Verdict]:
    """Gram matrices: largest absolute difference of any entry."""
    expected = outputs[reference] if reference is not None else None

    def difference(K: np.ndarray) -> float:
        if expected is None or K.shape != expected.shape:
            return float("inf")
        step = max(1, BLOCK_ENTRIES // K.shape[1])
        starts = range(0, len(K), step)
        return max(float(np.abs(K[s : s + step] - expected[s : s + step]).max()) for s in starts)

    return {name: Verdict({"entries": difference(K)}, {"entries": GRAM})
            for name, K in outputs.items()}  # fmt: skip


def columns(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Projections: every column against the reference's, up to its sign."""
    expected = outputs[reference] if reference is not None else None

    def error(Z: np.ndarray) -> float:
        return float("inf") if expected is None else column_error(np.asarray(Z), expected)

    return {name: Verdict({"columns": error(Z)}, {"columns": COLUMN})
            for name, Z in outputs.items()}  # fmt: skip


def fit_and_columns(
    problem: Problem, outputs: Mapping[str, Any], reference: str | None
) -> dict[str, Verdict]:
    """Outputs (model, projection): both parts must agree."""
    models = {name: model for name, (model, _) in outputs.items()}
    projected = {name: Z for name, (_, Z) in outputs.items()}
    fits = kernel_pca()(problem, models, reference)
    maps = columns(problem, projected, reference)
    return {
        name: Verdict(
            {**fits[name].measured, **maps[name].measured},
            {**fits[name].limits, **maps[name].limits},
        )
        for name in outputs
    }
