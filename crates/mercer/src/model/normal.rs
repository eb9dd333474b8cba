//! Quantiles of the normal distribution.

/// Coefficients of Acklam's rational approximation: in the middle, and beyond the quantile of 0.97575. Its relative error is below 1.2e-9.
const MIDDLE: [f64; 6] = [
    -3.969_683_028_665_376e1,
    2.209_460_984_245_205e2,
    -2.759_285_104_469_687e2,
    1.383_577_518_672_69e2,
    -3.066_479_806_614_716e1,
    2.506_628_277_459_239,
];
const MIDDLE_BELOW: [f64; 6] = [
    -5.447_609_879_822_406e1,
    1.615_858_368_580_409e2,
    -1.556_989_798_598_866e2,
    6.680_131_188_771_972e1,
    -1.328_068_155_288_572e1,
    1.0,
];
const TAIL: [f64; 6] = [
    -7.784_894_002_430_293e-3,
    -3.223_964_580_411_365e-1,
    -2.400_758_277_161_838,
    -2.549_732_539_343_734,
    4.374_664_141_464_968,
    2.938_163_982_698_783,
];
const TAIL_BELOW: [f64; 5] = [
    7.784_695_709_041_462e-3,
    3.224_671_290_700_398e-1,
    2.445_134_137_142_996,
    3.754_408_661_907_416,
    1.0,
];

/// How many standard deviations an interval around the mean reaches to both sides, so that it has the probability `level`, between
/// 0 and 1.
pub(super) fn reach(level: f64) -> f64 {
    let above = (1.0 - level) / 2.0;
    if above < 0.02425 {
        let q = (-2.0 * above.ln()).sqrt();
        return -polynomial(&TAIL, q) / polynomial(&TAIL_BELOW, q);
    }
    let q = level / 2.0;
    q * polynomial(&MIDDLE, q * q) / polynomial(&MIDDLE_BELOW, q * q)
}

/// The highest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaches_are_those_of_the_tables() {
        let known = [
            (0.5, 0.674_489_750_196_081_7),
            (0.9, 1.644_853_626_951_472_2),
            (0.95, 1.959_963_984_540_054),
            (0.99, 2.575_829_303_548_900_4),
            (0.999, 3.290_526_731_491_893),
        ];
        for (level, expected) in known {
            assert!((reach(level) - expected).abs() < 1e-8 * expected, "{level}: {}", reach(level));
        }
    }
}
