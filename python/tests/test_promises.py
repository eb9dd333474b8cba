"""The same answer, whatever it is asked by: laws that hold for every estimator of the package."""

import pickle
import subprocess
import sys
from typing import NotRequired, get_origin, get_type_hints

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from promises import (
    CASES,
    ESTIMATORS,
    EXPLICIT,
    GAMMA,
    KERNELS,
    MOVABLE,
    NEW,
    SEARCHES,
    X,
    answers,
    attributes,
    fitted,
    make,
    new,
    other_kernel,
    report_of,
    rng,
    samples,
    target,
)
from sklearn.base import clone

import mercer

pytestmark = [
    pytest.mark.filterwarnings("ignore:the best alpha"),
    pytest.mark.filterwarnings("ignore:.*spreads"),
]
every = pytest.mark.parametrize("name", list(CASES))
# All but the repair of matrices, whose columns are samples, and explicit features, which are
# functions of the columns themselves and not of kernel values.
of_samples = pytest.mark.parametrize(
    "name", [name for name in CASES if name not in ("KernelRepair", *EXPLICIT)]
)
# The direction of a component is a convention.
UNSIGNED = ("PCA", "KernelPCA")
# A search is no model: its best one has a file.
NO_FILE = set(SEARCHES)


def same(found, expected, **tolerance):
    """Answers or attributes are the same: to the last bit without a tolerance."""
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if not tolerance or value.dtype.kind not in "fc":
            assert_array_equal(found[key], value, err_msg=key)
        else:
            assert_allclose(found[key], value, err_msg=key, **tolerance)


def near(name, found, expected, share):
    """Numbers agree to a share of the largest, in any direction of components; most labels do."""
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if value.dtype.kind not in "fc":
            assert np.mean(found[key] != value) <= 0.05, key
            continue
        got, value = (np.abs(v) if name in UNSIGNED else v for v in (found[key], value))
        assert_allclose(got, value, rtol=0, atol=share * np.abs(value).max(), err_msg=key)


def test_no_estimator_is_forgotten():
    assert set(CASES) == set(ESTIMATORS)


@every
def test_threads_change_no_bit(name):
    rows = np.vstack([X, X + 0.1, X[::-1] - 0.3])
    y = [np.tile(part, 3) for part in target(name)]
    params = {key: None for key in CASES[name].rows}
    params = {"init": np.tile(CASES[name].params["init"], 3)} if "init" in params else params
    params = {"cv": 3} if "cv" in params else params
    one, two = (make(name, n_jobs=n, **params).fit(samples(name, rows), *y) for n in (1, 2))
    same(attributes(two), attributes(one))
    asked = new(name, NEW, rows)
    same(answers(two, asked), answers(one, asked))


@every
def test_fits_repeat(name):
    first, second = fitted(name), fitted(name)
    same(attributes(second), attributes(first))
    same(answers(second, new(name)), answers(first, new(name)))


@every
def test_rows_in_another_order(name):
    if name == "Nystroem":
        pytest.skip("landmarks depend on the order; test_nystroem.py tests those that are given")
    order = rng.permutation(len(X))
    params = {key: turned(order) for key, turned in CASES[name].rows.items()}
    other = make(name, **params).fit(samples(name, X[order]), *target(name, order))
    expected = answers(fitted(name), new(name))
    found = answers(other, new(name, NEW, X[order]))
    if name == "KernelRepair":  # which answers for each training sample
        found = {key: value[:, np.argsort(order)] for key, value in found.items()}
    near(name, found, expected, 1e-6)


@pytest.mark.parametrize("name", KERNELS)
def test_a_precomputed_matrix_is_its_kernel(name):
    direct = fitted(name, **{"gammas": [GAMMA]} if name in SEARCHES else {})
    K = mercer.pairwise_kernels(X, kernel="rbf", gamma=GAMMA)
    given = make(name, **other_kernel(name, "precomputed")).fit(K, *target(name))
    rows = mercer.pairwise_kernels(NEW, X, kernel="rbf", gamma=GAMMA)
    needs_own = name in ("KernelKMeans", "KernelPCADetector")
    own = {"diagonal": np.ones(len(NEW))} if needs_own else {}
    near(name, answers(given, rows, **own), answers(direct, NEW), 1e-6)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """What all models say in another process, from model files and from pickles."""
    folder = tmp_path_factory.mktemp("models")
    for name in CASES:
        model = fitted(name)
        np.save(folder / f"{name}.rows.npy", new(name))
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(model))
        if hasattr(model, "save"):
            model.save(folder / f"{name}.mercer")
    script = """
import pickle, sys
from pathlib import Path
import numpy as np
import mercer
sys.path.insert(0, sys.argv[2])
from promises import answers
for path in sorted(Path(sys.argv[1]).glob("*.*")):
    if path.suffix in (".pickle", ".mercer"):
        loaded = mercer.load(path) if path.suffix == ".mercer" else pickle.loads(path.read_bytes())
        rows = np.load(path.with_suffix(".rows.npy"))
        np.savez(path.with_suffix(path.suffix + ".npz"), **answers(loaded, rows))
"""
    here = __file__.rpartition("/")[0]
    subprocess.run([sys.executable, "-c", script, str(folder), here], check=True, timeout=300)
    return folder


