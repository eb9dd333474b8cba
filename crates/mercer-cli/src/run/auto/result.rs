//! The scores of a model, and differences of models.

use super::candidates::{Candidate, Method};

/// Within so many standard errors of the difference, two models count as equal.
pub const SURE: f64 = 2.0;

/// How far a model came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// No fold was begun.
    NotStarted,
    /// All folds were scored.
    Done,
    /// There was no time for all folds.
    OutOfTime,
    /// The user stopped the comparison.
    Interrupted,
    /// A fit failed.
    Failed(String),
}

impl Status {
    /// The status in words.
    pub fn text(&self) -> String {
        match self {
            Status::NotStarted => "not started".into(),
            Status::Done => "done".into(),
            Status::OutOfTime => "out of time".into(),
            Status::Interrupted => "interrupted".into(),
            Status::Failed(why) => format!("failed: {why}"),
        }
    }
}

/// The scores of a model on the outer folds, and the seconds that these took.
#[derive(Debug, Clone)]
pub struct ModelResult {
    /// The name of the model.
    pub name: String,
    /// Whether it is a baseline.
    pub is_baseline: bool,
    /// Whether a command fits it.
    pub has_command: bool,
    /// The score of each fold.
    pub scores: Vec<f64>,
    /// The parameters that were chosen in each fold; none for a model without any.
    pub chosen: Vec<String>,
    /// The seconds of all fits and predictions.
    pub seconds: f64,
    /// How far it came.
    pub status: Status,
}

impl ModelResult {
    /// The result of a model that was not yet fitted.
    pub fn of(candidate: &Candidate) -> Self {
        Self {
            name: candidate.name.clone(),
            is_baseline: candidate.is_baseline,
            has_command: matches!(candidate.method, Method::Ridge(_) | Method::Machine(..)),
            scores: Vec::new(),
            chosen: Vec::new(),
            seconds: 0.0,
            status: Status::NotStarted,
        }
    }

    /// Whether all folds were scored.
    pub fn is_done(&self) -> bool {
        self.status == Status::Done
    }

    /// The mean score of the folds that were scored.
    pub fn score(&self) -> Option<f64> {
        (!self.scores.is_empty()).then(|| mean(&self.scores))
    }

    /// The standard error of the mean.
    pub fn std_error(&self) -> Option<f64> {
        std_error(&self.scores)
    }

    pub(super) fn seconds_per_fold(&self) -> f64 {
        // A fold that was broken off has taken its time too.
        if self.scores.is_empty() { 0.0 } else { self.seconds / self.scores.len() as f64 }
    }
}

/// A mean difference over the folds, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The mean; positive where the first model is better.
    pub mean: f64,
    /// Its standard error.
    pub std_error: f64,
}

impl Difference {
    /// How much better `one` is than `other`; both have scores on the same folds, and `sign` is −1 for errors.
    pub fn of(one: &ModelResult, other: &ModelResult, sign: f64) -> Self {
        let gaps = one.scores.iter().zip(&other.scores).map(|(a, b)| sign * (a - b));
        let gaps: Vec<f64> = gaps.collect();
        Self { mean: mean(&gaps), std_error: std_error(&gaps).unwrap_or(f64::NAN) }
    }

    /// Whether it is more than its standard errors allow for by chance.
    pub fn is_sure(&self) -> bool {
        self.mean > SURE * self.std_error
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn std_error(values: &[f64]) -> Option<f64> {
    let (n, mean) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(scores: &[f64]) -> ModelResult {
        ModelResult {
            name: "a model".into(),
            is_baseline: false,
            has_command: true,
            scores: scores.to_vec(),
            chosen: Vec::new(),
            seconds: 1.0,
            status: Status::Done,
        }
    }

    #[test]
    fn differences_are_paired_by_fold() {
        let (one, other) = (result(&[0.9, 0.5, 0.7]), result(&[0.8, 0.4, 0.6]));
        let difference = Difference::of(&one, &other, 1.0);
        assert!((difference.mean - 0.1).abs() < 1e-12 && difference.std_error < 1e-12);
        assert!(difference.is_sure() && !Difference::of(&one, &other, -1.0).is_sure());
        // Equal models do not differ significantly.
        assert!(!Difference::of(&one, &one, 1.0).is_sure());
        assert!((one.std_error().unwrap() - (0.04f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(result(&[]).score(), None);
    }
}
