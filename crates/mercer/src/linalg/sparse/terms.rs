//! What a feature that two samples share adds to their pairing.

use crate::linalg::inverted_index::Match;
use crate::real::Real;

/// What two numbers have in common: |x| + |y| − 2·overlap = |x − y|.
#[derive(Clone, Copy)]
pub(super) struct Overlap;

/// The smaller of two numbers that are not negative.
#[derive(Clone, Copy)]
pub(super) struct Smaller;

/// 2xy/(x + y): x + y − 2·that = (x − y)²/(x + y).
#[derive(Clone, Copy)]
pub(super) struct Harmonic;

/// ½[x·log₂((x + y)/x) + y·log₂((x + y)/y)].
#[derive(Clone, Copy)]
pub(super) struct Divergence;

impl Match for Overlap {
    #[inline(always)]
    fn term<T: Real, const FUSED: bool>(x: T, y: T) -> T {
        let smaller = x.abs().min(y.abs());
        if (x > T::ZERO) == (y > T::ZERO) { smaller } else { T::ZERO }
    }
}

impl Match for Smaller {
    #[inline(always)]
    fn term<T: Real, const FUSED: bool>(x: T, y: T) -> T {
        x.min(y)
    }
}

impl Match for Harmonic {
    #[inline(always)]
    fn term<T: Real, const FUSED: bool>(x: T, y: T) -> T {
        let product = x * y;
        (product + product) / (x + y)
    }
}

impl Match for Divergence {
    #[inline(always)]
    fn term<T: Real, const FUSED: bool>(x: T, y: T) -> T {
        let own = x.times_log2::<FUSED>() + y.times_log2::<FUSED>();
        T::from_f64(0.5) * ((x + y).times_log2::<FUSED>() - own)
    }
}
