"""The parameter ``device``: what it takes, what it says without a device, and fits on one."""

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer import KernelPCA, KernelRidge, KernelRidgeClassifier, _device

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = np.sin(X[:, 0])


def estimators(device):
    return [
        KernelPCA(3, kernel="rbf", gamma=0.3, device=device),
        KernelRidge(0.1, kernel="rbf", gamma=0.3, device=device),
        KernelRidgeClassifier(0.1, kernel="rbf", gamma=0.3, device=device),
    ]


def outputs(model):
    target = (Y > 0).astype(int) if isinstance(model, KernelRidgeClassifier) else Y
    model.fit(X, target)
    return model.transform(X) if isinstance(model, KernelPCA) else model.predict(X)


def has_device():
    try:
        KernelPCA(1, kernel="rbf", device="cuda").fit(X)
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "CUDA", 0, None])
def test_other_names_are_refused(device):
    for model in estimators(device):
        with pytest.raises(mercer.ParameterError, match="device"):
            outputs(model)


def test_without_a_device_the_error_says_what_is_missing_and_auto_takes_the_processor():
    if has_device():
        pytest.skip("this machine has a device")
    for model in estimators("cuda"):
        with pytest.raises(RuntimeError, match=r"(CUDA|cuBLAS).*use device cpu"):
            outputs(model)
        assert not hasattr(model, "report_")
    for here, auto in zip(estimators("cpu"), estimators("auto"), strict=True):
        np.testing.assert_array_equal(outputs(here), outputs(auto))
        assert "device" in auto.report_["note_codes"]


def test_on_a_device_the_results_are_those_of_the_processor(tmp_path):
    if not has_device():
        pytest.skip("no CUDA device")
    for here, there in zip(estimators("cpu"), estimators("cuda"), strict=True):
        np.testing.assert_allclose(outputs(here), outputs(there), rtol=0, atol=1e-7)
        assert "cuda:0" in there.report_["storage"]
        path = tmp_path / "model.mercer"
        there.save(path)
        loaded = mercer.load(path)
        assert loaded.device == "cpu"
        predict = "transform" if isinstance(loaded, KernelPCA) else "predict"
        np.testing.assert_allclose(
            getattr(loaded, predict)(X), getattr(there, predict)(X), rtol=0, atol=1e-9
        )
        assert clone(there).device == "cuda"


def test_what_only_the_processor_computes_is_refused():
    with pytest.raises((ValueError, RuntimeError), match="use device cpu"):
        KernelPCA(2, kernel="spectrum", device="cuda").fit(["abc", "bcd", "cde"])
    with pytest.raises(ValueError, match="landmarks are computed on the processor only"):
        KernelPCA(2, kernel="rbf", landmarks=10, device="cuda").fit(X)
    with pytest.raises(ValueError, match="precomputed matrices are decomposed on the processor"):
        KernelPCA(2, kernel="precomputed", device="cuda").fit(X @ X.T)


def test_libraries_are_loaded_from_the_packages_that_bring_them(tmp_path, monkeypatch):
    folder = tmp_path / "cu13" / "lib"
    folder.mkdir(parents=True)
    (folder / "libcublas.so.13").write_bytes(b"")
    loaded = []
    monkeypatch.setattr(_device.ctypes, "CDLL", lambda path, mode: loaded.append(path))
    package = type("package", (), {"__path__": [str(tmp_path)]})
    monkeypatch.setattr(_device.importlib, "import_module", lambda name: package)
    _device.load_libraries.cache_clear()
    try:
        assert _device.load_libraries() == (str(folder / "libcublas.so.13"),)
        assert loaded == [str(folder / "libcublas.so.13")]
    finally:
        _device.load_libraries.cache_clear()
