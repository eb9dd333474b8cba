//! What a kernel on vectors needs to know of two samples: their dot product, a distance, what two histograms share, for a
//! whole tile of pairs at once.
//!
//! Squared distances come from differences, as long as that costs little beside the dot-product
//! form: differences do not cancel, so near neighbours keep all their digits and equal samples are at distance 0.

mod divergence;
mod sums;
mod terms;
#[cfg(test)]
mod tests;

use super::nonzeros::{self, SparseRows};
use super::product::{Onto, multiply};
use super::simd::dispatch;
use super::view::{MatMut, MatRef};
use super::vmath;
use crate::real::Real;
use divergence::divergences;
use sums::{heavy_sums, sums};
use terms::{
    AbsoluteDifference, CappedDifference, ChiSquare, HalfHarmonic, Mismatch, Product, Smaller,
    SquaredDifference,
};

/// A number computed from two vectors, on which a kernel's profile acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// x·y
    Dot,
    /// ‖x − y‖²
    SquaredDistance,
    /// ‖x − y‖₁
    Manhattan,
    /// Σ min(x_k, y_k)
    Minimum,
    /// Σ 2·x_k·y_k/(x_k + y_k), with 0/0 = 0, for numbers that are not negative
    ChiProduct,
    /// Σ (x_k − y_k)²/(x_k + y_k), with 0/0 = 0, for numbers that are not negative
    ChiDistance,
    /// ½ Σ [x_k·log₂((x_k + y_k)/x_k) + y_k·log₂((x_k + y_k)/y_k)], with 0·log₂ … = 0, for numbers that are not negative
    JensenShannon,
    /// Σ min(1, |x_k − y_k|)
    CappedDifference,
    /// The number of k for which x_k ≠ y_k
    Mismatches,
}

/// A run of samples with their squared norms.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    /// n × `dim`, row-major.
    pub data: &'a [T],
    /// Features of a sample.
    pub dim: usize,
    /// Squared norms, n.
    pub norms: &'a [T],
    /// The numbers that are not zero, where most are.
    pub sparse: Option<SparseRows<'a, T>>,
}

impl<'a, T> Rows<'a, T> {
    fn len(&self) -> usize {
        self.norms.len()
    }

    fn row(&self, i: usize) -> &'a [T] {
        &self.data[i * self.dim..(i + 1) * self.dim]
    }
}

/// Up to this many features, squared distances are summed from differences: twice the arithmetic of the dot-product
/// form, which beside exp and memory traffic does not show.
pub const DIFFERENCES_UP_TO: usize = 64;

/// A distance below this share of the two norms has lost too many digits in the dot-product form: ε over the share is its relative
/// error.
fn least_share<T: Real>() -> T {
    T::from_f64((1e5 * T::EPSILON).max(1e-5))
}

/// Fills `out[i·stride + j]` with the pairing of row i of `rows` and row j of `cols`.
pub fn fill<T: Real>(
    pairing: Pairing,
    rows: Rows<'_, T>,
    cols: Rows<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    assert_eq!(rows.dim, cols.dim, "samples of different dimension");
    assert_eq!(rows.data.len(), rows.len() * rows.dim);
    assert_eq!(cols.data.len(), cols.len() * cols.dim);
    assert!(cols.len() <= stride);
    assert!(rows.len() == 0 || (rows.len() - 1) * stride + cols.len() <= out.len());
    match pairing {
        Pairing::Dot => products(rows, cols, out, stride),
        Pairing::Manhattan => sums(rows, cols, out, stride, AbsoluteDifference),
        Pairing::SquaredDistance if rows.dim <= DIFFERENCES_UP_TO => {
            sums(rows, cols, out, stride, SquaredDifference)
        }
        Pairing::SquaredDistance => {
            products(rows, cols, out, stride);
            distances_from_products(rows.norms, cols.norms, out, stride, |i, j| {
                let pairs = rows.row(i).iter().zip(cols.row(j));
                pairs.fold(T::ZERO, |sum, (&a, &b)| sum + (a - b) * (a - b))
            });
        }
        Pairing::Minimum => sums(rows, cols, out, stride, Smaller),
        Pairing::ChiDistance => heavy_sums(rows, cols, out, stride, ChiSquare),
        Pairing::ChiProduct => {
            heavy_sums(rows, cols, out, stride, HalfHarmonic);
            let lines = out.chunks_mut(stride.max(1)).take(rows.len());
            lines.for_each(|line| vmath::map(&mut line[..cols.len()], |v| v + v));
        }
        Pairing::JensenShannon => divergences(rows, cols, out, stride),
        Pairing::CappedDifference => heavy_sums(rows, cols, out, stride, CappedDifference),
        Pairing::Mismatches => heavy_sums(rows, cols, out, stride, Mismatch),
    }
}

/// From this many features on, a general matrix product beats the loop below.
const GENERAL_PRODUCT_FROM: usize = 24;

fn products<T: Real>(rows: Rows<'_, T>, cols: Rows<'_, T>, out: &mut [T], stride: usize) {
    if rows.dim < GENERAL_PRODUCT_FROM {
        return sums(rows, cols, out, stride, Product);
    }
    if let Some(sparse) = rows.sparse {
        return nonzeros::products(sparse, cols.data, cols.dim, out, stride);
    }
    let x = MatRef::new(rows.data, rows.len(), rows.dim, rows.dim);
    let y = MatRef::new(cols.data, cols.len(), cols.dim, cols.dim);
    multiply(x, y.transposed(), MatMut::new(out, rows.len(), cols.len(), stride), Onto::Nothing);
}

/// ‖x‖² + ‖y‖² − 2x·y in place of x·y, or the same of other sums of which a distance can be had so; where that cancels, the distance
/// that `exact` finds for a row and a column.
pub(super) fn distances_from_products<T: Real>(
    row_norms: &[T],
    col_norms: &[T],
    out: &mut [T],
    stride: usize,
    exact: impl Fn(usize, usize) -> T,
) {
    for (i, &norm) in row_norms.iter().enumerate() {
        let line = &mut out[i * stride..i * stride + col_norms.len()];
        let mut cancelled = false;
        expand_line(line, norm, col_norms, &mut cancelled);
        if cancelled {
            for (j, (value, &other)) in line.iter_mut().zip(col_norms).enumerate() {
                if *value < least_share::<T>() * (norm + other) {
                    *value = exact(i, j);
                }
            }
        }
    }
}

dispatch! {
    /// One line of distances from products; `cancelled` is set where a distance has lost digits.
    fn expand_line<T: Real>(line: &mut [T], norm: T, norms: &[T], cancelled: &mut bool) =
        expand_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn expand_body<T: Real>(line: &mut [T], norm: T, norms: &[T], cancelled: &mut bool) {
    let limit = least_share::<T>();
    // Counted in integers: the compiler may reorder their sums, and so work on many numbers side by side.
    let mut count = 0_u32;
    for (value, &other) in line.iter_mut().zip(norms) {
        let sum = norm + other;
        let distance = sum - (*value + *value);
        count += u32::from(distance < limit * sum);
        *value = distance;
    }
    *cancelled = count > 0;
}
