//! Three criteria for the number of clusters, and how each chooses.

use crate::context::Context;
use crate::error::Result;
use crate::linalg::view::Mat;

/// The score of each number of clusters, and its standard error where it was repeated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scores {
    pub values: Vec<f64>,
    pub errors: Option<Vec<f64>>,
}

/// The silhouette of each clustering of the rows with kernel values `values`.
pub(super) fn silhouettes(
    ctx: &Context,
    values: &Mat<f64>,
    labels: &[Vec<usize>],
) -> Result<Scores> {
    let found = labels.iter().map(|labels| {
        ctx.poll()?;
        Ok(silhouette(values, labels))
    });
    Ok(Scores { values: found.collect::<Result<_>>()?, errors: None })
}

/// The mean of (b − a) / max(a, b) over rows, with distances ‖φ(x) − φ(y)‖ in feature space: a is the mean distance from the
/// other rows of the same cluster, b the smallest mean distance from the rows of another one. A row that is alone in its
/// cluster counts as 0.
pub(super) fn silhouette(values: &Mat<f64>, labels: &[usize]) -> f64 {
    let n = labels.len();
    let mut sizes = vec![0_usize; labels.iter().max().map_or(0, |most| most + 1)];
    labels.iter().for_each(|&label| sizes[label] += 1);
    if sizes.iter().filter(|&&size| size > 0).count() < 2 {
        return 0.0;
    }
    let mut sums = vec![0.0; sizes.len()];
    let mut total = 0.0;
    for i in (0..n).filter(|&i| sizes[labels[i]] > 1) {
        sums.fill(0.0);
        for j in 0..n {
            let square = values[(i, i)] + values[(j, j)] - 2.0 * values[(i, j)];
            sums[labels[j]] += square.max(0.0).sqrt();
        }
        let own = sums[labels[i]] / (sizes[labels[i]] - 1) as f64;
        let others = (0..sizes.len()).filter(|&c| c != labels[i] && sizes[c] > 0);
        let nearest = others.map(|c| sums[c] / sizes[c] as f64).fold(f64::INFINITY, f64::min);
        let larger = own.max(nearest);
        total += if larger > 0.0 { (nearest - own) / larger } else { 0.0 };
    }
    total / n as f64
}

/// How far log inertia is below its mean on references; the standard error is sd·√(1 + 1/B) for B references (Tibshirani,
/// Walther and Hastie 2001).
pub(super) fn gaps(own: &[f64], references: &[Vec<f64>]) -> Scores {
    let count = references.len() as f64;
    let widened = (1.0 + 1.0 / count).sqrt();
    let column = |k: usize| references.iter().map(move |of| of[k]);
    let (values, errors) = (0..own.len())
        .map(|k| {
            let (mean, spread) = mean_and_spread(column(k), count);
            (mean - own[k], spread * widened)
        })
        .unzip();
    Scores { values, errors: Some(errors) }
}

/// The mean agreement of each number of clusters.
pub(super) fn stabilities(agreements: &[Vec<f64>]) -> Scores {
    let each = agreements.iter().map(|found| {
        let count = found.len() as f64;
        let (mean, spread) = mean_and_spread(found.iter().copied(), count);
        (mean, spread / count.sqrt())
    });
    let (values, errors) = each.unzip();
    Scores { values, errors: Some(errors) }
}

fn mean_and_spread(values: impl Iterator<Item = f64> + Clone, count: f64) -> (f64, f64) {
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

/// The adjusted Rand index of two clusterings of the same rows into at most `k` clusters.
pub(super) fn adjusted_rand(labels: &[(usize, usize)], k: usize) -> f64 {
    let mut table = vec![0.0; k * k];
    labels.iter().for_each(|&(a, b)| table[a * k + b] += 1.0);
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    let row = |a: usize| (0..k).map(|b| table[a * k + b]).sum::<f64>();
    let column = |b: usize| (0..k).map(|a| table[a * k + b]).sum::<f64>();
    let both: f64 = table.iter().map(|&count| pairs(count)).sum();
    let (first, second): (f64, f64) =
        ((0..k).map(|a| pairs(row(a))).sum(), (0..k).map(|b| pairs(column(b))).sum());
    let expected = first * second / pairs(labels.len() as f64).max(1.0);
    let most = (first + second) / 2.0;
    match most == expected {
        true => 1.0,
        false => (both - expected) / (most - expected),
    }
}

/// The first of the largest scores.
pub(super) fn largest(scores: &Scores) -> usize {
    let values = &scores.values;
    (0..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best })
}

/// The first that is at least the next less its standard error; else the largest.
pub(super) fn first_not_below_the_next(scores: &Scores) -> usize {
    let error = |k: usize| scores.errors.as_ref().map_or(0.0, |errors| errors[k]);
    let is_enough = |&k: &usize| scores.values[k] >= scores.values[k + 1] - error(k + 1);
    (0..scores.values.len().saturating_sub(1)).find(is_enough).unwrap_or_else(|| largest(scores))
}

/// The last that is within its standard error of the largest.
pub(super) fn last_near_the_largest(scores: &Scores) -> usize {
    let error = |k: usize| scores.errors.as_ref().map_or(0.0, |errors| errors[k]);
    let most = scores.values[largest(scores)];
    let is_near = |&k: &usize| scores.values[k] >= most - error(k);
    (0..scores.values.len()).rev().find(is_near).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silhouettes_by_hand() {
        // Points 0, 1, 5, 6 on a line with the linear kernel.
        let x = [0.0, 1.0, 5.0, 6.0_f64];
        let values = Mat::from_fn(4, 4, |i, j| x[i] * x[j]);
        let outer = (5.5 - 1.0) / 5.5;
        let inner = (4.5 - 1.0) / 4.5;
        let found = silhouette(&values, &[0, 0, 1, 1]);
        assert!((found - (outer + inner) / 2.0).abs() < 1e-12, "{found}");
        assert_eq!(silhouette(&values, &[0, 0, 0, 0]), 0.0);
    }

    #[test]
    fn agreement_is_one_for_equal_and_zero_on_average() {
        assert_eq!(adjusted_rand(&[(0, 1), (0, 1), (1, 0), (1, 0)], 2), 1.0);
        // scikit-learn: adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]).
        let found = adjusted_rand(&[(0, 0), (0, 0), (1, 1), (1, 2)], 3);
        assert!((found - 0.571_428_571_428_571_5).abs() < 1e-12, "{found}");
    }

    #[test]
    fn each_criterion_chooses_in_its_way() {
        let scores =
            |values: [f64; 4]| Scores { values: values.to_vec(), errors: Some(vec![0.1; 4]) };
        assert_eq!(largest(&scores([0.1, 0.9, 0.9, 0.3])), 1);
        assert_eq!(first_not_below_the_next(&scores([0.1, 0.5, 0.55, 0.9])), 1);
        assert_eq!(last_near_the_largest(&scores([1.0, 0.95, 0.92, 0.5])), 2);
    }
}
