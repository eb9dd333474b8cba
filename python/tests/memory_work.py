"""Pieces of work whose memory is measured, each in a process of its own.

Run as a program, it takes jobs on standard input, one JSON object a line: ``{"work": name,
"rows": n, "budget": bytes or null, "limits": {"AS": bytes}, "threads": number}``; the last two may
be missing. For each it forks a process that
prepares the data, does the work once on few rows, so that code and threads are there, and then
measures how far the process's memory rises above what it was.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings

import numpy as np

import mercer

SMALL = 60
# Threads of the estimators, if not their default.
threads: int | None = None


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and a number for each that can be learned from them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 10))
    return X, X[:, 0] + 0.5 * np.sin(3 * X[:, 1]) + 0.1 * random.normal(size=n)


def two(y: np.ndarray) -> np.ndarray:
    """Return two classes of numbers."""
    return (y > 0).astype(int)


def five(y: np.ndarray) -> np.ndarray:
    """Return five classes of numbers, of one size."""
    return np.searchsorted(np.quantile(y, [0.2, 0.4, 0.6, 0.8]), y)


def made(make, budget):
    """Return the estimator that `make` makes, with the threads that the job asks for."""
    estimator = make(budget)
    return estimator if threads is None else estimator.set_params(n_jobs=threads)


def fit(make, target=None):
    """Return work that fits what `make` makes on all rows."""

    def prepare(n, budget):
        X, y = data(n)
        aim = None if target is None else target(y)
        return lambda: made(make, budget).fit(X, aim)

    return prepare


def use(make, target, call, rows=None, train=2000, **options):
    """Return work that calls a method of an estimator fitted on `train` rows."""

    def prepare(n, budget):
        X, y = data(n)
        some = min(n, train)
        estimator = made(make, None).fit(X[:some], None if target is None else target(y[:some]))
        X = X if rows is None else X[:rows]
        if call == "inverse_transform":
            X = estimator.transform(X)
        estimator.set_params(memory_budget=budget)
        return lambda: getattr(estimator, call)(X, **options)

    return prepare


def plain(y):
    """Return the numbers themselves."""
    return y


def matrix(work, rows):
    """Return work on a matrix of kernel values of some of the rows."""

    def prepare(n, budget):
        X, _ = data(min(n, rows))
        K = mercer.pairwise_kernels(X, kernel="rbf", gamma=0.1)
        return lambda: work(K, budget)

    return prepare


def samples(work):
    """Return work on rows and numbers."""

    def prepare(n, budget):
        X, y = data(n)
        return lambda: work(X, y, budget)

    return prepare


RBF = {"kernel": "rbf", "gamma": 0.05}


def pca(budget):
    return mercer.PCA(5, memory_budget=budget)


def kernel_pca(budget, components=5, **options):
    return mercer.KernelPCA(components, **RBF, memory_budget=budget, tol=1e-3, **options)


def ridge(budget):
    return mercer.KernelRidge(1.0, **RBF, memory_budget=budget, tol=1e-3)


def svc(budget, **options):
    return mercer.SVC(**RBF, memory_budget=budget, tol=0.1, **options)


def path(X, y, budget):
    """Fit along three prices."""
    return mercer.svc_path(X, two(y), Cs=[0.1, 1.0], **RBF, tol=0.1, memory_budget=budget)


def search(budget):
    """Search over widths and prices."""
    return mercer.SVCSearch(Cs=[0.1, 1.0], gammas=[0.02, 0.1], cv=3, tol=0.1, memory_budget=budget)


def detector(budget):
    return mercer.KernelPCADetector(5, **RBF, memory_budget=budget, tol=1e-3)


def clusters(budget):
    return mercer.KernelKMeans(5, **RBF, n_init=1, max_iter=3, memory_budget=budget, random_state=0)


WORK = {
    "PCA": fit(pca),
    "PCA.transform": use(pca, None, "transform"),
    "KernelPCA": fit(kernel_pca),
    "KernelPCA(0.9)": fit(lambda budget: kernel_pca(budget, 0.9)),
    "KernelPCA, all components": fit(lambda budget: kernel_pca(budget, None)),
    "KernelPCA with a map back": fit(
        lambda budget: kernel_pca(budget, fit_inverse_transform=True, alpha=1.0)
    ),
    "KernelPCA.transform": use(kernel_pca, None, "transform"),
    "KernelPCA.inverse_transform": use(
        kernel_pca, None, "inverse_transform", 200, method="fixed_point"
    ),
    "KernelPCADetector": fit(detector),
    "KernelPCADetector.score_samples": use(detector, None, "score_samples"),
    "KernelKMeans": fit(clusters),
    "KernelKMeans.predict": use(clusters, None, "predict"),
    "KernelRidge": fit(ridge, plain),
    "KernelRidge.predict": use(ridge, plain, "predict"),
    "KernelRidge.predict, return_std": use(ridge, plain, "predict", 300, return_std=True),
    "KernelRidgeClassifier": fit(
        lambda budget: mercer.KernelRidgeClassifier(1.0, **RBF, tol=1e-3, memory_budget=budget),
        two,
    ),
    "KernelRidgeCV": fit(
        lambda budget: mercer.KernelRidgeCV([0.1, 1.0], **RBF, cv=2, memory_budget=budget), plain
    ),
    "SVC": fit(svc, two),
    "SVC, five classes": fit(svc, five),
    "SVC with probabilities": fit(lambda budget: svc(budget, probability=True), two),
    "SVC.predict": use(svc, two, "predict"),
    "NuSVC": fit(lambda budget: mercer.NuSVC(nu=0.3, **RBF, tol=0.1, memory_budget=budget), two),
    "SVR": fit(lambda budget: mercer.SVR(**RBF, tol=0.1, memory_budget=budget), plain),
    "NuSVR": fit(lambda budget: mercer.NuSVR(**RBF, tol=0.1, memory_budget=budget), plain),
    "OneClassSVM": fit(lambda budget: mercer.OneClassSVM(**RBF, tol=0.1, memory_budget=budget)),
    "SVCSearch": fit(search, two),
    "SVC on landmarks": fit(lambda budget: svc(budget, landmarks=30), two),
    "SVC on cells": fit(lambda budget: svc(budget, cells=50), two),
    "SVC on cells, predict": use(lambda budget: svc(budget, cells=50), two, "predict"),
    "SVCSearch, cells that choose": fit(
        lambda budget: search(budget).set_params(cells=50, per_cell=True), two
    ),
    "svc_path": samples(path),
    "check_kernel": samples(
        lambda X, y, budget: mercer.check_kernel("rbf", X, gamma=0.1, memory_budget=budget)
    ),
    "KernelRepair": matrix(
        lambda K, budget: mercer.KernelRepair("flip", memory_budget=budget).fit(K), 2000
    ),
    "KernelRepair, nearest": matrix(
        lambda K, budget: mercer.KernelRepair("nearest", memory_budget=budget).fit(K), 800
    ),
    "KernelPCA, precomputed": matrix(
        lambda K, budget: mercer.KernelPCA(
            5, kernel="precomputed", memory_budget=budget, tol=1e-3
        ).fit(K),
        4000,
    ),
}


def resident() -> tuple[int, int]:
    """Return the bytes of memory now, and at most since it was last set back."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return tuple(int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))


