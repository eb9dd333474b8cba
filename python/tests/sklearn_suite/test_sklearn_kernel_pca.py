"""scikit-learn's tests of kernel PCA, on mercer's."""

from swapped import names_of

globals().update(names_of("sklearn.decomposition.tests.test_kernel_pca"))
