"""Texts as samples: whatever holds a column of them, and every estimator with a kernel for them."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from kinds import ESTIMATORS, made, output_of, target_of
from names import named
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import SVC, KernelPCA, KernelRidge, KernelRidgeCV
from mercer.kernels import Spectrum

FAMILIES = """
bouvier patty · bouvier selma · brockman kent · burns charles montgomery · carlson carl
· chalmers gary · flanders ned · flanders rod · flanders todd · frink prof. john · gumbel barney ·
hibbert dr. julius · krabappel edna · leonard lenny · lovejoy helen · lovejoy timothy · mann otto ·
moleman hans · muntz nelson · nahasapeemapetilon apu · prince martin · riviera dr. nick · simpson
bart · simpson homer · simpson lisa · simpson maggie · simpson marge · skinner agnes · skinner
seymour · smithers waylon · syslack moe · van houten luann · van houten milhouse · wiggum clancy ·
wiggum ralph"""
NAMES = [" ".join(name.split()) for name in FAMILIES.split("·")]
STRANGERS = ["flanders maude", "simpson abe", "van houten kirk"]
SPAM = ["win a free prize now", "free money, click now", "you won a prize", "claim your free gift"]
HAM = ["see you at lunch", "the meeting moved", "can you send the report", "lunch on monday?"]
TEXTS, CLASSES = SPAM + HAM, np.repeat([1, 0], 4)
NEW = ["a free lunch prize", "report of the meeting", ""]
KERNEL = "normalize(spectrum(p=3))"
every = pytest.mark.parametrize("name", list(ESTIMATORS))


def family(name):
    return name.rsplit(" ", 1)[0]


def test_new_names_land_in_their_families():
    model = KernelPCA(2, kernel=KERNEL)
    known, new = model.fit_transform(NAMES), model.transform(STRANGERS)
    homes = sorted({family(name) for name in NAMES})
    rows = {home: [i for i, name in enumerate(NAMES) if family(name) == home] for home in homes}
    large = [home for home in homes if len(rows[home]) > 1]
    centres = {home: known[rows[home]].mean(axis=0) for home in homes}
    for name, place in zip(STRANGERS, new, strict=True):
        distances = {home: np.linalg.norm(place - centre) for home, centre in centres.items()}
        assert min(distances, key=distances.get) == family(name)
    for home in ("simpson", "flanders", "van houten"):
        assert home in large
        spread = np.linalg.norm(known[rows[home]] - centres[home], axis=1).max()
        others = [np.linalg.norm(centres[home] - centres[far]) for far in large if far != home]
        assert spread < min(others)


@every
def test_every_estimator(name, tmp_path):
    model = made(name, kernel=KERNEL).fit(TEXTS, target_of(name, CLASSES))
    assert model.n_features_in_ == 1
    found = output_of(model, NEW)
    assert np.isfinite(found).all()
    K = mercer.pairwise_kernels(TEXTS, kernel=KERNEL)
    given = made(name, kernel="precomputed").fit(K, target_of(name, CLASSES))
    rows = mercer.pairwise_kernels(NEW, TEXTS, kernel=KERNEL)
    if name == "KernelPCADetector":
        assert_allclose(-given.score_samples(rows, diagonal=[1, 1, 0]), -model.score_samples(NEW))
    elif name == "KernelKMeans":
        assert_allclose(given.transform(rows, diagonal=[1, 1, 0]), model.transform(NEW))
    else:
        assert_allclose(np.abs(output_of(given, rows)), np.abs(found), atol=1e-5)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(output_of(again, NEW), found)
    if hasattr(model, "save"):
        model.save(tmp_path / "model.mercer")
        assert_array_equal(output_of(mercer.load(tmp_path / "model.mercer"), NEW), found)


def columns():
    yield TEXTS
    yield tuple(TEXTS)
    yield np.array(TEXTS)
    yield np.array(TEXTS, dtype=object)
    yield np.array(TEXTS, dtype=object)[:, None]
    yield np.array(TEXTS, dtype=np.dtypes.StringDType())
    yield [[text] for text in TEXTS]
    yield [text.encode() for text in TEXTS]
    yield pd.Series(TEXTS)
    yield pd.Series(TEXTS, dtype="string")
    yield pd.Series(TEXTS, dtype="category")
    yield pd.DataFrame({"words": TEXTS})
    yield pl.Series(TEXTS)
    yield pl.DataFrame({"words": TEXTS})
    pyarrow = pytest.importorskip("pyarrow")
    yield pyarrow.array(TEXTS)
    yield pyarrow.chunked_array([TEXTS[:3], TEXTS[3:]])
    yield pyarrow.table({"words": TEXTS})


def test_whatever_holds_texts():
    expected = SVC(kernel=KERNEL).fit(TEXTS, CLASSES).decision_function(TEXTS)
    for column in columns():
        model = SVC(kernel=KERNEL).fit(column, CLASSES)
        assert_array_equal(model.decision_function(column), expected)
        assert_array_equal(model.decision_function(TEXTS), expected)


def test_names_of_columns():
    frame = pd.DataFrame({"words": TEXTS})
    model = KernelPCA(2, kernel=KERNEL).fit(frame)
    assert model.feature_names_in_.tolist() == ["words"]
    assert_array_equal(model.X_fit_, np.array(TEXTS, dtype=object))
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"words": "title"}))
    model.fit(TEXTS)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (3, TypeError, "row 2 of X is 3 of type int"),
        (2.5, TypeError, "row 2 of X is 2.5 of type float"),
        (None, ValueError, r"row 2 of X is missing \(None\)"),
        (np.nan, ValueError, r"row 2 of X is missing \(nan\)"),
        (pd.NA, ValueError, "row 2 of X is missing"),
        (b"\xff", ValueError, "row 2 of X is not valid UTF-8 at byte 0"),
        ("\ud800", ValueError, "row 2 .* surrogate"),
        (["a", "b"], TypeError, "row 2 of X is .* of type list"),
    ],
    ids=named,
)
def test_values_that_are_no_texts(value, error, words):
    mixed = [*TEXTS[:2], value, *TEXTS[3:]]
    with pytest.raises(error, match=words):
        SVC(kernel=KERNEL).fit(mixed, CLASSES)
    fitted = SVC(kernel=KERNEL).fit(TEXTS, CLASSES)
    with pytest.raises(error, match=words):
        fitted.predict(np.array(mixed, dtype=object) if not isinstance(value, list) else mixed)


@every
def test_the_wrong_kernel(name):
    numbers = np.random.default_rng(0).normal(size=(8, 3))
    with pytest.raises(TypeError, match=r"kernel takes strings, but X has shape \(8, 3\)"):
        made(name, kernel=KERNEL).fit(numbers, target_of(name, CLASSES))
    with pytest.raises(TypeError, match=r"row 0 of X is .* of type float"):
        made(name, kernel=KERNEL).fit(numbers[:, 0], target_of(name, CLASSES))
    for texts in (TEXTS, np.array(TEXTS), pd.Series(TEXTS), pl.Series(TEXTS)):
        with pytest.raises(TypeError, match="takes rows of numbers, but X contains strings"):
            made(name, kernel="rbf").fit(texts, target_of(name, CLASSES))
    model = made(name, kernel="rbf").fit(numbers, target_of(name, CLASSES))
    with pytest.raises(TypeError, match="takes rows of numbers, but X contains strings"):
        output_of(model, TEXTS)


def test_other_bad_texts():
    with pytest.raises(TypeError, match="X is a single string"):
        KernelPCA(kernel=KERNEL).fit("simpson")
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        KernelPCA(kernel=KERNEL).fit([])
    with pytest.raises(TypeError, match=r"X has 2 columns \(a, b\): name one"):
        KernelPCA(kernel=KERNEL).fit(pd.DataFrame({"a": TEXTS, "b": TEXTS}))
    with pytest.raises(ValueError, match="p"):
        KernelPCA(kernel="spectrum(p=100)").fit(TEXTS)
    with pytest.raises(ValueError, match="cannot be compared"):
        KernelRidgeCV(kernel=["rbf", KERNEL]).fit(TEXTS, CLASSES)


def test_names_and_objects_of_kernels():
    expected = mercer.pairwise_kernels(TEXTS, kernel="spectrum(p=2, unit=words)")
    found = mercer.pairwise_kernels(TEXTS, kernel="spectrum", p=2, unit="words")
    assert_array_equal(found, expected)
    assert_array_equal(Spectrum(2, unit="words")(TEXTS), expected)
    assert SVC(kernel="spectrum").fit(TEXTS, CLASSES).kernel_ == "spectrum(p=3, unit=chars)"
    best = KernelRidgeCV(kernel=[f"normalize(spectrum(p={p}))" for p in (1, 2, 3)])
    assert best.fit(TEXTS, CLASSES).kernel_ in [
        f"normalize(spectrum(p={p}, unit=chars))" for p in (1, 2, 3)
    ]


def test_searches_of_scikit_learn():
    texts = np.array(TEXTS * 3, dtype=object)
    assert cross_val_score(SVC(kernel=KERNEL), texts, np.tile(CLASSES, 3), cv=3).min() > 0.9
    grid = {"kernel": [KERNEL, "normalize(substrings(p=4))"], "alpha": [0.1, 1.0]}
    search = GridSearchCV(KernelRidge(), grid, cv=3, n_jobs=2).fit(texts, np.tile(CLASSES, 3))
    assert search.best_score_ > 0.5
