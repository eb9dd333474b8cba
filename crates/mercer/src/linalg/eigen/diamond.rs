//! One diamond of reflectors, I − V T Vᵀ, applied to a strip of vectors (see [`super::wave`]).

use super::WIDTH;
use super::wave::{DEPTH, Diamonds, HEIGHT, LANES};
use crate::linalg::simd::dispatch;
use crate::real::Real;
use crate::real::vector::{Registers, Vector};

/// Some rows of a diamond's V: entry (i, sweep r) at i + r · stride.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
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
pub(super) struct Copies {
    head: [f64; DEPTH * DEPTH],
    foot: [f64; DEPTH * DEPTH],
    whole: [f64; HEIGHT * DEPTH],
}

/// V of one diamond from the top down, and T.
pub(super) struct Diamond<'a> {
    pub(super) stretches: [Stretch<'a>; 3],
    pub(super) t: &'a [f64; DEPTH * DEPTH],
}

impl Copies {
    pub(super) fn new() -> Self {
        let (head, foot) = ([0.0; DEPTH * DEPTH], [0.0; DEPTH * DEPTH]);
        Self { head, foot, whole: [0.0; HEIGHT * DEPTH] }
    }

    /// V of diamond k of the sweeps from `first` on. Its middle rows, where all sweeps take part, are read in place; the
    /// slanted ends are copied with zeros, and so is all of a diamond that crosses the end of the matrix.
    pub(super) fn stretches<'a>(
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
            Stretch { v: &self.head, stride: DEPTH, start: 0, rows: DEPTH - 1 },
            Stretch { v: middle, stride: all.n, start: DEPTH - 1, rows: WIDTH - DEPTH + 1 },
            Stretch { v: &self.foot, stride: DEPTH, start: WIDTH, rows: DEPTH - 1 },
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
    pub(super) fn reflect<T: Real>(diamond: &Diamond<'_>, y: &mut [[f64; LANES]]) =
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
