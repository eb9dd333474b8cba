//! Common subsequences of pairs of sequences, each weighed by how far it is spread (Lodhi et al., 2002).
//!
//! Let s, t be sequences, 0 < λ ≤ 1, and Q_l(i, j) the sum, over all ways to choose l equal symbols of s[..i] and t[..j], of
//! λ^(the symbols from the first chosen one to the end, in both) / λ^(2l). Then Q_0 = 1 and, with R_l a sum along one line,
//!
//! ```text
//! R_l(i, j) = λ·R_l(i, j-1) + [s_i = t_j]·Q_{l-1}(i-1, j-1)
//! Q_l(i, j) = λ·Q_l(i-1, j) + R_l(i, j)
//! result    = λ^(2p) · Σ [s_i = t_j]·Q_{p-1}(i-1, j-1)
//! ```
//!
//! No term is subtracted, so no digits are lost. One pair is a long chain of dependent steps; eight pairs at once, one in each
//! lane of a register, fill the processor. The alternative, only the places where symbols are equal, wins for large
//! alphabets alone.

use super::simd::dispatch;
use crate::real::Real;
use crate::real::vector::{Pair, Plain, Registers, Vector};

/// The longest subsequences: every level takes memory for each symbol.
pub const LONGEST: usize = 255;

/// Pairs that are worked on at once.
pub const LANES: usize = 8;

/// A symbol of each of the sequences. Beyond the end of a sequence stands a number that equals none of the other side.
pub type Symbols = [f64; LANES];

/// Levels l that are taken in one pass along a line: as many as stay in registers.
const LEVELS: usize = 4;

/// What `sums` needs workspace for; it can be used again.
#[derive(Debug, Default)]
pub struct Workspace(Vec<f64>);

/// The sums over common subsequences of `p` symbols, 1 to [`LONGEST`], for the pairs of sequences in the lanes of `x` and `y`, with λ = `decay`.
pub fn sums(
    x: &[Symbols],
    y: &[Symbols],
    p: usize,
    decay: f64,
    workspace: &mut Workspace,
) -> [f64; LANES] {
    assert!((1..=LONGEST).contains(&p));
    let mut out = [0.0; LANES];
    if p <= x.len().min(y.len()) {
        fill::<f64>(x, y, p, decay, &mut workspace.0, &mut out);
    }
    out
}

dispatch! {
    fn fill<T: Real>(
        x: &[Symbols], y: &[Symbols], p: usize, decay: f64, workspace: &mut Vec<f64>, out: &mut [f64; LANES],
    ) = fill_body: avx512 [<f64 as Registers>::Wide], avx2 [Pair<<f64 as Registers>::Mid>], base [Plain<f64, LANES>];
}

#[inline(always)]
fn fill_body<V: Vector<f64>>(
    x: &[Symbols],
    y: &[Symbols],
    p: usize,
    decay: f64,
    workspace: &mut Vec<f64>,
    out: &mut [f64; LANES],
) {
    assert_eq!(V::LANES, LANES);
    let levels = p - 1;
    workspace.clear();
    workspace.resize(y.len() * levels * LANES, 0.0);
    let mut line = Line { y, q: workspace.as_mut_ptr(), levels, lambda: decay };
    // SAFETY: dispatch chose V for this processor; `workspace` has the `y.len() × levels` vectors that the lines touch.
    unsafe {
        let mut sum = V::splat(0.0);
        if levels <= LEVELS {
            let (pairs, rest) = x.as_chunks::<2>();
            for two in pairs {
                sum = sum.add(line.whole::<V, 2>(two));
            }
            for one in rest {
                sum = sum.add(line.whole::<V, 1>(&[*one]));
            }
        } else {
            for one in x {
                sum = sum.add(line.in_parts(one));
            }
        }
        sum.store(out.as_mut_ptr());
    }
    let scale = decay.powi(2 * p as i32);
    out.iter_mut().for_each(|value| *value *= scale);
}

