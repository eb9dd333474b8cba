//! The score of predictions on the rows of a fold.

use mercer::{Error, Result};

use super::truth::Answers;
use crate::args::AutoMetric;

impl AutoMetric {
    /// The metric: the requested one, if it suits the task, or the usual one.
    pub fn of(requested: Option<AutoMetric>, is_classes: bool) -> Result<Self> {
        let usual = if is_classes { AutoMetric::Accuracy } else { AutoMetric::R2 };
        match requested {
            None => Ok(usual),
            Some(metric) if metric.is_of_classes() == is_classes => Ok(metric),
            Some(metric) => {
                let (task, others) = match is_classes {
                    true => ("classification", "accuracy or balanced-accuracy"),
                    false => ("regression", "r2 or rmse"),
                };
                let message = format!(
                    "{} does not score a {task}: use {others}, or change --task",
                    metric.name()
                );
                Err(Error::parameter("--metric", message))
            }
        }
    }

    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            AutoMetric::Accuracy => "accuracy",
            AutoMetric::BalancedAccuracy => "balanced accuracy",
            AutoMetric::R2 => "R²",
            AutoMetric::Rmse => "RMSE",
        }
    }

    /// The name in objects and tables.
    pub fn key(self) -> &'static str {
        match self {
            AutoMetric::Accuracy => "accuracy",
            AutoMetric::BalancedAccuracy => "balanced_accuracy",
            AutoMetric::R2 => "r2",
            AutoMetric::Rmse => "rmse",
        }
    }

    /// 1 where larger is better, −1 where smaller is.
    pub fn sign(self) -> f64 {
        if self == AutoMetric::Rmse { -1.0 } else { 1.0 }
    }

    /// The score of the predictions `found`.
    pub fn score(self, truth: &Answers, found: &Answers) -> f64 {
        match (truth, found) {
            (Answers::Classes(truth), Answers::Classes(found)) => match self {
                AutoMetric::BalancedAccuracy => balanced_accuracy(truth, found),
                _ => share(truth.iter().zip(found).map(|(a, b)| a == b)),
            },
            (Answers::Values(truth), Answers::Values(found)) => match self {
                AutoMetric::Rmse => (squares(truth, found) / truth.len() as f64).sqrt(),
                _ => r2(truth, found),
            },
            _ => unreachable!("a model predicts what it has learned"),
        }
    }
}

fn share(hits: impl Iterator<Item = bool>) -> f64 {
    let (hits, all) = hits.fold((0, 0), |(hits, all), hit| (hits + usize::from(hit), all + 1));
    f64::from(hits as u32) / f64::from(all.max(1) as u32)
}

/// The mean over the classes of the fold of the share of their rows that are found.
fn balanced_accuracy(truth: &[usize], found: &[usize]) -> f64 {
    let mut classes = truth.to_vec();
    classes.sort_unstable();
    classes.dedup();
    let recall = |class: &usize| {
        share(truth.iter().zip(found).filter(|(a, _)| *a == class).map(|(a, b)| a == b))
    };
    classes.iter().map(recall).sum::<f64>() / classes.len() as f64
}

fn squares(truth: &[f64], found: &[f64]) -> f64 {
    truth.iter().zip(found).map(|(a, b)| (a - b).powi(2)).sum()
}

/// 1 − errors / variance; where the fold has no variance, 1 for exact predictions and else 0.
fn r2(truth: &[f64], found: &[f64]) -> f64 {
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let spread: f64 = truth.iter().map(|value| (value - mean).powi(2)).sum();
    let errors = squares(truth, found);
    if spread > 0.0 { 1.0 - errors / spread } else { f64::from(u8::from(errors == 0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_their_definitions() {
        let (truth, found) = (vec![0, 0, 0, 1], vec![0, 0, 0, 0]);
        let of = |metric: AutoMetric| {
            metric.score(&Answers::Classes(truth.clone()), &Answers::Classes(found.clone()))
        };
        assert_eq!((of(AutoMetric::Accuracy), of(AutoMetric::BalancedAccuracy)), (0.75, 0.5));
        let (truth, found) = (vec![1.0, 3.0], vec![1.0, 1.0]);
        let of = |metric: AutoMetric| {
            metric.score(&Answers::Values(truth.clone()), &Answers::Values(found.clone()))
        };
        assert_eq!((of(AutoMetric::R2), of(AutoMetric::Rmse)), (-1.0, 2.0f64.sqrt()));
        assert_eq!(r2(&[2.0, 2.0], &[2.0, 2.0]), 1.0);
    }

    #[test]
    fn a_metric_of_the_other_task_is_refused() {
        assert_eq!(AutoMetric::of(None, true).unwrap(), AutoMetric::Accuracy);
        let error = AutoMetric::of(Some(AutoMetric::R2), true).unwrap_err().to_string();
        assert!(error.contains("classification") && error.contains("accuracy"), "{error}");
    }
}
