//! The Cholesky factorisation A = L Lᵀ in place, and solving with it, on fixed tiles: the result does not depend on the
//! number of threads.
//!
//! Columns are worked on in panels of several tiles. Within a panel only its own columns are brought up to date; what is
//! right of it is updated once per panel, by a product deep enough not to wait for memory.

use std::ops::Range;

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use rayon::prelude::*;

use super::product::{Onto, multiply, multiply_lower};
use super::view::{Mat, MatMut, MatRef};
use crate::context::{Context, Step, try_pieces};
use crate::error::{Error, Result};
use crate::real::{Numbers, NumbersMut, Real};

/// Rows and columns of a tile.
const TILE: usize = 128;

/// Columns of a panel.
const PANEL: usize = 4 * TILE;

/// Rows that one task updates.
const ROWS: usize = 2 * TILE;

/// Rows of right-hand sides that one task brings up to date.
const SHARE: usize = 4 * TILE;

/// Replaces the lower triangle of `a` (n × n) by L. What stands above the diagonal is neither read nor kept. Fails where
/// the matrix is not positive definite, naming the rows.
pub fn factor<T: Real>(ctx: &Context, a: &mut Mat<T>) -> Result<()> {
    let n = a.rows();
    assert_eq!(n, a.cols());
    // One buffer for all panels: fresh memory is slow to come by.
    let mut known = vec![T::ZERO; n * PANEL.min(n)];
    ctx.install(|| {
        for left in (0..n).step_by(PANEL) {
            let right = (left + PANEL).min(n);
            ctx.step(progress(left, n))?;
            for start in (left..right).step_by(TILE) {
                let end = (start + TILE).min(right);
                factor_diagonal(a, start, end)?;
                solve_below(ctx, a, start, end)?;
                update(ctx, a, start..end, end..right, &mut known)?;
            }
            update(ctx, a, left..right, right..n, &mut known)?;
        }
        Ok(())
    })
}

fn progress(done: usize, n: usize) -> Step {
    // The work left shrinks with the cube of the rows left.
    let (done, n) = (done as f64, n as f64);
    let left = ((n - done) / n).powi(3);
    Step::new("Cholesky", 1.0 - left, 1.0)
}

/// Factors one tile on the diagonal, in double precision whatever the type of the matrix.
fn factor_diagonal<T: Real>(a: &mut Mat<T>, start: usize, end: usize) -> Result<()> {
    let size = end - start;
    let mut tile = Mat::from_fn(size, size, |i, j| a[(start + i, start + j)].to_f64());
    let params = Default::default();
    let mut buffer = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, Par::Seq, params));
    let view = faer::MatMut::from_row_major_slice_mut(tile.data_mut(), size, size);
    cholesky_in_place(view, Default::default(), Par::Seq, MemStack::new(&mut buffer), params)
        .map_err(|_| {
            Error::Numeric(format!(
                "the matrix is not positive definite (found in rows {start} to {}): increase its diagonal",
                end - 1
            ))
        })?;
    for i in 0..size {
        let row = &mut a.row_mut(start + i)[start..=start + i];
        row.iter_mut().zip(tile.row(i)).for_each(|(place, &v)| *place = T::from_f64(v));
    }
    Ok(())
}

/// Replaces the rows below the diagonal tile by themselves times L⁻ᵀ of it.
fn solve_below<T: Real>(ctx: &Context, a: &mut Mat<T>, start: usize, end: usize) -> Result<()> {
    let (n, size) = (a.rows(), end - start);
    let tile = copy(a, start..end, start..end);
    try_pieces(&mut a.data_mut()[end * n..], ROWS * n, &|_, rows| {
        ctx.poll()?;
        let count = rows.len() / n;
        solve_lower(tile.view(), MatMut::new(&mut rows[start..], count, size, n), Side::Right);
        Ok(())
    })
}

/// Subtracts from columns `to`, below their diagonal, what the finished columns `from` contribute; these are copied into
/// `known` first.
fn update<T: Real>(
    ctx: &Context,
    a: &mut Mat<T>,
    from: Range<usize>,
    to: Range<usize>,
    known: &mut [T],
) -> Result<()> {
    let (n, depth) = (a.rows(), from.len());
    if to.is_empty() {
        return Ok(());
    }
    let known = &mut known[..(n - to.start) * depth];
    let below = &mut a.data_mut()[to.start * n..];
    known.par_chunks_mut(ROWS * depth).zip(below.par_chunks(ROWS * n)).for_each(|(known, rows)| {
        for (known, row) in known.chunks_exact_mut(depth).zip(rows.chunks_exact(n)) {
            known.copy_from_slice(&row[from.clone()]);
        }
    });
    let known = MatRef::new(known, n - to.start, depth, depth);
    below.par_chunks_mut(ROWS * n).enumerate().rev().try_for_each(|(i, rows)| {
        ctx.poll()?;
        let count = rows.len() / n;
        let left = known.row_range(i * ROWS, count);
        // Full rows up to the diagonal block, and of that the lower half.
        let width = (i * ROWS).min(to.len());
        let whole = MatMut::new(&mut rows[to.start..], count, width, n);
        multiply(left, known.row_range(0, width).transposed(), whole, Onto::Difference);
        let rest = (to.len() - width).min(count);
        if rest == count {
            let corner = MatMut::new(&mut rows[to.start + width..], count, count, n);
            multiply_lower(left, left.transposed(), corner, Onto::Difference);
        } else if rest > 0 {
            let corner = MatMut::new(&mut rows[to.start + width..], count, rest, n);
            let right = known.row_range(width, rest).transposed();
            multiply(left, right, corner, Onto::Difference);
        }
        Ok(())
    })
}

