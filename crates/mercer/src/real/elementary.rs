//! exp, log2 and tanh written without branches or table look-ups, so that the compiler turns a loop over them into vector
//! code. A library's exp is a call per number and costs ten times as much.

use super::Real;

/// 1/k! for k = 0 … 13.
const INVERSE_FACTORIALS: [f64; 14] = [
    1.0,
    1.0,
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40320.0,
    1.0 / 362880.0,
    1.0 / 3628800.0,
    1.0 / 39916800.0,
    1.0 / 479001600.0,
    1.0 / 6227020800.0,
];

// exp(x) = 2^m · e^r with m = round(x / ln 2) and |r| ≤ ln 2 / 2. Adding 1.5·2^52 rounds to an integer and leaves it in
// the low bits, from which a shift makes the exponent of 2^m. ln 2 is split in two so that r keeps all its digits.
#[inline(always)]
pub(super) fn exp_f64<const FUSED: bool>(x: f64) -> f64 {
    const ROUND: f64 = 6755399441055744.0;
    // The high part has its last 21 bits zero, so that m · LN2_HIGH is exact.
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const LOWEST: f64 = -708.396_418_532_264_1;
    const HIGHEST: f64 = 709.436_139_303_103_6;
    let fma = |a: f64, b: f64, c: f64| Real::mul_add::<FUSED>(a, b, c);

    let clamped = Real::min(Real::max(x, LOWEST), HIGHEST);
    let shifted = fma(clamped, std::f64::consts::LOG2_E, ROUND);
    let m = shifted - ROUND;
    let r = fma(m, -LN2_LOW, fma(m, -LN2_HIGH, clamped));
    let mut p = INVERSE_FACTORIALS[13];
    for k in (0..13).rev() {
        p = fma(p, r, INVERSE_FACTORIALS[k]);
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let result = p * power;
    let result = if x < LOWEST { 0.0 } else { result };
    if x > HIGHEST { x * f64::MAX } else { result }
}

#[inline(always)]
pub(super) fn exp_f32<const FUSED: bool>(x: f32) -> f32 {
    const ROUND: f32 = 12582912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const LOWEST: f32 = -87.336_54;
    const HIGHEST: f32 = 88.376_26;
    let fma = |a: f32, b: f32, c: f32| Real::mul_add::<FUSED>(a, b, c);

    let clamped = Real::min(Real::max(x, LOWEST), HIGHEST);
    let shifted = fma(clamped, std::f32::consts::LOG2_E, ROUND);
    let m = shifted - ROUND;
    let r = fma(m, -LN2_LOW, fma(m, -LN2_HIGH, clamped));
    let mut p = INVERSE_FACTORIALS[7] as f32;
    for k in (0..7).rev() {
        p = fma(p, r, INVERSE_FACTORIALS[k] as f32);
    }
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    let result = p * power;
    let result = if x < LOWEST { 0.0 } else { result };
    if x > HIGHEST { x * f32::MAX } else { result }
}

// log2(x) = e + log2(m) with √½ ≤ m < √2: subtracting the bits of √½ leaves e in the upper bits. Then log2(m) is twice the inverse
// hyperbolic tangent of s = (m − 1)/(m + 1), over ln 2: s + s³/3 + s⁵/5 + … with |s| < 0.172. Adding 1.5·2^52 to e's bits makes it a
// number.
#[inline(always)]
pub(super) fn log2_f64<const FUSED: bool>(x: f64) -> f64 {
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    const ROUND: f64 = 6755399441055744.0;
    let bits = Real::max(x, f64::MIN_POSITIVE).to_bits();
    let e = (bits.wrapping_sub(ROOT) as i64 >> 52) as u64;
    let m = f64::from_bits(bits.wrapping_sub(e << 52));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut p = 1.0 / 21.0;
    for k in (0..10).rev() {
        p = Real::mul_add::<FUSED>(p, square, 1.0 / f64::from(2 * k + 1));
    }
    let exponent = f64::from_bits(ROUND.to_bits().wrapping_add(e)) - ROUND;
    Real::mul_add::<FUSED>(s * p, 2.0 * std::f64::consts::LOG2_E, exponent)
}

#[inline(always)]
pub(super) fn log2_f32<const FUSED: bool>(x: f32) -> f32 {
    const ROOT: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    const ROUND: f32 = 12582912.0;
    let bits = Real::max(x, f32::MIN_POSITIVE).to_bits();
    let e = (bits.wrapping_sub(ROOT) as i32 >> 23) as u32;
    let m = f32::from_bits(bits.wrapping_sub(e << 23));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut p = 1.0 / 11.0;
    for k in (0..5).rev() {
        p = Real::mul_add::<FUSED>(p, square, 1.0 / (2 * k + 1) as f32);
    }
    let exponent = f32::from_bits(ROUND.to_bits().wrapping_add(e)) - ROUND;
    Real::mul_add::<FUSED>(s * p, 2.0 * std::f32::consts::LOG2_E, exponent)
}

/// tanh(x) = x·P(x²) by its series near 0, where the other form would cancel, and 1 − 2/(e^{2x}+1) beyond.
#[inline(always)]
pub(super) fn tanh<T: Real, const FUSED: bool>(x: T) -> T {
    // Coefficients of x^3, x^5, … x^17 in the series of tanh.
    const SERIES: [f64; 8] = [
        -1.0 / 3.0,
        2.0 / 15.0,
        -17.0 / 315.0,
        62.0 / 2835.0,
        -1382.0 / 155925.0,
        21844.0 / 6081075.0,
        -929569.0 / 638512875.0,
        6404582.0 / 10854718875.0,
    ];
    let square = x * x;
    let mut p = T::from_f64(SERIES[7]);
    for k in (0..7).rev() {
        p = p.mul_add::<FUSED>(square, T::from_f64(SERIES[k]));
    }
    let near = x + x * square * p;
    // Beyond 20 the answer is 1 to the last digit; the bound keeps exp from overflowing.
    let double = (x + x).min(T::from_f64(40.0));
    let far = T::ONE - T::from_f64(2.0) / (double.exp::<FUSED>() + T::ONE);
    if x.abs() < T::from_f64(0.15) { near } else { far }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative_error(got: f64, want: f64) -> f64 {
        (got - want).abs() / want.abs().max(f64::MIN_POSITIVE)
    }

    #[test]
    fn exp_matches_the_standard_library() {
        let steps = 200_000;
        for i in 0..=steps {
            let x = -708.0 + 1417.0 * f64::from(i) / f64::from(steps);
            assert!(relative_error(exp_f64::<true>(x), x.exp()) < 4e-16, "x = {x}");
            assert!(relative_error(exp_f64::<false>(x), x.exp()) < 6e-16, "x = {x}");
            let y = (x / 8.2) as f32;
            let want = f64::from(y).exp();
            assert!(relative_error(f64::from(exp_f32::<true>(y)), want) < 2e-7, "y = {y}");
            assert!(relative_error(f64::from(exp_f32::<false>(y)), want) < 3e-7, "y = {y}");
        }
    }

    #[test]
    fn exp_at_the_ends() {
        assert_eq!(exp_f64::<true>(0.0), 1.0);
        assert_eq!(exp_f64::<true>(-1e308), 0.0);
        assert_eq!(exp_f64::<true>(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp_f64::<true>(1e308), f64::INFINITY);
        assert_eq!(exp_f32::<true>(0.0), 1.0);
        assert_eq!(exp_f32::<true>(-1e38), 0.0);
        assert_eq!(exp_f32::<true>(1e38), f32::INFINITY);
    }

    #[test]
    fn log2_matches_the_standard_library() {
        for i in -200_000..=200_000 {
            let x = (f64::from(i) * 0.0035).exp();
            let error = |got: f64, want: f64| (got - want).abs() / want.abs().max(1.0);
            assert!(error(log2_f64::<true>(x), x.log2()) < 4e-16, "x = {x}");
            assert!(error(log2_f64::<false>(x), x.log2()) < 5e-16, "x = {x}");
            let y = (f64::from(i) * 0.0004).exp() as f32;
            let want = f64::from(y).log2();
            assert!(error(f64::from(log2_f32::<true>(y)), want) < 2e-7, "y = {y}");
            assert!(error(f64::from(log2_f32::<false>(y)), want) < 3e-7, "y = {y}");
        }
        assert_eq!((log2_f64::<true>(1.0), log2_f64::<true>(8.0)), (0.0, 3.0));
        assert_eq!((log2_f64::<true>(0.0), log2_f32::<true>(0.0)), (-1022.0, -126.0));
        assert_eq!(0.0_f64.times_log2::<true>(), 0.0);
    }

    #[test]
    fn tanh_matches_the_standard_library() {
        for i in -40_000..=40_000 {
            let x = f64::from(i) / 1000.0;
            let error = (tanh::<f64, true>(x) - x.tanh()).abs();
            assert!(error <= 3e-15 * x.tanh().abs(), "x = {x}: {error}");
        }
        assert_eq!(tanh::<f64, true>(1e300), 1.0);
        assert_eq!(tanh::<f64, true>(-1e300), -1.0);
    }
}
