//! Sine and cosine together, written without branches or table look-ups, so that the compiler turns a loop over them into vector
//! code.
//!
//! x = m·π/2 + r with a whole number m and |r| ≤ π/4. π/2 is split into parts whose products with m are exact, so that r keeps its
//! digits up to [`WIDEST_F64`] and [`WIDEST_F32`]; m mod 4 says which of ±sin r, ±cos r is meant. Beyond that range callers use the
//! standard library's functions, which reduce any number.

use super::Real;

/// The largest angle for [`sin_cos_f64`]: m has 20 bits, the parts of π/2 have 33.
pub(super) const WIDEST_F64: f64 = 1e6;
/// The largest angle for [`sin_cos_f32`]: m has 13 bits, the first parts of π/2 have at most 11.
pub(super) const WIDEST_F32: f32 = 8192.0;

// Adding 1.5·2^52 rounds to an integer and leaves it in the low bits. The polynomials are those of fdlibm, by Sun Microsystems.
#[inline(always)]
pub(super) fn sin_cos_f64<const FUSED: bool>(x: f64) -> (f64, f64) {
    const ROUND: f64 = 6755399441055744.0;
    const HALF_PI: [f64; 3] = [
        f64::from_bits(0x3FF9_21FB_5440_0000),
        f64::from_bits(0x3DD0_B461_1A60_0000),
        f64::from_bits(0x3BA3_198A_2E00_0000),
    ];
    const SINE: [f64; 6] = [
        -1.666_666_666_666_663_2e-1,
        8.333_333_333_322_49e-3,
        -1.984_126_982_985_795e-4,
        2.755_731_370_707_006_8e-6,
        -2.505_076_025_340_686_4e-8,
        1.589_690_995_211_55e-10,
    ];
    const COSINE: [f64; 6] = [
        4.166_666_666_666_66e-2,
        -1.388_888_888_887_411e-3,
        2.480_158_728_947_673e-5,
        -2.755_731_435_139_066_3e-7,
        2.087_572_321_298_175e-9,
        -1.135_964_755_778_819_5e-11,
    ];
    let fma = |a: f64, b: f64, c: f64| Real::mul_add::<FUSED>(a, b, c);

    let shifted = fma(x, std::f64::consts::FRAC_2_PI, ROUND);
    let m = shifted - ROUND;
    let r = fma(m, -HALF_PI[2], fma(m, -HALF_PI[1], fma(m, -HALF_PI[0], x)));
    let square = r * r;
    let (mut sine, mut cosine) = (SINE[5], COSINE[5]);
    for k in (0..5).rev() {
        sine = fma(sine, square, SINE[k]);
        cosine = fma(cosine, square, COSINE[k]);
    }
    let sine = fma(r * square, sine, r);
    let cosine = fma(square * square, cosine, fma(square, -0.5, 1.0));
    let quarter = shifted.to_bits();
    let turned = quarter & 1 == 1;
    let (first, second) = if turned { (cosine, sine) } else { (sine, cosine) };
    let flip = |value: f64, bits: u64| f64::from_bits(value.to_bits() ^ ((bits & 2) << 62));
    (flip(first, quarter), flip(second, quarter.wrapping_add(1)))
}

#[inline(always)]
pub(super) fn sin_cos_f32<const FUSED: bool>(x: f32) -> (f32, f32) {
    const ROUND: f32 = 12582912.0;
    const HALF_PI: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];
    const SINE: [f32; 3] = [-1.666_665_5e-1, 8.332_161e-3, -1.951_529_6e-4];
    const COSINE: [f32; 3] = [4.166_664_6e-2, -1.388_731_6e-3, 2.443_315_7e-5];
    let fma = |a: f32, b: f32, c: f32| Real::mul_add::<FUSED>(a, b, c);

    let shifted = fma(x, std::f32::consts::FRAC_2_PI, ROUND);
    let m = shifted - ROUND;
    let r = fma(m, -HALF_PI[2], fma(m, -HALF_PI[1], fma(m, -HALF_PI[0], x)));
    let square = r * r;
    let (mut sine, mut cosine) = (SINE[2], COSINE[2]);
    for k in (0..2).rev() {
        sine = fma(sine, square, SINE[k]);
        cosine = fma(cosine, square, COSINE[k]);
    }
    let sine = fma(r * square, sine, r);
    let cosine = fma(square * square, cosine, fma(square, -0.5, 1.0));
    let quarter = shifted.to_bits();
    let turned = quarter & 1 == 1;
    let (first, second) = if turned { (cosine, sine) } else { (sine, cosine) };
    let flip = |value: f32, bits: u32| f32::from_bits(value.to_bits() ^ ((bits & 2) << 30));
    (flip(first, quarter), flip(second, quarter.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Angles of every size up to `widest`, of both signs, and those next to multiples of π/2, where digits cancel.
    fn angles(widest: f64) -> Vec<f64> {
        let steps = 100_000;
        let even = (-steps..=steps).map(|i| widest * f64::from(i) / f64::from(steps));
        let grown = (0..steps).map(|i| (f64::from(i) * 0.0007).exp() * 1e-25);
        let quarters = (0..20_000).map(|i| f64::from(i * 31) * std::f64::consts::FRAC_PI_2);
        let mut all: Vec<f64> = even.chain(grown).chain(quarters).collect();
        all.retain(|x| x.abs() <= widest);
        all
    }

    fn check_f64<const FUSED: bool>() {
        for x in angles(WIDEST_F64) {
            let (sine, cosine) = sin_cos_f64::<FUSED>(x);
            assert!((sine - x.sin()).abs() < 4e-16, "sin {x}");
            assert!((cosine - x.cos()).abs() < 4e-16, "cos {x}");
        }
    }

    fn check_f32<const FUSED: bool>() {
        for x in angles(f64::from(WIDEST_F32)) {
            let x = x as f32;
            let (sine, cosine) = sin_cos_f32::<FUSED>(x);
            let (sine_error, cosine_error) =
                (f64::from(sine) - f64::from(x).sin(), f64::from(cosine) - f64::from(x).cos());
            assert!(sine_error.abs() < 1.5e-7, "sin {x}: {sine_error}");
            assert!(cosine_error.abs() < 1.5e-7, "cos {x}: {cosine_error}");
        }
    }

    #[test]
    fn sine_and_cosine_match_the_standard_library() {
        check_f64::<true>();
        check_f64::<false>();
        check_f32::<true>();
        check_f32::<false>();
    }

    #[test]
    fn small_angles_keep_their_digits() {
        for x in [0.0, 1e-300, -1e-20, 1e-9] {
            assert_eq!(sin_cos_f64::<true>(x), (x, 1.0));
        }
        assert_eq!(sin_cos_f32::<true>(-1e-20), (-1e-20, 1.0));
    }
}