@every
@pytest.mark.parametrize("form", ["mercer", "pickle"])
def test_another_process_says_the_same(name, form, elsewhere):
    path = elsewhere / f"{name}.{form}.npz"
    if form == "mercer" and name in NO_FILE:
        assert not path.exists()
        assert not hasattr(fitted(name), "save")
        return
    same(dict(np.load(path)), answers(fitted(name), new(name)))


@every
def test_single_precision_is_near(name):
    single = fitted(name, X.astype(np.float32))
    rows = new(name).astype(np.float32)
    near(name, answers(single, rows), answers(fitted(name), new(name)), 2e-3)


@every
def test_equal_rows_have_equal_answers(name):
    """Twice the same sample is no reason to say two things, in a fit or of new samples."""
    rows = np.vstack([X, X])
    y = [np.tile(part, 2) for part in target(name)]
    params = {"init": np.tile(CASES[name].params["init"], 2)} if name == "KernelKMeans" else {}
    params = {"cv": 3} if name in SEARCHES else params
    model = make(name, **params).fit(samples(name, rows), *y)
    found = answers(model, new(name, np.vstack([NEW, NEW]), rows))
    for key, value in found.items():
        assert np.isfinite(value).all() if value.dtype.kind == "f" else True, key
        assert_allclose(value[: len(NEW)], value[len(NEW) :], rtol=1e-9, atol=1e-12, err_msg=key)


@of_samples
def test_a_constant_column_tells_nothing(name):
    wide, asked = (np.column_stack([rows, np.full(len(rows), 7.0)]) for rows in (X, NEW))
    found, expected = answers(fitted(name, wide), asked), answers(fitted(name), NEW)
    if name == "PCA":  # densities in one dimension more are others
        del found["score_samples"], expected["score_samples"]
    near(name, found, expected, 1e-6)


# Years, prices, pascals; and seconds since 1970 are farther away still.
FAR = pytest.mark.parametrize("far", [1e4, 1e6])
DIRECTION = np.array([1.0, -1.0, 1.0, 0.3])


@of_samples
@FAR
def test_samples_far_from_zero(name, far):
    """Kernels of differences, and PCA, do not see where the origin is."""
    shift = far * DIRECTION
    moved, asked = X + shift, NEW + shift
    # What the numbers themselves lose so far from zero is no fault of a method's.
    expected = answers(fitted(name, moved - shift), asked - shift)
    near(name, answers(fitted(name, moved), asked), expected, 1e-5)


@pytest.mark.parametrize("name", [name for name in MOVABLE if CASES[name].kernel])
@FAR
def test_samples_far_from_zero_with_a_linear_kernel(name, far):
    """Nor do methods that find a constant or take the mean away, whose kernel does."""
    shift = far * DIRECTION
    params = other_kernel(name, "linear")
    moved, asked = X + shift, NEW + shift
    expected = answers(fitted(name, moved - shift, **params), asked - shift)
    near(name, answers(fitted(name, moved, **params), asked), expected, 1e-4)


@every
def test_copies_are_the_same(name):
    model = fitted(name)
    copy = clone(model)
    assert repr(copy.get_params()) == repr(model.get_params())
    assert not any(key.endswith("_") for key in vars(copy))
    again = pickle.loads(pickle.dumps(model))
    same(answers(again, new(name)), answers(model, new(name)))
    same(attributes(again), attributes(model))


@every
def test_parameters_are_set(name):
    model = make(name)
    for key, value in model.get_params(deep=False).items():
        assert model.set_params(**{key: value}) is model
    with pytest.raises(ValueError, match="'colour'"):
        model.set_params(colour="blue")
    model.set_params(n_jobs=1, memory_budget="1GiB").fit(samples(name), *target(name))
    same(answers(model, new(name)), answers(fitted(name), new(name)))


@every
def test_reports_certify_in_finite_numbers(name):
    model = fitted(name)
    report = report_of(model)
    if name == "KernelRepair":
        assert np.isfinite(model.change_)
        assert model.converged_
    # Of a search the report is that of the model it has chosen.
    kind = type(getattr(model, "best_estimator_", model))
    has_type(report, get_type_hints(kind)["report_"], "report_")
    assert ("tube" in report.get("machine", ())) == (name == "NuSVR")
    assert report["converged"]
    assert 0 <= report["residual"] < 1e-6 or name == "KernelKMeans"


def has_type(found, hint, where):
    """A dictionary has exactly the keys of its type, and all numbers are finite and of theirs.

    Those that a type does not require are the ones that the test above names.
    """
    inner = getattr(hint, "__args__", ())
    if hasattr(hint, "__required_keys__"):
        hints = get_type_hints(hint)
        # With annotations that are strings, __required_keys__ has the keys of NotRequired too.
        extras = get_type_hints(hint, include_extras=True).items()
        optional = {key for key, own in extras if get_origin(own) is NotRequired}
        assert hint.__required_keys__ - optional <= set(found) <= set(hints), where
        for key in found:
            has_type(found[key], hints[key], f"{where}[{key!r}]")
    elif getattr(hint, "__origin__", None) is list:
        assert isinstance(found, list), where
        for value in found:
            has_type(value, inner[0], where)
    elif inner and all(isinstance(one, str) for one in inner):
        assert found in inner, where
    else:
        kinds = inner or (hint,)
        kinds = (*kinds, int) if float in kinds else kinds
        assert isinstance(found, kinds), f"{where} is {found!r}"
        assert not isinstance(found, float) or np.isfinite(found), where