def set_back() -> None:
    """Let the highest memory begin at that of now."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def measured(job: dict) -> dict:
    """Return what the work of a job came to."""
    global threads
    prepare, budget, threads = WORK[job["work"]], job["budget"], job.get("threads")
    warnings.simplefilter("ignore")
    prepare(min(SMALL, job["rows"]), None)()
    work = prepare(job["rows"], budget)
    for name, limit in job.get("limits", {}).items():
        if name == "AS":
            with open("/proc/self/statm") as file:
                limit += int(file.read().split()[0]) * resource.getpagesize()
        which = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(which, (limit, resource.getrlimit(which)[1]))
    set_back()
    before, _ = resident()
    # Of the processor: on a busy machine time passes without work.
    started, refused = time.process_time(), None
    try:
        kept = work()
    except MemoryError as error:
        kept, refused = None, str(error)
    seconds = time.process_time() - started
    peak = resident()[1] - before
    del kept
    return {**job, "refused": refused, "seconds": round(seconds, 2), "peak": peak}


def main() -> None:
    """Fork a process for every job, and print what each comes to."""
    for line in sys.stdin:
        job = json.loads(line)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            print(json.dumps(measured(job)), flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(json.dumps({**job, "died": status}), flush=True)


if __name__ == "__main__":
    main()
