//! Predictions for samples that were left out of the fit, for many penalties, from one decomposition.
//!
//! With G = (S K S + α)⁻¹, the scaled coefficients are c = G S y, and the residual of sample i in a fit without it is c_i / G_ii,
//! exactly. No sample is ever left out. With an intercept, K and y are centred, and the direction of the constant, s/‖s‖ with s = S 1, is taken from G:
//! it is an eigenvector, and costs no penalty.

use crate::context::Context;
use crate::error::Result;
use crate::gram::{Gram, Scaled, WeightedCentred};
use crate::linalg::view::Mat;
use crate::model::regression::weighted_means;
use crate::solve::path::Path;

/// A decomposed regression: samples with targets and weights, for every penalty.
pub(super) struct Decomposed<'a> {
    path: Path,
    targets: &'a Mat<f64>,
    /// Roots of weights.
    scale: Vec<f64>,
    centre: Option<Centre>,
}

/// What an intercept needs.
struct Centre {
    /// The weighted means of the targets.
    targets: Vec<f64>,
    /// The weighted means of the rows of K.
    rows: Vec<f64>,
    /// The eigenvalue of s in the centred matrix.
    eigenvalue: f64,
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
        let weights = weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        let scale: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        if !intercept {
            let right = Mat::from_fn(n, t, |i, j| scale[i] * targets[(i, j)]);
            let path = Path::new(ctx, &Scaled::new(gram, &scale), &right)?;
            return Ok(Self { path, targets, scale, centre: None });
        }
        let means = weighted_means(&weights, targets);
        let centred = WeightedCentred::new(ctx, gram, weights)?;
        let right = Mat::from_fn(n, t, |i, j| scale[i] * (targets[(i, j)] - means[j]));
        let path = Path::new(ctx, &Scaled::new(&centred, &scale), &right)?;
        let eigenvalue = centred.constant_eigenvalue();
        let centre = Some(Centre { targets: means, rows: centred.means().to_vec(), eigenvalue });
        Ok(Self { path, targets, scale, centre })
    }

    /// How many penalties to ask for at a time.
    fn at_once(&self) -> usize {
        (COLUMNS / self.targets.cols()).max(1)
    }

    /// Calls `with` for each penalty with its index and the scaled coefficients c (n × t).
    fn each<F>(&self, ctx: &Context, alphas: &[f64], mut with: F) -> Result<()>
    where
        F: FnMut(usize, &Mat<f64>) -> Result<()>,
    {
        let (n, t) = (self.targets.rows(), self.targets.cols());
        for (piece, some) in alphas.chunks(self.at_once()).enumerate() {
            let all = self.path.solutions(ctx, some)?;
            for a in 0..some.len() {
                let c = Mat::from_fn(n, t, |i, j| all[(i, a * t + j)]);
                with(piece * self.at_once() + a, &c)?;
            }
        }
        Ok(())
    }

    /// Coefficients and constants for each penalty.
    pub fn solutions(&self, ctx: &Context, alphas: &[f64]) -> Result<Vec<Solution>> {
        let mut found = Vec::with_capacity(alphas.len());
        self.each(ctx, alphas, |_, c| {
            let coef = Mat::from_fn(c.rows(), c.cols(), |i, j| c[(i, j)] * self.scale[i]);
            let offset = (0..c.cols()).map(|j| self.offset(&coef, j)).collect();
            found.push(Solution { coef, offset });
            Ok(())
        })?;
        Ok(found)
    }

    fn offset(&self, coef: &Mat<f64>, j: usize) -> f64 {
        self.centre.as_ref().map_or(0.0, |centre| {
            let rows = centre.rows.iter().enumerate();
            centre.targets[j] - rows.map(|(i, mean)| mean * coef[(i, j)]).sum::<f64>()
        })
    }

    /// Calls `with` for each penalty with its index and the predictions (n × t), each from a fit without its sample.
    pub fn left_out<F>(&self, ctx: &Context, alphas: &[f64], mut with: F) -> Result<()>
    where
        F: FnMut(usize, &Mat<f64>) -> Result<()>,
    {
        let diagonals = self.path.inverse_diagonals(ctx, alphas)?;
        self.each(ctx, alphas, |a, c| {
            let own = self.diagonal(&diagonals, a, alphas[a]);
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
        self.each(ctx, alphas, |a, c| {
            // α cancels: residuals are α c, and the trace of what is not fitted is α Σ G_ii.
            let trace: f64 = self.diagonal(&diagonals, a, alphas[a]).iter().sum();
            for j in 0..t {
                let squares: f64 = (0..n).map(|i| c[(i, j)].powi(2)).sum();
                out[(a, j)] = n as f64 * squares / (trace * trace);
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// The diagonal of G, without the direction of the constant where there is an intercept.
    fn diagonal(&self, diagonals: &Mat<f64>, a: usize, alpha: f64) -> Vec<f64> {
        let all: f64 = self.scale.iter().map(|s| s * s).sum();
        let taken = |s: f64, centre: &Centre| s * s / (all * (centre.eigenvalue + alpha));
        let taken = |s: f64| self.centre.as_ref().map_or(0.0, |centre| taken(s, centre));
        self.scale.iter().enumerate().map(|(i, &s)| diagonals[(i, a)] - taken(s)).collect()
    }
}
