//! The threshold of `--contamination auto`, which follows from the scores of the training rows.

use mercer::model::detector::Detector;

/// The median absolute deviation of a normal distribution, as a fraction of its standard deviation.
const MAD_OF_NORMAL: f64 = 0.674_489_750_196_081_7;
/// Thresholds lie this many robust standard deviations above the median.
const DEVIATIONS: f64 = 3.0;

/// Sets the threshold and the contamination, which is the share of training rows above it.
pub fn set_robust(model: &mut Detector) {
    model.threshold = robust_threshold(&model.training);
    let above = model.training.iter().filter(|score| **score > model.threshold).count();
    let share = above as f64 / model.training.len() as f64;
    // A model's contamination is above 0; this one stands for no row.
    model.contamination = share.max(f64::MIN_POSITIVE);
}

/// The threshold that the scores imply; larger ones are outliers.
///
/// Sums of squares are nearly normal after a cube root (Wilson and Hilferty, 1931). There the threshold is the median plus three
/// standard deviations, estimated from the median absolute deviation; it is at most the largest score.
fn robust_threshold(scores: &[f64]) -> f64 {
    let roots: Vec<f64> = scores.iter().map(|score| score.cbrt()).collect();
    let middle = median(&roots);
    let distances: Vec<f64> = roots.iter().map(|root| (root - middle).abs()).collect();
    let spread = median(&distances) / MAD_OF_NORMAL;
    let found = match spread > 0.0 {
        true => (middle + DEVIATIONS * spread).powi(3),
        false => median(scores),
    };
    scores.iter().copied().fold(f64::NEG_INFINITY, f64::max).min(found)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[half],
        _ => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_far_above_the_others_are_outliers() {
        let mut scores: Vec<f64> =
            (0..101).map(|i| (1.0 + 0.1 * ((i * 37 % 101) as f64 / 50.0 - 1.0)).powi(3)).collect();
        // By hand: the cube roots are uniform between 0.9 and 1.1, with a median absolute deviation of 0.05.
        let expected = (1.0 + 3.0 * 0.05 / MAD_OF_NORMAL).powi(3);
        scores.push(8.0);
        scores.push(9.0);
        let found = robust_threshold(&scores);
        assert!((found - expected).abs() < 0.05 && found < 8.0, "{found} {expected}");
        assert_eq!(robust_threshold(&[2.0, 2.0, 2.0, 5.0]), 2.0);
        assert_eq!(robust_threshold(&[1.0, 2.0, 3.0]), 3.0);
    }
}
