//! The score that a search maximises, by name: of predicted classes or of predicted values.

use std::str::FromStr;

use super::classification::{accuracy, balanced_accuracy, confusion, macro_f1, matthews};
use super::metric::{Metric, Score, SquaredError};
use super::probability::{brier, interval_loss, log_loss};
use super::ranking::auc_of_classes;
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::model::classes::decode;
use crate::model::{Labels, Target, Targets};

/// What a search maximises; errors count negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The share of samples whose class is found.
    Accuracy,
    /// The mean recall of the classes.
    BalancedAccuracy,
    /// The mean F1 score of the classes.
    MacroF1,
    /// Matthews' correlation coefficient; 0 where all predictions are of one class.
    Matthews,
    /// The area below the ROC curve; of more than two classes the mean of each against the rest.
    RocAuc,
    /// The share of the variance that is explained.
    R2,
    /// The negative mean squared error, shown as its root.
    Rmse,
    /// The negative mean absolute error.
    Mae,
    /// The negative log-loss of calibrated probabilities.
    LogLoss,
    /// The negative Brier score of calibrated probabilities.
    Brier,
    /// The negative quantile loss of the ends of 90 % intervals; see [`interval_loss`](super::interval_loss).
    Pinball,
}

impl Criterion {
    /// All of them.
    pub const ALL: [Criterion; 11] = [
        Criterion::Accuracy,
        Criterion::BalancedAccuracy,
        Criterion::MacroF1,
        Criterion::Matthews,
        Criterion::RocAuc,
        Criterion::LogLoss,
        Criterion::Brier,
        Criterion::R2,
        Criterion::Rmse,
        Criterion::Mae,
        Criterion::Pinball,
    ];

    /// The name that [`FromStr`] reads.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Accuracy => "accuracy",
            Criterion::BalancedAccuracy => "balanced-accuracy",
            Criterion::MacroF1 => "macro-f1",
            Criterion::Matthews => "mcc",
            Criterion::RocAuc => "roc-auc",
            Criterion::R2 => "r2",
            Criterion::Rmse => "rmse",
            Criterion::Mae => "mae",
            Criterion::LogLoss => "log-loss",
            Criterion::Brier => "brier",
            Criterion::Pinball => "pinball",
        }
    }

    /// Whether it scores classes, not values.
    pub fn is_of_classes(self) -> bool {
        !matches!(self, Criterion::R2 | Criterion::Rmse | Criterion::Mae | Criterion::Pinball)
    }

    /// Whether it scores probabilities of classes, which a classifier without calibration does not give.
    pub fn is_of_probabilities(self) -> bool {
        matches!(self, Criterion::LogLoss | Criterion::Brier)
    }

    /// Whether it can score `targets`; an error otherwise.
    pub fn check(self, targets: &Targets) -> Result<()> {
        let is_of_classes = matches!(targets.target, Target::Classes { .. });
        if is_of_classes == self.is_of_classes() {
            return Ok(());
        }
        let fitting = Self::ALL.into_iter().filter(|c| c.is_of_classes() == is_of_classes);
        let names: Vec<&str> = fitting.map(Self::name).collect();
        let what = if is_of_classes { "classes" } else { "values" };
        let message = format!("{} does not score {what}: use {}", self.name(), names.join(", "));
        Err(Error::parameter("metric", message))
    }

    /// Whether test samples of these classes have a score: a ranking needs two classes among them.
    pub fn is_defined_for(self, truth: impl IntoIterator<Item = usize>) -> bool {
        let mut truth = truth.into_iter();
        let first = truth.next();
        first.is_some() && (self != Criterion::RocAuc || truth.any(|place| Some(place) != first))
    }

    /// The score of predicted classes; `scores` is m × classes, or m × 1 for two classes.
    pub fn of_classes(
        self,
        truth: &[usize],
        predicted: &[usize],
        scores: &Mat<f64>,
        weights: Option<&[f64]>,
    ) -> Score {
        let classes = scores.cols().max(2);
        let counts = || confusion(truth, predicted, classes, weights);
        let plain = |value: f64| Score { value, std_error: f64::NAN };
        match self {
            Criterion::BalancedAccuracy => balanced_accuracy(&counts()),
            Criterion::MacroF1 => plain(macro_f1(&counts())),
            Criterion::Matthews => plain(matthews(&counts()).unwrap_or(0.0)),
            Criterion::RocAuc => auc_of_classes(truth, scores, weights).unwrap_or(plain(f64::NAN)),
            _ => accuracy(&counts()),
        }
    }

    /// The score of predicted probabilities (m × classes).
    pub fn of_probabilities(self, truth: &[usize], probabilities: &Mat<f64>) -> Score {
        let loss = match self {
            Criterion::Brier => brier(truth, probabilities),
            _ => log_loss(truth, probabilities),
        };
        Score { value: 0.0 - loss.value, ..loss }
    }

    /// The score of predicted values.
    pub fn of_values(self, truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Score {
        if self == Criterion::Pinball {
            let loss = interval_loss(truth, predicted, weights);
            return Score { value: 0.0 - loss.value, ..loss };
        }
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let all: f64 = (0..truth.len()).map(weight).sum();
        let mean_of = |value: &dyn Fn(usize) -> f64| {
            (0..truth.len()).map(|i| weight(i) * value(i)).sum::<f64>() / all
        };
        let loss = |i: usize| match self {
            Criterion::Mae => (truth[i] - predicted[i]).abs(),
            _ => (truth[i] - predicted[i]).powi(2),
        };
        let mean = mean_of(&loss);
        let squares: f64 = (0..truth.len()).map(|i| (weight(i) * (loss(i) - mean)).powi(2)).sum();
        let error = Score { value: 0.0 - mean, std_error: squares.sqrt() / all };
        if self != Criterion::R2 {
            return error;
        }
        let centre = mean_of(&|i| truth[i]);
        match mean_of(&|i| (truth[i] - centre).powi(2)) {
            spread if spread > 0.0 => {
                Score { value: 1.0 - mean / spread, std_error: error.std_error / spread }
            }
            _ => Score { value: f64::from(mean == 0.0), std_error: f64::NAN },
        }
    }
}

