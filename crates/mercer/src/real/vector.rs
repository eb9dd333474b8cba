//! Vector registers: a few numbers that one instruction works on.
//!
//! The compiler vectorises plain elementwise loops by itself, but not loops that keep a block of sums in registers:
//! there it spills. Those loops are written over this trait, once, and instantiated per register type.

#![allow(unsafe_code)]

use super::Real;

/// A register (or a fixed group of registers) of `LANES` numbers.
///
/// # Safety
/// Every method may be called only in code compiled for, and running on, a processor that has the register type's
/// instructions; `load` and `store` need `LANES` readable or writable numbers at the pointer.
#[allow(clippy::missing_safety_doc)] // one contract for all methods, above
pub trait Vector<T>: Copy {
    /// Numbers held.
    const LANES: usize;
    /// The numbers from `p` on.
    unsafe fn load(p: *const T) -> Self;
    /// Writes the numbers from `p` on.
    unsafe fn store(self, p: *mut T);
    /// `LANES` copies of a number.
    unsafe fn splat(x: T) -> Self;
    /// `self + other`
    unsafe fn add(self, other: Self) -> Self;
    /// `self − other`
    unsafe fn sub(self, other: Self) -> Self;
    /// `self · a + b`
    unsafe fn mul_add(self, a: Self, b: Self) -> Self;
    /// `|self|`
    unsafe fn abs(self) -> Self;
    /// `self · other`
    unsafe fn mul(self, other: Self) -> Self;
    /// The smaller of each two.
    unsafe fn min(self, other: Self) -> Self;
    /// `1 / self` within a unit in the last place, for numbers from the smallest normal one on; those below it, 0 among them, count as
    /// that one.
    unsafe fn reciprocal(self) -> Self;
    /// `self` where `a` and `b` are equal, 0 elsewhere.
    unsafe fn where_equal(self, a: Self, b: Self) -> Self;
}

/// Asks for the cache line at `p`, which will be needed soon; any address will do.
#[inline(always)]
pub fn prefetch<T>(p: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint that never faults, and every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = p;
}

/// Two registers used as one of twice the width.
#[derive(Clone, Copy)]
pub struct Pair<V>(V, V);

impl<T, V: Vector<T>> Vector<T> for Pair<V> {
    const LANES: usize = 2 * V::LANES;
    #[inline(always)]
    unsafe fn load(p: *const T) -> Self {
        // SAFETY: the caller promises the processor of V and 2 · LANES of V readable numbers: LANES for each half.
        unsafe { Self(V::load(p), V::load(p.add(V::LANES))) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut T) {
        // SAFETY: the caller promises the processor of V and 2 · LANES of V writable numbers: LANES for each half.
        unsafe {
            self.0.store(p);
            self.1.store(p.add(V::LANES));
        }
    }
    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe {
            let half = V::splat(x);
            Self(half, half)
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.add(other.0), self.1.add(other.1)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.sub(other.0), self.1.sub(other.1)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.mul_add(a.0, b.0), self.1.mul_add(a.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.abs(), self.1.abs()) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.mul(other.0), self.1.mul(other.1)) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.min(other.0), self.1.min(other.1)) }
    }
    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.reciprocal(), self.1.reciprocal()) }
    }
    #[inline(always)]
    unsafe fn where_equal(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller promises the processor of V.
        unsafe { Self(self.0.where_equal(a.0, b.0), self.1.where_equal(a.1, b.1)) }
    }
}

/// `N` numbers that the compiler spreads over whatever registers the target always has.
#[derive(Clone, Copy)]
pub struct Plain<T, const N: usize>([T; N]);

/// Whether plain registers have fused multiply-add.
pub const BASE_FUSED: bool = cfg!(target_arch = "aarch64");

