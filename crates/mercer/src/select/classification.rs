//! Scores of predicted classes, from a confusion matrix: rows are true classes, columns predicted ones, entries counts or sums
//! of weights. True classes that the model does not know have rows beyond the columns.

use super::metric::Score;

/// The confusion matrix of `truth` and `predicted`, both places of classes: true classes × `classes`.
pub fn confusion(
    truth: &[usize],
    predicted: &[usize],
    classes: usize,
    weights: Option<&[f64]>,
) -> Vec<Vec<f64>> {
    let rows = truth.iter().map(|place| place + 1).max().unwrap_or(0).max(classes);
    let mut counts = vec![vec![0.0; classes]; rows];
    for (row, (&t, &p)) in truth.iter().zip(predicted).enumerate() {
        counts[t][p] += weights.map_or(1.0, |w| w[row]);
    }
    counts
}

fn sum(counts: &[f64]) -> f64 {
    counts.iter().sum()
}

fn hits(counts: &[Vec<f64>], place: usize) -> f64 {
    counts[place].get(place).copied().unwrap_or(0.0)
}

fn predicted(counts: &[Vec<f64>], place: usize) -> f64 {
    counts.iter().map(|row| row.get(place).copied().unwrap_or(0.0)).sum()
}

/// The share of rows whose class is found, with its binomial standard error.
pub fn accuracy(counts: &[Vec<f64>]) -> Score {
    let all: f64 = counts.iter().map(|row| sum(row)).sum();
    let value = (0..counts.len()).map(|place| hits(counts, place)).sum::<f64>() / all;
    Score { value, std_error: (value * (1.0 - value) / all).sqrt() }
}

/// The mean recall of the classes that occur, with its standard error: recalls of different classes are independent.
pub fn balanced_accuracy(counts: &[Vec<f64>]) -> Score {
    let sizes = counts.iter().enumerate().map(|(place, row)| (hits(counts, place), sum(row)));
    let recalls: Vec<(f64, f64)> =
        sizes.filter(|(_, size)| *size > 0.0).map(|(hit, size)| (hit / size, size)).collect();
    let count = recalls.len().max(1) as f64;
    let variances = recalls.iter().map(|(recall, size)| recall * (1.0 - recall) / size);
    Score {
        value: recalls.iter().map(|(recall, _)| recall).sum::<f64>() / count,
        std_error: variances.sum::<f64>().sqrt() / count,
    }
}

/// The mean F1 score of the classes that occur or are predicted.
pub fn macro_f1(counts: &[Vec<f64>]) -> f64 {
    let score = |place: usize| {
        let all = sum(&counts[place]) + predicted(counts, place);
        (all > 0.0).then(|| 2.0 * hits(counts, place) / all)
    };
    let scores: Vec<f64> = (0..counts.len()).filter_map(score).collect();
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// Matthews' correlation coefficient, (c·s − Σ p_k t_k) / √((s² − Σ p_k²)(s² − Σ t_k²)) with hits c, rows s, predictions p_k and
/// truths t_k; `None` where all predictions or all truths are of one class.
pub fn matthews(counts: &[Vec<f64>]) -> Option<f64> {
    let all: f64 = counts.iter().map(|row| sum(row)).sum();
    let hit: f64 = (0..counts.len()).map(|place| hits(counts, place)).sum();
    let pairs: Vec<(f64, f64)> =
        (0..counts.len()).map(|place| (predicted(counts, place), sum(&counts[place]))).collect();
    let cross: f64 = pairs.iter().map(|(p, t)| p * t).sum();
    let spread = |of: fn(&(f64, f64)) -> f64| {
        all * all - pairs.iter().map(|pair| of(pair).powi(2)).sum::<f64>()
    };
    let (of_predicted, of_true) = (spread(|pair| pair.0), spread(|pair| pair.1));
    let least = 1e-12 * all * all;
    let is_defined = of_predicted > least && of_true > least;
    is_defined.then(|| (hit * all - cross) / (of_predicted * of_true).sqrt())
}

/// The share of the most frequent true class: the accuracy of always predicting it.
pub fn majority(counts: &[Vec<f64>]) -> f64 {
    let sizes: Vec<f64> = counts.iter().map(|row| sum(row)).collect();
    sizes.iter().copied().fold(0.0, f64::max) / sum(&sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: [usize; 9] = [0, 0, 0, 0, 1, 1, 1, 2, 2];
    const FOUND: [usize; 9] = [0, 0, 0, 1, 1, 1, 0, 2, 2];

    /// scikit-learn 1.9: accuracy_score, balanced_accuracy_score, f1_score(average="macro"), matthews_corrcoef.
    #[test]
    fn values_are_those_of_scikit_learn() {
        let counts = confusion(&TRUTH, &FOUND, 3, None);
        let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value}");
        near(accuracy(&counts).value, 0.7777777777777778);
        near(balanced_accuracy(&counts).value, 0.8055555555555555);
        near(macro_f1(&counts), 0.8055555555555555);
        near(matthews(&counts).unwrap(), 0.6538461538461539);
        near(majority(&counts), 4.0 / 9.0);
    }

    #[test]
    fn weights_count_as_repeated_rows() {
        let weights = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 1.0];
        let repeat = |values: &[usize; 9]| -> Vec<usize> {
            let each = values.iter().zip(weights);
            each.flat_map(|(v, w)| std::iter::repeat_n(*v, w as usize)).collect()
        };
        let weighted = confusion(&TRUTH, &FOUND, 3, Some(&weights));
        assert_eq!(weighted, confusion(&repeat(&TRUTH), &repeat(&FOUND), 3, None));
    }

    #[test]
    fn one_class_has_no_correlation_and_unknown_classes_are_missed() {
        assert_eq!(matthews(&confusion(&[0, 1, 1], &[0, 0, 0], 2, None)), None);
        let counts = confusion(&[0, 0, 1, 1, 2], &[0, 0, 1, 1, 0], 2, None);
        assert!((balanced_accuracy(&counts).value - 2.0 / 3.0).abs() < 1e-15);
        assert!((accuracy(&counts).value - 0.8).abs() < 1e-15);
    }
}