/// Symbols of the sequences x against all of y. Q_l(i, j) is vector (j - 1)·levels + l - 1 of `q`.
///
/// Contract of the methods: `q` has `y.len() × levels` vectors of LANES numbers, and V is a register of this processor.
struct Line<'a> {
    y: &'a [Symbols],
    q: *mut f64,
    levels: usize,
    lambda: f64,
}

impl Line<'_> {
    /// Takes all levels, at most `LEVELS`, `ROWS` symbols further, and returns their part of the result.
    #[inline(always)]
    unsafe fn whole<V: Vector<f64>, const ROWS: usize>(&mut self, x: &[Symbols; ROWS]) -> V {
        // SAFETY: the contract; all levels are those from 0 on.
        unsafe {
            match self.levels {
                0 => self.pass::<V, 0, ROWS, true>(x, 0),
                1 => self.pass::<V, 1, ROWS, true>(x, 0),
                2 => self.pass::<V, 2, ROWS, true>(x, 0),
                3 => self.pass::<V, 3, ROWS, true>(x, 0),
                _ => self.pass::<V, LEVELS, ROWS, true>(x, 0),
            }
        }
    }

    /// Takes more than `LEVELS` levels one symbol further, the uppermost first: a level reads the one below as the symbol before
    /// left it.
    #[inline(always)]
    unsafe fn in_parts<V: Vector<f64>>(&mut self, x: &Symbols) -> V {
        let top = (self.levels - 1) / LEVELS * LEVELS;
        // SAFETY: the contract; the parts end at `levels`.
        unsafe {
            let sum = match self.levels - top {
                1 => self.pass::<V, 1, 1, true>(&[*x], top),
                2 => self.pass::<V, 2, 1, true>(&[*x], top),
                3 => self.pass::<V, 3, 1, true>(&[*x], top),
                _ => self.pass::<V, LEVELS, 1, true>(&[*x], top),
            };
            for first in (0..top).step_by(LEVELS).rev() {
                self.pass::<V, LEVELS, 1, false>(&[*x], first);
            }
            sum
        }
    }

    /// Takes the `COUNT` levels above `first`, which lie within `levels`, `ROWS` symbols further; several only if `first` is 0.
    /// Each number of `q` is read and written once, whatever ROWS is: that is what a pass costs. Returns the part of the
    /// result, if the uppermost level is among them (`TOP`).
    #[inline(always)]
    unsafe fn pass<V: Vector<f64>, const COUNT: usize, const ROWS: usize, const TOP: bool>(
        &mut self,
        x: &[Symbols; ROWS],
        first: usize,
    ) -> V {
        debug_assert!(first + COUNT <= self.levels && (ROWS == 1 || first == 0));
        // SAFETY: the contract; j stays below `y.len()`.
        unsafe {
            let (zero, one, lambda) = (V::splat(0.0), V::splat(1.0), V::splat(self.lambda));
            let mut rows = [zero; ROWS];
            for (row, symbols) in rows.iter_mut().zip(x) {
                *row = V::load(symbols.as_ptr());
            }
            let (mut along, mut before) = ([[zero; ROWS]; COUNT], [[zero; ROWS]; COUNT]);
            let mut sums = [zero; ROWS];
            let mut lowest = zero; // Q_first(i-1, j-1)
            for (j, symbols) in self.y.iter().enumerate() {
                let y = V::load(symbols.as_ptr());
                let q = self.q.add((j * self.levels + first) * LANES);
                let mut below = [if first == 0 { one } else { lowest }; ROWS];
                for c in 0..COUNT {
                    let place = q.add(c * LANES);
                    let mut value = V::load(place);
                    for r in 0..ROWS {
                        let equal = below[r].where_equal(rows[r], y);
                        along[c][r] = along[c][r].mul_add(lambda, equal);
                        below[r] = std::mem::replace(&mut before[c][r], value);
                        value = value.mul_add(lambda, along[c][r]);
                    }
                    value.store(place);
                }
                for r in 0..if TOP { ROWS } else { 0 } {
                    sums[r] = sums[r].add(below[r].where_equal(rows[r], y));
                }
                if first > 0 {
                    lowest = V::load(q.sub(LANES));
                }
            }
            sums.into_iter().fold(zero, |total, sum| total.add(sum))
        }
    }
}
