//! The scores of a grid, and the best of them.

use super::metric::{Metric, Score};
use crate::error::{Error, Result};
use crate::linalg::view::Mat;

/// The scores of one kernel.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Table {
    /// The penalties, in the order they were given.
    pub alphas: Vec<f64>,
    /// alphas × scores; a score per target, or one for all.
    pub scores: Mat<f64>,
    /// Their standard errors; NaN where they are unknown.
    pub std_errors: Mat<f64>,
    /// The units in which scores of several targets are compared.
    units: Vec<f64>,
}

impl Table {
    pub(super) fn new(alphas: Vec<f64>, metric: &dyn Metric) -> Self {
        Self::with_units(alphas, metric.units())
    }

    /// The same for scores that are compared in these units.
    pub(super) fn with_units(alphas: Vec<f64>, units: Vec<f64>) -> Self {
        let (scores, std_errors) = (Mat::zeros(0, 0), Mat::zeros(0, 0));
        Self { alphas, scores, std_errors, units }
    }

    /// Appends the scores of the next penalty.
    pub(super) fn push(&mut self, scores: Vec<Score>) {
        let (rows, cols) = (self.scores.rows() + 1, scores.len());
        let append = |to: &mut Mat<f64>, values: Vec<f64>| {
            let mut data = std::mem::replace(to, Mat::zeros(0, 0)).into_vec();
            data.extend(values);
            *to = Mat::from_vec(data, rows, cols);
        };
        append(&mut self.scores, scores.iter().map(|s| s.value).collect());
        append(&mut self.std_errors, scores.iter().map(|s| s.std_error).collect());
    }

    /// The mean over folds, with the standard error that their differences show.
    pub(super) fn mean(folds: &[Table]) -> Table {
        let (rows, cols) = (folds[0].scores.rows(), folds[0].scores.cols());
        let k = folds.len() as f64;
        let mean = |a: usize, j: usize| folds.iter().map(|f| f.scores[(a, j)]).sum::<f64>() / k;
        let std_error = |a: usize, j: usize| {
            let squares = folds.iter().map(|f| (f.scores[(a, j)] - mean(a, j)).powi(2));
            (squares.sum::<f64>() / (k - 1.0) / k).sqrt()
        };
        Table {
            alphas: folds[0].alphas.clone(),
            scores: Mat::from_fn(rows, cols, mean),
            std_errors: Mat::from_fn(rows, cols, std_error),
            units: folds[0].units.clone(),
        }
    }

    /// By what penalties and kernels are compared: the mean over targets, each in units of its own.
    pub fn compared(&self, a: usize) -> f64 {
        (0..self.scores.cols()).map(|j| self.scores[(a, j)] / self.unit(j)).sum::<f64>()
            / self.scores.cols() as f64
    }

    fn unit(&self, j: usize) -> f64 {
        if self.units.len() == self.scores.cols() { self.units[j] } else { 1.0 }
    }

    /// The mean over targets of the scores of penalty `a`.
    pub fn score(&self, a: usize) -> Score {
        let row = self.scores.row(a);
        let t = row.len() as f64;
        let squares: f64 = self.std_errors.row(a).iter().map(|s| s * s).sum();
        Score { value: row.iter().sum::<f64>() / t, std_error: squares.sqrt() / t }
    }
}

/// The chosen combination.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The index of the kernel.
    pub kernel: usize,
    /// The indices of the penalties: one for all targets, or one for each.
    pub alphas: Vec<usize>,
    /// The score, the mean over targets.
    pub score: Score,
}

impl Chosen {
    pub(super) fn among(tables: &[Table], per_target: bool) -> Result<Self> {
        let of = |kernel: usize| Self::of_table(&tables[kernel], kernel, per_target);
        let best = (0..tables.len())
            .map(of)
            .filter(|(_, compared)| compared.is_finite())
            .reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(chosen, _)| chosen).ok_or_else(|| {
            Error::Numeric("no combination of kernel and penalty has a finite score".into())
        })
    }

    /// The best penalty of one kernel, and by what it is compared with other kernels.
    fn of_table(table: &Table, kernel: usize, per_target: bool) -> (Self, f64) {
        let count = table.alphas.len();
        // Of equal scores the larger penalty: the smoother function.
        let largest = |score: &dyn Fn(usize) -> f64| {
            let value = |a: usize| if score(a).is_nan() { f64::NEG_INFINITY } else { score(a) };
            let better =
                |a: usize, b: usize| (value(b), table.alphas[b]) > (value(a), table.alphas[a]);
            (0..count).reduce(|a, b| if better(a, b) { b } else { a }).unwrap_or(0)
        };
        if per_target && table.scores.cols() > 1 {
            let t = table.scores.cols();
            let alphas: Vec<usize> = (0..t).map(|j| largest(&|a| table.scores[(a, j)])).collect();
            let own = alphas.iter().enumerate();
            let value = own.clone().map(|(j, &a)| table.scores[(a, j)]).sum::<f64>() / t as f64;
            let squares: f64 = own.map(|(j, &a)| table.std_errors[(a, j)].powi(2)).sum();
            let score = Score { value, std_error: squares.sqrt() / t as f64 };
            let own = alphas.iter().enumerate();
            let units = own.map(|(j, &a)| table.scores[(a, j)] / table.unit(j));
            let compared = units.sum::<f64>() / t as f64;
            return (Self { kernel, alphas, score }, compared);
        }
        let a = largest(&|a| table.compared(a));
        (Self { kernel, alphas: vec![a], score: table.score(a) }, table.compared(a))
    }

    /// By what the best penalty of a kernel is compared with other kernels.
    pub(super) fn compared(table: &Table, per_target: bool) -> f64 {
        Self::of_table(table, 0, per_target).1
    }

    /// The penalties chosen.
    pub(super) fn values(&self, tables: &[Table]) -> Vec<f64> {
        self.alphas.iter().map(|&a| tables[self.kernel].alphas[a]).collect()
    }
}
