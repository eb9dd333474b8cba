//! Descent along the gradient, for every kernel that has one.
//!
//! Minimises ρ(z) = k(z, z) − 2 Σ_i γ_i k(z, x_i) with
//!
//! ```text
//! ∇ρ(z) = (c(z) − 2 Σ γ_i e_i) z − 2 Σ γ_i a_i x_i          ∇ k(z, z) = c(z) z
//! ```
//!
//! by a quasi-Newton method of limited memory in each row. All rows of a block take their steps together, so that a round
//! costs one evaluation of the kernel and one matrix product for the whole block.

use super::PreimageParams;
use super::quasi_newton::{Memory, dot, length};
use super::search::End;
use super::space::Space;
use crate::context::Context;
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::points::{Dense, Span};

/// The share of the decrease foretold by the slope that a step must bring.
const ARMIJO: f64 = 1e-4;

/// Differences of ρ below this share of its terms are rounding.
const ROUNDING: f64 = 1e-14;

/// The length of the first step as a share of the spread; later ones are as long as the curvature says.
const FIRST: f64 = 0.1;

/// ρ and its gradient at a point.
struct Place {
    z: Vec<f64>,
    rho: f64,
    /// What ρ is the sum of, all terms taken positive.
    size: f64,
    gradient: Vec<f64>,
}

/// One row on its way.
struct Descent {
    place: Place,
    memory: Memory,
    /// The next step, and the share of it to try.
    direction: Vec<f64>,
    share: f64,
    rounds: usize,
    over: bool,
    converged: bool,
}

/// Descends from each row of `start` (rows × d) with γ in the same row of `gamma`; `known` are ends met before, if any.
pub(super) fn run(
    ctx: &Context,
    space: &Space<'_>,
    params: &PreimageParams,
    gamma: &Mat<f64>,
    start: &Mat<f64>,
    known: &[End],
) -> Result<Vec<End>> {
    let all: Vec<usize> = (0..start.rows()).collect();
    let points = all.iter().map(|r| start.row(*r).to_vec()).collect();
    let first = places(ctx, space, gamma, &all, points)?;
    let mut descents: Vec<Descent> =
        first.into_iter().map(|place| Descent::new(place, space)).collect();
    let least = params.tolerance * space.spread;
    for round in 1..=params.max_rounds {
        let owners: Vec<usize> = (0..descents.len()).filter(|r| !descents[*r].over).collect();
        if owners.is_empty() {
            break;
        }
        let points = owners.iter().map(|r| descents[*r].trial()).collect();
        for (owner, place) in owners.iter().zip(places(ctx, space, gamma, &owners, points)?) {
            let descent = &mut descents[*owner];
            descent.rounds = round;
            descent.accept(place, least);
            let z = &descent.place.z;
            if !descent.over && known.get(*owner).is_some_and(|end| end.awaits(z, space)) {
                (descent.over, descent.place.rho) = (true, f64::INFINITY);
            }
        }
    }
    Ok(descents.into_iter().map(Descent::end).collect())
}

/// ρ and its gradient at each of `points`, which belong to the rows `owners`.
fn places(
    ctx: &Context,
    space: &Space<'_>,
    gamma: &Mat<f64>,
    owners: &[usize],
    points: Vec<Vec<f64>>,
) -> Result<Vec<Place>> {
    let z = Dense::from_vec(points.concat(), points.len(), space.anchors.d())?;
    let eval = space.evaluate(ctx, gamma, owners, &z)?;
    let (diagonal, along) = space.kernel.diagonal_gradients(Span::all(&z))?;
    let place = |(at, z): (usize, Vec<f64>)| {
        let factor = along[at] - 2.0 * eval.along[at];
        let pairs = z.iter().zip(eval.pull.row(at));
        let gradient = pairs.map(|(z, pull)| factor * z - 2.0 * pull).collect();
        let rho = diagonal[at] - 2.0 * eval.sum[at];
        Place { rho, size: diagonal[at].abs() + 2.0 * eval.size[at], gradient, z }
    };
    Ok(points.into_iter().enumerate().map(place).collect())
}

impl Descent {
    fn new(place: Place, space: &Space<'_>) -> Self {
        let steep = length(&place.gradient);
        let factor = -FIRST * space.spread / steep;
        Self {
            direction: place.gradient.iter().map(|g| factor * g).collect(),
            memory: Memory::default(),
            share: 1.0,
            rounds: 0,
            over: !(steep > 0.0 && steep.is_finite()),
            converged: steep == 0.0,
            place,
        }
    }

    /// The point to try next; a step that leaves the range of numbers is cut first.
    fn trial(&mut self) -> Vec<f64> {
        let point = |share: f64| -> Vec<f64> {
            self.place.z.iter().zip(&self.direction).map(|(z, p)| z + share * p).collect()
        };
        let mut found = point(self.share);
        while !found.iter().all(|v| v.abs() < 1e100) {
            self.share *= 1e-3;
            found = point(self.share);
        }
        found
    }

    /// Takes the step to `place` if ρ falls enough there, or else cuts it. Ends when the next step is at most `least` long
    /// or promises no more than rounding.
    fn accept(&mut self, place: Place, least: f64) {
        let promised = self.share * dot(&self.place.gradient, &self.direction);
        let rise = place.rho - self.place.rho;
        let noise = ROUNDING * self.place.size;
        if rise <= ARMIJO * promised + noise {
            self.take(place);
            let promised = dot(&self.place.gradient, &self.direction);
            let (far, steep) = (length(&self.direction), length(&self.place.gradient));
            self.converged = far <= least || steep == 0.0 || -promised <= noise;
            self.over = self.converged || !far.is_finite();
            return;
        }
        // The lowest point of the parabola through what is known, within limits.
        let lowest = -promised / (2.0 * (rise - promised));
        self.share *= if lowest.is_finite() { lowest.clamp(0.1, 0.5) } else { 0.1 };
        self.over = self.share * length(&self.direction) <= 1e-3 * least;
        self.converged = self.over && -promised <= noise;
    }

    fn take(&mut self, place: Place) {
        let step: Vec<f64> =
            place.z.iter().zip(&self.place.z).map(|(to, from)| to - from).collect();
        let pairs = place.gradient.iter().zip(&self.place.gradient);
        let turn = pairs.map(|(to, from)| to - from).collect();
        self.memory.remember(step, turn);
        self.place = place;
        self.direction = self.memory.direction(&self.place.gradient);
        self.share = 1.0;
    }

    fn end(self) -> End {
        let Place { z, rho, .. } = self.place;
        End { z, rho, rounds: self.rounds, converged: self.converged }
    }
}
