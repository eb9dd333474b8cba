"""scikit-learn's tests of PCA, on mercer's."""

from swapped import names_of

globals().update(names_of("sklearn.decomposition.tests.test_pca"))
