//! The rational quadratic kernel.

use super::{Formula, LENGTH, Measure, Profile, RowMap};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct RationalQuadratic {
    alpha: f64,
    rate: f64,
}

impl Profile for RationalQuadratic {
    const FAMILY: Family = Family {
        name: "rational_quadratic",
        aliases: &["rq"],
        doc: "A mixture of rbf kernels of many widths; the larger alpha, the narrower the mixture.",
        formula: "(1 + ‖x - x'‖²/(2·alpha·length²))^-alpha",
        parameters: &[
            Parameter {
                name: "alpha",
                doc: "How narrow the mixture of widths is.",
                default: Some(Value::Number(1.0)),
                domain: Domain::Positive,
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
        let (alpha, length) = (leaf.number("alpha"), leaf.optional("length").unwrap_or(1.0));
        Self { alpha, rate: 0.5 / (alpha * length * length) }
    }

    fn row_map(leaf: &Leaf) -> Option<RowMap> {
        RowMap::scale(leaf, "length", f64::recip)
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.alpha, self.rate]
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::RationalQuadratic { alpha: self.alpha, rate: self.rate }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        let rate = T::from_f64(self.rate);
        if self.alpha == 1.0 {
            return vmath::map(values, |v| T::ONE / (T::ONE + rate * v));
        }
        let alpha = T::from_f64(-self.alpha);
        vmath::map(values, |v| T::ONE + rate * v);
        vmath::ln(values);
        vmath::map(values, |v| alpha * v);
        vmath::exp(values);
    }

    fn slopes<T: Real>(&self, measured: &[T], values: &[T], out: &mut [T]) {
        let (factor, rate) = (T::from_f64(-self.alpha * self.rate), T::from_f64(self.rate));
        for ((slope, &t), &v) in out.iter_mut().zip(measured).zip(values) {
            *slope = factor * v / (T::ONE + rate * t);
        }
    }

    fn measured_from(&self, value: f64) -> Option<f64> {
        Some((value.powf(-1.0 / self.alpha) - 1.0) / self.rate)
    }

    fn log_slopes(&self, name: &str, measured: &[f64], values: &[f64], out: &mut [f64]) {
        for ((slope, &t), &v) in out.iter_mut().zip(measured).zip(values) {
            let (ratio, share) = (self.rate * t, self.rate * t / (1.0 + self.rate * t));
            *slope = match name {
                "alpha" => self.alpha * v * (share - ratio.ln_1p()),
                _ => 2.0 * self.alpha * v * share,
            };
        }
    }
}
