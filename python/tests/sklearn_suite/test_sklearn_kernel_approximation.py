"""scikit-learn's tests of Nyström features, on mercer's."""

from swapped import names_of

globals().update(names_of("sklearn.tests.test_kernel_approximation"))
