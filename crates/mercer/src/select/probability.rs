//! Scores of class probabilities (m × classes) and of predicted values.

use super::metric::Score;
use crate::linalg::view::Mat;

/// The mean of some numbers with its standard error.
pub fn mean(values: &[f64]) -> Score {
    let n = values.len() as f64;
    let value = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - value).powi(2)).sum();
    Score { value, std_error: (squares / (n - 1.0) / n).sqrt() }
}

/// The mean of −ln p of the true class. Probabilities are taken to be at least the rounding error of 1; a class that
/// the model does not know has probability 0.
pub fn log_loss(truth: &[usize], probabilities: &Mat<f64>) -> Score {
    let of_truth = |row: usize| match truth[row] < probabilities.cols() {
        true => probabilities[(row, truth[row])],
        false => 0.0,
    };
    let losses: Vec<f64> =
        (0..truth.len()).map(|row| 0.0 - of_truth(row).clamp(f64::EPSILON, 1.0).ln()).collect();
    mean(&losses)
}

/// The mean of Σ (p_k − y_k)² over the classes, with y_k = 1 for the true class; of two classes half of it, which is the squared
/// error of the probability of either.
pub fn brier(truth: &[usize], probabilities: &Mat<f64>) -> Score {
    let k = probabilities.cols();
    let unit = if k == 2 { 0.5 } else { 1.0 };
    let loss = |row: usize| {
        let unknown = f64::from(truth[row] >= k);
        let squares =
            (0..k).map(|c| (probabilities[(row, c)] - f64::from(truth[row] == c)).powi(2));
        unit * (squares.sum::<f64>() + unknown)
    };
    mean(&(0..truth.len()).map(loss).collect::<Vec<f64>>())
}

/// One bin of a calibration curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// The mean predicted probability.
    pub predicted: f64,
    /// The share of samples of the class.
    pub observed: f64,
    /// Samples in the bin.
    pub count: usize,
}

/// The calibration curve of predicted probabilities, in `bins` bins of equal width; empty bins are left out.
pub fn calibration_curve(
    probabilities: &[f64],
    positive: &[bool],
    bins: usize,
) -> Vec<CalibrationBin> {
    let mut sums = vec![(0.0, 0.0, 0_usize); bins];
    for (p, is_positive) in probabilities.iter().zip(positive) {
        let bin = ((p * bins as f64) as usize).min(bins - 1);
        let sum = &mut sums[bin];
        *sum = (sum.0 + p, sum.1 + f64::from(*is_positive), sum.2 + 1);
    }
    let bin = |&(predicted, observed, count): &(f64, f64, usize)| {
        let n = count as f64;
        CalibrationBin { predicted: predicted / n, observed: observed / n, count }
    };
    sums.iter().filter(|sum| sum.2 > 0).map(bin).collect()
}

/// The expected calibration error: the mean over samples of |predicted − observed| of their bins.
pub fn calibration_error(bins: &[CalibrationBin]) -> f64 {
    let all: usize = bins.iter().map(|bin| bin.count).sum();
    let gaps = bins.iter().map(|bin| bin.count as f64 * (bin.predicted - bin.observed).abs());
    gaps.sum::<f64>() / all as f64
}

/// The mean absolute error.
pub fn absolute_error(truth: &[f64], predicted: &[f64]) -> Score {
    mean(&truth.iter().zip(predicted).map(|(t, p)| (t - p).abs()).collect::<Vec<f64>>())
}

/// The pinball loss of a predicted quantile of level q: the mean of max(q (y − p), (q − 1)(y − p)).
pub fn pinball_loss(truth: &[f64], predicted: &[f64], q: f64) -> Score {
    let loss = |(t, p): (&f64, &f64)| f64::max(q * (t - p), (q - 1.0) * (t - p));
    mean(&truth.iter().zip(predicted).map(loss).collect::<Vec<f64>>())
}

/// The level of the intervals that [`interval_loss`] scores.
const LEVEL: f64 = 0.9;

