//! Mika and others' iteration for the rbf kernel.
//!
//! Where Σ γ_i k(z, x_i) has no slope, z is the mean of the training samples weighted by γ_i k(z, x_i). The iteration puts z
//! there again and again:
//!
//! ```text
//! z ← Σ γ_i k(z, x_i) x_i / Σ γ_i k(z, x_i)
//! ```
//!
//! Weights may be negative, so their sum may come near zero or below; the step then leads far away or uphill, and the
//! starting point is given up.

use super::PreimageParams;
use super::search::End;
use super::space::Space;
use crate::context::Context;
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::points::Dense;

/// Sums of weights at most this share of their sizes are no weights.
const NOTHING: f64 = 1e-8;

/// One row on its way.
struct Iteration {
    /// Where it is.
    z: Vec<f64>,
    /// The best point met.
    best: End,
    over: bool,
}

/// Iterates from each row of `start` (rows × d) with γ in the same row of `gamma`; `known` are ends met before, if any.
pub(super) fn run(
    ctx: &Context,
    space: &Space<'_>,
    params: &PreimageParams,
    gamma: &Mat<f64>,
    start: &Mat<f64>,
    known: &[End],
) -> Result<Vec<End>> {
    let mut iterations: Vec<Iteration> =
        (0..start.rows()).map(|r| Iteration::from(start.row(r))).collect();
    for round in 1..=params.max_rounds {
        let owners: Vec<usize> = (0..iterations.len()).filter(|r| !iterations[*r].over).collect();
        if owners.is_empty() {
            break;
        }
        let points = owners.iter().flat_map(|r| iterations[*r].z.iter().copied()).collect();
        let z = Dense::from_vec(points, owners.len(), start.cols())?;
        let eval = space.evaluate(ctx, gamma, &owners, &z)?;
        for (at, owner) in owners.iter().enumerate() {
            let iteration = &mut iterations[*owner];
            iteration.best.rounds = round;
            iteration.arrive(1.0 - 2.0 * eval.sum[at]);
            // Of rbf, the factors of z are those of x with the other sign: −along is the sum of the weights.
            match eval.sum[at] > NOTHING * eval.size[at] {
                true => iteration.go(
                    eval.pull.row(at),
                    -eval.along[at],
                    params.tolerance * space.spread,
                ),
                false => iteration.over = true,
            }
            if !iteration.over
                && known.get(*owner).is_some_and(|end| end.awaits(&iteration.z, space))
            {
                (iteration.over, iteration.best.rho) = (true, f64::INFINITY);
            }
        }
    }
    Ok(iterations.into_iter().map(|iteration| iteration.best).collect())
}

impl Iteration {
    fn from(start: &[f64]) -> Self {
        let best = End { z: start.to_vec(), rho: f64::INFINITY, rounds: 0, converged: false };
        Self { z: start.to_vec(), best, over: false }
    }

    /// Remembers the point if it is the best yet; among equals, later ones are nearer to the end.
    fn arrive(&mut self, rho: f64) {
        if rho <= self.best.rho + 1e-14 {
            self.best.rho = rho;
            self.best.z.copy_from_slice(&self.z);
        }
    }

    /// Goes to the weighted mean, where it stops if that is less than `least` away. It has converged if it stops at the
    /// best point it met, and not at one to which it was led uphill.
    fn go(&mut self, pull: &[f64], weight: f64, least: f64) {
        let is_best = self.best.z == self.z;
        let mut moved = 0.0;
        for (z, p) in self.z.iter_mut().zip(pull) {
            let next = p / weight;
            moved += (next - *z).powi(2);
            *z = next;
        }
        if moved.sqrt() <= least || !moved.is_finite() {
            self.over = true;
            self.best.converged = is_best && moved.is_finite();
        }
    }
}
