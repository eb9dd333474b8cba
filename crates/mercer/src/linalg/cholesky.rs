//! The Cholesky factorisation A = L Lᵀ in place, and solving with it, on fixed tiles: the result does not depend on the
//! number of threads.

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use rayon::prelude::*;

use super::product::{Onto, multiply};
use super::view::{Mat, MatMut, MatRef};
use crate::context::{Context, Step};
use crate::error::{Error, Result};

/// Rows and columns of a tile.
const TILE: usize = 128;

/// Replaces the lower triangle of `a` (n × n) by L. What stands above the diagonal is neither read nor kept. Fails where
/// the matrix is not positive definite, naming the row.
pub fn factor(ctx: &Context, a: &mut Mat<f64>) -> Result<()> {
    let n = a.rows();
    assert_eq!(n, a.cols());
    for start in (0..n).step_by(TILE) {
        let end = (start + TILE).min(n);
        ctx.step(progress(start, n))?;
        let diagonal = factor_diagonal(a, start, end)?;
        let panel = solve_panel(ctx, a, &diagonal, start, end);
        update(ctx, a, &panel, start, end)?;
    }
    Ok(())
}

fn progress(done: usize, n: usize) -> Step {
    // The work left shrinks with the cube of the rows left.
    let (done, n) = (done as f64, n as f64);
    let left = ((n - done) / n).powi(3);
    Step { stage: "Cholesky", done: 1.0 - left, total: 1.0, residual: None }
}

fn factor_diagonal(a: &mut Mat<f64>, start: usize, end: usize) -> Result<Mat<f64>> {
    let size = end - start;
    let mut tile = Mat::from_fn(size, size, |i, j| a[(start + i, start + j)]);
    let params = Default::default();
    let mut buffer = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, Par::Seq, params));
    let view = faer::MatMut::from_row_major_slice_mut(tile.data_mut(), size, size);
    cholesky_in_place(view, Default::default(), Par::Seq, MemStack::new(&mut buffer), params)
        .map_err(|_| {
            Error::Numeric(format!(
                "the matrix is not positive definite (found in rows {start} to {}): add to its diagonal",
                end - 1
            ))
        })?;
    for i in 0..size {
        a.row_mut(start + i)[start..=start + i].copy_from_slice(&tile.row(i)[..=i]);
    }
    Ok(tile)
}

/// The rows below the diagonal tile times L⁻ᵀ of it; returned as a matrix of their own and written back.
fn solve_panel(
    ctx: &Context,
    a: &mut Mat<f64>,
    diagonal: &Mat<f64>,
    start: usize,
    end: usize,
) -> Mat<f64> {
    let (n, size) = (a.rows(), end - start);
    let mut panel = Mat::from_fn(n - end, size, |i, j| a[(end + i, start + j)]);
    let lower = faer::MatRef::from_row_major_slice(diagonal.data(), size, size);
    ctx.install(|| {
        panel.data_mut().par_chunks_mut(TILE * size).for_each(|rows| {
            let count = rows.len() / size;
            let view = faer::MatMut::from_row_major_slice_mut(rows, count, size);
            solve_lower_triangular_in_place(lower, view.transpose_mut(), Par::Seq);
        });
    });
    for i in 0..n - end {
        a.row_mut(end + i)[start..end].copy_from_slice(panel.row(i));
    }
    panel
}

/// Subtracts panel · panelᵀ from what is left of the lower triangle.
fn update(
    ctx: &Context,
    a: &mut Mat<f64>,
    panel: &Mat<f64>,
    start: usize,
    end: usize,
) -> Result<()> {
    let (n, size) = (a.rows(), end - start);
    if end == n {
        return Ok(());
    }
    let below = &mut a.data_mut()[end * n..];
    ctx.install(|| {
        below.par_chunks_mut(TILE * n).enumerate().rev().try_for_each(|(i, rows)| {
            ctx.poll()?;
            let count = rows.len() / n;
            let left = panel.view().row_range(i * TILE, count);
            let width = i * TILE + count;
            let right = MatRef::new(panel.data(), width, size, size).transposed();
            multiply(left, right, MatMut::new(&mut rows[end..], count, width, n), Onto::Difference);
            Ok(())
        })
    })
}

