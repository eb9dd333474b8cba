//! The two number types that samples and tiles may have.

mod elementary;
mod trigonometry;
pub mod vector;

use vector::Registers;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A slice whose number type is known.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

/// A mutable slice whose number type is known.
#[derive(Debug)]
pub enum NumbersMut<'a> {
    /// Single precision.
    F32(&'a mut [f32]),
    /// Double precision.
    F64(&'a mut [f64]),
}

/// `f32` or `f64`. Solvers always work in f64; this is the type of samples, kernel tiles and stored Gram matrices.
pub trait Real:
    sealed::Sealed
    + Registers
    + Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + std::fmt::Debug
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Neg<Output = Self>
    + std::ops::AddAssign
    + 'static
{
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// The smallest positive normal number.
    const SMALLEST: Self;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The same value as f64.
    fn to_f64(self) -> f64;
    /// The nearest f32.
    fn to_f32(self) -> f32;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// `|self|`.
    fn abs(self) -> Self;
    /// The larger of two numbers.
    fn max(self, other: Self) -> Self;
    /// The smaller of two numbers.
    fn min(self, other: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// `self · a + b`; one rounding where `FUSED`, for code compiled with fused multiply-add.
    fn mul_add<const FUSED: bool>(self, a: Self, b: Self) -> Self;
    /// `e^self` without branches, so that a loop over it vectorises: within 1 unit in the last place and a half;
    /// results below the smallest normal number become 0.
    fn exp<const FUSED: bool>(self) -> Self;
    /// The hyperbolic tangent without branches, within a few units in the last place.
    fn tanh<const FUSED: bool>(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The logarithm to base 2 without branches, within a few units in the last place of the larger of itself and 1; numbers below
    /// the smallest normal one, 0 among them, count as that one.
    fn log2<const FUSED: bool>(self) -> Self;
    /// `self · log₂ self`, and 0 for 0.
    #[inline(always)]
    fn times_log2<const FUSED: bool>(self) -> Self {
        self * self.log2::<FUSED>()
    }
    /// The largest angle that [`Real::sin_cos`] takes.
    const WIDEST_ANGLE: Self;
    /// Sine and cosine without branches, with an error of at most two units in the last place of 1, for angles up to
    /// [`Real::WIDEST_ANGLE`].
    fn sin_cos<const FUSED: bool>(self) -> (Self, Self);
    /// Sine and cosine of any angle.
    fn any_sin_cos(self) -> (Self, Self);
    /// The slice as what it is.
    fn numbers(slice: &[Self]) -> Numbers<'_>;
    /// The slice as what it is.
    fn numbers_mut(slice: &mut [Self]) -> NumbersMut<'_>;
    /// A slice of f64 as a slice of this type, if this type is f64.
    fn same_mut(slice: &mut [f64]) -> Option<&mut [Self]>;
    /// A slice of f32 as a slice of this type, if this type is f32.
    fn same_single(slice: &mut [f32]) -> Option<&mut [Self]>;
}

macro_rules! real {
    ($type:ident, $kind:ident, $exp:path, $log2:path, $sin_cos:path, $widest:path, $same:expr, $single:expr) => {
        impl Real for $type {
            const NAME: &'static str = stringify!($type);
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = $type::EPSILON as f64;
            const SMALLEST: Self = $type::MIN_POSITIVE;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            #[allow(clippy::unnecessary_cast)] // of f32 to itself
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$type>::abs(self)
            }
            // Comparisons instead of the library's `max` and `min`, whose care for NaN keeps loops from vectorising.
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$type>::sqrt(self)
            }
            #[inline(always)]
            fn mul_add<const FUSED: bool>(self, a: Self, b: Self) -> Self {
                if FUSED { <$type>::mul_add(self, a, b) } else { self * a + b }
            }
            #[inline(always)]
            fn exp<const FUSED: bool>(self) -> Self {
                $exp(self)
            }
            #[inline(always)]
            fn tanh<const FUSED: bool>(self) -> Self {
                elementary::tanh::<Self, FUSED>(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                <$type>::ln(self)
            }
            #[inline(always)]
            fn log2<const FUSED: bool>(self) -> Self {
                $log2(self)
            }
            const WIDEST_ANGLE: Self = $widest;
            #[inline(always)]
            fn sin_cos<const FUSED: bool>(self) -> (Self, Self) {
                $sin_cos(self)
            }
            fn any_sin_cos(self) -> (Self, Self) {
                <$type>::sin_cos(self)
            }
            fn numbers(slice: &[Self]) -> Numbers<'_> {
                Numbers::$kind(slice)
            }
            fn numbers_mut(slice: &mut [Self]) -> NumbersMut<'_> {
                NumbersMut::$kind(slice)
            }
            fn same_mut(slice: &mut [f64]) -> Option<&mut [Self]> {
                let same: fn(&mut [f64]) -> Option<&mut [Self]> = $same;
                same(slice)
            }
            fn same_single(slice: &mut [f32]) -> Option<&mut [Self]> {
                let same: fn(&mut [f32]) -> Option<&mut [Self]> = $single;
                same(slice)
            }
        }
    };
}

real!(
    f32,
    F32,
    elementary::exp_f32::<FUSED>,
    elementary::log2_f32::<FUSED>,
    trigonometry::sin_cos_f32::<FUSED>,
    trigonometry::WIDEST_F32,
    |_| None,
    |slice| Some(slice)
);
real!(
    f64,
    F64,
    elementary::exp_f64::<FUSED>,
    elementary::log2_f64::<FUSED>,
    trigonometry::sin_cos_f64::<FUSED>,
    trigonometry::WIDEST_F64,
    |slice| Some(slice),
    |_| None
);