impl<T: Real, const N: usize> Vector<T> for Plain<T, N> {
    const LANES: usize = N;
    #[inline(always)]
    unsafe fn load(p: *const T) -> Self {
        // SAFETY: the caller promises N readable numbers; they may lie at any address.
        unsafe { Self(p.cast::<[T; N]>().read_unaligned()) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut T) {
        // SAFETY: the caller promises N writable numbers; they may lie at any address.
        unsafe { p.cast::<[T; N]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
    #[inline(always)]
    unsafe fn mul_add(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].mul_add::<BASE_FUSED>(a.0[i], b.0[i])))
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].abs()))
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * other.0[i]))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].min(other.0[i])))
    }
    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        Self(std::array::from_fn(|i| T::ONE / self.0[i].max(T::SMALLEST)))
    }
    #[inline(always)]
    unsafe fn where_equal(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| if a.0[i] == b.0[i] { self.0[i] } else { T::ZERO }))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    macro_rules! register {
        ($register:ty, $number:ty, $lanes:literal, $load:ident, $store:ident, $splat:ident, $add:ident,
         $sub:ident, $fma:ident, $mul:ident, $min:ident, $max:ident, |$x:ident| $abs:expr, |$y:ident| $reciprocal:expr,
         |$z:ident, $a:ident, $b:ident| $equal:expr) => {
            impl Vector<$number> for $register {
                const LANES: usize = $lanes;
                #[inline(always)]
                unsafe fn load(p: *const $number) -> Self {
                    // SAFETY: the caller promises a processor with this register, and LANES readable numbers.
                    unsafe { $load(p) }
                }
                #[inline(always)]
                unsafe fn store(self, p: *mut $number) {
                    // SAFETY: the caller promises a processor with this register, and LANES writable numbers.
                    unsafe { $store(p, self) }
                }
                #[inline(always)]
                unsafe fn splat(x: $number) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $splat(x) }
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $add(self, other) }
                }
                #[inline(always)]
                unsafe fn sub(self, other: Self) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $sub(self, other) }
                }
                #[inline(always)]
                unsafe fn mul_add(self, a: Self, b: Self) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $fma(self, a, b) }
                }
                #[inline(always)]
                unsafe fn abs(self) -> Self {
                    let $x = self;
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $abs }
                }
                #[inline(always)]
                unsafe fn mul(self, other: Self) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $mul(self, other) }
                }
                #[inline(always)]
                unsafe fn min(self, other: Self) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $min(self, other) }
                }
                #[inline(always)]
                unsafe fn reciprocal(self) -> Self {
                    // SAFETY: the caller promises a processor with this register.
                    unsafe {
                        let $y = $max(self, $splat(<$number>::MIN_POSITIVE));
                        $reciprocal
                    }
                }
                #[inline(always)]
                unsafe fn where_equal(self, $a: Self, $b: Self) -> Self {
                    let $z = self;
                    // SAFETY: the caller promises a processor with this register.
                    unsafe { $equal }
                }
            }
        };
    }

    register!(
        __m512d,
        f64,
        8,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_fmadd_pd,
        _mm512_mul_pd,
        _mm512_min_pd,
        _mm512_max_pd,
        |x| _mm512_abs_pd(x),
        // Two steps of Newton's method make 14 digits 28 and then 56; a division takes twice as long.
        |y| {
            let guess = _mm512_rcp14_pd(y);
            let error = _mm512_fnmadd_pd(y, guess, _mm512_set1_pd(1.0));
            let near = _mm512_fmadd_pd(guess, error, guess);
            let error = _mm512_fnmadd_pd(y, near, _mm512_set1_pd(1.0));
            _mm512_fmadd_pd(near, error, near)
        },
        |x, a, b| _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b), x)
    );
    register!(
        __m512,
        f32,
        16,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_fmadd_ps,
        _mm512_mul_ps,
        _mm512_min_ps,
        _mm512_max_ps,
        |x| _mm512_abs_ps(x),
        |y| {
            let guess = _mm512_rcp14_ps(y);
            let error = _mm512_fnmadd_ps(y, guess, _mm512_set1_ps(1.0));
            _mm512_fmadd_ps(guess, error, guess)
        },
        |x, a, b| _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b), x)
    );
    register!(
        __m256d,
        f64,
        4,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_fmadd_pd,
        _mm256_mul_pd,
        _mm256_min_pd,
        _mm256_max_pd,
        |x| _mm256_andnot_pd(_mm256_set1_pd(-0.0), x),
        |y| _mm256_div_pd(_mm256_set1_pd(1.0), y),
        |x, a, b| _mm256_and_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(a, b), x)
    );
    register!(
        __m256,
        f32,
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_fmadd_ps,
        _mm256_mul_ps,
        _mm256_min_ps,
        _mm256_max_ps,
        |x| _mm256_andnot_ps(_mm256_set1_ps(-0.0), x),
        |y| _mm256_div_ps(_mm256_set1_ps(1.0), y),
        |x, a, b| _mm256_and_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b), x)
    );
}

/// The register types of a number type. `Lane…` hold exactly 16 numbers each.
pub trait Registers: Sized {
    /// 512 bits wide, or plain numbers where the target has no such register.
    type Wide: Vector<Self>;
    /// 256 bits wide, or plain numbers.
    type Mid: Vector<Self>;
    /// What the target always has.
    type Base: Vector<Self>;
    /// 16 numbers in 512-bit registers.
    type LaneWide: Vector<Self>;
    /// 16 numbers in 256-bit registers.
    type LaneMid: Vector<Self>;
    /// 16 numbers in the registers the target always has.
    type LaneBase: Vector<Self>;
}

#[cfg(target_arch = "x86_64")]
impl Registers for f64 {
    type Wide = std::arch::x86_64::__m512d;
    type Mid = std::arch::x86_64::__m256d;
    type Base = Plain<f64, 2>;
    type LaneWide = Pair<Self::Wide>;
    type LaneMid = Pair<Pair<Self::Mid>>;
    type LaneBase = Plain<f64, 16>;
}

#[cfg(target_arch = "x86_64")]
impl Registers for f32 {
    type Wide = std::arch::x86_64::__m512;
    type Mid = std::arch::x86_64::__m256;
    type Base = Plain<f32, 4>;
    type LaneWide = Self::Wide;
    type LaneMid = Pair<Self::Mid>;
    type LaneBase = Plain<f32, 16>;
}

#[cfg(not(target_arch = "x86_64"))]
impl Registers for f64 {
    type Wide = Plain<f64, 4>;
    type Mid = Plain<f64, 4>;
    type Base = Plain<f64, 4>;
    type LaneWide = Plain<f64, 16>;
    type LaneMid = Plain<f64, 16>;
    type LaneBase = Plain<f64, 16>;
}

#[cfg(not(target_arch = "x86_64"))]
impl Registers for f32 {
    type Wide = Plain<f32, 8>;
    type Mid = Plain<f32, 8>;
    type Base = Plain<f32, 8>;
    type LaneWide = Plain<f32, 16>;
    type LaneMid = Plain<f32, 16>;
    type LaneBase = Plain<f32, 16>;
}
