//! The log marginal likelihood: −½ yᵀG y − ½ ln |K + α W⁻¹| − ½ n ln 2π, summed over targets.
//!
//! An intercept is a constant whose prior has no limit: its likelihood is that of what no constant explains, with n − 1 in the place of n.

use std::f64::consts::TAU;

use super::problem::Loss;
use super::system::System;

/// Minus the log marginal likelihood. Its derivative by K is ½ (t·G − Σ c cᵀ), with c = G y.
pub(super) fn loss<'s>(system: &'s System<'_>) -> Loss<'s> {
    let System { y, g, coef, .. } = system;
    let t = y.cols() as f64;
    let explained: f64 = y.data().iter().zip(coef.data()).map(|(y, c)| y * c).sum();
    let entry = move |i: usize, j: usize| {
        let products: f64 = coef.row(i).iter().zip(coef.row(j)).map(|(a, b)| a * b).sum();
        0.5 * (t * g[(i, j)] - products)
    };
    Loss {
        value: 0.5 * (explained + t * (system.log_det + system.freedom as f64 * TAU.ln())),
        weights: Box::new(move |rows, cols| {
            rows.flat_map(|i| cols.clone().map(move |j| entry(i, j))).collect()
        }),
        diagonal: (0..y.rows()).map(|i| entry(i, i)).collect(),
    }
}
