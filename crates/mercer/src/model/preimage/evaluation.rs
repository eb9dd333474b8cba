//! The objective at candidates z: the part of ‖φ(z) − P‖² that moves, and its gradient.
//!
//! ‖φ(z) − P‖² = ρ(z) + ‖P‖² with ρ(z) = k(z, z) − 2 Σ_i γ_i k(z, x_i). With ∇_z k(z, x_i) = a_i x_i + e_i z, the sum's
//! gradient is Σ γ_i a_i x_i + (Σ γ_i e_i) z: one product of a tile of numbers with the samples of its columns.

use super::space::Space;
use crate::context::Context;
use crate::error::Result;
use crate::kernel::{Gradients, Kernel, Tile};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{Dense, Span};

/// Training samples that are looked at together, so that a tile stays in the second-level cache.
const COLS: usize = 256;

/// The sums over training samples for some rows z, with γ of each row.
pub(super) struct Evaluation {
    /// Σ γ_i k(z, x_i).
    pub sum: Vec<f64>,
    /// Σ |γ_i k(z, x_i)|: the scale of rounding errors.
    pub size: Vec<f64>,
    /// Σ γ_i e_i.
    pub along: Vec<f64>,
    /// Σ γ_i a_i x_i: rows × d.
    pub pull: Mat<f64>,
}

impl Space<'_> {
    /// ρ(z) for each row of `z` (rows × d) with γ in the same row of `gamma`.
    pub fn rho(&self, ctx: &Context, gamma: &Mat<f64>, z: &Dense<f64>) -> Result<Vec<f64>> {
        let (rows, n) = (z.n(), self.anchors.n());
        let mut rho = vec![0.0; rows];
        self.kernel.diag(Span::all(z), &mut rho)?;
        let mut values = vec![0.0; rows * COLS.min(n)];
        for start in (0..n).step_by(COLS) {
            ctx.poll()?;
            let cols = start..(start + COLS).min(n);
            let width = cols.len();
            let tile = Tile::new(&mut values, rows, width, width);
            self.kernel.tile(Span::all(z), Span::new(&self.anchors, cols.clone()), tile)?;
            for (r, line) in values.chunks_exact(width).take(rows).enumerate() {
                let weights = &gamma.row(r)[cols.clone()];
                rho[r] -= 2.0 * line.iter().zip(weights).map(|(k, g)| k * g).sum::<f64>();
            }
        }
        Ok(rho)
    }

    /// Sums and slopes at `z`, whose row r belongs to row `owners[r]` of `gamma`.
    pub fn evaluate(
        &self,
        ctx: &Context,
        gamma: &Mat<f64>,
        owners: &[usize],
        z: &Dense<f64>,
    ) -> Result<Evaluation> {
        let (rows, n, d) = (z.n(), self.anchors.n(), z.d());
        let mut eval = Evaluation {
            sum: vec![0.0; rows],
            size: vec![0.0; rows],
            along: vec![0.0; rows],
            pull: Mat::zeros(rows, d),
        };
        let mut found = Gradients::default();
        for start in (0..n).step_by(COLS) {
            ctx.poll()?;
            let cols = start..(start + COLS).min(n);
            let width = cols.len();
            let span = Span::new(&self.anchors, cols.clone());
            self.kernel.gradients(Span::all(z), span, &mut found)?;
            for (r, owner) in owners.iter().enumerate() {
                let line = r * width..(r + 1) * width;
                eval.add(r, &gamma.row(*owner)[cols.clone()], &mut found, line);
            }
            let samples = &self.anchors.data()[cols.start * d..cols.end * d];
            let samples = MatRef::new(samples, width, d, d);
            let weights = MatRef::new(&found.across, rows, width, width);
            multiply(weights, samples, eval.pull.view_mut(), Onto::Sum);
        }
        Ok(eval)
    }
}

impl Evaluation {
    /// Adds the columns in `line` of row r, with γ in `weights`, and leaves γ a in place of a.
    fn add(
        &mut self,
        r: usize,
        weights: &[f64],
        found: &mut Gradients<f64>,
        line: std::ops::Range<usize>,
    ) {
        let (mut sum, mut size, mut along) = (0.0, 0.0, 0.0);
        let across = found.across[line.clone()].iter_mut();
        let pairs = found.values[line.clone()].iter().zip(&found.along[line]);
        for ((a, (k, e)), g) in across.zip(pairs).zip(weights) {
            sum += g * k;
            size += (g * k).abs();
            along += g * e;
            *a *= g;
        }
        self.sum[r] += sum;
        self.size[r] += size;
        self.along[r] += along;
    }
}
