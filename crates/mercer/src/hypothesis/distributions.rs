//! Upper tails of the Gamma distribution and of Student's t.

/// P(X ≥ x) of a Gamma distribution with this shape and scale.
pub(super) fn gamma_tail(x: f64, shape: f64, scale: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let x = x / scale;
    // The series converges fast below the mean, the continued fraction above.
    let tail = if x < shape + 1.0 { 1.0 - lower(shape, x) } else { upper(shape, x) };
    tail.clamp(0.0, 1.0)
}

/// P(X ≥ t) of Student's t with `freedom` degrees of freedom.
pub(super) fn student_tail(t: f64, freedom: f64) -> f64 {
    let share = freedom / (freedom + t * t);
    let both = incomplete_beta(0.5 * freedom, 0.5, share);
    if t >= 0.0 { 0.5 * both } else { 1.0 - 0.5 * both }
}

/// The most terms of a series or continued fraction.
const TERMS: usize = 10_000;
const TINY: f64 = 1e-300;

/// xᵃ e⁻ˣ / Γ(a).
fn front(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - ln_gamma(a)).exp()
}

/// The regularised lower incomplete gamma function by its series.
fn lower(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for i in 1..TERMS {
        term *= x / (a + i as f64);
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum * front(a, x)
}

/// The regularised upper incomplete gamma function by Lentz's continued fraction.
fn upper(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..TERMS {
        let i = i as f64;
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / away_from_zero(an * d + b);
        c = away_from_zero(b + an / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction * front(a, x)
}

fn away_from_zero(value: f64) -> f64 {
    if value.abs() < TINY { TINY } else { value }
}

/// The regularised incomplete beta function.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front.exp() * beta_fraction(a, b, x) / a,
        false => 1.0 - front.exp() * beta_fraction(b, a, 1.0 - x) / b,
    }
}

/// Its continued fraction, by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..TERMS {
        let m = m as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            fraction *= d * c;
        }
        if (fraction / before - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// Coefficients of Lanczos' approximation with g = 7.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// ln Γ(x) for x > 0.
fn ln_gamma(x: f64) -> f64 {
    if x < 0.5 {
        // Γ(x)·Γ(1 − x) = π / sin πx.
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let series = |sum: f64, (i, c): (usize, &f64)| sum + c / (x + i as f64);
    let sum = LANCZOS.iter().enumerate().skip(1).fold(LANCZOS[0], series);
    let t = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found} {expected}");
    }

    /// Values of scipy.stats.gamma.sf and scipy.stats.t.sf.
    #[test]
    fn tails_are_those_of_the_tables() {
        near(gamma_tail(3.0, 1.0, 1.0), (-3.0_f64).exp());
        near(gamma_tail(0.4, 2.0, 0.5), (-0.8_f64).exp() * 1.8);
        near(gamma_tail(60.0, 2.0, 1.0), (-60.0_f64).exp() * 61.0);
        assert_eq!(gamma_tail(-1.0, 2.0, 1.0), 1.0);
        // With one degree of freedom, t is Cauchy's; with two, it has a closed form.
        near(student_tail(1.0, 1.0), 0.25);
        near(student_tail(3.0, 1.0), 0.5 - 3.0_f64.atan() / std::f64::consts::PI);
        near(student_tail(2.0, 2.0), 0.5 - 2.0 / (2.0 * 6.0_f64.sqrt()));
        near(student_tail(-2.0, 2.0), 0.5 + 2.0 / (2.0 * 6.0_f64.sqrt()));
        // With many, it is normal: P(Z ≥ 1.959964) = 0.025.
        assert!((student_tail(1.959_963_984_540_054, 1e7) - 0.025).abs() < 1e-7);
    }

    #[test]
    fn the_gamma_function_is_the_factorial() {
        let mut factorial = 1.0;
        for n in 1..30 {
            assert!((ln_gamma(f64::from(n)) - f64::ln(factorial)).abs() < 1e-11, "{n}");
            factorial *= f64::from(n);
        }
        near(ln_gamma(0.25), 1.288_022_524_698_077_5);
    }
}
