//! The accuracy of many penalties, added up over parts of the rows.

use super::metric::Score;
use crate::error::Result;
use crate::gram::ExactSums;
use crate::model::classes::decode;
use crate::model::landmarks::Evaluated;

/// Sums over rows, for each penalty.
pub(super) struct Hits {
    t: usize,
    /// Σ w and Σ w²; and of each penalty Σ w over the rows whose class is found.
    sums: ExactSums,
}

impl Hits {
    /// No rows, of so many penalties and `t` targets that encode classes.
    pub fn new(penalties: usize, t: usize) -> Result<Self> {
        Ok(Self { t, sums: ExactSums::empty(2 + penalties)? })
    }

    /// The sums.
    pub fn sums(self) -> ExactSums {
        self.sums
    }

    /// How many sums there are.
    pub fn count(&self) -> usize {
        self.sums.len()
    }

    /// What has these sums.
    pub fn of(t: usize, sums: ExactSums) -> Self {
        Self { t, sums }
    }

    /// Adds rows; those of weight 0 do not count.
    pub fn add(&mut self, rows: &Evaluated) {
        let (truth, mut part) = (decode(rows.targets.view()), vec![0.0; self.sums.len()]);
        rows.weights.iter().filter(|w| **w > 0.0).for_each(|w| {
            part[0] += w;
            part[1] += w * w;
        });
        for (a, hits) in part[2..].iter_mut().enumerate() {
            let found = decode(rows.predicted.view().col_range(a * self.t, self.t));
            let pairs = truth.iter().zip(&found).zip(&rows.weights);
            pairs.filter(|((t, f), w)| t == f && **w > 0.0).for_each(|(_, w)| *hits += w);
        }
        self.sums.add_few(&part);
    }

    /// The accuracy of penalty `a`, with its standard error.
    pub fn score(&self, a: usize) -> Score {
        let sums = self.sums.values();
        let (weight, weight_squares) = (sums[0], sums[1]);
        let share = sums[2 + a] / weight;
        let std_error = (share * (1.0 - share) * weight_squares).sqrt() / weight;
        Score { value: share, std_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::view::Mat;
    use crate::select::{Accuracy, Metric};

    #[test]
    fn sums_over_parts_are_the_accuracy() {
        let y = Mat::from_fn(9, 3, |i, j| if i % 3 == j { 1.0 } else { -1.0 });
        let weights: Vec<f64> = (0..9).map(|i| (i % 4) as f64).collect();
        let predicted = Mat::from_fn(9, 6, |i, c| ((i * 7 + c * 5) % 11) as f64);
        let mut hits = Hits::new(2, 3).unwrap();
        for rows in [0..4, 4..9] {
            let part =
                |of: &Mat<f64>| Mat::from_fn(rows.len(), of.cols(), |i, j| of[(rows.start + i, j)]);
            hits.add(&Evaluated {
                targets: part(&y),
                weights: weights[rows.clone()].to_vec(),
                predicted: part(&predicted),
            });
        }
        let metric = Accuracy { targets: &y, weights: Some(&weights) };
        let all: Vec<usize> = (0..9).filter(|i| i % 4 > 0).collect();
        for a in 0..2 {
            let own = Mat::from_fn(all.len(), 3, |i, j| predicted[(all[i], 3 * a + j)]);
            assert_eq!(hits.score(a), metric.scores(&all, &own).unwrap()[0]);
        }
    }
}
