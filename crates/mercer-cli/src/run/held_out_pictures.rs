//! Plots of predictions for rows that a model was not fitted on: ROC, precision-recall and calibration curves and the confusion
//! matrix of a classifier.

use mercer::Mat;
use mercer::select;

use super::held_out::Predicted;
use crate::facts::{self, CALIBRATION_BINS, Facts, counted};
use crate::plot::{self, Cells, Drawing, ShareLine, Shares};
use crate::prediction::{Confusion, Prediction};

/// The most classes that have curves of their own.
const MOST_CURVES: usize = 6;
/// The largest confusion matrix that is drawn.
const MOST_CLASSES: usize = 20;

/// All that can be drawn of a classifier.
pub fn draw(facts: &Facts, predicted: &Predicted) -> Vec<Drawing> {
    let (targets, classes) = facts.predicts().unwrap_or_default();
    match (&predicted.prediction, classes) {
        (Prediction::Classes { scores, probabilities, .. }, Some(classes)) => {
            let truth = facts::class_places(classes, &predicted.truth[0]);
            let picture = Picture { target: &targets[0], classes, truth: &truth, scores };
            let mut drawings = vec![picture.roc(), picture.precision_recall()];
            drawings.extend(probabilities.as_ref().map(|shares| picture.calibration(shares)));
            let confusion = facts.test.as_ref().and_then(|test| test.confusion.as_ref());
            let confusion = confusion.filter(|c| c.truth.len() <= MOST_CLASSES);
            drawings.extend(confusion.map(|confusion| picture.confusion(confusion)));
            drawings
        }
        // Predicted against true values are drawn of whatever rows a report evaluates.
        _ => Vec::new(),
    }
}

/// A classifier on held-out rows.
struct Picture<'a> {
    target: &'a str,
    classes: &'a [String],
    /// Places of classes.
    truth: &'a [usize],
    /// m × classes, or m × 1 for two.
    scores: &'a Mat<f64>,
}

impl Picture<'_> {
    /// The classes that have curves: the second of two, or each of the first against the rest.
    fn shown(&self) -> Vec<usize> {
        match self.classes.len() {
            2 => vec![1],
            count => (0..count.min(MOST_CURVES)).collect(),
        }
    }

    fn subtitle(&self, what: &str) -> String {
        let rows = counted(self.truth.len(), "row");
        let more = match self.classes.len() {
            count if count > MOST_CURVES => format!("; the first {MOST_CURVES} of {count} classes"),
            _ => String::new(),
        };
        format!("{rows} held out{more}{what}")
    }

    fn against_rest(&self, class: usize) -> (Vec<bool>, Vec<f64>) {
        select::class_against_rest(self.truth, self.scores, class)
    }

    fn roc(&self) -> Drawing {
        let line = |&class: &usize| {
            let (positive, scores) = self.against_rest(class);
            let area = select::auc(&scores, &positive, None)?.value;
            let points = select::roc_curve(&scores, &positive);
            let name = format!("{}: AUC {area:.3}", self.classes[class]);
            Some(ShareLine { name, points, hints: Vec::new() })
        };
        plot::shares(&Shares {
            title: &format!("ROC curve of {}", self.target),
            subtitle: &self.subtitle(if self.classes.len() > 2 {
                "; each class against the rest"
            } else {
                ""
            }),
            x_title: "false positive rate",
            y_title: "true positive rate",
            lines: self.shown().iter().filter_map(line).collect(),
            reference: ([[0.0, 0.0], [1.0, 1.0]], "by chance"),
        })
    }

    fn precision_recall(&self) -> Drawing {
        let line = |&class: &usize| {
            let (positive, scores) = self.against_rest(class);
            let area = select::average_precision(&scores, &positive)?;
            let curve = select::precision_recall_curve(&scores, &positive);
            let name = format!("{}: AP {area:.3}", self.classes[class]);
            Some(ShareLine { name, points: steps(&curve), hints: Vec::new() })
        };
        let first = self.shown()[0];
        let share = |class: usize| {
            let own = self.truth.iter().filter(|&&place| place == class).count();
            own as f64 / self.truth.len().max(1) as f64
        };
        plot::shares(&Shares {
            title: &format!("Precision and recall of {}", self.target),
            subtitle: &self.subtitle("; AP: average precision"),
            x_title: "recall",
            y_title: "precision",
            lines: self.shown().iter().filter_map(line).collect(),
            reference: (
                [[0.0, share(first)], [1.0, share(first)]],
                &format!("share of {}", self.classes[first]),
            ),
        })
    }

    fn calibration(&self, shares: &Mat<f64>) -> Drawing {
        let line = |&class: &usize| {
            let (positive, _) = self.against_rest(class);
            let own: Vec<f64> = (0..shares.rows()).map(|row| shares[(row, class)]).collect();
            let bins = select::calibration_curve(&own, &positive, CALIBRATION_BINS);
            let hint = |bin: &select::CalibrationBin| {
                let rows = counted(bin.count, "row");
                format!("predicted {:.3}, observed {:.3}: {rows}", bin.predicted, bin.observed)
            };
            ShareLine {
                name: self.classes[class].clone(),
                points: bins.iter().map(|bin| [bin.predicted, bin.observed]).collect(),
                hints: bins.iter().map(hint).collect(),
            }
        };
        plot::shares(&Shares {
            title: &format!("Calibration of the probabilities of {}", self.target),
            subtitle: &self.subtitle(&format!("; {CALIBRATION_BINS} bins of equal width")),
            x_title: "predicted probability",
            y_title: "observed share",
            lines: self.shown().iter().map(line).collect(),
            reference: ([[0.0, 0.0], [1.0, 1.0]], "predicted = observed"),
        })
    }

    fn confusion(&self, confusion: &Confusion) -> Drawing {
        let size = |row: &Vec<usize>| row.iter().sum::<usize>().max(1) as f64;
        let shades = confusion.counts.iter();
        let shades: Vec<Vec<f64>> =
            shades.map(|row| row.iter().map(|&count| count as f64 / size(row)).collect()).collect();
        let texts = confusion.counts.iter();
        let texts: Vec<Vec<String>> =
            texts.map(|row| row.iter().map(|count| plot::grouped(*count)).collect()).collect();
        plot::cells(&Cells {
            title: &format!("Confusion matrix of {}", self.target),
            subtitle: &format!(
                "{} held out; shade: share of the true class",
                counted(self.truth.len(), "row")
            ),
            x_title: "predicted",
            y_title: "true",
            columns: &confusion.predicted,
            rows: &confusion.truth,
            shades: &shades,
            texts: &texts,
            marked: None,
        })
    }
}

/// Precision between two thresholds is that of the lower one: a line of steps.
fn steps(curve: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points = Vec::with_capacity(2 * curve.len());
    let mut last = 0.0;
    for &[recall, precision] in curve {
        points.extend([[last, precision], [recall, precision]]);
        last = recall;
    }
    points
}
