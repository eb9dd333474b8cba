//! What the rules for kernel parameters ask of samples. All of it is computed in f64.

use super::{Csr, Dense};
use crate::linalg::sparse::merged;
use crate::real::Real;

fn square(a: f64, b: f64) -> f64 {
    (a - b) * (a - b)
}

/// (a − b)²/(a + b), with 0/0 = 0.
fn chi_square(a: f64, b: f64) -> f64 {
    if a + b == 0.0 { 0.0 } else { (a - b) * ((a - b) / (a + b)) }
}

impl<T: Real> Dense<T> {
    /// The variance of all entries, in two passes so that a large mean costs no digits.
    #[doc(hidden)]
    pub fn variance(&self) -> f64 {
        let (data, count) = (self.data(), self.data().len() as f64);
        let mean = sum(data, data, |v, _| v) / count;
        sum(data, data, |v, _| square(v, mean)) / count
    }

    /// ‖x_i − x_j‖², by differences and not by norms, so that near samples far from the origin keep their distance.
    #[doc(hidden)]
    pub fn squared_distance(&self, i: usize, j: usize) -> f64 {
        sum(self.row(i), self.row(j), square)
    }

    /// Σ (x − y)²/(x + y) of rows i and j, with 0/0 = 0.
    #[doc(hidden)]
    pub fn chi2_distance(&self, i: usize, j: usize) -> f64 {
        sum(self.row(i), self.row(j), chi_square)
    }
}

impl<T: Real> Csr<T> {
    /// The variance of all entries, zeros included.
    #[doc(hidden)]
    pub fn variance(&self) -> f64 {
        let (values, count) = (self.values(), self.n() as f64 * self.d() as f64);
        let mean = sum(values, values, |v, _| v) / count;
        let zeros = count - values.len() as f64;
        (sum(values, values, |v, _| square(v, mean)) + zeros * mean * mean) / count
    }

    /// ‖x_i − x_j‖², by differences.
    #[doc(hidden)]
    pub fn squared_distance(&self, i: usize, j: usize) -> f64 {
        merged(self.row(i), self.row(j), |a: T, b: T| square(a.to_f64(), b.to_f64()))
    }

    /// Σ (x − y)²/(x + y) of rows i and j, with 0/0 = 0.
    #[doc(hidden)]
    pub fn chi2_distance(&self, i: usize, j: usize) -> f64 {
        merged(self.row(i), self.row(j), |a: T, b: T| chi_square(a.to_f64(), b.to_f64()))
    }
}

/// Σ term(a_i, b_i), in eight partial sums that the compiler can keep in vector registers.
fn sum<T: Real>(a: &[T], b: &[T], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for i in 0..8 {
            sums[i] += term(a[i].to_f64(), b[i].to_f64());
        }
    }
    let rest = a.len() / 8 * 8;
    let tail = a[rest..].iter().zip(&b[rest..]).map(|(a, b)| term(a.to_f64(), b.to_f64()));
    sums.into_iter().chain(tail).sum()
}
