//! The order of rows in which the pivots of a Cholesky factorisation fall: each step takes the row of which those before leave most.
//!
//! Only the order is computed here. Whoever factors the matrix in this order finds rows that depend on few others early, and those that depend on
//! nearly all of the others at the end, beside each other.

use super::product::{Onto, multiply};
use super::view::{Mat, MatMut};
use crate::context::{Context, try_pieces};
use crate::error::Result;

/// Pivots between two updates of the whole matrix.
const BLOCK: usize = 64;
/// Rows of a task.
const ROWS: usize = 128;

/// The rows of the symmetric matrix `a` (m × m, both triangles, overwritten) in the order of their pivots, the lower of equal ones first. It ends before a
/// pivot of at most `lost` times the diagonal that its row began with.
pub fn order(ctx: &Context, a: &mut Mat<f64>, lost: f64) -> Result<Vec<usize>> {
    let m = a.rows();
    assert_eq!(m, a.cols());
    let least: Vec<f64> = (0..m).map(|i| lost * a[(i, i)]).collect();
    let mut left: Vec<f64> = (0..m).map(|i| a[(i, i)]).collect();
    let mut order = Vec::with_capacity(m);
    while order.len() < m {
        ctx.poll()?;
        let mut block = Mat::zeros(m, BLOCK.min(m - order.len()));
        for step in 0..block.cols() {
            let Some(pivot) = largest(&left, &least) else { return Ok(order) };
            add_column(a, &mut block, step, pivot, &mut left);
            left[pivot] = f64::NEG_INFINITY;
            order.push(pivot);
        }
        take_out(ctx, a, &block)?;
    }
    Ok(order)
}

/// The row of which most is left, if any of it is more than rounding.
fn largest(left: &[f64], least: &[f64]) -> Option<usize> {
    let rows = (0..left.len()).filter(|&i| left[i] > least[i]);
    rows.reduce(|best, i| if left[i] > left[best] { i } else { best })
}

/// Column `step` of the block: the column of `pivot`, less what the columns of the block before it explain.
fn add_column(a: &Mat<f64>, block: &mut Mat<f64>, step: usize, pivot: usize, left: &mut [f64]) {
    let own = block.row(pivot)[..step].to_vec();
    let scale = 1.0 / left[pivot].sqrt();
    for (i, left) in left.iter_mut().enumerate() {
        let row = &mut block.row_mut(i)[..=step];
        let known: f64 = row.iter().zip(&own).map(|(v, w)| v * w).sum();
        let value = (a[(pivot, i)] - known) * scale;
        row[step] = value;
        *left -= value * value;
    }
}

/// `a −= block · blockᵀ`.
fn take_out(ctx: &Context, a: &mut Mat<f64>, block: &Mat<f64>) -> Result<()> {
    let m = a.rows();
    ctx.install(|| {
        try_pieces(a.data_mut(), ROWS * m, &|piece, rows| {
            ctx.poll()?;
            let count = rows.len() / m;
            let own = block.view().row_range(piece * ROWS, count);
            let out = MatMut::new(rows, count, m, m);
            multiply(own, block.view().transposed(), out, Onto::Difference);
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of points on a line, some of them twice and no two pairs at the same distance.
    fn matrix(m: usize) -> Mat<f64> {
        let x = |i: usize| {
            let place = (i * 37 % (m - m / 4)) as f64;
            0.3 * place + 0.1 * (1.7 * place).sin()
        };
        Mat::from_fn(m, m, |i, j| (-(x(i) - x(j)).abs()).exp())
    }

    /// The same order by formula.
    fn naive(mut a: Mat<f64>, lost: f64) -> Vec<usize> {
        let m = a.rows();
        let (mut order, mut taken) = (Vec::new(), vec![false; m]);
        loop {
            let open = (0..m).filter(|&i| !taken[i] && a[(i, i)] > lost);
            let Some(p) = open.reduce(|b, i| if a[(i, i)] > a[(b, b)] { i } else { b }) else {
                return order;
            };
            (taken[p], order) = (true, [order, vec![p]].concat());
            let column: Vec<f64> = (0..m).map(|i| a[(i, p)] / a[(p, p)].sqrt()).collect();
            a = Mat::from_fn(m, m, |i, j| a[(i, j)] - column[i] * column[j]);
        }
    }

    #[test]
    fn rows_come_in_the_order_of_what_is_left_of_them() {
        for m in [1, 5, 64, 65, 200] {
            let found = order(&Context::new(2), &mut matrix(m), 1e-8).unwrap();
            assert_eq!(found, order(&Context::new(1), &mut matrix(m), 1e-8).unwrap());
            assert_eq!(found, naive(matrix(m), 1e-8), "{m}");
            assert_eq!(found.len(), m - m / 4, "rows that stand there twice are found once");
        }
    }
}
