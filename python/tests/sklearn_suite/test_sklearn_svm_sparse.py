"""scikit-learn's tests of support vector machines on sparse samples, on mercer's."""

from swapped import names_of

globals().update(names_of("sklearn.svm.tests.test_sparse"))
