//! How well scores rank samples of a class above others: ROC and precision-recall curves and the areas below them.

use super::metric::Score;
use crate::linalg::view::Mat;

/// Samples in the order of falling scores, equal scores together: (weight of positives, weight of negatives) of each score.
fn steps(scores: &[f64], positive: &[bool], weights: Option<&[f64]>) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut last = f64::NAN;
    for row in order {
        if scores[row] != last || steps.is_empty() {
            steps.push((0.0, 0.0));
            last = scores[row];
        }
        let step = steps.last_mut().expect("a step was begun");
        let weight = weights.map_or(1.0, |w| w[row]);
        if positive[row] { step.0 += weight } else { step.1 += weight }
    }
    steps
}

fn totals(steps: &[(f64, f64)]) -> (f64, f64) {
    steps.iter().fold((0.0, 0.0), |(p, n), step| (p + step.0, n + step.1))
}

/// The ROC curve, from (0, 0) to (1, 1): the share of negatives and of positives whose score is at least a threshold, for
/// every threshold from the largest. Empty where there are no positives or no negatives.
pub fn roc_curve(scores: &[f64], positive: &[bool]) -> Vec<[f64; 2]> {
    let steps = steps(scores, positive, None);
    let (p, n) = totals(&steps);
    if p == 0.0 || n == 0.0 {
        return Vec::new();
    }
    let (mut above, mut below) = (0.0, 0.0);
    let points = steps.iter().map(|step| {
        (above, below) = (above + step.0, below + step.1);
        [below / n, above / p]
    });
    std::iter::once([0.0, 0.0]).chain(points).collect()
}

/// Recall and precision for every threshold from the largest score. Empty where there are no positives.
pub fn precision_recall_curve(scores: &[f64], positive: &[bool]) -> Vec<[f64; 2]> {
    let steps = steps(scores, positive, None);
    let (p, _) = totals(&steps);
    if p == 0.0 {
        return Vec::new();
    }
    let (mut hits, mut all) = (0.0, 0.0);
    let points = steps.iter().map(|step| {
        (hits, all) = (hits + step.0, all + step.0 + step.1);
        [hits / p, hits / all]
    });
    points.collect()
}

/// The area below the precision-recall curve as a sum of steps: Σ (recall_i − recall_{i−1}) precision_i.
pub fn average_precision(scores: &[f64], positive: &[bool]) -> Option<f64> {
    let curve = precision_recall_curve(scores, positive);
    let mut last = 0.0;
    let area = curve.iter().map(|[recall, precision]| {
        let step = (recall - last) * precision;
        last = *recall;
        step
    });
    (!curve.is_empty()).then(|| area.sum())
}

/// The area below the ROC curve: the probability that a positive scores above a negative, ties counting half. `None` where
/// there are no positives or no negatives. The standard error, after DeLong, is unknown for weighted samples.
pub fn auc(scores: &[f64], positive: &[bool], weights: Option<&[f64]>) -> Option<Score> {
    let steps = steps(scores, positive, weights);
    let (p, n) = totals(&steps);
    if p == 0.0 || n == 0.0 {
        return None;
    }
    // Each positive with the share of negatives below it, each negative with the share of positives above it.
    let (mut above, mut below) = (0.0, n);
    let (mut sum, mut of_positives, mut of_negatives) = (0.0, Vec::new(), Vec::new());
    for (positives, negatives) in steps {
        below -= negatives;
        let (wins, losses) = ((below + negatives / 2.0) / n, (above + positives / 2.0) / p);
        sum += positives * wins;
        of_positives.push((positives, wins));
        of_negatives.push((negatives, losses));
        above += positives;
    }
    let value = sum / p;
    let variance = variance(&of_positives, value, p) / p + variance(&of_negatives, value, n) / n;
    let std_error = if weights.is_some() { f64::NAN } else { variance.sqrt() };
    Some(Score { value, std_error })
}

/// The sample variance of counted values.
fn variance(counted: &[(f64, f64)], mean: f64, all: f64) -> f64 {
    let squares: f64 = counted.iter().map(|(count, value)| count * (value - mean).powi(2)).sum();
    if all > 1.0 { squares / (all - 1.0) } else { f64::NAN }
}

/// The area below the ROC curve of classes: of two by the only column of `scores` (m × 1, larger for the second class), of more the
/// mean over the classes that occur, each against the rest by its own column. `None` where no class can be distinguished from
/// the rest.
pub fn auc_of_classes(
    truth: &[usize],
    scores: &Mat<f64>,
    weights: Option<&[f64]>,
) -> Option<Score> {
    let of_class = |class: usize| class_against_rest(truth, scores, class);
    if scores.cols() == 1 {
        let (positive, column) = of_class(1);
        return auc(&column, &positive, weights);
    }
    let areas: Vec<f64> = (0..scores.cols())
        .filter_map(|class| {
            let (positive, column) = of_class(class);
            auc(&column, &positive, weights).map(|score| score.value)
        })
        .collect();
    let value = areas.iter().sum::<f64>() / areas.len() as f64;
    (!areas.is_empty()).then_some(Score { value, std_error: f64::NAN })
}

