//! The leave-one-out predictions of the chosen candidate of a search.

use std::sync::{Mutex, PoisonError};

use mercer::select::{self, Metric};
use mercer::{Mat, Result, Targets};

use super::fit::Task;
use crate::facts::{Residuals, margin};

/// Leave-one-out predictions.
#[derive(Debug, Clone)]
pub struct LeftOut {
    /// The rows.
    pub rows: Vec<usize>,
    /// Their predictions: rows × targets, or rows × classes.
    pub predicted: Mat<f64>,
}

impl LeftOut {
    /// The sizes of the residuals of a single target, or the margins of the classes. None for several targets, and with weights: residuals of
    /// rows that count differently have no common quantile.
    pub fn residuals(&self, task: &Task<'_>) -> Option<Residuals> {
        if task.targets.weights.is_some() {
            return None;
        }
        self.sizes(&task.targets, &task.values).map(Residuals::new)
    }

    fn sizes(&self, targets: &Targets, values: &Mat<f64>) -> Option<Vec<f64>> {
        let places = self.rows.iter().enumerate();
        let size = |(i, &row): (usize, &usize)| (values[(row, 0)] - self.predicted[(i, 0)]).abs();
        match targets.class_labels() {
            Some(labels) => Some(
                places.map(|(i, &row)| margin(&self.predicted, i, labels.places[row])).collect(),
            ),
            None => (values.cols() == 1).then(|| places.map(size).collect()),
        }
    }
}

/// The best predictions so far.
#[derive(Default)]
struct Best {
    /// Candidates that were scored.
    count: usize,
    /// The best score.
    score: f64,
    /// All candidates with that score, by their number: a search chooses among them by other criteria.
    tied: Vec<(usize, LeftOut)>,
}

/// Scores predictions by a metric, and keeps those that score best.
pub struct Recorder<'a> {
    metric: &'a dyn Metric,
    best: Mutex<Best>,
}

impl<'a> Recorder<'a> {
    /// Scores by `metric`.
    pub fn new(metric: &'a dyn Metric) -> Self {
        let best = Best { score: f64::NEG_INFINITY, ..Best::default() };
        Self { metric, best: Mutex::new(best) }
    }

    /// The predictions of the candidate that was `chosen` among `tables`, whose candidates were scored one after the other; none
    /// if they were not recorded.
    pub fn of(self, tables: &[select::Table], chosen: &select::Chosen) -> Option<LeftOut> {
        let before: usize = tables[..chosen.kernel].iter().map(|table| table.alphas.len()).sum();
        let [alpha] = chosen.alphas[..] else { return None };
        let best = self.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let all: usize = tables.iter().map(|table| table.alphas.len()).sum();
        let mut tied = best.tied.into_iter().filter(|_| best.count == all);
        tied.find(|(place, _)| *place == before + alpha).map(|(_, left_out)| left_out)
    }
}

impl Metric for Recorder<'_> {
    fn name(&self) -> String {
        self.metric.name()
    }

    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> Result<Vec<select::Score>> {
        let scores = self.metric.scores(rows, predicted)?;
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if let [score] = scores[..] {
            if score.value > best.score {
                best.score = score.value;
                best.tied.clear();
            }
            if score.value >= best.score {
                let left_out = LeftOut { rows: rows.to_vec(), predicted: predicted.clone() };
                let place = best.count;
                best.tied.push((place, left_out));
            }
        }
        best.count += 1;
        Ok(scores)
    }

    fn units(&self) -> Vec<f64> {
        self.metric.units()
    }
}

#[cfg(test)]
mod tests {
    use mercer::select::Accuracy;

    use super::*;

    #[test]
    fn all_candidates_that_tie_are_kept() {
        let targets = Mat::from_vec(vec![1.0, -1.0, 1.0], 3, 1);
        let metric = Accuracy { targets: &targets, weights: None };
        let recorder = Recorder::new(&metric);
        let rows = [0, 1, 2];
        for predicted in [[1.0, 1.0, 1.0], [0.5, -2.0, 0.1], [3.0, 1.0, -1.0], [2.0, -1.0, 1.0]] {
            recorder.scores(&rows, &Mat::from_vec(predicted.to_vec(), 3, 1)).unwrap();
        }
        let best = recorder.best.into_inner().unwrap();
        let places: Vec<usize> = best.tied.iter().map(|(place, _)| *place).collect();
        assert_eq!((best.count, places), (4, vec![1, 3]));
    }

    #[test]
    fn residuals_are_of_the_rows_that_count() {
        let targets = Mat::from_vec(vec![1.0, 5.0, 3.0], 3, 1);
        let left_out = LeftOut { rows: vec![0, 2], predicted: Mat::from_vec(vec![2.0, 3.5], 2, 1) };
        let given = Targets::values(&[1.0, 5.0, 3.0]);
        assert_eq!(left_out.sizes(&given, &targets).unwrap(), [1.0, 0.5]);
    }
}
