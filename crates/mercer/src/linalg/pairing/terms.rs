//! What one feature adds to the pairing of two samples.

use crate::real::Real;
use crate::real::vector::Vector;

/// One term of a sum over features.
pub(super) trait Term: Copy {
    /// `sum` plus the term of `x` and `y`.
    ///
    /// # Safety
    /// That of [`Vector`].
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V;
}

#[derive(Clone, Copy)]
pub(super) struct Product;
#[derive(Clone, Copy)]
pub(super) struct SquaredDifference;
#[derive(Clone, Copy)]
pub(super) struct AbsoluteDifference;
#[derive(Clone, Copy)]
pub(super) struct Smaller;
/// xy/(x + y), half the harmonic mean.
#[derive(Clone, Copy)]
pub(super) struct HalfHarmonic;
/// (x − y)²/(x + y).
#[derive(Clone, Copy)]
pub(super) struct ChiSquare;
/// min(1, |x − y|).
#[derive(Clone, Copy)]
pub(super) struct CappedDifference;
/// 1 where x and y differ.
#[derive(Clone, Copy)]
pub(super) struct Mismatch;

impl Term for Product {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe { x.mul_add(y, sum) }
    }
}

impl Term for SquaredDifference {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe {
            let difference = x.sub(y);
            difference.mul_add(difference, sum)
        }
    }
}

impl Term for AbsoluteDifference {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe { x.sub(y).abs().add(sum) }
    }
}

impl Term for Smaller {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe { x.min(y).add(sum) }
    }
}

impl Term for HalfHarmonic {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises. Of two zeros the reciprocal is finite, so that their term is 0.
        unsafe { x.mul(y).mul_add(x.add(y).reciprocal(), sum) }
    }
}

impl Term for ChiSquare {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises. Of two zeros the reciprocal is finite, so that their term is 0; the difference is not
        // squared first, which could underflow.
        unsafe {
            let difference = x.sub(y);
            difference.mul(x.add(y).reciprocal()).mul_add(difference, sum)
        }
    }
}

impl Term for CappedDifference {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe { x.sub(y).abs().min(V::splat(T::ONE)).add(sum) }
    }
}

impl Term for Mismatch {
    #[inline(always)]
    unsafe fn add<T: Real, V: Vector<T>>(x: V, y: V, sum: V) -> V {
        // SAFETY: as the caller promises.
        unsafe {
            let one = V::splat(T::ONE);
            one.sub(one.where_equal(x, y)).add(sum)
        }
    }
}
