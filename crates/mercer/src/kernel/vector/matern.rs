//! The Matérn kernels that have a closed form without Bessel functions.

use super::{Formula, LENGTH, Measure, Profile, RowMap};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Matern {
    nu: f64,
    rate: f64,
}

impl Matern {
    /// The coefficients of s and s² in the polynomial that exp(−s) is multiplied by.
    fn polynomial(&self) -> (f64, f64) {
        match self.nu {
            0.5 => (0.0, 0.0),
            1.5 => (1.0, 0.0),
            _ => (1.0, 1.0 / 3.0),
        }
    }
}

impl Profile for Matern {
    const FAMILY: Family = Family {
        name: "matern",
        aliases: &[],
        doc: "Similarity with a chosen smoothness: rough for nu = 0.5, nearly rbf for nu = 2.5.",
        formula: "exp(-s), (1 + s)·exp(-s), (1 + s + s²/3)·exp(-s); s = √(2·nu)·‖x - x'‖/length",
        parameters: &[
            Parameter {
                name: "nu",
                doc: "The smoothness: 0.5, 1.5 or 2.5.",
                default: Some(Value::Number(1.5)),
                domain: Domain::OneOf(&[0.5, 1.5, 2.5]),
                rules: &[],
                instead_of: None,
                per_column: false,
            },
            LENGTH,
        ],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::SquaredDistance;

    fn new(leaf: &Leaf) -> Self {
        let nu = leaf.number("nu");
        Self { nu, rate: (2.0 * nu).sqrt() / leaf.optional("length").unwrap_or(1.0) }
    }

    fn row_map(leaf: &Leaf) -> Option<RowMap> {
        RowMap::scale(leaf, "length", f64::recip)
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.rate]
    }

    fn formula(&self, _: usize) -> Formula {
        let (linear, square) = self.polynomial();
        Formula::Matern { rate: self.rate, linear, square }
    }

    /// All three are a polynomial in s times exp(−s).
    fn apply<T: Real>(&self, values: &mut [T]) {
        let rate = T::from_f64(self.rate);
        let (linear, square) = self.polynomial();
        let (linear, square) = (T::from_f64(linear), T::from_f64(square));
        let mut factors = [T::ZERO; 256];
        for chunk in values.chunks_mut(factors.len()) {
            let factors = &mut factors[..chunk.len()];
            vmath::map(chunk, |v| -(rate * v.max(T::ZERO).sqrt()));
            factors.copy_from_slice(chunk);
            vmath::map(factors, |minus_s| T::ONE - minus_s * (linear - minus_s * square));
            vmath::exp(chunk);
            chunk.iter_mut().zip(&*factors).for_each(|(v, &factor)| *v = *v * factor);
        }
    }

    /// With nu = 0.5 the kernel falls along a cone, whose tip has no gradient.
    fn is_smooth(&self) -> bool {
        self.nu > 0.5
    }

    /// By the squared distance t, with s = rate·√t: the s of ds/dt cancels, so that equal rows have a slope too.
    fn slopes<T: Real>(&self, measured: &[T], values: &[T], out: &mut [T]) {
        let rate = T::from_f64(self.rate);
        let half = T::from_f64(-0.5 * self.rate * self.rate);
        let third = T::from_f64(1.0 / 3.0);
        for ((slope, &t), &v) in out.iter_mut().zip(measured).zip(values) {
            let s = rate * t.max(T::ZERO).sqrt();
            *slope = match self.nu {
                0.5 => half * v / s,
                1.5 => half * v / (T::ONE + s),
                _ => half * third * v * (T::ONE + s) / (T::ONE + s + s * s * third),
            };
        }
    }

    /// By halving an interval: s − ln(polynomial in s) = −ln(value) grows with s.
    fn measured_from(&self, value: f64) -> Option<f64> {
        let goal = -value.ln();
        let height = |s: f64| match self.nu {
            0.5 => s,
            1.5 => s - s.ln_1p(),
            _ => s - (s + s * s / 3.0).ln_1p(),
        };
        let (mut low, mut high) = (0.0, 1.0);
        while height(high) < goal {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if height(middle) < goal { low = middle } else { high = middle }
        }
        Some((high / self.rate).powi(2))
    }
}
