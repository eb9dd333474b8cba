//! Householder reflectors of `WIDTH` numbers, and the two steps of chasing a bulge down a band.
//!
//! Blocks are `WIDTH` × `WIDTH`, column-major with columns `STRIDE` apart. `V` is the processor's register type.

use super::WIDTH;
use crate::linalg::simd::dispatch;
use crate::real::Real;
use crate::real::vector::{Registers, Vector};

/// Distance between the columns of a block, so that entry (i, j) of the band lies at j·STRIDE + i. A column holds 2
/// WIDTH entries from the diagonal on; the eight more are zeros, which stand above the diagonal of the next columns, so that
/// a register may be loaded from a little above the diagonal.
pub(super) const STRIDE: usize = 2 * WIDTH + 8;

/// A block that one task owns for a while.
pub(super) struct Block(*mut f64);

impl Block {
    /// The block whose first entry is at `start`.
    ///
    /// # Safety
    /// WIDTH columns of WIDTH numbers from `start` on, and the seven numbers before each column, are valid, and no
    /// other task uses them while the block lives.
    pub(super) unsafe fn new(start: *mut f64) -> Self {
        Self(start)
    }
}

/// I − τ v vᵀ.
#[derive(Clone, Copy)]
pub(super) struct Reflector {
    pub(super) v: [f64; WIDTH],
    pub(super) tau: f64,
}

impl Reflector {
    /// The reflector that maps `x` to a multiple of the first unit vector, and the multiple.
    #[inline(always)]
    fn annihilating(x: &[f64; WIDTH]) -> (Self, f64) {
        let tail: f64 = x[1..].iter().map(|x| x * x).sum();
        let mut v = [0.0; WIDTH];
        v[0] = 1.0;
        if tail == 0.0 {
            return (Self { v, tau: 0.0 }, x[0]);
        }
        let norm = (x[0] * x[0] + tail).sqrt();
        let beta = if x[0] > 0.0 { -norm } else { norm };
        let scale = (x[0] - beta).recip();
        for i in 1..WIDTH {
            v[i] = x[i] * scale;
        }
        (Self { v, tau: (beta - x[0]) / beta }, beta)
    }
}

/// Annihilates `WIDTH` numbers at `x` but the first, and returns the reflector that does it.
///
/// # Safety
/// `x` points to WIDTH numbers that no other task uses.
pub(super) unsafe fn annihilate(x: *mut f64) -> Reflector {
    // SAFETY: by the contract.
    let x = unsafe { &mut *x.cast::<[f64; WIDTH]>() };
    let (reflector, beta) = Reflector::annihilating(x);
    *x = [0.0; WIDTH];
    x[0] = beta;
    reflector
}

dispatch! {
    /// D ← H D H for the lower triangle of the symmetric block at `d`.
    ///
    /// The seven numbers above each diagonal entry are zero, and stay so.
    pub(super) fn both_sides<T: Real>(d: Block, h: &Reflector) =
        both_sides_body: avx512 [<f64 as Registers>::Wide], avx2 [<f64 as Registers>::Mid], base [<f64 as Registers>::Base];
}

dispatch! {
    /// E ← E H, then the reflector G that annihilates the first column of E but its first entry, and E ← G E.
    pub(super) fn chase<T: Real>(e: Block, h: &Reflector, next: &mut Reflector) =
        chase_body: avx512 [<f64 as Registers>::Wide], avx2 [<f64 as Registers>::Mid], base [<f64 as Registers>::Base];
}

#[inline(always)]
fn sum<V: Vector<f64>>(v: V) -> f64 {
    let mut lanes = [0.0; 16];
    // SAFETY: dispatch chose V for this processor; a register holds at most 16 numbers.
    unsafe { v.store(lanes.as_mut_ptr()) };
    let mut width = V::LANES;
    while width > 1 {
        width /= 2;
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
    }
    lanes[0]
}

/// Registers that `WIDTH` numbers take at most.
const MOST: usize = WIDTH / 2;

#[inline(always)]
fn chase_body<V: Vector<f64>>(Block(e): Block, h: &Reflector, next: &mut Reflector) {
    let count = WIDTH / V::LANES;
    let mut y = [0.0; WIDTH];
    // SAFETY: dispatch chose V for this processor; e is a block of WIDTH columns that no other task uses.
    unsafe {
        product::<V>(e, &h.v, &mut y);
        y.iter_mut().for_each(|y| *y *= h.tau);
        for i in 0..WIDTH {
            *e.add(i) -= y[i] * h.v[0];
        }
        *next = annihilate(e);
        let mut columns = [V::splat(0.0); MOST];
        for j in 1..WIDTH {
            let column = e.add(j * STRIDE);
            let factor = V::splat(-h.v[j]);
            let mut dot = V::splat(0.0);
            for c in 0..count {
                let at = c * V::LANES;
                columns[c] = V::load(y.as_ptr().add(at)).mul_add(factor, V::load(column.add(at)));
                dot = columns[c].mul_add(V::load(next.v.as_ptr().add(at)), dot);
            }
            let factor = V::splat(-next.tau * sum(dot));
            for c in 0..count {
                let at = c * V::LANES;
                let v = V::load(next.v.as_ptr().add(at));
                v.mul_add(factor, columns[c]).store(column.add(at));
            }
        }
    }
}

