"""scikit-learn's own checks: none excused, but for what a definition excludes."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    PCA,
    SVC,
    SVR,
    AdditiveChi2Sampler,
    AutoKernel,
    ConformalClassifier,
    ConformalRegressor,
    GaussianProcessRegressor,
    KernelKMeans,
    KernelPCA,
    KernelPCADetector,
    KernelRepair,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    NuSVC,
    NuSVR,
    Nystroem,
    OneClassSVM,
    PolynomialCountSketch,
    RBFSampler,
    SVCSearch,
    SVRSearch,
    TableEncoder,
)
from mercer.kernels import RBF

# A width that does not depend on the weights of samples, and a solution to nine digits.
SOLVED = {"gamma": "auto", "tol": 1e-10}


@parametrize_with_checks(
    [
        KernelPCA(n_components=2, kernel="rbf", fit_inverse_transform=True),
        KernelPCA(kernel=0.5 * RBF(sigma=2), center=False, fit_inverse_transform=True),
        KernelPCA(n_components=2, kernel="precomputed"),
        PCA(),
        PCA(n_components=0.9, whiten=True),
        PCA(n_components=1, svd_solver="arpack"),
        KernelRidge(),
        KernelRidge(kernel="rbf", fit_intercept=True),
        KernelRidge(0.1, kernel=0.5 * RBF(sigma=2), solver="cg", warm_start=True),
        KernelRidge(kernel="precomputed"),
        GaussianProcessRegressor(),
        GaussianProcessRegressor(alpha=0.1, optimizer=None, normalize_y=False),
        KernelRidgeCV(),
        KernelRidgeCV([0.1, 1.0], kernel="linear", cv=3, scoring="r2"),
        KernelRidgeCV([0.1, 1.0], cv="gcv", alpha_per_target=True),
        KernelRidgeCV([0.1, 1.0], kernel="precomputed"),
        KernelRidgeClassifier(),
        KernelRidgeClassifier(kernel="rbf", class_weight="balanced"),
        KernelRidgeClassifier(kernel="precomputed"),
        SVC(**SOLVED),
        SVC(kernel="linear", tol=1e-10, warm_start=True),
        SVC(kernel="precomputed"),
        SVR(**SOLVED),
        SVR(kernel="precomputed"),
        NuSVR(**SOLVED),
        KernelKMeans(1),
        KernelPCADetector(),
        KernelRepair(),
        KernelRepair("flip"),
        TableEncoder(),
        Nystroem(n_components=3, fit_inverse_transform=True),
        Nystroem("laplacian", n_components="auto", fit_inverse_transform=True),
        RBFSampler(),
        RBFSampler(gamma="scale", features="independent", n_components=7),
        RBFSampler(kernel="laplacian", gamma=0.1, n_components=6),
        PolynomialCountSketch(),
        PolynomialCountSketch(degree=3, coef0=1.0, n_components=11),
        AdditiveChi2Sampler(),
        AutoKernel(time_budget=0.01, cv=2, task="regression"),
        ConformalRegressor(KernelRidge(), coverage=0.5),
        ConformalRegressor(KernelRidge(), coverage=0.5, method="cv+", cv=3),
        ConformalClassifier(SVC(gamma="auto"), coverage=0.5, cv=2),
        KernelPCADetector(2, kernel="linear", criterion="projections", center=False),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def _excused(estimator):
    """What scikit-learn excuses its own estimators of the same kinds from, and searches."""
    if isinstance(estimator, KernelPCA):
        return {"check_array_api_input": "the way back needs a method that is named, or a map"}
    if isinstance(estimator, KernelKMeans):
        why = "samples in another order are drawn in another order"
        return {
            f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")
        }
    if isinstance(estimator, KernelPCADetector):
        why = "the check gives samples where the estimator's tags say that it takes a kernel matrix"
        return {"check_outliers_fit_predict": why, "check_outliers_train": why}
    if isinstance(estimator, OneClassSVM):
        why = (
            "decisions of samples on the boundary are 0 but for rounding; the check compares signs"
        )
        return {
            f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")
        }
    folds = isinstance(estimator, (SVCSearch, SVRSearch)) or estimator.probability
    why = (
        "a sample of weight 2 is in one fold, and two samples may be in two"
        if folds
        else "gamma='scale' does not weigh samples, and the solver stops at tol=1e-3"
    )
    excused = {
        f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")
    }
    if isinstance(estimator, NuSVC):
        excused["check_class_weight_classifiers"] = "as in LIBSVM, nu knows no weights of classes"
    return excused


@parametrize_with_checks(
    [
        SVC(),
        SVC(probability=True, class_weight="balanced"),
        NuSVC(nu=0.3),
        OneClassSVM(**SOLVED),
        SVCSearch(),
        SVCSearch([1.0], [0.1], cv=3, scoring="balanced_accuracy"),
        SVRSearch([1.0], [0.1]),
        SVCSearch([0.1, 10.0], kernel="linear", cv=3, probability=True),
        KernelPCA(),
        KernelKMeans(),
        KernelKMeans(2, gamma=0.1, init="spectral"),
        KernelKMeans(3, kernel="linear", init="random", n_init=2),
        KernelPCADetector(2, kernel="precomputed", criterion="projections"),
    ],
    expected_failed_checks=_excused,
)
def test_scikit_learn_check_but_for_what_cannot_be(estimator, check):
    check(estimator)
