//! The inverse of a symmetric positive definite matrix from its Cholesky factor, on fixed tiles: the result does not depend on the
//! number of threads.
//!
//! With R = L⁻ᵀ, whose rows begin at the diagonal, A⁻¹ = R Rᵀ. Both steps take n³/3 operations, as the factor itself does: rows of R and
//! products of them begin where they are not zero.

use super::cholesky::divide_tile;
use super::product::{Onto, multiply};
use super::symmetric;
use super::view::{Mat, MatRef};
use crate::context::{Context, Step, try_pieces};
use crate::error::Result;

/// Rows and columns of a tile.
const TILE: usize = 128;

/// The inverse of L Lᵀ, whole, in the place of the factor `l` (n × n), of which only the lower triangle is read.
pub fn inverse(ctx: &Context, mut l: Mat<f64>) -> Result<Mat<f64>> {
    let n = l.rows();
    assert_eq!(n, l.cols());
    ctx.install(|| {
        ctx.step(Step::new("inverse", 0.0, 2.0))?;
        let turned = inverse_transposed(ctx, &l)?;
        ctx.step(Step::new("inverse", 1.0, 2.0))?;
        symmetric::fill(l.view_mut(), |rows, cols, values| {
            ctx.poll()?;
            // The tile lies below the diagonal or on it: nothing stands in R before column `rows.start`.
            let part = |from: usize, count: usize| {
                turned.view().row_range(from, count).col_range(rows.start, n - rows.start)
            };
            let (height, width) = (rows.len(), cols.len());
            let out = super::view::MatMut::new(values, height, width, width);
            let right = part(cols.start, width).transposed();
            multiply(part(rows.start, height), right, out, Onto::Nothing);
            Ok(())
        })?;
        ctx.step(Step::new("inverse", 2.0, 2.0))
    })?;
    Ok(l)
}

/// L⁻ᵀ: n × n, zeros below the diagonal.
fn inverse_transposed(ctx: &Context, l: &Mat<f64>) -> Result<Mat<f64>> {
    let n = l.rows();
    let mut out = Mat::try_zeros(n, n)?;
    try_pieces(out.data_mut(), TILE * n.max(1), &|piece, rows| {
        let (first, count) = (piece * TILE, rows.len() / n);
        (0..count).for_each(|i| rows[i * n + first + i] = 1.0);
        for start in (first..n).step_by(TILE) {
            ctx.poll()?;
            let end = (start + TILE).min(n);
            if start > first {
                take_out(l, rows, first..start, start..end);
            }
            let tile = l.view().row_range(start, end - start).col_range(start, end - start);
            divide_tile(tile, rows, start, n);
        }
        Ok(())
    })?;
    Ok(out)
}

/// Subtracts from the columns `to` of `rows` what their finished columns `known` contribute.
fn take_out(
    l: &Mat<f64>,
    rows: &mut [f64],
    known: std::ops::Range<usize>,
    to: std::ops::Range<usize>,
) {
    let n = l.rows();
    let (count, width) = (rows.len() / n, to.len());
    let mut part = Mat::zeros(count, width);
    let done = MatRef::new(rows, count, n, n).col_range(known.start, known.len());
    let left = l.view().row_range(to.start, width).col_range(known.start, known.len());
    multiply(done, left.transposed(), part.view_mut(), Onto::Nothing);
    for (row, part) in rows.chunks_exact_mut(n).zip(part.data().chunks_exact(width)) {
        row[to.clone()].iter_mut().zip(part).for_each(|(v, by)| *v -= by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::linalg::cholesky;
    use crate::linalg::product::multiply;

    #[test]
    fn times_the_matrix_it_is_the_identity_for_any_number_of_threads() {
        for n in [1, 2, 127, 128, 129, 300, 513] {
            let mut stream = Stream::new(4, "inverse");
            let x = Mat::from_vec((0..n * n).map(|_| stream.normal()).collect(), n, n);
            let mut a = Mat::zeros(n, n);
            multiply(x.view(), x.view().transposed(), a.view_mut(), Onto::Nothing);
            (0..n).for_each(|i| a[(i, i)] += n as f64);
            let found = |threads: usize| {
                let mut l = a.clone();
                (0..n).for_each(|i| l.row_mut(i)[i + 1..].fill(f64::NAN));
                let ctx = Context::new(threads);
                cholesky::factor(&ctx, &mut l).unwrap();
                inverse(&ctx, l).unwrap()
            };
            let one = found(1);
            assert!(one == found(2), "n = {n}");
            let mut back = Mat::zeros(n, n);
            multiply(a.view(), one.view(), back.view_mut(), Onto::Nothing);
            for i in 0..n {
                for j in 0..n {
                    let want = if i == j { 1.0 } else { 0.0 };
                    assert!((back[(i, j)] - want).abs() < 1e-10, "({i}, {j}) of {n}");
                }
            }
        }
    }
}
