"""The jobs of a soak: each returns bytes that must be the same at every run."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse

import mercer
from mercer import kernels

VARIANTS = 3
ROWS = 160


class StopFitError(Exception):
    """Raised by a listener to end a fit."""


def data(variant: int, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Samples of three classes, other ones for each variant."""
    rng = np.random.default_rng(variant)
    y = np.arange(rows) % 3
    return rng.normal(size=(rows, 4)) + y[:, None] * [1.5, -1.0, 0.5, 0.0], y


def digest(*results: object) -> bytes:
    """A fingerprint of all bits of some arrays."""
    hashed = hashlib.sha256()
    for result in results:
        array = np.ascontiguousarray(result)
        hashed.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return hashed.digest()


# --- fits and predictions ------------------------------------------------------------------------


def fit_kernel_pca(variant: int, jobs: int) -> bytes:
    X, _ = data(variant)
    model = mercer.KernelPCA(3, kernel="rbf", gamma=0.1, n_jobs=jobs).fit(X)
    return digest(model.eigenvalues_, model.transform(X[:40]))


def fit_large_kernel_pca(variant: int, jobs: int) -> bytes:
    X, _ = data(variant, rows=600)
    model = mercer.KernelPCA(4, kernel="rbf", eigen_solver="krylov", n_jobs=jobs).fit(X)
    return digest(model.eigenvalues_, model.transform(X[:40]))


def fit_pca(variant: int, jobs: int) -> bytes:
    X, _ = data(variant)
    return digest(mercer.PCA(2, n_jobs=jobs).fit_transform(X))


def fit_ridge(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    model = mercer.KernelRidgeCV(kernel="rbf", gamma=0.2, n_jobs=jobs).fit(X, y + X[:, 0])
    return digest(model.predict(X[:50]), model.alpha_)


def fit_svc(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    model = mercer.SVC(C=2.0, n_jobs=jobs).fit(X, y)
    return digest(model.dual_coef_, model.decision_function(X), model.predict(X))


def fit_svr(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    return digest(mercer.SVR(C=3.0, n_jobs=jobs).fit(X, y + X[:, 1]).predict(X))


def fit_one_class(variant: int, jobs: int) -> bytes:
    X, _ = data(variant)
    return digest(mercer.OneClassSVM(nu=0.2, n_jobs=jobs).fit(X).score_samples(X))


def fit_clusters(variant: int, jobs: int) -> bytes:
    X, _ = data(variant)
    model = mercer.KernelKMeans(3, kernel="rbf", random_state=variant, n_jobs=jobs).fit(X)
    return digest(model.labels_, model.predict(X[:30]))


def fit_detector(variant: int, jobs: int) -> bytes:
    X, _ = data(variant)
    model = mercer.KernelPCADetector(3, kernel="rbf", gamma=0.1, n_jobs=jobs).fit(X)
    return digest(model.score_samples(X))


def fit_sparse(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    rows = scipy.sparse.csr_array(np.where(X > 0.5, X, 0))
    model = mercer.SVC(kernel="linear", n_jobs=jobs).fit(rows, y)
    return digest(model.decision_function(rows))


def fit_texts(variant: int, jobs: int) -> bytes:
    _, y = data(variant, rows=60)
    rng = np.random.default_rng(variant)
    texts = ["".join(rng.choice(list("abcd" if label else "cdef"), 12)) for label in y]
    model = mercer.SVC(kernel=kernels.Spectrum(p=2), n_jobs=jobs).fit(texts, y)
    return digest(model.decision_function(texts))


def fit_own_kernel(variant: int, jobs: int) -> bytes:
    X, _ = data(variant, rows=60)
    model = mercer.KernelPCA(2, kernel=_dots, n_jobs=jobs).fit(X)
    return digest(model.transform(X[:20]))


def _dots(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b)


def kernel_values(variant: int, jobs: int) -> bytes:
    X, _ = data(variant, rows=300)
    return digest(mercer.pairwise_kernels(X, kernel="laplacian", n_jobs=jobs))


# --- files ---------------------------------------------------------------------------------------


def save_and_load(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    model = mercer.SVC(C=2.0, n_jobs=jobs).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mercer"
        model.save(path)
        loaded = mercer.load(path)
        left = sorted(entry.name for entry in Path(folder).iterdir())
    assert left == ["model.mercer"], left
    return digest(model.decision_function(X), loaded.decision_function(X))


def pickle_and_back(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    model = mercer.KernelRidge(kernel="rbf", gamma=0.3, n_jobs=jobs).fit(X, y)
    return digest(pickle.loads(pickle.dumps(model)).predict(X))


# --- errors and cancellations --------------------------------------------------------------------


def refused_input(variant: int, jobs: int) -> bytes:
    X, y = data(variant)
    X[7, 1] = np.nan
    _must_raise(ValueError, lambda: mercer.SVC(n_jobs=jobs).fit(X, y))
    _must_raise(ValueError, lambda: mercer.KernelPCA(2, kernel="rbf(").fit(X[8:]))
    model = mercer.PCA(2, n_jobs=jobs).fit(X[8:])
    _must_raise(ValueError, lambda: model.transform(X[8:, :2]))
    return b"refused"


def refused_memory(variant: int, jobs: int) -> bytes:
    X, _ = data(variant, rows=600)
    model = mercer.KernelPCA(kernel="rbf", eigen_solver="dense", memory_budget=2**18, n_jobs=jobs)
    _must_raise(MemoryError, lambda: model.fit(X))
    return b"refused"


def refused_files(variant: int, jobs: int) -> bytes:
    X, _ = data(variant)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mercer"
        _must_raise(FileNotFoundError, lambda: mercer.load(path))
        mercer.PCA(2, n_jobs=jobs).fit(X).save(path)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1 + variant
        path.write_bytes(content)
        _must_raise(mercer.FormatError, lambda: mercer.load(path))
    return b"refused"


def cancelled_fit(variant: int, jobs: int) -> bytes:
    X, y = data(variant, rows=500)

    def stop(step: mercer.Step) -> None:
        raise StopFitError(step.stage)

    kinds = (
        mercer.KernelPCA(8, kernel="rbf", eigen_solver="krylov", progress=stop, n_jobs=jobs),
        mercer.SVCSearch(progress=stop, n_jobs=jobs),
    )
    for model in kinds:
        _must_raise(StopFitError, lambda model=model: model.fit(X, y))
    return b"cancelled"


def _must_raise(kind: type[BaseException], call: Callable[[], object]) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


JOBS: dict[str, Callable[[int, int], bytes]] = {
    job.__name__.replace("_", " "): job
    for job in (
        fit_kernel_pca,
        fit_large_kernel_pca,
        fit_pca,
        fit_ridge,
        fit_svc,
        fit_svr,
        fit_one_class,
        fit_clusters,
        fit_detector,
        fit_sparse,
        fit_texts,
        fit_own_kernel,
        kernel_values,
        save_and_load,
        pickle_and_back,
        refused_input,
        refused_memory,
        refused_files,
        cancelled_fit,
    )
}