/// Which samples are of `class`, and their scores for it.
pub fn class_against_rest(
    truth: &[usize],
    scores: &Mat<f64>,
    class: usize,
) -> (Vec<bool>, Vec<f64>) {
    let column = if scores.cols() == 1 { 0 } else { class };
    let sign = if scores.cols() == 1 && class == 0 { -1.0 } else { 1.0 };
    let positive = truth.iter().map(|&place| place == class).collect();
    (positive, (0..scores.rows()).map(|row| sign * scores[(row, column)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f64; 8] = [0.1, 0.4, 0.35, 0.8, 0.8, 0.2, 0.35, 0.9];
    const POSITIVE: [bool; 8] = [false, false, true, true, false, false, true, true];

    /// Two loops over all pairs.
    fn naive(scores: &[f64], positive: &[bool], weights: &[f64]) -> f64 {
        let (mut wins, mut pairs) = (0.0, 0.0);
        for i in (0..scores.len()).filter(|&i| positive[i]) {
            for j in (0..scores.len()).filter(|&j| !positive[j]) {
                let win =
                    f64::from(scores[i] > scores[j]) + 0.5 * f64::from(scores[i] == scores[j]);
                wins += weights[i] * weights[j] * win;
                pairs += weights[i] * weights[j];
            }
        }
        wins / pairs
    }

    #[test]
    fn the_area_is_the_share_of_ordered_pairs() {
        let weights: Vec<f64> = (0..8).map(|i| 1.0 + f64::from(i % 3)).collect();
        let plain = auc(&SCORES, &POSITIVE, None).unwrap();
        let weighted = auc(&SCORES, &POSITIVE, Some(&weights)).unwrap();
        assert!((plain.value - naive(&SCORES, &POSITIVE, &[1.0; 8])).abs() < 1e-15);
        assert!((weighted.value - naive(&SCORES, &POSITIVE, &weights)).abs() < 1e-15);
        assert!(weighted.std_error.is_nan() && plain.std_error > 0.0);
    }

    /// scikit-learn 1.9: roc_auc_score, average_precision_score, roc_curve(drop_intermediate=False).
    #[test]
    fn values_are_those_of_scikit_learn() {
        let area = auc(&SCORES, &POSITIVE, None).unwrap().value;
        assert!((area - 0.71875).abs() < 1e-12, "{area}");
        let precision = average_precision(&SCORES, &POSITIVE).unwrap();
        assert!((precision - 0.75).abs() < 1e-12, "{precision}");
        let expected =
            [[0.0, 0.0], [0.0, 0.25], [0.25, 0.5], [0.5, 0.5], [0.5, 1.0], [0.75, 1.0], [1.0, 1.0]];
        assert_eq!(roc_curve(&SCORES, &POSITIVE), expected);
    }

    #[test]
    fn the_area_is_that_below_the_curve() {
        let curve = roc_curve(&SCORES, &POSITIVE);
        let below = curve.windows(2).map(|w| (w[1][0] - w[0][0]) * (w[1][1] + w[0][1]) / 2.0);
        let area = auc(&SCORES, &POSITIVE, None).unwrap().value;
        assert!((below.sum::<f64>() - area).abs() < 1e-15);
    }

    #[test]
    fn classes_are_ranked_against_the_rest() {
        let truth = [0, 1, 2, 0, 1, 2];
        let perfect = Mat::from_fn(6, 3, |i, j| f64::from(truth[i] == j));
        assert_eq!(auc_of_classes(&truth, &perfect, None).unwrap().value, 1.0);
        let some = [[6, 3, 1], [2, 5, 3], [1, 5, 4], [3, 4, 3], [5, 3, 2], [2, 2, 6]];
        let some = Mat::from_fn(6, 3, |i, j| f64::from(some[i][j]) / 10.0);
        // roc_auc_score(multi_class="ovr").
        let area = auc_of_classes(&truth, &some, None).unwrap().value;
        assert!((area - 0.8333333333333334).abs() < 1e-12, "{area}");
        assert_eq!(auc_of_classes(&[0, 0], &Mat::zeros(2, 1), None), None);
        let (positive, scores) =
            class_against_rest(&[0, 1], &Mat::from_vec(vec![1.0, 2.0], 2, 1), 0);
        assert_eq!((positive, scores), (vec![true, false], vec![-1.0, -2.0]));
    }
}
