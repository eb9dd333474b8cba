//! The symmetric part of a matrix, brought to a size that no square of a number leaves the range.

use super::{HINT, square_bytes};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::linalg::alloc;
use crate::linalg::view::{Mat, MatRef};
use crate::real::Real;

/// The symmetric part of some rows and columns of a matrix, divided by `scale`.
pub(super) struct Part {
    /// Both triangles, entries at most 2 in size.
    pub(super) matrix: Mat<f64>,
    /// A power of two, so that dividing by it rounds nothing.
    pub(super) scale: f64,
    _reservation: Reservation,
}

impl Part {
    /// The matrix once more.
    pub(super) fn copy(&self) -> Result<Mat<f64>> {
        let n = self.matrix.rows();
        let mut data = alloc::with_capacity(n * n)?;
        data.extend_from_slice(self.matrix.data());
        Ok(Mat::from_vec(data, n, n))
    }

    /// (K + Kᵀ)/2 for the rows and columns `which` of the square matrix K of finite numbers.
    pub(super) fn of<T: Real>(
        ctx: &Context,
        matrix: MatRef<'_, T>,
        which: &[usize],
    ) -> Result<Part> {
        let n = which.len();
        let reservation = ctx.reserve("a copy of the kernel matrix", square_bytes(n), HINT)?;
        let mut part = Mat::try_zeros(n, n)?;
        let mut largest = 0.0f64;
        for (i, &row) in which.iter().enumerate() {
            ctx.poll()?;
            for (j, &col) in which[..=i].iter().enumerate() {
                let (a, b) = (matrix.at(row, col).to_f64(), matrix.at(col, row).to_f64());
                // Halves are added, for the sum might overflow.
                let value = 0.5 * a + 0.5 * b;
                part[(i, j)] = value;
                part[(j, i)] = value;
                largest = largest.max(value.abs());
            }
        }
        let scale = power_of_two(largest);
        part.data_mut().iter_mut().for_each(|value| *value /= scale);
        Ok(Part { matrix: part, scale, _reservation: reservation })
    }
}

/// A power of two near `size`; 1 for 0. The least is so large that its reciprocal is a number too.
fn power_of_two(size: f64) -> f64 {
    match size > 0.0 {
        true => 2.0f64.powi(size.log2().floor().clamp(-1000.0, 1000.0) as i32),
        false => 1.0,
    }
}