fn copy<T: Real>(a: &Mat<T>, rows: Range<usize>, cols: Range<usize>) -> Mat<T> {
    let mut out = Vec::with_capacity(rows.len() * cols.len());
    rows.clone().for_each(|i| out.extend_from_slice(&a.row(i)[cols.clone()]));
    Mat::from_vec(out, rows.len(), cols.len())
}

/// Replaces `b` (n × m) by the solution of L Lᵀ x = b. What a tile has solved is taken out of all rows that wait for it, so
/// that the threads share the reading of L.
pub fn solve<T: Real>(ctx: &Context, l: &Mat<T>, b: &mut Mat<T>) -> Result<()> {
    solve_forward(ctx, l, b)?;
    solve_backward(ctx, l, b)
}

/// Replaces `b` (n × m) by the solution of L x = b.
pub fn solve_forward<T: Real>(ctx: &Context, l: &Mat<T>, b: &mut Mat<T>) -> Result<()> {
    let (n, m) = (b.rows(), b.cols());
    assert_eq!(n, l.rows());
    if m == 0 {
        return Ok(());
    }
    ctx.install(|| {
        for start in (0..n).step_by(TILE) {
            ctx.poll()?;
            let end = (start + TILE).min(n);
            triangle(l, start, end, b, Side::Left);
            let (solved, waiting) = b.data_mut()[start * m..].split_at_mut((end - start) * m);
            let below = l.view().row_range(end, n - end).col_range(start, end - start);
            take_out(below, MatRef::new(solved, end - start, m, m), waiting);
        }
        Ok(())
    })
}

/// Replaces `b` (n × m) by the solution of Lᵀ x = b.
pub fn solve_backward<T: Real>(ctx: &Context, l: &Mat<T>, b: &mut Mat<T>) -> Result<()> {
    let (n, m) = (b.rows(), b.cols());
    assert_eq!(n, l.rows());
    if m == 0 {
        return Ok(());
    }
    ctx.install(|| {
        for start in (0..n).step_by(TILE).rev() {
            ctx.poll()?;
            let end = (start + TILE).min(n);
            triangle(l, start, end, b, Side::LeftTransposed);
            let (waiting, solved) = b.data_mut().split_at_mut(start * m);
            let left = l.view().row_range(start, end - start).col_range(0, start).transposed();
            take_out(left, MatRef::new(&solved[..(end - start) * m], end - start, m, m), waiting);
        }
        Ok(())
    })
}

/// `waiting −= part · solved`, rows shared among the threads.
fn take_out<T: Real>(part: MatRef<'_, T>, solved: MatRef<'_, T>, waiting: &mut [T]) {
    let m = solved.cols();
    waiting.par_chunks_mut(SHARE * m).enumerate().for_each(|(piece, rows)| {
        let count = rows.len() / m;
        let own = part.row_range(piece * SHARE, count);
        multiply(own, solved, MatMut::new(rows, count, m, m), Onto::Difference);
    });
}

/// Replaces `b` (m × n) by b L⁻ᵀ: every row is divided by L.
pub fn divide_rows<T: Real>(ctx: &Context, l: &Mat<T>, b: &mut Mat<T>) -> Result<()> {
    let n = l.rows();
    assert_eq!(n, b.cols());
    ctx.install(|| {
        try_pieces(b.data_mut(), TILE * n.max(1), &|_, rows| {
            ctx.poll()?;
            let count = rows.len() / n;
            for start in (0..n).step_by(TILE) {
                let end = (start + TILE).min(n);
                if start > 0 {
                    let width = end - start;
                    let mut part = Mat::zeros(count, width);
                    let known = MatRef::new(rows, count, start, n);
                    let left = l.view().row_range(start, width).col_range(0, start);
                    multiply(known, left.transposed(), part.view_mut(), Onto::Nothing);
                    for (row, part) in rows.chunks_exact_mut(n).zip(part.data().chunks_exact(width))
                    {
                        row[start..end].iter_mut().zip(part).for_each(|(v, by)| *v = *v - *by);
                    }
                }
                let tile = l.view().row_range(start, end - start).col_range(start, end - start);
                divide_tile(tile, rows, start, n);
            }
            Ok(())
        })
    })
}

