"""Model files and pickles."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from names import named
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer import PCA, FormatError, KernelPCA
from mercer.kernels import RBF, Linear

MODELS = [
    KernelPCA(3, kernel="rbf", gamma=0.2, fit_inverse_transform=True, alpha=0.5),
    KernelPCA(0.7, kernel=0.5 * RBF(sigma=2) + Linear(), center=False),
    KernelPCA(3, kernel="rbf", precision="mixed"),
    KernelPCA(2, kernel="poly", degree=2, random_state=4, eigen_solver="krylov"),
    PCA(3, whiten=True),
    PCA(0.8),
    PCA("mle"),
]
every = pytest.mark.parametrize("model", MODELS, ids=named)


def same(one, other, X):
    assert_array_equal(one.transform(X), other.transform(X))
    assert one.transform(X).dtype == other.transform(X).dtype
    assert one.report_ == other.report_
    if getattr(one, "fit_inverse_transform", isinstance(one, PCA)):
        scores = one.transform(X)
        assert_array_equal(one.inverse_transform(scores), other.inverse_transform(scores))


@every
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_round_trip(tmp_path, wine, model, dtype):
    X = wine.astype(dtype)
    model.fit(X)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    same(model, again, X)
    assert str(again.get_params(deep=False)) == str(model.get_params(deep=False))
    assert again.n_features_in_ == 13
    names = {name for name in vars(model) if name.endswith("_")}
    assert names == {name for name in vars(again) if name.endswith("_")}
    again.save(tmp_path / "again.mercer")
    assert (tmp_path / "again.mercer").read_bytes() == (tmp_path / "m.mercer").read_bytes()


@every
def test_pickle(wine, model):
    model.fit(wine)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        same(model, again, wine)


def test_pickle_of_functions_and_given_matrices(wine):
    from sklearn.metrics.pairwise import rbf_kernel

    function = KernelPCA(2, kernel=np.dot, fit_inverse_transform=True).fit(wine)
    same(function, pickle.loads(pickle.dumps(function)), wine)
    K = rbf_kernel(wine)
    given = KernelPCA(2, kernel="precomputed").fit(K)
    same(given, pickle.loads(pickle.dumps(given)), K)


def test_a_later_process_gives_the_same_bits(tmp_path, wine):
    model = KernelPCA(3, kernel="rbf").fit(wine)
    model.save(tmp_path / "m.mercer")
    np.save(tmp_path / "x.npy", wine)
    code = (
        "import sys, numpy, mercer; folder = sys.argv[1];"
        "X = numpy.load(folder + '/x.npy'); model = mercer.load(folder + '/m.mercer');"
        "numpy.save(folder + '/y.npy', model.transform(X))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert_array_equal(np.load(tmp_path / "y.npy"), model.transform(wine))


def test_precomputed(tmp_path, wine):
    K = wine @ wine.T
    model = KernelPCA(2, kernel="precomputed").fit(K)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.kernel == "precomputed"
    same(model, again, K)


def test_names_of_columns(tmp_path, wine):
    import pandas as pd

    frame = pd.DataFrame(wine[:, :3], columns=["a", "b", "c"])
    model = PCA(2).fit(frame)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.feature_names_in_.tolist() == ["a", "b", "c"]
    same(model, again, frame)


def test_the_loaded_estimator_can_be_fitted_again(tmp_path, wine, iris):
    KernelPCA(2, kernel="rbf", gamma="scale").fit(wine).save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer").fit(iris)
    assert_array_equal(
        again.transform(iris), KernelPCA(2, kernel="rbf", gamma="scale").fit(iris).transform(iris)
    )


def test_scaling_is_none_without_one(wine):
    assert PCA(2).fit(wine).scaling_ is None


def test_refusals(tmp_path, wine):
    model = PCA(2).fit(wine)
    path = tmp_path / "m.mercer"
    model.save(path)
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "none.mercer")
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "none" / "m.mercer")
    with pytest.raises(IsADirectoryError):
        mercer.load(tmp_path)
    with pytest.raises(IsADirectoryError, match=r"folder|directory"):
        model.save(tmp_path)
    content = path.read_bytes()
    for wrong in (
        content[:-1],
        content[: len(content) // 2],
        b"",
        b"PAR1" * 9,
        content.replace(b"pca", b"abc"),
    ):
        path.write_bytes(wrong)
        with pytest.raises(FormatError, match=r"m\.mercer"):
            mercer.load(path)
    with pytest.raises(ValueError, match="pickle"):
        KernelPCA(2, kernel=np.dot).fit(wine).save(path)
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        PCA().save(path)


def test_loading_scales_as_the_command_line_did(tmp_path, iris):
    """A file with scaling, as the command line writes it, made here from one without."""
    shift, factor = iris.mean(0), 1 / iris.std(0)
    model = PCA(2).fit((iris - shift) * factor)
    scaled = model._model.with_scaling("standard", shift.tolist(), factor.tolist())
    scaled.save(str(tmp_path / "m.mercer"))
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.scaling_["kind"] == "standard"
    assert_allclose(loaded.scaling_["shift"], shift)
    assert_allclose(loaded.transform(iris), model.transform((iris - shift) * factor), atol=1e-12)
    full = PCA().fit((iris - shift) * factor)._model
    full.with_scaling("standard", shift.tolist(), factor.tolist()).save(str(tmp_path / "f.mercer"))
    back = mercer.load(tmp_path / "f.mercer")
    assert_allclose(back.inverse_transform(back.transform(iris)), iris, atol=1e-9)
