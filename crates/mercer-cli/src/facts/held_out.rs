//! Scores on rows that a model was not fitted on.

use mercer::Mat;
use mercer::io::{Column, ModelFile};
use mercer::select::{self, Criterion, Score};
use serde::{Deserialize, Serialize};

use super::counted;
use crate::prediction::{Confusion, Prediction};
use crate::scores::{Measure, Scored, Scores, with_std_error};

/// The key among the notes of a model file.
pub(super) const NOTES: &str = "test";

/// Scores on rows that a model was not fitted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Rows.
    pub rows: usize,
    /// RMSE and R², or accuracy.
    pub scores: Scores,
    /// Of a classifier.
    #[serde(default)]
    pub confusion: Option<Confusion>,
    /// The mean recall of the classes.
    #[serde(default)]
    pub balanced_accuracy: Option<f64>,
    /// The mean of the F1 scores of the classes.
    #[serde(default)]
    pub macro_f1: Option<f64>,
    /// Matthews' correlation coefficient.
    #[serde(default)]
    pub matthews: Option<f64>,
    /// The accuracy of always predicting the most frequent class of these rows.
    #[serde(default)]
    pub majority: Option<f64>,
    /// The area below the ROC curve; of more than two classes the mean of each against the rest.
    #[serde(default)]
    pub roc_auc: Option<f64>,
    /// Its standard error, for two classes.
    #[serde(default)]
    pub roc_auc_std_error: Option<f64>,
    /// The mean of −ln p of the true class, where there are probabilities.
    #[serde(default)]
    pub log_loss: Option<f64>,
    /// The Brier score, where there are probabilities.
    #[serde(default)]
    pub brier: Option<f64>,
    /// The expected calibration error over ten bins, where there are probabilities.
    #[serde(default)]
    pub calibration_error: Option<f64>,
    /// The mean absolute error of a regression, over all targets.
    #[serde(default)]
    pub mae: Option<f64>,
    /// Its standard error.
    #[serde(default)]
    pub mae_std_error: Option<f64>,
    /// The quantile loss of the ends of the best intervals of a regression, of all targets alike.
    #[serde(default)]
    pub pinball: Option<f64>,
    /// Intervals of predictions on these rows, where the model has residuals of other rows.
    #[serde(default)]
    pub intervals: Option<IntervalScores>,
}

/// How intervals of one level did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalScores {
    /// The level.
    pub level: f64,
    /// The share of rows within their intervals.
    pub coverage: f64,
    /// The width of the intervals.
    pub width: f64,
    /// The mean pinball loss of their two ends.
    pub pinball: f64,
}

/// Bins of a calibration curve.
pub const CALIBRATION_BINS: usize = 10;
/// The level of the intervals that are evaluated.
const LEVEL: f64 = 0.9;

impl HeldOut {
    /// The scores on `rows` rows.
    pub fn new(rows: usize, scores: Scores, confusion: Option<Confusion>) -> Self {
        let counts = confusion.as_ref().map(Confusion::sums);
        let of = |score: fn(&[Vec<f64>]) -> f64| counts.as_deref().map(score);
        Self {
            rows,
            balanced_accuracy: of(|counts| select::balanced_accuracy(counts).value),
            macro_f1: of(select::macro_f1),
            matthews: counts.as_deref().and_then(select::matthews),
            majority: of(select::majority),
            scores,
            confusion,
            roc_auc: None,
            roc_auc_std_error: None,
            log_loss: None,
            brier: None,
            calibration_error: None,
            mae: None,
            mae_std_error: None,
            pinball: None,
            intervals: None,
        }
    }

    /// The same, with scores that need more than the predicted classes; `reach` is the half-width of intervals of a level.
    pub fn with_details(
        mut self,
        prediction: &Prediction,
        truth: &[Column],
        classes: &[String],
        reach: impl Fn(f64) -> Option<f64>,
    ) -> Self {
        match prediction {
            Prediction::Classes { scores, probabilities, .. } => {
                let truth = places(classes, &truth[0]);
                let area = select::auc_of_classes(&truth, scores, None);
                self.roc_auc = area.map(|area| area.value);
                self.roc_auc_std_error = area.map(|a| a.std_error).filter(|s| s.is_finite());
                self.add_probabilities(&truth, probabilities.as_ref());
            }
            Prediction::Values { values, .. } => self.add_values(values, truth, reach(LEVEL)),
            _ => {}
        }
        self
    }

