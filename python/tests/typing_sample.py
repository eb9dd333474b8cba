"""A program as users write it: ``test_typing.py`` runs mypy and pyright on it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np

import mercer
from mercer import (
    PCA,
    SVC,
    SVR,
    AutoKernel,
    ConformalClassifier,
    ConformalRegressor,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    OneClassSVM,
    Step,
    SVCSearch,
    SVRSearch,
    explain,
    kernels,
)
from mercer.reports import ClusteringReport, MachineReport, RegressionReport, Report


def tell(step: Step) -> None:
    print(step.stage, step.done / step.total, step.residual)


def components(X: np.ndarray, folder: Path) -> np.ndarray:
    kpca = KernelPCA(2, kernel=0.5 * kernels.RBF(sigma="median"), progress=tell).fit(X)
    assert_type(kpca, KernelPCA)
    assert_type(kpca.report_, Report)
    assert_type(kpca.report_["notes"], list[str])
    assert_type(kpca.report_["residual"], float | None)
    Z = kpca.transform(X)
    assert_type(kpca.inverse_transform(Z, method="gradient"), np.ndarray)
    back, errors = kpca.inverse_transform(Z, method="neighbors", return_error=True)
    assert_type(errors, np.ndarray)
    kpca.save(folder / "model.mercer")
    assert_type(PCA(2).fit(X).report_["solver"], str)
    return back


def regressions(X: np.ndarray, y: np.ndarray) -> float:
    ridge = KernelRidge(0.1, kernel="rbf").fit(X, y)
    assert_type(ridge.predict(X), np.ndarray)
    assert_type(ridge.predict(X, return_std=False), np.ndarray)
    mean, std = ridge.predict(X, return_std=True)
    assert_type(std, np.ndarray)
    search = KernelRidgeCV(kernel=["rbf", kernels.Linear()]).fit(X, y)
    mean, std = search.predict(X, return_std=True)
    assert_type(search.report_, RegressionReport)
    assert_type(search.report_["system"]["effective_rank"], int | None)
    assert_type(SVR().fit(X, y).predict(X), np.ndarray)
    assert_type(SVRSearch(Cs=[1, 10], epsilons=[0.1], cv=2).fit(X, y).best_estimator_, SVR)
    lower, upper = ConformalRegressor(ridge).fit(X, y).predict_interval(X)
    assert_type(upper, np.ndarray)
    assert (lower <= upper).all()
    assert_type(explain.permutation_importance(ridge, X, y).mean, np.ndarray)
    assert_type(explain.contributions(ridge, X[:2]).values, np.ndarray)
    assert_type(explain.influential_samples(ridge, X[:2]).indices, np.ndarray)
    return float(mean.sum() + std.sum())


def classes(X: np.ndarray, y: np.ndarray) -> list[float]:
    svc = SVC(C=10, probability=True).fit(X, y)
    assert_type(svc.report_, MachineReport)
    problems = svc.report_["machine"]["problems"]
    worst = [problem["violation"] for problem in problems]
    assert_type(worst, list[float])
    assert_type(problems[0]["gap"], float | None)
    assert_type(svc.decision_function(X), np.ndarray)
    assert_type(SVCSearch(Cs=[1, 10]).fit(X, y).best_estimator_, SVC)
    assert_type(ConformalClassifier(svc).fit(X, y).predict_set(X), np.ndarray)
    assert_type(AutoKernel(time_budget=0.1, cv=2).fit(X, y).report(), str)
    assert_type(KernelRidgeClassifier().fit(X, y).predict(X), np.ndarray)
    for model in mercer.svc_path(X, y, [0.1, 1.0]):
        assert_type(model, SVC)
    return worst


def groups(X: np.ndarray) -> np.ndarray:
    clusters = KernelKMeans(3).fit(X)
    assert_type(clusters.report_, ClusteringReport)
    assert_type(clusters.report_["clusters"]["objectives"], list[float])
    assert_type(mercer.choose_n_clusters(X, k=range(2, 4)), mercer.ClusterCount)
    kernel = sum([kernels.RBF(gamma=1.0), kernels.Linear()], start=0.0 + kernels.Poly(2))
    assert_type((kernel + 1) ** 2 / 2 + "cosine", kernels.Kernel)
    assert_type(SVC(kernel="rbf(gamma=1)").set_params(kernel__gamma=0.5), SVC)
    assert_type(OneClassSVM(nu=0.1).fit(X).score_samples(X), np.ndarray)
    return KernelPCADetector(contamination=0.1).fit_predict(X)


def files(folder: Path, X: np.ndarray) -> np.ndarray:
    SVC().fit(X, X[:, 0] > 0).save(folder / "classes.mercer")
    model = mercer.load(folder / "classes.mercer")
    assert_type(model.predict(X), np.ndarray)
    assert_type(model.decision_function(X), np.ndarray)
    assert_type(model.report_["converged"], bool)
    model.save(str(folder / "again.mercer"))
    print(model.get_params(), model.n_features_in_)
    return mercer.load(folder / "model.mercer").transform(X)


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] > 0
    mercer.set_num_threads(1)
    folder = Path("models")
    folder.mkdir(exist_ok=True)
    print(components(X, folder), regressions(X, X[:, 0]), classes(X, y), groups(X))
    check: mercer.KernelCheck = mercer.check_kernel("rbf", X)
    K: np.ndarray = mercer.pairwise_kernels(X, kernel="laplacian(gamma=0.1)")
    print(check.verdict, check.is_valid, K.shape, files(folder, X))


if __name__ == "__main__":
    main()
