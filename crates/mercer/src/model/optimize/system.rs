//! K + α W⁻¹ at a point: its inverse, its determinant and the coefficients.

use super::problem::Problem;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::inverse::inverse;
use crate::linalg::view::Mat;
use crate::linalg::{cholesky, product};

/// The system with an intercept, if there is one, taken out: with G = (K + α W⁻¹)⁻¹, it is G − G 1 1ᵀG / 1ᵀG 1.
pub(super) struct System<'p> {
    pub y: &'p Mat<f64>,
    /// n × n, symmetric.
    pub g: Mat<f64>,
    /// G y: n × t.
    pub coef: Mat<f64>,
    /// ln |K + α W⁻¹|, and ln 1ᵀG 1 with an intercept.
    pub log_det: f64,
    /// Samples less what the intercept takes.
    pub freedom: usize,
}

impl<'p> System<'p> {
    /// `None` where the matrix, given by its lower triangle, is not positive definite.
    pub fn new(
        ctx: &Context,
        problem: &'p Problem<'_>,
        mut values: Mat<f64>,
        alpha: f64,
    ) -> Result<Option<Self>> {
        let n = values.rows();
        (0..n).for_each(|i| values[(i, i)] += alpha * problem.noise(i));
        match cholesky::factor(ctx, &mut values) {
            Err(Error::Numeric(_)) => return Ok(None),
            other => other?,
        }
        let mut log_det = (0..n).map(|i| 2.0 * values[(i, i)].ln()).sum();
        let mut g = inverse(ctx, values)?;
        if problem.intercept {
            log_det += take_out_constant(&mut g);
        }
        let y = &problem.y;
        let mut coef = Mat::zeros(n, y.cols());
        ctx.install(|| {
            product::multiply(g.view(), y.view(), coef.view_mut(), product::Onto::Nothing)
        });
        let freedom = n - usize::from(problem.intercept);
        Ok(coef.data().iter().all(|c| c.is_finite()).then_some(Self {
            y,
            g,
            coef,
            log_det,
            freedom,
        }))
    }
}

/// G ← G − G 1 1ᵀG / 1ᵀG 1; returns ln 1ᵀG 1.
fn take_out_constant(g: &mut Mat<f64>) -> f64 {
    let sums: Vec<f64> = (0..g.rows()).map(|i| g.row(i).iter().sum()).collect();
    let total: f64 = sums.iter().sum();
    for i in 0..g.rows() {
        let share = sums[i] / total;
        g.row_mut(i).iter_mut().zip(&sums).for_each(|(g, s)| *g -= share * s);
    }
    total.ln()
}
