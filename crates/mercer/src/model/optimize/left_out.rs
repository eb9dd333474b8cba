//! The leave-one-out error of kernel ridge regression, exactly: the residual of a sample that is left out is r_i = c_i / G_ii.
//!
//! With E = Σ w_i r_i² and u = G (w r / G_ii), ∂E/∂K = −(u cᵀ + c uᵀ) + 2 G diag(w r² / G_ii) G: one more product of matrices, which is made
//! tile by tile.

use super::problem::{Loss, Problem};
use super::system::System;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut};

/// The logarithm of the mean squared error, each sample counted by its weight.
pub(super) fn loss<'s>(problem: &Problem<'_>, system: &'s System<'_>) -> Loss<'s> {
    let System { g, coef, .. } = system;
    let (n, t) = (coef.rows(), coef.cols());
    let weight = |i: usize| problem.weights.as_ref().map_or(1.0, |w| w[i]);
    let left_out = Mat::from_fn(n, t, |i, j| coef[(i, j)] / g[(i, i)]);
    let error: f64 = (0..n).map(|i| weight(i) * squares(left_out.row(i))).sum();
    let total = t as f64 * (0..n).map(weight).sum::<f64>();
    // The derivative of ln E is that of E divided by it.
    let scaled = Mat::from_fn(n, t, |i, j| weight(i) * left_out[(i, j)] / (g[(i, i)] * error));
    let mut u = Mat::zeros(n, t);
    problem.ctx.install(|| multiply(g.view(), scaled.view(), u.view_mut(), Onto::Nothing));
    let middle: Vec<f64> =
        (0..n).map(|i| 2.0 * weight(i) * squares(left_out.row(i)) / (g[(i, i)] * error)).collect();
    let cross = {
        let u = u.clone();
        move |i: usize, j: usize| -> f64 {
            (0..t).map(|k| u[(i, k)] * coef[(j, k)] + coef[(i, k)] * u[(j, k)]).sum()
        }
    };
    let inner = |i: usize| -> f64 { g.row(i).iter().zip(&middle).map(|(g, m)| m * g * g).sum() };
    let diagonal = (0..n).map(|i| inner(i) - cross(i, i)).collect();
    Loss {
        value: (error / total).ln(),
        diagonal,
        weights: Box::new(move |rows, cols| {
            let (height, width) = (rows.len(), cols.len());
            let turned = Mat::from_fn(height, n, |i, k| g[(rows.start + i, k)] * middle[k]);
            let mut tile = vec![0.0; height * width];
            let right = g.view().row_range(cols.start, width).transposed();
            let out = MatMut::new(&mut tile, height, width, width);
            multiply(turned.view(), right, out, Onto::Nothing);
            for (at, value) in tile.iter_mut().enumerate() {
                *value -= cross(rows.start + at / width, cols.start + at % width);
            }
            tile
        }),
    }
}

fn squares(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum()
}
