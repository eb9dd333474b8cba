//! The exact kernel that solutions are certified with, and the columns that the solver works on.
//!
//! With the sum of coefficients fixed, the problem does not change when K_ij is replaced by K_ij − u_i − u_j, but for a linear term.
//! Numbers that all kernel values have in common are therefore taken off before anything is rounded: a kernel matrix far from
//! the origin is as good as one around it.

use crate::error::Result;
use crate::gram::{Columns, Stored};
use crate::linalg::view::MatRef;
use crate::points::{Cost, Dtype};
use crate::real::Real;

/// The exact kernel in double precision.
pub(super) trait ExactKernel: Send + Sync {
    /// The columns to work on.
    fn columns(&self) -> Working<'_>;

    /// The matrix K' of the samples `which`, less what is taken off.
    fn exact<'a>(&'a self, which: &[usize]) -> Result<Box<dyn Columns<f64> + 'a>>;

    /// What is taken off, one per sample: K = K' + u1ᵀ + 1uᵀ + constant. Empty for nothing.
    fn taken_off(&self) -> &[f64];

    /// The constant beside, which may be so large that u would lose its digits in it.
    fn constant(&self) -> f64 {
        0.0
    }

    /// Numbers that are read for one entry of K'.
    fn cost_per_entry(&self) -> usize;

    /// The size of the numbers whose rounding K' suffers from.
    fn largest(&self) -> f64;

    /// The error of an entry of the columns that are worked on, where those are in single precision.
    fn single_error(&self) -> f64;

    /// In which numbers the columns that are worked on are computed.
    fn computed_in(&self) -> Dtype;

    /// The number type of the samples or of the matrix.
    fn dtype(&self) -> Dtype;
}

/// Columns of K' to work on.
pub(super) enum Working<'a> {
    /// In single precision.
    Single(Box<dyn Columns<f32> + 'a>),
    /// In double precision.
    Double(Box<dyn Columns<f64> + 'a>),
}

impl Working<'_> {
    /// Rows, which is columns.
    pub fn size(&self) -> usize {
        match self {
            Working::Single(columns) => columns.size(),
            Working::Double(columns) => columns.size(),
        }
    }

    /// What it takes to compute an entry, and to copy what entries of a row are computed from.
    pub fn cost(&self) -> Cost {
        match self {
            Working::Single(columns) => columns.cost(),
            Working::Double(columns) => columns.cost(),
        }
    }

    /// The rows and columns `which`.
    pub fn restrict(&self, which: &[usize]) -> Working<'_> {
        match self {
            Working::Single(columns) => Working::Single(columns.restrict(which)),
            Working::Double(columns) => Working::Double(columns.restrict(which)),
        }
    }
}

/// Samples that are compared with each other to learn what their kernel values are like.
pub(super) const PROBED: usize = 128;
/// Samples whose mean kernel value is taken off.
const REFERENCES: usize = 64;
/// From this ratio of the largest kernel value to the largest one around the mean on, values around the mean are worked with.
pub(super) const FAR: f64 = 16.0;

/// At most `count` of `n` places, spread evenly.
pub(super) fn spread_out(n: usize, count: usize) -> Vec<usize> {
    let count = count.min(n);
    (0..count).map(|k| k * n / count).collect()
}

/// Kernel values of some samples, and how large they are, as they are and around their means.
pub(super) struct Probe {
    pub values: Vec<f64>,
    pub largest: f64,
    pub spread: f64,
}

impl Probe {
    /// From a square of values.
    pub fn new(values: Vec<f64>) -> Self {
        let n = values.len().isqrt();
        let mean = |line: &[f64]| line.iter().sum::<f64>() / n as f64;
        let means: Vec<f64> = values.chunks_exact(n.max(1)).map(mean).collect();
        let all = mean(&means);
        let centred = |(at, v): (usize, &f64)| (v - means[at / n] - (means[at % n] - all)).abs();
        let spread = values.iter().enumerate().map(centred).fold(0.0, f64::max);
        let largest = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
        Self { values, largest, spread }
    }

    /// Whether most of each value is what all have in common.
    pub fn is_far(&self) -> bool {
        self.largest > FAR * self.spread
    }
}

/// u for n samples such that K − u1ᵀ − 1uᵀ has mean 0 with and among some of them; `row` gives the values of a sample with these.
pub(super) fn references(n: usize) -> Vec<usize> {
    spread_out(n, REFERENCES)
}

/// What to take off, from the values of all samples with the [`references`] (n × references).
pub(super) fn common(values: &[f64], references: &[usize]) -> Vec<f64> {
    let count = references.len();
    let mean = |line: &[f64]| line.iter().sum::<f64>() / count as f64;
    let means: Vec<f64> = values.chunks_exact(count.max(1)).map(mean).collect();
    let among = references.iter().map(|&r| means[r]).sum::<f64>() / count as f64;
    means.into_iter().map(|mean| mean - 0.5 * among).collect()
}

/// Up to so many rows a given matrix is worked on in double precision: all its values then fit one working set.
const SMALL: usize = 2896;

/// A kernel matrix that the caller computed.
pub(super) struct Given<'a, T> {
    matrix: MatRef<'a, T>,
    taken_off: Vec<f64>,
    probe: Probe,
}

impl<'a, T: Real> Given<'a, T> {
    /// A symmetric matrix.
    pub fn new(matrix: MatRef<'a, T>) -> Self {
        let n = matrix.rows();
        let some = spread_out(n, PROBED);
        let values = some.iter().flat_map(|&i| some.iter().map(move |&j| matrix.at(i, j).to_f64()));
        let probe = Probe::new(values.collect());
        let taken_off = match probe.is_far() {
            false => Vec::new(),
            true => {
                let with = references(n);
                let row = |i: usize| with.iter().map(move |&r| (i, r));
                let values = (0..n).flat_map(row).map(|(i, r)| matrix.at(i, r).to_f64());
                common(&values.collect::<Vec<_>>(), &with)
            }
        };
        Self { matrix, taken_off, probe }
    }

    fn is_double(&self) -> bool {
        self.matrix.rows() <= SMALL
    }
}

impl<T: Real> ExactKernel for Given<'_, T> {
    fn columns(&self) -> Working<'_> {
        let stored = Stored::new(self.matrix).less(&self.taken_off);
        match self.is_double() {
            true => Working::Double(Box::new(stored)),
            false => Working::Single(Box::new(stored)),
        }
    }

    fn exact<'a>(&'a self, which: &[usize]) -> Result<Box<dyn Columns<f64> + 'a>> {
        Ok(Stored::new(self.matrix).less(&self.taken_off).into_part(which))
    }

    fn taken_off(&self) -> &[f64] {
        &self.taken_off
    }

    fn cost_per_entry(&self) -> usize {
        1
    }

    fn largest(&self) -> f64 {
        let diagonal = (0..self.matrix.rows()).map(|i| self.matrix.at(i, i).to_f64().abs());
        diagonal.fold(self.probe.largest, f64::max)
    }

    fn single_error(&self) -> f64 {
        match (self.is_double(), self.taken_off.is_empty()) {
            (true, _) => 0.0,
            (false, true) => f64::from(f32::EPSILON) * self.probe.largest,
            (false, false) => f64::from(f32::EPSILON) * self.probe.spread,
        }
    }

    fn computed_in(&self) -> Dtype {
        self.dtype()
    }

    fn dtype(&self) -> Dtype {
        Dtype::of::<T>()
    }
}
