//! Which eigenvalues of a matrix of kernel values are zero, and which negative ones are real. One judgement for all: what
//! one part of the library calls a kernel, no other calls indefinite.
//!
//! Kernel values carry relative errors of a few hundred ε at worst, an error matrix E with ‖E‖ ≤ ‖E‖_F ≲ 10³ε·√n·‖K‖.
//! Negative eigenvalues are therefore treated generously. Positive ones are taken for zero only where they are lost in
//! rounding by any measure, for a component left out by mistake is a wrong answer too.

/// Negative eigenvalues down to minus this share of ‖K‖ may be rounding errors, for an n × n matrix of numbers with
/// relative errors `epsilon`.
pub fn negative_share(epsilon: f64, n: usize) -> f64 {
    (1e3 * epsilon).max(1e-11) * (n as f64).sqrt()
}

/// Positive eigenvalues up to this share of the largest are zero. Never above [`negative_share`].
pub fn zero_share(epsilon: f64) -> f64 {
    if epsilon < 1e-10 { 1e-12 } else { 2e-7 }
}

/// Eigenvalues that rounding errors alone may give a matrix of n × n numbers of at most this size.
pub fn rounding(epsilon: f64, n: usize, largest_entry: f64) -> f64 {
    epsilon * (n as f64).sqrt() * largest_entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_negative_is_never_zero() {
        for epsilon in [f64::from(f32::EPSILON), f64::EPSILON] {
            for n in [1, 10, 1000, 100_000] {
                assert!(zero_share(epsilon) <= negative_share(epsilon, n));
                assert!(rounding(epsilon, n, 1.0) <= negative_share(epsilon, n));
            }
        }
    }
}
