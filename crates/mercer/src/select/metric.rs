//! Metrics that predictions are scored by.

use crate::error::Result;
use crate::gram::{CHUNK, ExactSums};
use crate::linalg::view::Mat;
use crate::model::classes::decode;

/// A score, larger is better, with its standard error; NaN where that is unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The score.
    pub value: f64,
    /// Its standard error.
    pub std_error: f64,
}

/// A metric that scores predictions.
pub trait Metric: Send + Sync {
    /// What the score is, in words.
    fn name(&self) -> String;
    /// The scores of predictions (rows × t) for the samples `rows`: one per target, or one for all together.
    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> Result<Vec<Score>>;
    /// The units in which the scores of several targets are compared, one per target; none where all have the same.
    #[doc(hidden)]
    fn units(&self) -> Vec<f64> {
        Vec::new()
    }
    /// Whether this is [`SquaredError`], which can be added up without all predictions in memory.
    #[doc(hidden)]
    fn is_squared_error(&self) -> bool {
        false
    }
}

/// What [`SquaredError`] is, in words.
pub(super) const SQUARED_ERROR: &str = "negative mean squared error";
/// What [`Accuracy`] is, in words.
pub(super) const ACCURACY: &str = "accuracy";

/// The negative mean squared error, weighted.
pub struct SquaredError<'a> {
    /// n × t.
    pub targets: &'a Mat<f64>,
    /// One per sample; `None` for 1.
    pub weights: Option<&'a [f64]>,
}

impl Metric for SquaredError<'_> {
    fn name(&self) -> String {
        SQUARED_ERROR.into()
    }

    fn is_squared_error(&self) -> bool {
        true
    }

    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> Result<Vec<Score>> {
        let weight = |row: usize| self.weights.map_or(1.0, |w| w[row]);
        let all = summed(rows, |i| weight(rows[i]))?;
        let error = |i: usize, j: usize| (self.targets[(rows[i], j)] - predicted[(i, j)]).powi(2);
        let score = |j: usize| {
            let mean = summed(rows, |i| weight(rows[i]) * error(i, j))? / all;
            let squares: f64 =
                (0..rows.len()).map(|i| (weight(rows[i]) * (error(i, j) - mean)).powi(2)).sum();
            Ok(Score { value: -mean, std_error: squares.sqrt() / all })
        };
        (0..self.targets.cols()).map(score).collect()
    }

    /// The variances of the targets, so that one of large numbers does not outweigh the others.
    fn units(&self) -> Vec<f64> {
        let n = self.targets.rows();
        let weight = |i: usize| self.weights.map_or(1.0, |w| w[i]);
        let all: f64 = (0..n).map(weight).sum();
        let variance = |j: usize| {
            let mean = (0..n).map(|i| weight(i) * self.targets[(i, j)]).sum::<f64>() / all;
            let square = |i: usize| weight(i) * (self.targets[(i, j)] - mean).powi(2);
            (0..n).map(square).sum::<f64>() / all
        };
        let unit = |v: f64| if v > 0.0 && v.is_finite() { v } else { 1.0 };
        (0..self.targets.cols()).map(|j| unit(variance(j))).collect()
    }
}

/// The sum of a number of each of the `rows`, given by its place among them: added up as in a pass over rows in blocks, with the same bits.
fn summed(rows: &[usize], value: impl Fn(usize) -> f64) -> Result<f64> {
    let mut sums = ExactSums::empty(1)?;
    let (mut chunk, mut part) = (0, 0.0);
    for (i, row) in rows.iter().enumerate() {
        if row / CHUNK != chunk {
            sums.add_few(&[part]);
            (chunk, part) = (row / CHUNK, 0.0);
        }
        part += value(i);
    }
    sums.add_few(&[part]);
    Ok(sums.values()[0])
}

/// The accuracy, where targets encode classes.
pub struct Accuracy<'a> {
    /// n × classes, or n × 1 for two.
    pub targets: &'a Mat<f64>,
    /// One per sample; `None` for 1.
    pub weights: Option<&'a [f64]>,
}

impl Metric for Accuracy<'_> {
    fn name(&self) -> String {
        ACCURACY.into()
    }

    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> Result<Vec<Score>> {
        let truth =
            Mat::from_fn(rows.len(), self.targets.cols(), |i, j| self.targets[(rows[i], j)]);
        let (truth, found) = (decode(truth.view()), decode(predicted.view()));
        let weight = |i: usize| self.weights.map_or(1.0, |w| w[rows[i]]);
        let all: f64 = (0..rows.len()).map(weight).sum();
        let hits: f64 = (0..rows.len()).filter(|&i| truth[i] == found[i]).map(weight).sum();
        let share = hits / all;
        let squares: f64 = (0..rows.len()).map(|i| weight(i).powi(2)).sum();
        let std_error = (share * (1.0 - share) * squares).sqrt() / all;
        Ok(vec![Score { value: share, std_error }])
    }
}
