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
use crate::linalg::simd::dispatch;
use crate::linalg::view::Mat;
use crate::real::Real;
use crate::real::vector::{Registers, Vector};

/// Vectors in a strip.
pub(super) const LANES: usize = 16;
/// Sweeps in a diamond.
pub(super) const DEPTH: usize = 8;
/// Rows of a diamond.
const HEIGHT: usize = WIDTH + DEPTH - 1;
/// Far below the rounding errors of an entry of a unit vector, so that leaving it out is never felt.
const NOTHING: f64 = 1e-18;

/// The diamonds of a matrix whose upper triangle holds the reflectors (see [`super::bulge`]).
pub(super) struct Diamonds<'a> {
    upper: &'a [f64],
    n: usize,
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
        let mut diamonds = Self {
            upper: a.data(),
            n,
            factors: Vec::new(),
        };
        let teams = n.saturating_sub(2).div_ceil(DEPTH);
        diamonds.factors = (0..teams * steps(n))
            .into_par_iter()
            .map(|at| diamonds.factor(at / steps(n), at % steps(n), scales))
            .collect();
        diamonds
    }

    /// Entry of the reflector of sweep `s` and step `k` that acts on row `i`.
    fn entry(&self, s: usize, k: usize, i: usize) -> f64 {
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
            let inner: [f64; DEPTH] = std::array::from_fn(|i| {
                if i < j {
                    self.inner(first + i, s, k)
                } else {
                    0.0
                }
            });
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
        let (start, end) = (
            late + 1 + k * WIDTH,
            (early + 1 + (k + 1) * WIDTH).min(self.n),
        );
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
        let reach = strips.iter().map(|s| s.reach).max().unwrap_or(0);
        for k in 0..steps(self.n) {
            let top = first + 1 + k * WIDTH;
            if top >= reach.max(strips.iter().map(|s| s.reach).max().unwrap_or(0)) {
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
        let more = self.rows[self.reach..end]
            .iter()
            .rposition(felt)
            .map_or(0, |last| last + 1);
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

/// Some rows of a diamond's V: entry (i, sweep r) at i + r · stride.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    v: &'a [f64],
    stride: usize,
    /// First row, counted from the top of the diamond.
    start: usize,
    rows: usize,
}

impl<'a> Stretch<'a> {
    /// The entries of each sweep.
    #[inline(always)]
    fn lines(&self) -> [&'a [f64]; DEPTH] {
        std::array::from_fn(|r| &self.v[r * self.stride..][..self.rows])
    }
}

/// Room for those parts of a diamond that are not read in place.
struct Copies {
    head: [f64; DEPTH * DEPTH],
    foot: [f64; DEPTH * DEPTH],
    whole: [f64; HEIGHT * DEPTH],
}

/// V of one diamond from the top down, and T.
struct Diamond<'a> {
    stretches: [Stretch<'a>; 3],
    t: &'a [f64; DEPTH * DEPTH],
}

impl Copies {
    fn new() -> Self {
        let (head, foot) = ([0.0; DEPTH * DEPTH], [0.0; DEPTH * DEPTH]);
        Self {
            head,
            foot,
            whole: [0.0; HEIGHT * DEPTH],
        }
    }

    /// V of diamond k of the sweeps from `first` on. Its middle rows, where all sweeps take part, are read in place; the
    /// slanted ends are copied with zeros, and so is all of a diamond that crosses the end of the matrix.
    fn stretches<'a>(
        &'a mut self,
        all: &'a Diamonds<'_>,
        first: usize,
        k: usize,
    ) -> [Stretch<'a>; 3] {
        let top = first + 1 + k * WIDTH;
        if top + HEIGHT > all.n {
            return self.copied(all, first, k);
        }
        for r in 0..DEPTH {
            let row = &all.upper[(first + r) * all.n + top..][..HEIGHT];
            self.head[r * DEPTH + r..(r + 1) * DEPTH - 1].copy_from_slice(&row[r..DEPTH - 1]);
            self.foot[r * DEPTH..r * DEPTH + r].copy_from_slice(&row[WIDTH..WIDTH + r]);
        }
        let middle = &all.upper[first * all.n + top + DEPTH - 1..];
        [
            Stretch {
                v: &self.head,
                stride: DEPTH,
                start: 0,
                rows: DEPTH - 1,
            },
            Stretch {
                v: middle,
                stride: all.n,
                start: DEPTH - 1,
                rows: WIDTH - DEPTH + 1,
            },
            Stretch {
                v: &self.foot,
                stride: DEPTH,
                start: WIDTH,
                rows: DEPTH - 1,
            },
        ]
    }

    fn copied(&mut self, all: &Diamonds<'_>, first: usize, k: usize) -> [Stretch<'_>; 3] {
        let top = first + 1 + k * WIDTH;
        for r in 0..DEPTH {
            for i in 0..HEIGHT {
                self.whole[r * HEIGHT + i] = all.entry(first + r, k, top + i);
            }
        }
        let v = &self.whole[..];
        [(0, HEIGHT), (HEIGHT, 0), (HEIGHT, 0)].map(|(start, rows)| Stretch {
            v,
            stride: HEIGHT,
            start,
            rows,
        })
    }
}

dispatch! {
    /// y ← (I − V T Vᵀ) y for the rows of a diamond.
    fn reflect<T: Real>(diamond: &Diamond<'_>, y: &mut [[f64; LANES]]) =
        reflect_body: avx512 [<f64 as Registers>::LaneWide], avx2 [<f64 as Registers>::Mid], base [<f64 as Registers>::Base];
}

#[inline(always)]
fn reflect_body<V: Vector<f64>>(diamond: &Diamond<'_>, y: &mut [[f64; LANES]]) {
    assert_eq!(y.len(), HEIGHT);
    for lane in (0..LANES).step_by(V::LANES) {
        // SAFETY: dispatch chose V for this processor; the lanes lie within a row, the rows within y.
        unsafe {
            let mut w = [V::splat(0.0); DEPTH];
            for stretch in diamond.stretches {
                w = gather_sums(stretch, y, lane, w);
            }
            let w = times_factor(diamond.t, w);
            for stretch in diamond.stretches {
                spread(stretch, y, lane, w);
            }
        }
    }
}

/// −T w.
///
/// # Safety
/// V suits this processor.
#[inline(always)]
unsafe fn times_factor<V: Vector<f64>>(t: &[f64; DEPTH * DEPTH], w: [V; DEPTH]) -> [V; DEPTH] {
    // SAFETY: by the contract.
    unsafe {
        let mut out = [V::splat(0.0); DEPTH];
        for r in 0..DEPTH {
            for q in r..DEPTH {
                out[r] = V::splat(-t[r * DEPTH + q]).mul_add(w[q], out[r]);
            }
        }
        out
    }
}

/// w + Vᵀ y.
///
/// # Safety
/// V suits this processor; the lanes lie within a row.
#[inline(always)]
unsafe fn gather_sums<V: Vector<f64>>(
    stretch: Stretch<'_>,
    y: &[[f64; LANES]],
    lane: usize,
    mut w: [V; DEPTH],
) -> [V; DEPTH] {
    let y = &y[stretch.start..stretch.start + stretch.rows];
    let lines = stretch.lines();
    for (i, row) in y.iter().enumerate() {
        // SAFETY: by the contract; every line has as many entries as y.
        unsafe {
            let row = V::load(row.as_ptr().add(lane));
            for r in 0..DEPTH {
                w[r] = V::splat(*lines[r].get_unchecked(i)).mul_add(row, w[r]);
            }
        }
    }
    w
}

/// y ← y + V w.
///
/// # Safety
/// V suits this processor; the lanes lie within a row.
#[inline(always)]
unsafe fn spread<V: Vector<f64>>(
    stretch: Stretch<'_>,
    y: &mut [[f64; LANES]],
    lane: usize,
    w: [V; DEPTH],
) {
    let y = &mut y[stretch.start..stretch.start + stretch.rows];
    let lines = stretch.lines();
    for (i, row) in y.iter_mut().enumerate() {
        // SAFETY: by the contract; every line has as many entries as y.
        unsafe {
            let mut sum = V::load(row.as_ptr().add(lane));
            for r in 0..DEPTH {
                sum = V::splat(*lines[r].get_unchecked(i)).mul_add(w[r], sum);
            }
            sum.store(row.as_mut_ptr().add(lane));
        }
    }
}
