//! A kernel on the position within a period: of hours in a day, say, or months in a year.
//!
//! With the angle of each column, u_j = (cos, sin)(2π·x_j/period_j), the distance of two rows is Σ 4·sin²(π·(x_j − x'_j)/period_j), so
//! that this is the Gaussian kernel of points on circles.

use super::{Formula, LENGTH, Measure, Profile, RowMap};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Periodic {
    rate: f64,
}

impl Profile for Periodic {
    const FAMILY: Family = Family {
        name: "periodic",
        aliases: &["exp_sine_squared"],
        doc: "Similarity of positions within a period: equal again after each.",
        formula: "exp(-2·Σ sin²(π·(x_i - x'_i)/period)/length²)",
        parameters: &[
            Parameter {
                name: "period",
                doc: "The difference after which values repeat, or a list with one for each column.",
                default: Some(Value::Number(1.0)),
                domain: Domain::Positive,
                rules: &[],
                instead_of: None,
                per_column: true,
            },
            Parameter {
                doc: "The width relative to the period, or a list with one for each column.",
                rules: &[],
                ..LENGTH
            },
        ],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::SquaredDistance;

    fn new(leaf: &Leaf) -> Self {
        // Where each column has a length of its own, the circles come scaled by them.
        let length = leaf.optional("length").unwrap_or(1.0);
        Self { rate: 0.5 / (length * length) }
    }

    fn row_map(leaf: &Leaf) -> Option<RowMap> {
        Some(RowMap::circles(leaf, "period", "length"))
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.rate]
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Exponential { rate: self.rate }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        vmath::exp_scaled(values, T::from_f64(-self.rate));
    }

    fn slopes<T: Real>(&self, _: &[T], values: &[T], out: &mut [T]) {
        let factor = T::from_f64(-self.rate);
        out.iter_mut().zip(values).for_each(|(slope, &v)| *slope = factor * v);
    }
}
