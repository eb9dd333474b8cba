"""Explanations: by their definitions, in two loops, and in every container of samples."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence as theirs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    SVR,
    KernelKMeans,
    KernelPCADetector,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    OneClassSVM,
    SVCSearch,
    SVRSearch,
    explain,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = X[:, 0] + 0.5 * np.sin(2 * X[:, 1]) + 0.01 * RNG.normal(size=80)
NEW = RNG.normal(size=(9, 4))
CLASSES = np.array(["low", "middle", "high"])[np.digitize(Y, [-0.5, 0.5])]
NAMES = ["a", "b", "c", "d"]
FORMS = {
    "array": lambda rows: rows,
    "list": lambda rows: rows.tolist(),
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
    "sparse": sparse.csr_array,
}
forms = pytest.mark.parametrize("form", list(FORMS))
RIDGE = KernelRidge(0.1, kernel="rbf", gamma=0.3, fit_intercept=True)
# A kernel that is a sum of kernels on columns, two of which read the same column.
ADDITIVE = (
    "columns(a, b: rbf(gamma=0.5)) + 2*(columns(c: linear) + columns(c: rbf)) + columns(d: rbf)"
)


def words(n=40):
    letters = RNG.choice(list("ACGT"), size=(n, 12))
    return ["".join(row) for row in letters]


class TestImportance:
    @forms
    def test_two_loops(self, form):
        shaped = FORMS[form](X)
        model = clone(RIDGE).fit(X, Y)
        found = explain.permutation_importance(RIDGE.fit(shaped, Y), shaped, Y, n_repeats=3)
        rng, whole = np.random.RandomState(0), model.score(X, Y)
        for column in range(4):
            for repeat in range(3):
                rows = X.copy()
                rows[:, column] = X[rng.permutation(80), column]
                expected = whole - model.score(rows, Y)
                assert found.importances[column, repeat] == pytest.approx(expected, abs=1e-9)
        assert_allclose(found.std_error, found.importances.std(1, ddof=1) / np.sqrt(3))
        assert found.score == pytest.approx(whole)

    def test_strings_and_tables_of_several_kinds(self):
        texts = words()
        y = np.array([text.count("A") for text in texts], dtype=float)
        model = KernelRidge(0.1, kernel="spectrum(p=1)").fit(texts, y)
        found = explain.permutation_importance(model, texts, y)
        assert found.names == ["sample"]
        assert found.mean[0] > 0.5
        kernel = "column(text: spectrum(p=1)) + columns(noise: rbf)"
        table = {"text": texts, "noise": RNG.normal(size=40)}
        for shaped in (table, pd.DataFrame(table), pl.DataFrame(table)):
            model = KernelRidge(0.1, kernel=kernel).fit(shaped, y)
            found = explain.permutation_importance(model, shaped, y, scoring="r2")
            assert found.mean[0] > 10 * abs(found.mean[1])

    def test_any_estimator_and_scorer(self):
        forest = RandomForestRegressor(20, random_state=0).fit(X, Y)
        found = explain.permutation_importance(
            forest, X, Y, scoring="neg_mean_absolute_error", n_repeats=1
        )
        assert found.mean.argmax() == 0
        assert np.isnan(found.std_error).all()
        with pytest.raises(ValueError, match="n_repeats"):
            explain.permutation_importance(forest, X, Y, n_repeats=0)


class TestDependence:
    @forms
    def test_it_is_that_of_scikit_learn(self, form):
        shaped = FORMS[form](X)
        points = np.linspace(-1, 1, 5)
        found = explain.partial_dependence(RIDGE.fit(shaped, Y), shaped, 1, values=points)
        expected = theirs(
            clone(RIDGE).fit(X, Y), X, [1], custom_values={1: points}, kind="both", method="brute"
        )
        assert_allclose(found.mean, expected["average"][0], atol=1e-10)
        assert_allclose(found.curves, expected["individual"][0], atol=1e-10)
        assert_allclose(found.lower, np.quantile(found.curves, 0.05, axis=0))
        assert np.all((found.lower <= found.mean) & (found.mean <= found.upper))

    def test_columns_by_name_and_grids(self):
        frame = FORMS["pandas"](X)
        model = RIDGE.fit(frame, Y)
        found = explain.partial_dependence(model, frame, "b", values=7, max_samples=30)
        assert found.name == "b"
        assert found.curves.shape == (30, 7)
        assert found.values[[0, -1]] == pytest.approx(np.quantile(X[:, 1], [0.05, 0.95]))
        with pytest.raises(ValueError, match="no column 'z'; it has a, b, c, d"):
            explain.partial_dependence(model, frame, "z")
        with pytest.raises(ValueError, match="interval"):
            explain.partial_dependence(model, frame, "a", interval=90)
        with pytest.raises(ValueError, match="values"):
            explain.partial_dependence(model, frame, "a", values=1)

    def test_classes_and_detectors(self):
        model = SVC().fit(X, CLASSES)
        rising = explain.partial_dependence(model, X, 0, target="high").mean
        falling = explain.partial_dependence(model, X, 0, target="low").mean
        assert rising[-1] > rising[0]
        assert falling[-1] < falling[0]
        with pytest.raises(ValueError, match="one of the classes 'high', 'low', 'middle'"):
            explain.partial_dependence(model, X, 0)
        usual = explain.partial_dependence(OneClassSVM(nu=0.1).fit(X), X, 0, values=[0.0, 9.0])
        assert usual.mean[1] < usual.mean[0]
        with pytest.raises(ValueError, match="has no effect"):
            explain.partial_dependence(RIDGE.fit(X, Y), X, 0, target="high")


class TestContributions:
    @pytest.mark.parametrize("form", ["pandas", "polars", "dict"])
    @pytest.mark.parametrize("kind", [KernelRidge(0.1), SVR(), KernelRidgeCV([0.1])])
    def test_sums_of_kernels_on_columns_are_exact(self, form, kind):
        def shaped(rows):
            return dict(zip(NAMES, rows.T, strict=True)) if form == "dict" else FORMS[form](rows)

        model = kind.set_params(kernel=ADDITIVE).fit(shaped(X), Y)
        found = explain.contributions(model, shaped(NEW), background=shaped(X))
        assert found.exact
        assert found.names == ["a, b", "c", "d"]
        assert found.base == pytest.approx(model.predict(shaped(X)).mean())
        assert_allclose(found.values.sum(axis=1) + found.base, model.predict(shaped(NEW)))
        # A part is a function of its columns alone.
        other = NEW.copy()
        other[:, 3] = 0.0
        again = explain.contributions(model, shaped(other), background=shaped(X))
        assert_allclose(again.values[:, :2], found.values[:, :2], atol=1e-9)

    def test_linear_models_are_exact(self):
        model = SVR(kernel="linear", tol=1e-6).fit(X, Y)
        found = explain.contributions(model, NEW, background=X)
        assert found.exact
        expected = (NEW - X.mean(axis=0)) * model.coef_[0]
        assert_allclose(found.values, expected, atol=1e-9)
        assert_allclose(found.values.sum(axis=1) + found.base, model.predict(NEW))

    def test_two_classes_have_opposite_contributions(self):
        y = Y > 0
        model = SVC(kernel="linear").fit(X, y)
        one, other = (explain.contributions(model, NEW, target=side) for side in (True, False))
        assert_allclose(one.values, -other.values)
        assert_allclose(one.values.sum(axis=1) + one.base, model.decision_function(NEW))

    @forms
    def test_shapley_values_sum_to_the_difference_from_the_mean(self, form):
        shaped = FORMS[form]
        model = RIDGE.fit(shaped(X), Y)
        found = explain.contributions(
            model, shaped(NEW), background=shaped(X[:20]), n_permutations=40
        )
        assert not found.exact
        predicted = model.predict(shaped(NEW))
        assert_allclose(found.values.sum(axis=1), predicted - found.base, atol=1e-10)
        assert found.base == pytest.approx(model.predict(shaped(X[:20])).mean())

    def test_shapley_values_of_an_additive_function_are_its_parts(self):
        """Each order of the columns gives the same differences; the background is all used."""
        frame, new = FORMS["pandas"](X), FORMS["pandas"](NEW)
        kernel = "columns(a: rbf) + columns(b: rbf) + columns(c: linear) + columns(d: rbf)"
        model = KernelRidge(0.1, kernel=kernel).fit(frame, Y)
        exact = explain.contributions(model, new, background=frame)
        pipe = make_pipeline("passthrough", model)
        sampled = explain.contributions(pipe, new, background=frame, n_permutations=80)
        assert not sampled.exact
        assert_allclose(sampled.values, exact.values, atol=1e-9)

    def test_standard_errors_are_honest(self):
        model = RIDGE.fit(X, Y)
        truth = explain.contributions(model, NEW, background=X[:16], n_permutations=1600)
        few = [
            explain.contributions(
                model, NEW, background=X[:16], n_permutations=48, random_state=seed
            )
            for seed in range(6)
        ]
        off = [np.abs(one.values - truth.values) / one.std_error for one in few]
        # The background is used evenly, so that errors are smaller than said, not larger.
        assert np.mean(np.stack(off) < 2) > 0.9
        assert np.all(few[0].std_error > 0)

    def test_classes_and_refusals(self):
        model = SVC().fit(X, CLASSES)
        found = explain.contributions(model, NEW, target="high", n_permutations=10)
        place = list(model.classes_).index("high")
        decisions = model.decision_function(NEW)[:, place]
        assert_allclose(found.values.sum(axis=1) + found.base, decisions)
        many = KernelRidgeClassifier(kernel="linear").fit(X, CLASSES)
        exact = explain.contributions(many, NEW, target="high")
        assert exact.exact
        assert_allclose(
            exact.values.sum(axis=1) + exact.base, many.decision_function(NEW)[:, place]
        )
        with pytest.raises(ValueError, match="kmer_weights"):
            explain.contributions(
                KernelRidge(kernel="spectrum(p=2)").fit(words(), np.arange(40.0)), words()
            )
        with pytest.raises(ValueError, match="n_permutations"):
            explain.contributions(model, NEW, target="high", n_permutations=0)


class TestInfluence:
    @pytest.mark.parametrize(
        "model",
        [
            KernelRidge(0.1, kernel="rbf", fit_intercept=True),
            KernelRidgeCV([0.1]),
            SVR(),
            SVRSearch([1.0], [0.1], [0.2], cv=2),
            make_pipeline(StandardScaler(), SVR()),
            SVR(kernel=ADDITIVE),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_terms_sum_to_the_prediction(self, model):
        frame, new = FORMS["pandas"](X), FORMS["pandas"](NEW)
        model.fit(frame, Y)
        found = explain.influential_samples(model, new, k=80)
        assert_allclose(found.terms.sum(axis=1) + found.intercept, model.predict(new), atol=1e-9)
        assert_allclose(found.values, model.predict(new), atol=1e-9)
        few = explain.influential_samples(model, new, k=3)
        assert_array_equal(few.indices, found.indices[:, :3])
        assert np.all(np.diff(np.abs(found.terms), axis=1) <= 1e-12)

    def test_terms_are_those_of_the_named_rows(self):
        model = KernelRidge(0.1, kernel="rbf", gamma=0.3).fit(X, Y)
        found = explain.influential_samples(model, NEW, k=4)
        for row in range(len(NEW)):
            values = rbf_kernel(NEW[[row]], X[found.indices[row]], gamma=0.3)[0]
            assert_allclose(found.terms[row], values * model.dual_coef_[found.indices[row]])

    def test_classes(self):
        two = SVC(kernel="precomputed").fit(rbf_kernel(X), Y > 0)
        rows = rbf_kernel(NEW, X)
        found = explain.influential_samples(two, rows)
        assert_allclose(found.values, two.decision_function(rows))
        three = SVC(decision_function_shape="ovo").fit(X, CLASSES)
        pairs = three.decision_function(NEW)
        for place, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
            first, second = three.classes_[[i, j]]
            one = explain.influential_samples(three, NEW, target=(first, second))
            other = explain.influential_samples(three, NEW, target=(second, first))
            assert_allclose(one.values, pairs[:, place], atol=1e-9)
            assert_allclose(other.values, -one.values)
        ridge = KernelRidgeClassifier(kernel="rbf").fit(X, CLASSES)
        of_class = explain.influential_samples(ridge, NEW, target="high")
        assert_allclose(of_class.values, ridge.decision_function(NEW)[:, 0])
        searched = SVCSearch([1.0], [0.1], cv=2).fit(X, Y > 0)
        assert explain.influential_samples(searched, NEW).indices.shape == (9, 5)
        usual = OneClassSVM(nu=0.2).fit(X)
        assert_allclose(
            explain.influential_samples(usual, NEW).values, usual.decision_function(NEW), atol=1e-9
        )

    def test_refusals(self):
        with pytest.raises(ValueError, match="pair of the classes"):
            explain.influential_samples(SVC().fit(X, CLASSES), NEW)
        with pytest.raises(ValueError, match="has no effect"):
            explain.influential_samples(SVR().fit(X, Y), NEW, target=1)
        with pytest.raises(TypeError, match="not an expansion"):
            explain.influential_samples(RandomForestRegressor(5).fit(X, Y), NEW)
        with pytest.raises(ValueError, match="k must be"):
            explain.influential_samples(SVR().fit(X, Y), NEW, k=0)
        with pytest.raises(TypeError, match="Python function"):
            explain.influential_samples(SVR(kernel=rbf_kernel).fit(X, Y), NEW)


class TestKmers:
    @pytest.mark.parametrize(
        "kernel",
        ["spectrum(p=3)", "0.5*spectrum(p=2) + spectrum(p=4)", "normalize(spectrum(p=3))"],
    )
    def test_weights_times_counts_are_the_decision_value(self, kernel):
        texts, new = words(60), words(20)
        y = np.array(["GA" in text for text in texts])
        for model in (SVC(kernel=kernel), KernelRidgeClassifier(kernel=kernel)):
            model.fit(texts, y)
            found = explain.kmer_weights(model)
            assert_allclose(found.values(new), model.decision_function(new), rtol=0, atol=1e-9)
        assert len(found.names) == len(found.weights)

    def test_counts_by_hand(self):
        texts = words(60)
        y = np.array(["GA" in text for text in texts])
        model = SVC(kernel="spectrum(p=2)", C=100).fit(texts, y)
        found = explain.kmer_weights(model)
        weight = dict(zip(found.names, found.weights, strict=True))
        for text in words(10):
            pairs = [text[place : place + 2] for place in range(len(text) - 1)]
            total = sum(weight.get(pair, 0.0) for pair in pairs) + found.intercept
            assert total == pytest.approx(model.decision_function([text])[0], abs=1e-9)
        assert found.largest(1)[0][0] == "GA"
        assert found.largest(1)[0][1] > 0

    def test_pairs_and_refusals(self):
        texts = words(60)
        y = np.arange(60) % 3
        model = SVC(kernel="spectrum(p=2)", decision_function_shape="ovo").fit(texts, y)
        found = explain.kmer_weights(model, target=(0, 2))
        assert_allclose(found.values(texts), model.decision_function(texts)[:, 1], atol=1e-9)
        with pytest.raises(TypeError, match="not a kernel on strings"):
            explain.kmer_weights(SVC().fit(X, Y > 0))


class TestOutliers:
    @forms
    @pytest.mark.parametrize("detector", [OneClassSVM(nu=0.1), KernelPCADetector(3)])
    def test_the_column_that_was_moved_is_found(self, detector, form):
        shaped = FORMS[form]
        odd = X[:4].copy()
        odd[np.arange(4), [2, 0, 3, 1]] += 8.0
        model = detector.fit(shaped(X))
        found = explain.outlier_columns(model, shaped(odd), background=shaped(X))
        assert found.gains.argmax(axis=1).tolist() == [2, 0, 3, 1]
        assert [row[0] for row in found.largest(1)] == [found.names[c] for c in [2, 0, 3, 1]]
        assert_allclose(found.scores, model.score_samples(shaped(odd)))

    def test_refusals(self):
        with pytest.raises(TypeError, match="score_samples"):
            explain.outlier_columns(SVR().fit(X, Y), X)
        with pytest.raises(ValueError, match="n_samples"):
            explain.outlier_columns(OneClassSVM().fit(X), X, n_samples=0)


class TestClusters:
    def test_means_deviations_and_table(self):
        data, y = load_iris(return_X_y=True, as_frame=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        model = KernelKMeans(3, kernel="linear", random_state=0).fit(data)
        found = explain.cluster_profiles(model, data, names)
        labels, values = model.predict(data), data.to_numpy()
        for place, cluster in enumerate(found.clusters):
            inside = labels == cluster
            assert found.sizes[place] == inside.sum()
            assert_allclose(found.means[place], values[inside].mean(axis=0))
            expected = (values[inside].mean(axis=0) - values.mean(axis=0)) / values.std(axis=0)
            assert_allclose(found.deviations[place], expected)
            for column, name in enumerate(found.classes):
                assert found.table[place, column] == np.sum(inside & (names == name))
        assert found.names == list(data.columns)

    def test_columns_without_numbers_and_constant_ones(self):
        data = load_wine(as_frame=True).data.iloc[:, :2]
        table = data.assign(remark="dry", year=2020)
        kernel = "columns(alcohol, malic_acid: rbf)"
        model = KernelKMeans(2, kernel=kernel, random_state=0).fit(table)
        found = explain.cluster_profiles(model, table)
        assert found.names == ["alcohol", "malic_acid", "year"]
        assert_array_equal(found.deviations[:, 2], 0)
        assert found.table is None
        with pytest.raises(ValueError, match="inconsistent"):
            explain.cluster_profiles(model, table, np.zeros(3))
