//! What is kept of a repair: how kernel values of new samples are changed (see `repair`).

use serde::{Deserialize, Serialize};

use super::repair::Repair;
use crate::error::{Error, Result};
use crate::linalg::view::{Mat, MatMut};
use crate::model::validate::check_diagonal;
use crate::points::AnyMat;
use crate::real::Real;

/// How kernel values of new samples are repaired; all that a model keeps of a repair. With k(x) a row of n values,
/// k'(x) = k(x) + (k(x)·L)·R, without the first k(x) where L·R is all of the map, and k'(x, x) = k(x, x) + shift + Σ_j diagonal_j (k(x)·L)_j².
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Correction {
    /// The repair.
    pub method: Repair,
    /// Training samples, n.
    pub samples: usize,
    /// What a shift adds to the value of a sample with itself.
    pub shift: f64,
    pub(super) keep: bool, // whether L·R comes on top of the values themselves
    pub(super) left: Vec<f64>, // n × r
    pub(super) right: Vec<f64>, // r × n
    #[serde(rename = "own")]
    pub(super) diagonal: Vec<f64>, // r, or none where values of samples with themselves stay
}

impl Correction {
    /// Changes nothing.
    pub(super) fn none(samples: usize) -> Self {
        let (left, right, diagonal) = (Vec::new(), Vec::new(), Vec::new());
        Self { method: Repair::Clip, samples, shift: 0.0, keep: true, left, right, diagonal }
    }

    /// A correction from its parts: whether values are kept beside L·R, L (n × r), R (r × n), and the weights of values of samples with
    /// themselves (r, or none).
    pub(crate) fn from_parts(
        method: Repair,
        samples: usize,
        shift: f64,
        keep: bool,
        [left, right, diagonal]: [Vec<f64>; 3],
    ) -> std::result::Result<Self, String> {
        Unchecked { method, samples, shift, keep, left, right, diagonal }.try_into()
    }

    /// Whether values are kept beside L·R, L (n × r), R (r × n), and the weights of values of samples with themselves.
    pub(crate) fn parts(&self) -> (bool, [&[f64]; 3]) {
        (self.keep, [&self.left, &self.right, &self.diagonal])
    }

    /// Directions in which values change.
    pub fn rank(&self) -> usize {
        self.left.len() / self.samples
    }

    /// The repaired kernel values of m new samples with the training samples: m × n.
    pub fn apply<'a>(&self, values: impl Into<AnyMat<'a>>) -> Result<Mat<f64>> {
        let values = values.into();
        let mut out = Mat::try_zeros(values.rows(), values.cols())?;
        self.apply_into(values, out.view_mut())?;
        Ok(out)
    }

    /// The same, written to `out`.
    pub fn apply_into<'a, O: Real>(
        &self,
        values: impl Into<AnyMat<'a>>,
        mut out: MatMut<'_, O>,
    ) -> Result<()> {
        let values = values.into();
        self.check(values)?;
        if (out.rows, out.cols) != (values.rows(), values.cols()) {
            let (rows, cols) = (values.rows(), values.cols());
            let found = format!("{} × {}", out.rows, out.cols);
            return Err(Error::Shape(format!("the output must be {rows} × {cols}, not {found}")));
        }
        let n = self.samples;
        let mut row = vec![0.0; n];
        for i in 0..values.rows() {
            (0..n).for_each(|j| row[j] = values.at(i, j));
            let inner = self.inner(&row);
            if !self.keep {
                row.fill(0.0);
            }
            for (weight, line) in inner.iter().zip(self.right.chunks_exact(n)) {
                row.iter_mut().zip(line).for_each(|(value, r)| *value += weight * r);
            }
            out.row_mut(i).iter_mut().zip(&row).for_each(|(to, value)| *to = O::from_f64(*value));
        }
        Ok(())
    }

    /// The repaired kernel values of m samples with themselves, given those and the values with the training samples
    /// (m × n), both as they were before the repair.
    pub fn diagonal<'a>(
        &self,
        values: impl Into<AnyMat<'a>>,
        diagonal: &[f64],
    ) -> Result<Vec<f64>> {
        let values = values.into();
        self.check(values)?;
        check_diagonal(Some(diagonal), values.rows())?;
        let mut row = vec![0.0; self.samples];
        let repaired = diagonal.iter().enumerate().map(|(i, diagonal)| {
            (0..self.samples).for_each(|j| row[j] = values.at(i, j));
            let inner = if self.diagonal.is_empty() { Vec::new() } else { self.inner(&row) };
            let more: f64 =
                inner.iter().zip(&self.diagonal).map(|(c, weight)| weight * c * c).sum();
            diagonal + self.shift + more
        });
        Ok(repaired.collect())
    }

    /// k(x)·L.
    fn inner(&self, row: &[f64]) -> Vec<f64> {
        let mut inner = vec![0.0; self.rank()];
        for (value, line) in row.iter().zip(self.left.chunks_exact(self.rank().max(1))) {
            inner.iter_mut().zip(line).for_each(|(sum, l)| *sum += value * l);
        }
        inner
    }

    fn check(&self, values: AnyMat<'_>) -> Result<()> {
        match values.cols() == self.samples {
            true => Ok(()),
            false => Err(Error::Features { expected: self.samples, found: values.cols() }),
        }
    }
}

/// A correction as it stands in a file.
#[derive(Deserialize)]
struct Unchecked {
    method: Repair,
    samples: usize,
    shift: f64,
    keep: bool,
    left: Vec<f64>,
    right: Vec<f64>,
    #[serde(rename = "own")]
    diagonal: Vec<f64>,
}

impl TryFrom<Unchecked> for Correction {
    type Error = String;

    fn try_from(read: Unchecked) -> std::result::Result<Self, String> {
        let Unchecked { method, samples, shift, keep, left, right, diagonal } = read;
        let rank = left.len().checked_div(samples).ok_or("a repair without samples")?;
        let shaped = rank * samples == left.len() && right.len() == left.len();
        if !shaped || !(diagonal.is_empty() || diagonal.len() == rank) {
            return Err(format!("the arrays of a repair do not fit {samples} samples"));
        }
        let finite = |numbers: &[f64]| numbers.iter().all(|value| value.is_finite());
        if !(finite(&left) && finite(&right) && finite(&diagonal) && finite(&[shift])) {
            return Err("a repair has a non-finite number".into());
        }
        Ok(Self { method, samples, shift, keep, left, right, diagonal })
    }
}
