"""Support vector machines in LIBSVM's model files."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import SVC, SVR, FormatError, NuSVC, NuSVR, OneClassSVM, read_libsvm_model
from mercer.kernels import RBF, Linear

X, y = load_iris(return_X_y=True)
VALUES = np.sin(X[:, 0]) + X[:, 1]
NEW = np.random.default_rng(2).uniform(0, 8, size=(70, 4))
MODELS = [
    (SVC(C=2.0, gamma=0.2), y),
    (SVC(kernel="linear"), y),
    (SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.1), np.where(y == 0, 5, -3)),
    (SVC(kernel="sigmoid", gamma=0.01), y > 0),
    (NuSVC(nu=0.1), 2 - y),
    (SVR(kernel="poly", degree=2, epsilon=0.05), VALUES),
    (NuSVR(nu=0.2), VALUES),
    (OneClassSVM(nu=0.2), None),
]


@pytest.mark.parametrize(
    ("model", "aim"), MODELS, ids=[f"{type(m).__name__}{i}" for i, (m, _) in enumerate(MODELS)]
)
def test_there_and_back(tmp_path, model, aim):
    aim = aim.astype(int) if aim is not None and aim.dtype == bool else aim
    model.fit(X, aim).to_libsvm(tmp_path / "m.model")
    again = read_libsvm_model(tmp_path / "m.model")
    assert type(again) is type(model)
    for method in ("predict", "decision_function"):
        if hasattr(model, method):
            found, expected = getattr(again, method)(NEW), getattr(model, method)(NEW)
            assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert_allclose(again.intercept_, model.intercept_)
    assert_allclose(again.dual_coef_, model.dual_coef_)
    assert_array_equal(again.n_support_, model.n_support_)
    assert_array_equal(again.support_vectors_, model.support_vectors_)
    assert again.gamma_ == model.gamma_ or model.kernel == "linear"
    if aim is not None and not isinstance(model, (SVR, NuSVR)):
        assert_array_equal(again.classes_, model.classes_)
    again.save(tmp_path / "m.mercer")
    assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(NEW), again.predict(NEW))


def test_a_file_of_libsvm(tmp_path):
    """As ``svm-train -g 0.5`` writes it, with classes in the order in which they came."""
    (tmp_path / "m.model").write_text(
        "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 3\nrho 0.25\n"
        "label 1 -1\nnr_sv 1 2\nSV\n1 1:1 2:2 \n-0.75 1:-1 \n-0.25 2:-1 3:1 \n"
    )
    model = read_libsvm_model(tmp_path / "m.model")
    assert type(model) is SVC
    assert_array_equal(model.classes_, [-1, 1])
    vectors = np.array([[1.0, 2, 0], [-1, 0, 0], [0, -1, 1]])
    new = np.array([[0.5, 1.0, 0.0], [-1.0, -0.5, 0.2]])
    expected = rbf_kernel(new, vectors, gamma=0.5) @ [1, -0.75, -0.25] - 0.25
    assert_allclose(model.decision_function(new), expected)
    assert_array_equal(model.predict(new), np.where(expected > 0, 1, -1))
    assert model.n_features_in_ == 3
    wide = read_libsvm_model(tmp_path / "m.model", n_features=5)
    wider = np.hstack([new, np.zeros((2, 2))])
    assert_allclose(wide.decision_function(wider), expected)
    with pytest.raises(ValueError, match="fitted on 3 features"):
        read_libsvm_model(tmp_path / "m.model", n_features=2)
    with pytest.raises(ValueError, match="n_features"):
        read_libsvm_model(tmp_path / "m.model", n_features=0)


def test_a_given_matrix(tmp_path):
    K = rbf_kernel(X)
    model = SVC(kernel="precomputed").fit(K, y)
    model.to_libsvm(tmp_path / "m.model")
    assert "0:" in (tmp_path / "m.model").read_text()


def test_what_such_a_file_cannot_hold(tmp_path):
    path = tmp_path / "m.model"
    with pytest.raises(ValueError, match="pickle"):
        SVC(kernel=rbf_kernel).fit(X, y).to_libsvm(path)
    with pytest.raises(ValueError, match="kernel"):
        SVC(kernel=RBF(gamma=1) + Linear()).fit(X, y).to_libsvm(path)
    with pytest.raises(ValueError, match="integer"):
        SVC().fit(X, np.array(["a", "b", "c"])[y]).to_libsvm(path)
    assert not path.exists()
    with pytest.warns(UserWarning, match="calibration was omitted"):
        SVC(probability=True).fit(X, y).to_libsvm(path)
    with pytest.raises(mercer.FormatError):
        read_libsvm_model(__file__)
    with pytest.raises(FileNotFoundError):
        read_libsvm_model(tmp_path / "none.model")
    path.write_text(path.read_text()[:-30])
    with pytest.raises(FormatError, match=r"m\.model"):
        read_libsvm_model(path)
