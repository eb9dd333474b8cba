"""scikit-learn's own checks, none excused."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    PCA,
    SVC,
    SVR,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    NuSVC,
    NuSVR,
    OneClassSVM,
    SVCSearch,
)
from mercer.kernels import RBF


@parametrize_with_checks(
    [
        KernelPCA(),
        KernelPCA(n_components=2, kernel="rbf", fit_inverse_transform=True),
        KernelPCA(kernel=0.5 * RBF(sigma=2), center=False),
        KernelPCA(n_components=2, kernel="precomputed"),
        PCA(),
        PCA(n_components=0.9, whiten=True),
        PCA(n_components=1, svd_solver="arpack"),
        KernelRidge(),
        KernelRidge(kernel="rbf", fit_intercept=True),
        KernelRidge(0.1, kernel=0.5 * RBF(sigma=2), solver="cg", warm_start=True),
        KernelRidge(kernel="precomputed"),
        KernelRidgeCV(),
        KernelRidgeCV([0.1, 1.0], kernel="linear", cv=3, scoring="r2"),
        KernelRidgeCV([0.1, 1.0], cv="gcv", alpha_per_target=True),
        KernelRidgeCV([0.1, 1.0], kernel="precomputed"),
        KernelRidgeClassifier(),
        KernelRidgeClassifier(kernel="rbf", class_weight="balanced"),
        KernelRidgeClassifier(kernel="precomputed"),
        SVC(),
        SVC(probability=True, class_weight="balanced"),
        SVC(kernel="linear", warm_start=True),
        SVC(kernel="precomputed"),
        NuSVC(),
        SVR(),
        SVR(kernel="precomputed"),
        NuSVR(),
        OneClassSVM(),
        SVCSearch(),
        SVCSearch([0.1, 10.0], kernel="linear", cv=3, probability=True),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