impl FromStr for Criterion {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|criterion| criterion.name() == text);
        found.ok_or_else(|| format!("one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// A criterion as a metric of scores of classes (m × classes, or m × 1).
pub struct ByClasses<'a> {
    /// What is computed.
    pub criterion: Criterion,
    /// The classes of all samples.
    pub labels: &'a Labels,
    /// One per sample; `None` for 1.
    pub weights: Option<&'a [f64]>,
}

impl Metric for ByClasses<'_> {
    fn name(&self) -> String {
        self.criterion.name().into()
    }

    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> Result<Vec<Score>> {
        let truth: Vec<usize> = rows.iter().map(|&row| self.labels.places[row]).collect();
        let weights = self.weights.map(|w| rows.iter().map(|&row| w[row]).collect::<Vec<f64>>());
        let found = decode(predicted.view());
        Ok(vec![self.criterion.of_classes(&truth, &found, predicted, weights.as_deref())])
    }
}

/// A criterion as a metric of values: one score per target.
pub struct ByValues<'a> {
    /// What is computed.
    pub criterion: Criterion,
    /// n × t.
    pub targets: &'a Mat<f64>,
    /// One per sample; `None` for 1.
    pub weights: Option<&'a [f64]>,
}

impl Metric for ByValues<'_> {
    fn name(&self) -> String {
        self.criterion.name().into()
    }

    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> Result<Vec<Score>> {
        let weights = self.weights.map(|w| rows.iter().map(|&row| w[row]).collect::<Vec<f64>>());
        let score = |j: usize| {
            let truth: Vec<f64> = rows.iter().map(|&row| self.targets[(row, j)]).collect();
            let found: Vec<f64> = (0..rows.len()).map(|i| predicted[(i, j)]).collect();
            self.criterion.of_values(&truth, &found, weights.as_deref())
        };
        Ok((0..self.targets.cols()).map(score).collect())
    }

    fn is_squared_error(&self) -> bool {
        self.criterion == Criterion::Rmse
    }

    /// Errors of several targets are compared in units of their spread.
    fn units(&self) -> Vec<f64> {
        let squares = SquaredError { targets: self.targets, weights: self.weights }.units();
        match self.criterion {
            Criterion::Rmse => squares,
            Criterion::Mae | Criterion::Pinball => squares.into_iter().map(f64::sqrt).collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for criterion in Criterion::ALL {
            assert_eq!(criterion.name().parse(), Ok(criterion));
        }
        assert!("f2".parse::<Criterion>().unwrap_err().contains("macro-f1"));
        assert!(Criterion::R2.check(&Targets::classes(&["a", "b"])).is_err());
        assert!(Criterion::Mae.check(&Targets::values(&[1.0])).is_ok());
    }

    /// scikit-learn 1.9: r2_score, mean_squared_error, mean_absolute_error.
    #[test]
    fn scores_of_values_are_those_of_scikit_learn() {
        let (truth, found) = ([1.0, 2.0, 4.0, 7.0], [1.5, 1.0, 4.5, 5.0]);
        let value = |criterion: Criterion| criterion.of_values(&truth, &found, None).value;
        assert!((value(Criterion::R2) - 0.7380952380952381).abs() < 1e-12);
        assert!((value(Criterion::Rmse) + 1.375).abs() < 1e-12);
        assert!((value(Criterion::Mae) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn weights_count_as_repeated_samples() {
        let (truth, found, weights) = ([1.0, 2.0, 4.0], [1.5, 1.0, 4.5], [1.0, 2.0, 1.0]);
        let (long, long_found) = ([1.0, 2.0, 2.0, 4.0], [1.5, 1.0, 1.0, 4.5]);
        for criterion in [Criterion::R2, Criterion::Rmse, Criterion::Mae, Criterion::Pinball] {
            let weighted = criterion.of_values(&truth, &found, Some(&weights)).value;
            assert!((weighted - criterion.of_values(&long, &long_found, None).value).abs() < 1e-15);
        }
    }
}
