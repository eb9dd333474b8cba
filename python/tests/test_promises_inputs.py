"""What every estimator takes, and what it refuses and how: laws for all of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from promises import CASES, X, answers, attributes, fitted, make, new, samples, target
from scipy import sparse
from sklearn.utils import get_tags

pytestmark = pytest.mark.filterwarnings("ignore:the best alpha")
every = pytest.mark.parametrize("name", list(CASES))
NAMES = [f"c{place}" for place in range(len(X))]
FORMS = {
    "list": lambda rows: rows.tolist(),
    "Fortran order": np.asfortranarray,
    "every other row of a larger array": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "read-only": lambda rows: frozen(rows.copy()),
    "big-endian": lambda rows: rows.astype(">f8"),
    "objects": lambda rows: rows.astype(object),
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES[: rows.shape[1]]),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES[: rows.shape[1]]),
    "CSR": sparse.csr_array,
    "CSC matrix": sparse.csc_matrix,
    "COO": sparse.coo_array,
}


def frozen(rows):
    rows.flags.writeable = False
    return rows


@every
@pytest.mark.parametrize("form", list(FORMS))
def test_the_same_numbers_in_any_form(name, form):
    shaped = FORMS[form]
    if sparse.issparse(shaped(X)) and not get_tags(make(name)).input_tags.sparse:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            fitted_on(name, shaped)
        return
    found = answers(fitted_on(name, shaped), shaped(new(name)))
    expected = answers(fitted(name), new(name))
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if sparse.issparse(shaped(X)):
            assert_allclose(found[key], value, rtol=1e-6, atol=1e-6, err_msg=key)
        elif name == "PCA":  # reads samples where they are, and adds them up in that order
            assert_allclose(found[key], value, rtol=1e-11, atol=1e-11, err_msg=key)
        else:
            assert_array_equal(found[key], value, err_msg=key)


def fitted_on(name, shaped):
    return make(name).fit(shaped(samples(name)), *target(name))


@every
def test_nothing_is_written_to_samples(name):
    rows, asked = samples(name).copy(), new(name).copy()
    model = make(name).fit(rows, *target(name))
    answers(model, asked)
    assert_array_equal(rows, samples(name))
    assert_array_equal(asked, new(name))


@every
@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "inf")]
)
def test_what_is_no_number_is_refused_with_its_place(name, value, word):
    spoiled = samples(name).copy()
    spoiled[7, 2] = value
    with pytest.raises(ValueError, match=word) as raised:
        make(name).fit(spoiled, *target(name))
    assert "row 7, column 2" in str(raised.value)
    assert "remove" in str(raised.value) or "fill" in str(raised.value)
    model, asked = fitted(name), new(name).copy()
    asked[3, 1] = value
    for method in answers(model, new(name)):
        with pytest.raises(ValueError, match=word) as raised:
            getattr(model, method)(asked)
        assert "row 3, column 1" in str(raised.value)


@every
def test_a_refused_fit_changes_nothing(name):
    model = fitted(name)
    before, known = answers(model, new(name)), attributes(model)
    spoiled = samples(name).copy()
    spoiled[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(spoiled, *target(name))
    for key, value in answers(model, new(name)).items():
        assert_array_equal(value, before[key], err_msg=key)
    assert attributes(model).keys() == known.keys()


@every
def test_no_rows(name):
    y = [part[:0] for part in target(name)]
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        make(name).fit(np.empty((0, 4)), *y)
    model = fitted(name)
    for method in answers(model, new(name)):
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            getattr(model, method)(new(name)[:0])


@every
def test_one_row(name):
    """One sample is fitted, or refused by name."""
    params = {key: None for key in CASES[name].rows}
    params = {"init": np.zeros(1, dtype=int), "n_clusters": 1} if "init" in params else params
    params = {"cv": 2} if "cv" in params else params
    params = {"n_components": 1} if name == "PCA" else params
    y = [part[:1] for part in target(name)]
    try:
        model = make(name, **params).fit(samples(name, X[:1]), *y)
    except ValueError as refused:
        reported = str(refused)
        found = ("1 sample", "one sample", "one class", "1 class")
        assert any(words in reported for words in found), reported
    else:
        for key, value in answers(model, samples(name, X[:1])).items():
            assert len(value) == 1, key
            assert np.isfinite(value).all(), key


@every
def test_another_number_of_columns(name):
    model = fitted(name)
    for asked in (new(name)[:, :-1], np.hstack([new(name), new(name)[:, :1]])):
        for method in answers(model, new(name)):
            with pytest.raises(ValueError, match=f"{asked.shape[1]} features") as raised:
                getattr(model, method)(asked)
            assert str(samples(name).shape[1]) in str(raised.value)


@every
def test_names_of_columns_are_compared(name):
    frame = pd.DataFrame(samples(name), columns=NAMES[: samples(name).shape[1]])
    model = make(name).fit(frame, *target(name))
    assert list(model.feature_names_in_) == list(frame.columns)
    other = pd.DataFrame(new(name), columns=[f"x{one}" for one in frame.columns])
    with pytest.raises(ValueError, match="feature names"):
        getattr(model, next(iter(answers(model, frame))))(other)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.target])
def test_samples_and_targets_of_different_lengths(name):
    (y,) = target(name)
    with pytest.raises(ValueError, match=r"\[120, 119\]|inconsistent"):
        make(name).fit(X, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        make(name).fit(X, None)