/// The mean pinball loss of both ends of the intervals p ± r of level 0.9, for the half-width r that suits these samples best: the
/// quantile of |y − p| of that level, which minimises the loss over all r.
pub fn interval_loss(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Score {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let sizes: Vec<f64> = truth.iter().zip(predicted).map(|(t, p)| (t - p).abs()).collect();
    let all: f64 = (0..sizes.len()).map(weight).sum();
    let half_width = quantile(&sizes, weight, LEVEL * all);
    let tail = (1.0 - LEVEL) / 2.0;
    // Of both ends together, tail·r + (|y − p| − r)₊ / 2.
    let loss = |i: usize| tail * half_width + 0.5 * (sizes[i] - half_width).max(0.0);
    let value = (0..sizes.len()).map(|i| weight(i) * loss(i)).sum::<f64>() / all;
    let squares: f64 = (0..sizes.len()).map(|i| (weight(i) * (loss(i) - value)).powi(2)).sum();
    Score { value, std_error: squares.sqrt() / all }
}

/// The smallest of `sizes` up to which there is at least this weight.
fn quantile(sizes: &[f64], weight: impl Fn(usize) -> f64, least: f64) -> f64 {
    let mut order: Vec<usize> = (0..sizes.len()).filter(|&i| weight(i) > 0.0).collect();
    order.sort_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
    let mut sum = 0.0;
    let reaches = |&&i: &&usize| {
        sum += weight(i);
        // A sum of weights may miss a share of them by rounding.
        sum >= least * (1.0 - 1e-12)
    };
    let found = order.iter().find(reaches).or(order.last());
    found.map_or(f64::NAN, |&i| sizes[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    /// scikit-learn 1.9: log_loss, brier_score_loss, mean_absolute_error, mean_pinball_loss.
    #[test]
    fn values_are_those_of_scikit_learn() {
        let two = Mat::from_vec(vec![0.9, 0.1, 0.2, 0.8, 0.6, 0.4, 0.3, 0.7], 4, 2);
        near(log_loss(&[0, 1, 1, 0], &two).value, 0.6121919007930318);
        near(brier(&[0, 1, 1, 0], &two).value, 0.225);
        let three = Mat::from_vec(vec![0.7, 0.2, 0.1, 0.1, 0.3, 0.6, 0.2, 0.5, 0.3], 3, 3);
        near(log_loss(&[0, 2, 1], &three).value, 0.5202159160882228);
        near(brier(&[0, 2, 1], &three).value, 0.26);
        let (truth, found) = ([1.0, 2.0, 4.0, 7.0], [1.5, 1.0, 4.5, 5.0]);
        near(absolute_error(&truth, &found).value, 1.0);
        near(pinball_loss(&truth, &found, 0.1).value, 0.3);
        near(pinball_loss(&truth, &found, 0.5).value, 0.5);
    }

    #[test]
    fn an_unknown_class_costs_as_much_as_certainty_of_another() {
        let sure = Mat::from_vec(vec![1.0, 0.0, 0.0], 1, 3);
        near(brier(&[1], &sure).value, 2.0);
        near(brier(&[3], &sure).value, 2.0);
        assert!(log_loss(&[3], &sure).value > 36.0);
    }

    #[test]
    fn bins_hold_their_means() {
        let bins = calibration_curve(
            &[0.05, 0.15, 0.17, 0.99, 1.0],
            &[false, true, false, true, true],
            10,
        );
        assert_eq!(bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), [1, 2, 2]);
        near(bins[1].predicted, 0.16);
        near(bins[1].observed, 0.5);
        near(calibration_error(&bins), (0.05 + 2.0 * 0.34 + 2.0 * 0.005) / 5.0);
    }

    #[test]
    fn intervals_have_the_half_width_that_loses_least() {
        let truth: Vec<f64> =
            (0..40).map(|i| (i as f64 * 0.7).sin() * (1 + i % 5) as f64).collect();
        let predicted = vec![0.25; 40];
        let both = |r: f64| {
            let ends = |by: f64| predicted.iter().map(|p| p + by).collect::<Vec<f64>>();
            let low = pinball_loss(&truth, &ends(-r), 0.05).value;
            (low + pinball_loss(&truth, &ends(r), 0.95).value) / 2.0
        };
        let least = (0..6000).map(|i| both(i as f64 * 1e-3)).fold(f64::MAX, f64::min);
        let found = interval_loss(&truth, &predicted, None).value;
        assert!(found <= least + 1e-12 && found > least - 1e-3, "{found} {least}");
    }
}