/// y ← E v.
///
/// # Safety
/// V suits this processor, and e is a block of WIDTH columns that no other task writes.
#[inline(always)]
unsafe fn product<V: Vector<f64>>(e: *const f64, v: &[f64; WIDTH], y: &mut [f64; WIDTH]) {
    const AT_ONCE: usize = 2;
    for first in (0..WIDTH).step_by(AT_ONCE * V::LANES) {
        // SAFETY: rows first .. first + 2 LANES lie within the block, because WIDTH is a multiple of 16.
        unsafe {
            let mut sums = [V::splat(0.0); AT_ONCE];
            for j in 0..WIDTH {
                let column = e.add(j * STRIDE + first);
                let factor = V::splat(v[j]);
                for c in 0..AT_ONCE {
                    sums[c] = factor.mul_add(V::load(column.add(c * V::LANES)), sums[c]);
                }
            }
            for c in 0..AT_ONCE {
                sums[c].store(y.as_mut_ptr().add(first + c * V::LANES));
            }
        }
    }
}

/// Row l: ones from lane l on.
const FROM_LANE: [[f64; 8]; 8] = {
    let mut table = [[0.0; 8]; 8];
    let mut l = 0;
    while l < 8 {
        let mut i = l;
        while i < 8 {
            table[l][i] = 1.0;
            i += 1;
        }
        l += 1;
    }
    table
};

#[inline(always)]
fn both_sides_body<V: Vector<f64>>(Block(d): Block, h: &Reflector) {
    let w = half_product::<V>(d, h);
    // SAFETY: dispatch chose V for this processor; d is a block that no other task uses, and the mask keeps the
    // zeros above the diagonal as they are.
    unsafe {
        for j in 0..WIDTH {
            let first = j / V::LANES * V::LANES;
            let column = d.add(j * STRIDE);
            let (vj, wj) = (V::splat(-h.v[j]), V::splat(-w[j]));
            let zero = V::splat(0.0);
            let mask = V::load(FROM_LANE[j - first].as_ptr());
            let change = V::load(h.v.as_ptr().add(first)).mul_add(wj, zero);
            let change = V::load(w.as_ptr().add(first)).mul_add(vj, change);
            change.mul_add(mask, V::load(column.add(first))).store(column.add(first));
            for at in (first + V::LANES..WIDTH).step_by(V::LANES) {
                let part = V::load(h.v.as_ptr().add(at)).mul_add(wj, V::load(column.add(at)));
                V::load(w.as_ptr().add(at)).mul_add(vj, part).store(column.add(at));
            }
        }
    }
}

/// w = x − ½ τ (xᵀv) v with x = τ D v, so that H D H = D − v wᵀ − w vᵀ.
#[inline(always)]
fn half_product<V: Vector<f64>>(d: *const f64, h: &Reflector) -> [f64; WIDTH] {
    let mut w = [0.0; WIDTH];
    let mut across = [0.0; WIDTH];
    // SAFETY: dispatch chose V for this processor; d is a block that no other task uses, zero just above the diagonal.
    unsafe {
        for j in 0..WIDTH {
            let column = d.add(j * STRIDE);
            let vj = V::splat(h.v[j]);
            let mut dot = V::splat(0.0);
            for at in (j / V::LANES * V::LANES..WIDTH).step_by(V::LANES) {
                let part = V::load(column.add(at));
                dot = part.mul_add(V::load(h.v.as_ptr().add(at)), dot);
                part.mul_add(vj, V::load(w.as_ptr().add(at))).store(w.as_mut_ptr().add(at));
            }
            // The diagonal entry is counted in the column's own sum.
            across[j] = sum(dot) - *column.add(j) * h.v[j];
        }
    }
    let mut inner = 0.0;
    for j in 0..WIDTH {
        w[j] = h.tau * (w[j] + across[j]);
        inner += w[j] * h.v[j];
    }
    let half = 0.5 * h.tau * inner;
    for j in 0..WIDTH {
        w[j] -= half * h.v[j];
    }
    w
}