/// Replaces the columns of `rows` (… × n) from `start` on, as many as a diagonal tile of L has, by themselves times the inverse of its transpose.
pub(super) fn divide_tile<T: Real>(tile: MatRef<'_, T>, rows: &mut [T], start: usize, n: usize) {
    let count = rows.len() / n;
    let out = MatMut::new(&mut rows[start..], count, tile.rows(), n);
    solve_lower(tile, out, Side::Right);
}

/// Solves with one diagonal tile of L, or of Lᵀ.
fn triangle<T: Real>(l: &Mat<T>, start: usize, end: usize, b: &mut Mat<T>, side: Side) {
    let m = b.cols();
    let tile = l.view().row_range(start, end - start).col_range(start, end - start);
    let rows = &mut b.data_mut()[start * m..end * m];
    solve_lower(tile, MatMut::new(rows, end - start, m, m), side);
}

/// On which side of the unknown the lower triangle L stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// L x = b.
    Left,
    /// Lᵀ x = b.
    LeftTransposed,
    /// x Lᵀ = b.
    Right,
}

/// Replaces `b` by the solution of a triangular system, on one thread.
fn solve_lower<T: Real>(l: MatRef<'_, T>, b: MatMut<'_, T>, side: Side) {
    b.check();
    let (data, offset, down, across) = l.raw();
    let (size, rows, cols, stride) = (l.rows(), b.rows, b.cols, b.stride);
    assert!(l.cols() == size && if side == Side::Right { cols } else { rows } == size);
    macro_rules! run {
        ($l:expr, $b:expr) => {{
            // SAFETY: `l` was checked to lie within its slice when it was made, `b` just now; `b` is borrowed mutably, so
            // nothing aliases it, and its rows do not overlap.
            let (l, b) = unsafe {
                (
                    faer::MatRef::from_raw_parts($l.as_ptr().add(offset), size, size, down, across),
                    faer::MatMut::from_raw_parts_mut(
                        $b.as_mut_ptr(),
                        rows,
                        cols,
                        stride as isize,
                        1,
                    ),
                )
            };
            match side {
                Side::Left => solve_lower_triangular_in_place(l, b, Par::Seq),
                Side::LeftTransposed => {
                    solve_upper_triangular_in_place(l.transpose(), b, Par::Seq)
                }
                Side::Right => solve_lower_triangular_in_place(l, b.transpose_mut(), Par::Seq),
            }
        }};
    }
    match (T::numbers(data), T::numbers_mut(b.data)) {
        (Numbers::F64(l), NumbersMut::F64(b)) => run!(l, b),
        (Numbers::F32(l), NumbersMut::F32(b)) => run!(l, b),
        _ => unreachable!("both are slices of T"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    fn positive(n: usize) -> Mat<f64> {
        let mut stream = Stream::new(4, "test");
        let data = (0..n * n).map(|_| stream.normal()).collect();
        let x = Mat::from_vec(data, n, n);
        let mut a = Mat::zeros(n, n);
        multiply(x.view(), x.view().transposed(), a.view_mut(), Onto::Nothing);
        (0..n).for_each(|i| a[(i, i)] += n as f64);
        a
    }

    #[test]
    fn solves_systems_of_every_size() {
        for n in [1, 2, 127, 128, 129, 300, 513, 700] {
            let a = positive(n);
            let b = Mat::from_fn(n, 3, |i, j| (i as f64 * 0.1 + j as f64).sin());
            let (mut l, mut x) = (a.clone(), b.clone());
            // The upper triangle must not matter.
            (0..n).for_each(|i| l.row_mut(i)[i + 1..].fill(f64::NAN));
            let ctx = Context::new(2);
            factor(&ctx, &mut l).unwrap();
            solve(&ctx, &l, &mut x).unwrap();
            let mut back = Mat::zeros(n, 3);
            multiply(a.view(), x.view(), back.view_mut(), Onto::Nothing);
            for (got, want) in back.data().iter().zip(b.data()) {
                assert!((got - want).abs() < 1e-10, "n = {n}: {got} {want}");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut a = positive(200);
        a[(150, 150)] = -1.0;
        let error = factor(&Context::new(1), &mut a).unwrap_err().to_string();
        assert!(error.contains("not positive definite"), "{error}");
    }

    #[test]
    fn rows_divided_by_a_factor_multiply_back() {
        let ctx = Context::new(2);
        for (n, m) in [(1, 1), (7, 200), (130, 5), (300, 300)] {
            let mut l = positive(n);
            factor(&ctx, &mut l).unwrap();
            let mut stream = Stream::new(9, "test");
            let b = Mat::from_vec((0..m * n).map(|_| stream.normal()).collect(), m, n);
            let mut divided = b.clone();
            divide_rows(&ctx, &l, &mut divided).unwrap();
            for i in 0..m {
                for j in 0..n {
                    let back: f64 = (0..=j).map(|k| divided[(i, k)] * l[(j, k)]).sum();
                    assert!((back - b[(i, j)]).abs() < 1e-9, "({i}, {j}) of {m} × {n}");
                }
            }
        }
    }
}
