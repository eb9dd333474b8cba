//! The way back through stage two: y ← Q₂ y for `LANES` vectors at a time.
//!
//! Q₂ is the product of all reflectors of all sweeps, first sweep first. `DEPTH` successive sweeps are taken together;
//! their reflectors k, each one row below the one before, make a *diamond*, I − V T Vᵀ with V a slanted stripe of `WIDTH` +
//! `DEPTH` − 1 rows. Teams of sweeps are applied last first, the diamonds of a team from the top down.
//!
//! A strip holds `LANES` vectors side by side, row after row, so that a diamond works on whole registers and all of the
//! strip stays in the second-level cache. Eigenvectors of a matrix with a falling spectrum (every Gram matrix of a smooth
//! kernel) have nothing but zeros from some row on; a strip knows how far its vectors reach, and diamonds beyond
//! that are left out. Entries below `NOTHING` count as zeros.

use rayon::prelude::*;

use super::WIDTH;
use super::bulge::steps;
use super::diamond::{Copies, Diamond, reflect};
use crate::linalg::view::Mat;

/// Vectors in a strip.
pub(super) const LANES: usize = 16;
/// Sweeps in a diamond.
pub(super) const DEPTH: usize = 8;
/// Rows of a diamond.
pub(super) const HEIGHT: usize = WIDTH + DEPTH - 1;
/// Far below the rounding errors of an entry of a unit vector, so that leaving it out is never felt.
const NOTHING: f64 = 1e-18;

/// The diamonds of a matrix whose upper triangle holds the reflectors (see [`super::bulge`]).
pub(super) struct Diamonds<'a> {
    pub(super) upper: &'a [f64],
    pub(super) n: usize,
    /// T of diamond k of team g at g · steps + k.
    factors: Vec<[f64; DEPTH * DEPTH]>,
}

/// `LANES` vectors side by side.
pub(super) struct Strip {
    rows: Vec<[f64; LANES]>,
    reach: usize,
}

impl<'a> Diamonds<'a> {
    /// Gathers the reflectors with scales `scales` in the upper triangle of `a`.
    pub(super) fn new(a: &'a Mat<f64>, scales: &[f64]) -> Self {
        let n = a.rows();
        let mut diamonds = Self { upper: a.data(), n, factors: Vec::new() };
        let teams = n.saturating_sub(2).div_ceil(DEPTH);
        diamonds.factors = (0..teams * steps(n))
            .into_par_iter()
            .map(|at| diamonds.factor(at / steps(n), at % steps(n), scales))
            .collect();
        diamonds
    }

    /// Entry of the reflector of sweep `s` and step `k` that acts on row `i`.
    pub(super) fn entry(&self, s: usize, k: usize, i: usize) -> f64 {
        let top = s + 1 + k * WIDTH;
        // The last two rows have no sweep.
        if s + 2 < self.n && i < self.n && (top..top + WIDTH).contains(&i) {
            self.upper[s * self.n + i]
        } else {
            0.0
        }
    }

    /// T of diamond k of a team, by the rule of products of reflectors.
    fn factor(&self, team: usize, k: usize, scales: &[f64]) -> [f64; DEPTH * DEPTH] {
        let first = team * DEPTH;
        let mut t = [0.0; DEPTH * DEPTH];
        for j in 0..DEPTH {
            let s = first + j;
            if s + 2 >= self.n || s + 1 + k * WIDTH >= self.n {
                break;
            }
            let tau = scales[s * steps(self.n) + k];
            let inner: [f64; DEPTH] =
                std::array::from_fn(|i| if i < j { self.inner(first + i, s, k) } else { 0.0 });
            for i in 0..j {
                let sum: f64 = (i..j).map(|l| t[i * DEPTH + l] * inner[l]).sum();
                t[i * DEPTH + j] = -tau * sum;
            }
            t[j * DEPTH + j] = tau;
        }
        t
    }

    /// Inner product of the reflectors k of two sweeps, `early` before `late`.
    fn inner(&self, early: usize, late: usize, k: usize) -> f64 {
        let (start, end) = (late + 1 + k * WIDTH, (early + 1 + (k + 1) * WIDTH).min(self.n));
        if start >= end {
            return 0.0;
        }
        let row = |s: usize| &self.upper[s * self.n + start..s * self.n + end];
        row(early).iter().zip(row(late)).map(|(x, y)| x * y).sum()
    }

    /// y ← Q₂ y for every strip.
    pub(super) fn apply(&self, strips: &mut [Strip]) {
        for team in (0..self.factors.len() / steps(self.n).max(1)).rev() {
            self.apply_team(team, strips);
        }
    }

    fn apply_team(&self, team: usize, strips: &mut [Strip]) {
        let first = team * DEPTH;
        for k in 0..steps(self.n) {
            let top = first + 1 + k * WIDTH;
            if strips.iter().all(|strip| strip.reach <= top) {
                break;
            }
            let mut copies = Copies::new();
            let diamond = Diamond {
                stretches: copies.stretches(self, first, k),
                t: &self.factors[team * steps(self.n) + k],
            };
            for strip in strips.iter_mut().filter(|s| top < s.reach) {
                reflect::<f64>(&diamond, &mut strip.rows[top..top + HEIGHT]);
                strip.extend(top + HEIGHT);
            }
        }
    }
}

impl Strip {
    /// A strip of the given vectors of n numbers each, at most `LANES`.
    pub(super) fn gather(vectors: &[&[f64]], n: usize) -> Self {
        let mut rows = vec![[0.0; LANES]; n + HEIGHT];
        for (lane, vector) in vectors.iter().enumerate() {
            for (row, &x) in rows.iter_mut().zip(*vector) {
                row[lane] = x;
            }
        }
        let mut strip = Self { rows, reach: 0 };
        strip.extend(n);
        strip
    }

    /// Rows beyond the present reach and up to `end` may have become something: reaches as far as they have, and clears
    /// what is nothing.
    fn extend(&mut self, end: usize) {
        if end <= self.reach {
            return;
        }
        let felt = |row: &[f64; LANES]| row.iter().any(|x| x.abs() > NOTHING);
        let more = self.rows[self.reach..end].iter().rposition(felt).map_or(0, |last| last + 1);
        self.reach += more;
        self.rows[self.reach..end].fill([0.0; LANES]);
    }

    /// Rows from here on are zero.
    pub(super) fn reach(&self) -> usize {
        self.reach
    }

    /// Writes vector `lane` to `out`.
    pub(super) fn scatter(&self, lane: usize, out: &mut [f64]) {
        for (x, row) in out.iter_mut().zip(&self.rows) {
            *x = row[lane];
        }
    }
}