    fn add_probabilities(&mut self, truth: &[usize], probabilities: Option<&Mat<f64>>) {
        let Some(shares) = probabilities else { return };
        self.log_loss = Some(select::log_loss(truth, shares).value);
        self.brier = Some(select::brier(truth, shares).value);
        let (sure, is_right) = confidences(truth, shares);
        let bins = select::calibration_curve(&sure, &is_right, CALIBRATION_BINS);
        self.calibration_error = Some(select::calibration_error(&bins));
    }

    fn add_values(&mut self, values: &Mat<f64>, truth: &[Column], reach: Option<f64>) {
        let number = |i: usize, j: usize| truth[j].number(i).unwrap_or(f64::NAN);
        let rows = 0..values.rows();
        let column = |of: &dyn Fn(usize, usize) -> f64, j: usize| -> Vec<f64> {
            rows.clone().map(|i| of(i, j)).collect()
        };
        let all = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..values.cols()).flat_map(|j| column(of, j)).collect()
        };
        let predicted = |i: usize, j: usize| values[(i, j)];
        let error = select::absolute_error(&all(&number), &all(&predicted));
        self.mae = Some(error.value).filter(|v| v.is_finite());
        self.mae_std_error = Some(error.std_error).filter(|s| s.is_finite() && values.cols() == 1);
        let loss =
            |j: usize| select::interval_loss(&column(&number, j), &column(&predicted, j), None);
        let losses: Vec<f64> = (0..values.cols()).map(|j| loss(j).value).collect();
        self.pinball = Some(select::mean(&losses).value).filter(|v| v.is_finite());
        if let Some(reach) = reach.filter(|_| values.cols() == 1) {
            self.intervals =
                Some(IntervalScores::of(&column(&number, 0), &column(&predicted, 0), reach));
        }
    }

    /// The score by `criterion`, larger is better; none where it is not defined.
    pub fn by(&self, criterion: Criterion) -> Option<f64> {
        match criterion {
            Criterion::Accuracy => Some(self.scores.overall.value),
            Criterion::BalancedAccuracy => self.balanced_accuracy,
            Criterion::MacroF1 => self.macro_f1,
            Criterion::Matthews => Some(self.matthews.unwrap_or(0.0)),
            Criterion::RocAuc => self.roc_auc,
            Criterion::Rmse => Some(-self.scores.overall.value.powi(2)),
            Criterion::Mae => self.mae.map(|error| -error),
            Criterion::LogLoss => self.log_loss.map(|loss| -loss),
            Criterion::Brier => self.brier.map(|loss| -loss),
            Criterion::Pinball => self.pinball.map(|loss| -loss),
            Criterion::R2 => match &self.scores.targets[..] {
                [] => self.scores.overall.r2,
                several => {
                    let sum: Option<f64> = several.iter().map(|scored| scored.r2).sum();
                    sum.map(|sum| sum / several.len() as f64)
                }
            },
        }
    }

    /// The score in one line, and the recall of each class below it.
    pub fn lines(&self) -> Vec<String> {
        let how = format!("on {} held out", counted(self.rows, "row"));
        let mut lines = vec![self.scores.text(&how)];
        if let (Some(balanced), Some(f1), Some(majority)) =
            (self.balanced_accuracy, self.macro_f1, self.majority)
        {
            let matthews = self.matthews.map(|m| format!(", MCC {m:.3}")).unwrap_or_default();
            lines.push(format!(
                "balanced accuracy {balanced:.3}, macro F1 {f1:.3}{matthews}; the most frequent class alone: {majority:.3}"
            ));
        }
        lines.extend(self.ranking_line());
        lines.extend(self.mae.map(|value| {
            let score = Score { value: -value, std_error: self.mae_std_error.unwrap_or(f64::NAN) };
            Scored::of(Measure::Mae, score, None).text()
        }));
        lines.extend(self.intervals.as_ref().map(IntervalScores::text));
        lines.extend(self.confusion.iter().flat_map(Confusion::lines));
        lines
    }

    /// `ROC AUC 0.931 ± 0.022, log-loss 0.312, Brier score 0.091`.
    fn ranking_line(&self) -> Option<String> {
        let area =
            self.roc_auc.map(|a| format!("ROC AUC {}", with_std_error(a, self.roc_auc_std_error)));
        let loss = self.log_loss.map(|loss| format!("log-loss {loss:.3}"));
        let brier = self.brier.map(|brier| format!("Brier score {brier:.3}"));
        let parts: Vec<String> = [area, loss, brier].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl IntervalScores {
    fn of(truth: &[f64], predicted: &[f64], reach: f64) -> Self {
        let shifted = |by: f64| predicted.iter().map(|p| p + by).collect::<Vec<f64>>();
        let tail = (1.0 - LEVEL) / 2.0;
        let low = select::pinball_loss(truth, &shifted(-reach), tail).value;
        let high = select::pinball_loss(truth, &shifted(reach), 1.0 - tail).value;
        let inside = truth.iter().zip(predicted).filter(|(t, p)| (*t - *p).abs() <= reach).count();
        let coverage = inside as f64 / truth.len() as f64;
        Self { level: LEVEL, coverage, width: 2.0 * reach, pinball: (low + high) / 2.0 }
    }

    fn text(&self) -> String {
        format!(
            "intervals of {}: {:.3} of the rows inside, width {:.4}, pinball loss {:.4}",
            self.level, self.coverage, self.width, self.pinball
        )
    }
}

/// The place of the class of each row; that of a class that the model does not know is the number of classes.
pub fn places(classes: &[String], truth: &Column) -> Vec<usize> {
    let place = |row: usize| {
        let name = truth.text(row);
        classes.iter().position(|other| *other == name).unwrap_or(classes.len())
    };
    (0..truth.len()).map(place).collect()
}

/// Probabilities and whether they were right: of two classes those of the second, of more those of the most probable.
fn confidences(truth: &[usize], shares: &Mat<f64>) -> (Vec<f64>, Vec<bool>) {
    let most = |row: usize| {
        let better = |a: usize, b: usize| if shares[(row, b)] > shares[(row, a)] { b } else { a };
        if shares.cols() == 2 { 1 } else { (0..shares.cols()).reduce(better).unwrap_or(0) }
    };
    let of = |row: usize| (shares[(row, most(row))], truth[row] == most(row));
    (0..truth.len()).map(of).unzip()
}

/// Stores the scores in `saved`.
pub fn note_held_out(saved: &mut ModelFile, held_out: &HeldOut) {
    let value = serde_json::to_value(held_out).expect("numbers and words have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}

/// The scores that `saved` stores.
pub(super) fn held_out(saved: &ModelFile) -> Option<HeldOut> {
    serde_json::from_value(saved.extra.get(NOTES)?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn details_need_scores_and_probabilities() {
        let classes = names(&["a", "b"]);
        let truth = Column::Text(names(&["a", "b", "b", "a"]));
        let decisions = [-1.0, 2.0, -0.5, -2.0];
        let shares = [0.2, 0.9, 0.4, 0.1];
        let prediction = Prediction::Classes {
            places: vec![0, 1, 0, 0],
            scores: Mat::from_vec(decisions.to_vec(), 4, 1),
            decisions: None,
            probabilities: Some(Mat::from_fn(4, 2, |i, j| [1.0 - shares[i], shares[i]][j])),
        };
        let confusion = Confusion::of(&classes, &truth, &[0, 1, 0, 0], &[0, 1, 2, 3]);
        let held = HeldOut::new(4, Scores::of_classes(3, 4), Some(confusion));
        let held = held.with_details(&prediction, &[truth], &classes, |_| None);
        assert_eq!((held.roc_auc, held.by(Criterion::Accuracy)), (Some(1.0), Some(0.75)));
        let brier = (0.04 + 0.01 + 0.36 + 0.01) / 4.0;
        assert!((held.brier.unwrap() - brier).abs() < 1e-12);
        assert!(held.lines()[2].contains("log-loss"), "{:?}", held.lines());
    }

    #[test]
    fn intervals_are_scored_by_coverage_and_pinball_loss() {
        let found = IntervalScores::of(&[0.0, 1.0, 5.0], &[0.5, 1.0, 2.0], 1.0);
        assert!((found.coverage - 2.0 / 3.0).abs() < 1e-15 && found.width == 2.0);
        // Ends 0.05 and 0.95: losses of both ends by hand.
        let low = (0.05 * 0.5 + 0.05 * 1.0 + 0.05 * 4.0) / 3.0;
        let high = (0.05 * 1.5 + 0.05 * 1.0 + 0.95 * 2.0) / 3.0;
        assert!((found.pinball - (low + high) / 2.0).abs() < 1e-12);
    }
}
