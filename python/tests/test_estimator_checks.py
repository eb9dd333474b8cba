"""scikit-learn's own checks, none excused."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import PCA, KernelPCA
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
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
