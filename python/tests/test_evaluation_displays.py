"""scikit-learn's displays for evaluation take the estimators of this package."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    confusion_matrix,
    roc_auc_score,
)
from sklearn.model_selection import LearningCurveDisplay, ValidationCurveDisplay, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    SVR,
    AutoKernel,
    ConformalClassifier,
    ConformalRegressor,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    NuSVC,
    OneClassSVM,
    SVCSearch,
    SVRSearch,
)

PARTS = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
X, X_TEST, Y, Y_TEST = PARTS

SCORED = [
    SVC(),
    NuSVC(nu=0.2),
    KernelRidgeClassifier(kernel="rbf", gamma=0.02),
    SVCSearch([1, 10], [0.01, 0.1]),
    AutoKernel(time_budget=2),
]
pytestmark = [
    pytest.mark.filterwarnings("ignore:the best:UserWarning"),
    pytest.mark.filterwarnings("ignore:The `probability`:FutureWarning"),
]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("model", SCORED, ids=lambda model: type(model).__name__)
def test_curves_of_decision_values(model):
    fitted = make_pipeline(StandardScaler(), model).fit(X, Y)
    roc = RocCurveDisplay.from_estimator(fitted, X_TEST, Y_TEST)
    decisions = fitted.decision_function(X_TEST)
    assert np.max(roc.roc_auc) == pytest.approx(roc_auc_score(Y_TEST, decisions))
    assert PrecisionRecallDisplay.from_estimator(fitted, X_TEST, Y_TEST).average_precision > 0.9
    assert DetCurveDisplay.from_estimator(fitted, X_TEST, Y_TEST).ax_ is not None


@pytest.mark.parametrize(
    "model", [*SCORED, ConformalClassifier(SVC())], ids=lambda model: type(model).__name__
)
def test_confusion_matrices(model):
    fitted = make_pipeline(StandardScaler(), model).fit(X, Y)
    display = ConfusionMatrixDisplay.from_estimator(fitted, X_TEST, Y_TEST)
    expected = confusion_matrix(Y_TEST, fitted.predict(X_TEST))
    np.testing.assert_array_equal(display.confusion_matrix, expected)


def test_confusion_matrices_have_the_names_of_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    display = ConfusionMatrixDisplay.from_estimator(SVC().fit(X, names), X, names)
    assert display.display_labels.tolist() == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize(
    "model",
    [SVC(), NuSVC(nu=0.2), SVCSearch([1, 10], [0.01, 0.1], probability=True)],
    ids=lambda model: type(model).__name__,
)
def test_calibration_curves(model):
    scaler = StandardScaler().fit(X)
    fitted = model.fit(scaler.transform(X), Y)
    if hasattr(fitted, "calibrate"):
        fitted.calibrate(scaler.transform(X), Y)
    display = CalibrationDisplay.from_estimator(fitted, scaler.transform(X_TEST), Y_TEST)
    np.testing.assert_array_equal(
        display.y_prob, fitted.predict_proba(scaler.transform(X_TEST))[:, 1]
    )


def test_without_probabilities_there_is_no_calibration_curve():
    with pytest.raises(AttributeError, match="predict_proba"):
        CalibrationDisplay.from_estimator(KernelRidgeClassifier().fit(X, Y), X_TEST, Y_TEST)


@pytest.mark.parametrize(
    "model",
    [
        KernelRidge(kernel="rbf", gamma=0.05, alpha=0.5),
        KernelRidgeCV(),
        SVR(C=100),
        SVRSearch([1, 10], [0.1], [0.02, 0.1]),
        ConformalRegressor(KernelRidge(kernel="rbf", gamma=0.05)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_errors_of_predictions(model):
    X, y = load_diabetes(return_X_y=True)
    fitted = make_pipeline(StandardScaler(), model).fit(X[:300], y[:300])
    display = PredictionErrorDisplay.from_estimator(fitted, X[300:], y[300:])
    assert len(display.y_pred) <= 142


def test_outlier_scores_have_a_roc_curve():
    inside = X[Y == 1]
    model = make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)).fit(inside)
    display = RocCurveDisplay.from_predictions(Y_TEST, model.decision_function(X_TEST))
    assert np.max(display.roc_auc) > 0.9


def test_curves_over_samples_and_parameters():
    model = make_pipeline(StandardScaler(), SVC())
    assert LearningCurveDisplay.from_estimator(model, X, Y, train_sizes=[100, 200]).ax_ is not None
    values = {"param_name": "svc__C", "param_range": [0.1, 1, 10]}
    assert ValidationCurveDisplay.from_estimator(model, X, Y, **values).ax_ is not None
