//! Kernel matrices around their means in twice double precision: what is left when everything that the values have in common is
//! taken off has nearly all its digits, wherever the samples are.

use std::ops::{Add, Mul, Neg, Sub};

/// A number as a sum of two, the second below the last digit of the first.
#[derive(Clone, Copy, Debug)]
pub struct Twice(pub f64, pub f64);

fn two_sum(a: f64, b: f64) -> Twice {
    let sum = a + b;
    let of_b = sum - a;
    Twice(sum, (a - (sum - of_b)) + (b - of_b))
}

impl From<f64> for Twice {
    fn from(v: f64) -> Self {
        Twice(v, 0.0)
    }
}

impl Add for Twice {
    type Output = Twice;
    fn add(self, other: Twice) -> Twice {
        let high = two_sum(self.0, other.0);
        let low = two_sum(self.1, other.1);
        let sum = two_sum(high.0, high.1 + low.0);
        two_sum(sum.0, sum.1 + low.1)
    }
}

impl Neg for Twice {
    type Output = Twice;
    fn neg(self) -> Twice {
        Twice(-self.0, -self.1)
    }
}

impl Sub for Twice {
    type Output = Twice;
    fn sub(self, other: Twice) -> Twice {
        self + -other
    }
}

impl Mul for Twice {
    type Output = Twice;
    fn mul(self, other: Twice) -> Twice {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product);
        two_sum(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
}

/// A kernel of the test.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    Linear,
    Poly { degree: i32, gamma: f64, coef0: f64 },
    Rbf { gamma: f64 },
}

impl Family {
    pub fn text(self) -> String {
        match self {
            Family::Linear => "linear".into(),
            Family::Poly { degree, gamma, coef0 } => {
                format!("poly(degree={degree}, gamma={gamma:e}, coef0={coef0})")
            }
            Family::Rbf { gamma } => format!("rbf(gamma={gamma:e})"),
        }
    }

    /// The value for two samples; of RBF, less 1.
    fn value(self, x: &[f64], y: &[f64]) -> Twice {
        let zero = Twice::from(0.0);
        let dot = || {
            let each = x.iter().zip(y).map(|(a, b)| Twice::from(*a) * Twice::from(*b));
            each.fold(zero, |sum, v| sum + v)
        };
        match self {
            Family::Linear => dot(),
            Family::Poly { degree, gamma, coef0 } => {
                let base = Twice::from(gamma) * dot() + Twice::from(coef0);
                (1..degree).fold(base, |power, _| power * base)
            }
            Family::Rbf { gamma } => {
                let square = |(a, b): (&f64, &f64)| {
                    let difference = Twice::from(*a) - Twice::from(*b);
                    difference * difference
                };
                let distance = x.iter().zip(y).map(square).fold(zero, |sum, v| sum + v);
                Twice::from((-gamma * (distance.0 + distance.1)).exp_m1())
            }
        }
    }
}

/// K = K' + u1ᵀ + 1uᵀ.
pub struct Exact {
    /// K', n × n.
    pub centred: Vec<f64>,
    pub u: Vec<f64>,
}

/// The matrix of samples, n × d.
pub fn exact(family: Family, x: &[f64], d: usize) -> Exact {
    let rows: Vec<&[f64]> = x.chunks_exact(d).collect();
    let n = rows.len();
    let share = Twice::from(1.0 / n as f64);
    let values: Vec<Twice> =
        rows.iter().flat_map(|x| rows.iter().map(move |y| family.value(x, y))).collect();
    let mean = |line: &[Twice]| line.iter().fold(Twice::from(0.0), |sum, v| sum + *v) * share;
    let means: Vec<Twice> = values.chunks_exact(n).map(mean).collect();
    let half = mean(&means) * Twice::from(0.5);
    let taken: Vec<Twice> = means.iter().map(|m| *m - half).collect();
    let left = |(at, v): (usize, &Twice)| {
        let rest = *v - taken[at / n] - taken[at % n];
        rest.0 + rest.1
    };
    let one = if matches!(family, Family::Rbf { .. }) { 0.5 } else { 0.0 };
    let u = taken.iter().map(|t| (*t + Twice::from(one)).0).collect();
    Exact { centred: values.iter().enumerate().map(left).collect(), u }
}
