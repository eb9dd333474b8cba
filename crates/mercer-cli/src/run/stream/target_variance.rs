//! The variances of targets that pass by.

use mercer::model::Target;
use mercer::{Mat, Targets};

/// Sums over the rows of positive weight so far, for each target.
#[derive(Debug, Clone, Default)]
pub struct TargetVariance {
    weight: f64,
    /// The first value, the mean, Σ w (y − mean)², and whether all values are equal.
    targets: Vec<(f64, f64, f64, bool)>,
}

impl TargetVariance {
    /// Adds rows; classes have no variance.
    pub fn add(&mut self, targets: &Targets) {
        let Target::Values(values) = &targets.target else { return };
        for row in 0..values.rows() {
            let weight = targets.weights.as_ref().map_or(1.0, |weights| weights[row]);
            if weight > 0.0 {
                self.add_row(values, row, weight);
            }
        }
    }

    fn add_row(&mut self, values: &Mat<f64>, row: usize, weight: f64) {
        if self.weight == 0.0 {
            self.targets = values.row(row).iter().map(|&y| (y, y, 0.0, true)).collect();
        }
        self.weight += weight;
        for ((first, mean, squares, is_constant), y) in self.targets.iter_mut().zip(values.row(row))
        {
            let from = y - *mean;
            *mean += from * weight / self.weight;
            *squares += weight * from * (y - *mean);
            *is_constant &= y == first;
        }
    }

    /// The variance of each target; none where it is constant.
    pub fn variances(&self) -> Vec<Option<f64>> {
        let of = |&(_, _, squares, is_constant): &(f64, f64, f64, bool)| {
            (!is_constant).then(|| squares / self.weight)
        };
        self.targets.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::variance;

    #[test]
    fn variances_are_those_of_all_rows() {
        let y = Mat::from_fn(40, 2, |i, j| if j == 0 { 1e3 + (i * i % 7) as f64 } else { 3.0 });
        let weights: Vec<f64> = (0..40).map(|i| (i % 3) as f64).collect();
        let mut sums = TargetVariance::default();
        for rows in [0..15, 15..40] {
            let part = Mat::from_fn(rows.len(), 2, |i, j| y[(rows.start + i, j)]);
            sums.add(&Targets::matrix(part).with_weights(Some(weights[rows].to_vec())));
        }
        let column: Vec<f64> = (0..40).map(|i| y[(i, 0)]).collect();
        let want = variance(&column, Some(&weights)).unwrap();
        let found = sums.variances();
        assert!((found[0].unwrap() / want - 1.0).abs() < 1e-12);
        assert_eq!(found[1], None);
    }
}
