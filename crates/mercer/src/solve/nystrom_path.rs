//! Ridge regression on landmarks for many penalties, from one decomposition M = V Λ Vᵀ.
//!
//! With p = Vᵀ r, for any α:
//!
//! ```text
//! β = V (Λ + α)⁻¹ p                                    the solution
//! Σ w (y − f)² = Σ w (y − ȳ)² − Σ_j p_j² (2 g_j − λ_j g_j²),   g_j = 1 / (λ_j + α)
//! Σ_i h_ii = Σ_j λ_j g_j, and 1 for an intercept       the trace of the hat matrix
//! ```

use super::nystrom::{Nystrom, cut};
use super::path::Path;
use crate::context::Context;
use crate::error::Result;
use crate::gram::Leverages;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::Mat;

/// A low-rank regression and the decomposition of its matrix.
pub struct NystromPath {
    /// The problem.
    pub reduced: Nystrom,
    /// The decomposition of M, with the right-hand sides.
    pub path: Path,
    /// Whether there is an intercept.
    intercept: bool,
}

impl NystromPath {
    /// Decomposes the problem, whose features are centred if there is an intercept.
    pub fn new(ctx: &Context, reduced: Nystrom, intercept: bool) -> Result<Self> {
        let path = reduced.path(ctx)?;
        Ok(Self { reduced, path, intercept })
    }

    /// The share of an intercept in the leverage of a sample of weight 1.
    pub fn intercept_share(&self) -> f64 {
        if self.intercept { 1.0 / self.reduced.weight } else { 0.0 }
    }

    /// Targets.
    pub fn t(&self) -> usize {
        self.reduced.right.cols()
    }

    /// 1 / (λ_j + α), 0 where that is lost in rounding.
    fn inverses(&self, alpha: f64) -> impl Fn(usize) -> f64 + '_ {
        let cut = cut(&self.path, alpha);
        move |j| {
            let sum = self.path.values()[j] + alpha;
            if sum.abs() > cut { 1.0 / sum } else { 0.0 }
        }
    }

    /// The solutions β of all targets for one penalty after the other: m × (alphas · t).
    pub fn solutions(&self, alphas: &[f64]) -> Mat<f64> {
        let (m, t, p) = (self.reduced.m(), self.t(), self.path.projected());
        let mut right = Mat::zeros(m, alphas.len() * t);
        for (a, alpha) in alphas.iter().enumerate() {
            let inverse = self.inverses(*alpha);
            for j in 0..m {
                let place = &mut right.row_mut(j)[a * t..(a + 1) * t];
                place.iter_mut().zip(p.row(j)).for_each(|(place, p)| *place = p * inverse(j));
            }
        }
        let mut beta = Mat::zeros(m, right.cols());
        let vectors = self.path.vectors().view().transposed();
        multiply(vectors, right.view(), beta.view_mut(), Onto::Nothing);
        beta
    }

    /// Σ_j λ_j / (λ_j + α), and 1 for an intercept: the degrees of freedom of the fit.
    pub fn degrees(&self, alpha: f64) -> f64 {
        let (values, inverse) = (self.path.values(), self.inverses(alpha));
        let sum: f64 = values.iter().enumerate().map(|(j, value)| value * inverse(j)).sum();
        sum + if self.intercept { 1.0 } else { 0.0 }
    }

    /// Σ w (y − f)² of each target.
    pub fn squared_residuals(&self, alpha: f64) -> Vec<f64> {
        let (values, inverse, p) =
            (self.path.values(), self.inverses(alpha), self.path.projected());
        let explained = |c: usize| -> f64 {
            let term = |j: usize| {
                let g = inverse(j);
                p[(j, c)] * p[(j, c)] * g * (2.0 - values[j] * g)
            };
            (0..values.len()).map(term).sum()
        };
        let all = self.reduced.target_squares.iter().enumerate();
        all.map(|(c, squares)| (squares - explained(c)).max(0.0)).collect()
    }

    /// Generalised cross-validation over `count` samples for each penalty and target: alphas × t.
    pub fn gcv(&self, alphas: &[f64], count: u64) -> Mat<f64> {
        let (n, mut out) = (count as f64, Mat::zeros(alphas.len(), self.t()));
        for (a, alpha) in alphas.iter().enumerate() {
            let left = n - self.degrees(*alpha);
            let scored = self.squared_residuals(*alpha).into_iter().zip(out.row_mut(a));
            scored.for_each(|(squares, place)| *place = n * squares / (left * left));
        }
        out
    }

    /// α βᵀβ of each target and penalty, as [`NystromPath::solutions`] puts them side by side.
    pub fn penalties(&self, alphas: &[f64], beta: &Mat<f64>) -> Vec<f64> {
        let t = self.t();
        let squares = |c: usize| (0..beta.rows()).map(|j| beta[(j, c)].powi(2)).sum::<f64>();
        (0..beta.cols()).map(|c| alphas[c / t] * squares(c)).collect()
    }

    /// What the leverages of samples are computed from.
    pub fn leverages(&self, ctx: &Context, alphas: &[f64]) -> Result<Leverages> {
        let (m, vectors) = (self.reduced.m(), self.path.vectors());
        let columns = Mat::from_fn(m, m, |i, j| vectors[(j, i)]);
        let rotation = self.reduced.to_coef(&ctx.without_steps(), columns)?;
        let mean = |j: usize| -> f64 {
            vectors.row(j).iter().zip(&self.reduced.mean).map(|(v, mean)| v * mean).sum()
        };
        let shift = (0..m).map(mean).collect();
        let mut inverse = Mat::zeros(m, alphas.len());
        for (a, alpha) in alphas.iter().enumerate() {
            let of = self.inverses(*alpha);
            (0..m).for_each(|j| inverse[(j, a)] = of(j));
        }
        Ok(Leverages::new(rotation, shift, inverse))
    }
}
