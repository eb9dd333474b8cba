//! Products of matrices on all threads. Work is cut into fixed rows, so that results do not depend on how many there are.

use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};

/// Rows that one task computes.
const ROWS: usize = 64;

/// a · b.
pub(super) fn product(ctx: &Context, a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let (rows, cols) = (a.rows(), b.cols());
    let mut out = Mat::try_zeros(rows, cols)?;
    ctx.install(|| {
        try_pieces(out.data_mut(), ROWS * cols.max(1), &|i, part| {
            ctx.poll()?;
            let height = part.len() / cols;
            let left = a.row_range(i * ROWS, height);
            multiply(left, b, MatMut::new(part, height, cols, cols), Onto::Nothing);
            Ok(())
        })
    })?;
    Ok(out)
}

/// Σ_i weight(i) · v_i v_iᵀ over the rows v_i of `vectors` (r × n): n × n, symmetric to the last bit.
pub(super) fn weighted_squares(
    ctx: &Context,
    vectors: MatRef<'_, f64>,
    weight: impl Fn(usize) -> f64,
) -> Result<Mat<f64>> {
    let (r, n) = (vectors.rows(), vectors.cols());
    let scaled = Mat::from_fn(r, n, |i, j| weight(i) * vectors.at(i, j));
    let mut out = product(ctx, vectors.transposed(), scaled.view())?;
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[(i, j)] + out[(j, i)]);
            out[(i, j)] = mean;
            out[(j, i)] = mean;
        }
    }
    Ok(out)
}