/// Replaces `b` (n × m) by the solution of L Lᵀ x = b.
pub fn solve(ctx: &Context, l: &Mat<f64>, b: &mut Mat<f64>) -> Result<()> {
    let (n, m) = (b.rows(), b.cols());
    assert_eq!(n, l.rows());
    let starts: Vec<usize> = (0..n).step_by(TILE).collect();
    for &start in &starts {
        ctx.poll()?;
        let end = (start + TILE).min(n);
        subtract_known(l.view().row_range(start, end - start).col_range(0, start), b, 0, start);
        triangle(l, start, end, b, m, false);
    }
    for &start in starts.iter().rev() {
        ctx.poll()?;
        let end = (start + TILE).min(n);
        let after = l.view().row_range(end, n - end).col_range(start, end - start).transposed();
        subtract_known(after, b, end, start);
        triangle(l, start, end, b, m, true);
    }
    Ok(())
}

/// Replaces `b` (m × n) by b L⁻ᵀ: every row is divided by L.
pub fn divide_rows(ctx: &Context, l: &Mat<f64>, b: &mut Mat<f64>) -> Result<()> {
    let n = l.rows();
    assert_eq!(n, b.cols());
    ctx.install(|| {
        b.data_mut().par_chunks_mut(TILE * n.max(1)).try_for_each(|rows| {
            ctx.poll()?;
            let count = rows.len() / n;
            for start in (0..n).step_by(TILE) {
                let end = (start + TILE).min(n);
                let mut part = Mat::from_fn(count, end - start, |i, j| rows[i * n + start + j]);
                if start > 0 {
                    let known = MatRef::new(rows, count, start, n);
                    let left = l.view().row_range(start, end - start).col_range(0, start);
                    multiply(known, left.transposed(), part.view_mut(), Onto::Difference);
                }
                let whole = faer::MatRef::from_row_major_slice(l.data(), n, n);
                let tile = whole.submatrix(start, start, end - start, end - start);
                let view =
                    faer::MatMut::from_row_major_slice_mut(part.data_mut(), count, end - start);
                solve_lower_triangular_in_place(tile, view.transpose_mut(), Par::Seq);
                for i in 0..count {
                    rows[i * n + start..i * n + end].copy_from_slice(part.row(i));
                }
            }
            Ok(())
        })
    })
}

/// `b[to..] −= part · b[from..]`, for the rows that `part` has.
fn subtract_known(part: MatRef<'_, f64>, b: &mut Mat<f64>, from: usize, to: usize) {
    let m = b.cols();
    if part.cols() == 0 || part.rows() == 0 || m == 0 {
        return;
    }
    let (low, high) = (from.min(to), from.max(to));
    let (head, tail) = b.data_mut().split_at_mut(high * m);
    let (known, target) =
        if from == low { (&head[from * m..], tail) } else { (&*tail, &mut head[to * m..]) };
    let known = MatRef::new(known, part.cols(), m, m);
    multiply(part, known, MatMut::new(target, part.rows(), m, m), Onto::Difference);
}

/// Solves with one diagonal tile of L, or of Lᵀ.
fn triangle(l: &Mat<f64>, start: usize, end: usize, b: &mut Mat<f64>, m: usize, transposed: bool) {
    let n = l.rows();
    let whole = faer::MatRef::from_row_major_slice(l.data(), n, n);
    let tile = whole.submatrix(start, start, end - start, end - start);
    let rows = &mut b.data_mut()[start * m..end * m];
    let rhs = faer::MatMut::from_row_major_slice_mut(rows, end - start, m);
    if transposed {
        solve_upper_triangular_in_place(tile.transpose(), rhs, Par::Seq);
    } else {
        solve_lower_triangular_in_place(tile, rhs, Par::Seq);
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
        for n in [1, 2, 127, 128, 129, 300] {
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
