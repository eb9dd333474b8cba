//! Predictions for samples that were left out of the fit, for many penalties, from one decomposition.
//!
//! With G = (S K S + α)⁻¹ and, for an intercept, G′ = G − u uᵀ / sᵀu where u = G s: the scaled coefficients are
//! c = G′ S y, and the residual of sample i in a fit without it is c_i / G′_ii, exactly. No sample is ever left out.

use crate::context::Context;
use crate::error::Result;
use crate::gram::{Gram, Scaled};
use crate::linalg::view::Mat;
use crate::solve::path::Path;

/// A decomposed regression: samples with targets and weights, for every penalty.
pub(super) struct Decomposed<'a> {
    path: Path,
    targets: &'a Mat<f64>,
    /// Roots of weights.
    scale: Vec<f64>,
    intercept: bool,
    /// Subtracted from the targets first.
    means: Vec<f64>,
}

/// What one penalty gives.
pub(super) struct Solution {
    /// n × t, not scaled.
    pub coef: Mat<f64>,
    /// t.
    pub offset: Vec<f64>,
}

/// Columns of solutions that are held at a time.
const COLUMNS: usize = 1024;

impl<'a> Decomposed<'a> {
    pub fn new(
        ctx: &Context,
        gram: &dyn Gram,
        targets: &'a Mat<f64>,
        weights: Option<&[f64]>,
        intercept: bool,
    ) -> Result<Self> {
        let (n, t) = (targets.rows(), targets.cols());
        let scale: Vec<f64> =
            weights.map_or_else(|| vec![1.0; n], |w| w.iter().map(|w| w.sqrt()).collect());
        let mut means = vec![0.0; t];
        if intercept {
            let all: f64 = scale.iter().map(|s| s * s).sum();
            for (i, s) in scale.iter().enumerate() {
                means.iter_mut().zip(targets.row(i)).for_each(|(m, y)| *m += s * s * y / all);
            }
        }
        // The last right-hand side is the constant.
        let right = Mat::from_fn(n, t + 1, |i, j| {
            scale[i] * if j < t { targets[(i, j)] - means[j] } else { 1.0 }
        });
        let path = match weights {
            None => Path::new(ctx, gram, &right)?,
            Some(_) => Path::new(ctx, &Scaled::new(gram, &scale), &right)?,
        };
        Ok(Self { path, targets, scale, intercept, means })
    }

    /// How many penalties to ask for at a time.
    fn at_once(&self) -> usize {
        (COLUMNS / (self.targets.cols() + 1)).max(1)
    }

    /// Calls `with` for each penalty with the scaled solution: its index, c (n × t), b (t) and u (n).
    fn each<F>(&self, ctx: &Context, alphas: &[f64], mut with: F) -> Result<()>
    where
        F: FnMut(usize, &Mat<f64>, &[f64], &[f64]) -> Result<()>,
    {
        let (n, t) = (self.targets.rows(), self.targets.cols());
        for (piece, some) in alphas.chunks(self.at_once()).enumerate() {
            let all = self.path.solutions(ctx, some)?;
            for a in 0..some.len() {
                let base = a * (t + 1);
                let u: Vec<f64> = match self.intercept {
                    true => (0..n).map(|i| all[(i, base + t)]).collect(),
                    false => vec![0.0; n],
                };
                let sum: f64 = u.iter().zip(&self.scale).map(|(u, s)| u * s).sum();
                let shift = |j: usize| {
                    let own: f64 = (0..n).map(|i| all[(i, base + j)] * self.scale[i]).sum();
                    if sum != 0.0 { own / sum } else { 0.0 }
                };
                let b: Vec<f64> = (0..t).map(shift).collect();
                let c = Mat::from_fn(n, t, |i, j| all[(i, base + j)] - b[j] * u[i]);
                with(piece * self.at_once() + a, &c, &b, &u)?;
            }
        }
        Ok(())
    }

    /// Coefficients and constants for each penalty.
    pub fn solutions(&self, ctx: &Context, alphas: &[f64]) -> Result<Vec<Solution>> {
        let mut found = Vec::with_capacity(alphas.len());
        self.each(ctx, alphas, |_, c, b, _| {
            let coef = Mat::from_fn(c.rows(), c.cols(), |i, j| c[(i, j)] * self.scale[i]);
            let offset = b.iter().zip(&self.means).map(|(b, mean)| b + mean).collect();
            found.push(Solution { coef, offset });
            Ok(())
        })?;
        Ok(found)
    }

    /// Calls `with` for each penalty with its index and the predictions (n × t), each from a fit without its sample.
    pub fn left_out<F>(&self, ctx: &Context, alphas: &[f64], mut with: F) -> Result<()>
    where
        F: FnMut(usize, &Mat<f64>) -> Result<()>,
    {
        let diagonals = self.path.inverse_diagonals(ctx, alphas)?;
        self.each(ctx, alphas, |a, c, _, u| {
            let own = self.diagonal(&diagonals, a, u);
            let predicted = Mat::from_fn(c.rows(), c.cols(), |i, j| {
                self.targets[(i, j)] - c[(i, j)] / (own[i] * self.scale[i])
            });
            with(a, &predicted)
        })
    }

    /// Generalised cross-validation for each penalty and target: alphas × t.
    pub fn gcv(&self, ctx: &Context, alphas: &[f64]) -> Result<Mat<f64>> {
        let (n, t) = (self.targets.rows(), self.targets.cols());
        let diagonals = self.path.inverse_diagonals(ctx, alphas)?;
        let mut out = Mat::zeros(alphas.len(), t);
        self.each(ctx, alphas, |a, c, _, u| {
            // α cancels: residuals are α c, and the trace of what is not fitted is α Σ G′_ii.
            let trace: f64 = self.diagonal(&diagonals, a, u).iter().sum();
            for j in 0..t {
                let squares: f64 = (0..n).map(|i| c[(i, j)].powi(2)).sum();
                out[(a, j)] = n as f64 * squares / (trace * trace);
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// The diagonal of G′.
    fn diagonal(&self, diagonals: &Mat<f64>, a: usize, u: &[f64]) -> Vec<f64> {
        let sum: f64 = u.iter().zip(&self.scale).map(|(u, s)| u * s).sum();
        let taken = |u: f64| if sum != 0.0 { u * u / sum } else { 0.0 };
        u.iter().enumerate().map(|(i, &u)| diagonals[(i, a)] - taken(u)).collect()
    }
}
