//! Mean squared errors of many penalties, added up over parts of the rows.

use super::metric::Score;
use crate::error::Result;
use crate::gram::ExactSums;
use crate::model::landmarks::Evaluated;

/// Sums over rows, for each penalty and target.
pub(super) struct Squares {
    t: usize,
    /// Σ w and Σ w²; and of each penalty and target Σ w e, Σ w² e and Σ w² e² of squared errors e.
    sums: ExactSums,
}

impl Squares {
    /// No rows, of so many penalties and targets.
    pub fn new(penalties: usize, t: usize) -> Result<Self> {
        Ok(Self { t, sums: ExactSums::empty(2 + 3 * penalties * t)? })
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
        let mut part = vec![0.0; self.sums.len()];
        for (i, &w) in rows.weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            part[0] += w;
            part[1] += w * w;
            let targets = rows.targets.row(i).iter().cycle();
            let sums = part[2..].as_chunks_mut::<3>().0;
            for ((f, y), sums) in rows.predicted.row(i).iter().zip(targets).zip(sums) {
                let error = (y - f) * (y - f);
                sums[0] += w * error;
                sums[1] += w * w * error;
                sums[2] += w * w * error * error;
            }
        }
        self.sums.add_few(&part);
    }

    /// The negative mean squared errors of penalty `a`, with their standard errors.
    pub fn scores(&self, a: usize) -> Vec<Score> {
        let sums = self.sums.values();
        let (weight, weight_squares) = (sums[0], sums[1]);
        let score = |[sum, weighted, squares]: &[f64; 3]| {
            let mean = sum / weight;
            let spread = squares - 2.0 * mean * weighted + mean * mean * weight_squares;
            Score { value: -mean, std_error: spread.max(0.0).sqrt() / weight }
        };
        sums[2..].as_chunks().0[a * self.t..(a + 1) * self.t].iter().map(score).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::view::Mat;
    use crate::select::{Metric, SquaredError};

    #[test]
    fn sums_over_parts_are_the_squared_error() {
        let y = Mat::from_fn(9, 2, |i, j| (i * (j + 2)) as f64 % 5.0);
        let weights: Vec<f64> = (0..9).map(|i| (i % 3) as f64).collect();
        let predicted = Mat::from_fn(9, 4, |i, c| (i + c) as f64 / 3.0);
        let mut squares = Squares::new(2, 2).unwrap();
        for rows in [0..4, 4..9] {
            let part =
                |of: &Mat<f64>| Mat::from_fn(rows.len(), of.cols(), |i, j| of[(rows.start + i, j)]);
            squares.add(&Evaluated {
                targets: part(&y),
                weights: weights[rows.clone()].to_vec(),
                predicted: part(&predicted),
            });
        }
        let metric = SquaredError { targets: &y, weights: Some(&weights) };
        let all: Vec<usize> = (0..9).filter(|i| i % 3 > 0).collect();
        for a in 0..2 {
            let own = Mat::from_fn(6, 2, |i, j| predicted[(all[i], 2 * a + j)]);
            for (found, want) in squares.scores(a).iter().zip(metric.scores(&all, &own).unwrap()) {
                assert!((found.value - want.value).abs() < 1e-12);
                assert!((found.std_error - want.std_error).abs() < 1e-12);
            }
        }
    }
}
