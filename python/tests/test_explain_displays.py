"""Displays of importances and of partial dependence show what the functions compute."""

import numpy as np
import pytest
from pictures import iris
from sklearn.datasets import load_diabetes

from mercer import SVC, DependenceDisplay, ImportanceDisplay, KernelRidge, explain


def test_bars_are_the_importances():
    X, y = iris()
    model = SVC().fit(X, y)
    display = ImportanceDisplay.from_estimator(model, X, y, n_repeats=4, random_state=3)
    found = explain.permutation_importance(model, X, y, n_repeats=4, random_state=3)
    np.testing.assert_array_equal(display.mean, found.mean)
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, np.sort(found.mean)[::-1])
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels[0] == "petal length (cm)"
    once = ImportanceDisplay.from_estimator(model, X, y, n_repeats=1)
    assert once.std_error is None


def test_many_columns_are_cut_and_said_so():
    names = [f"c{place}" for place in range(30)]
    display = ImportanceDisplay.from_predictions(names, np.arange(30.0), max_columns=4)
    assert len(display.ax_.patches) == 4
    assert "26 columns" in display.ax_.get_title(loc="right")
    for wrong in ({"max_columns": 0}, {"std_error": [1.0]}):
        with pytest.raises(ValueError, match=r"max_columns|std_error"):
            ImportanceDisplay.from_predictions(names, np.arange(30.0), **wrong)


def test_lines_are_the_curves():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = KernelRidge(0.1, kernel="rbf", gamma=5, fit_intercept=True).fit(X, y)
    display = DependenceDisplay.from_estimator(model, X, ["bmi", "sex"], values=9)
    curve = explain.partial_dependence(model, X, "bmi", values=9)
    line = next(one for one in display.ax_.lines if one.get_label() == "mean")
    np.testing.assert_array_equal(line.get_xdata(), curve.values)
    np.testing.assert_array_equal(line.get_ydata(), curve.mean)
    assert display.axes_[0].get_ylim() == display.axes_[1].get_ylim()
    again = DependenceDisplay.from_predictions(curve)
    assert again.ax_.get_xlabel() == "bmi"


def test_what_is_refused():
    X, y = load_diabetes(return_X_y=True)
    model = KernelRidge().fit(X, y)
    with pytest.raises(ValueError, match="columns is empty"):
        DependenceDisplay.from_estimator(model, X, [])
    with pytest.raises(TypeError, match="partial_dependence"):
        DependenceDisplay.from_predictions([1.0])
