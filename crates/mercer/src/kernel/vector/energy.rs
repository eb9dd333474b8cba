//! The negative distance, of which energy distance and distance covariance are made.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Energy {
    exponent: f64,
}

impl Profile for Energy {
    const FAMILY: Family = Family {
        name: "energy",
        aliases: &[],
        doc: "The negative distance, for tests by energy distance. Conditionally positive definite: definite once centred.",
        formula: "-‖x - x'‖^exponent",
        parameters: &[Parameter {
            name: "exponent",
            doc: "The power of the distance: 0.5, 1 or 1.5.",
            default: Some(Value::Number(1.0)),
            domain: Domain::OneOf(&[0.5, 1.0, 1.5]),
            rules: &[],
            instead_of: None,
            per_column: false,
        }],
        definite: Definite::No,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::SquaredDistance;

    fn new(leaf: &Leaf) -> Self {
        Self { exponent: leaf.number("exponent") }
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.exponent]
    }

    fn formula(&self, _: usize) -> Formula {
        // Of a squared distance.
        Formula::NegativePower { exponent: self.exponent / 2.0 }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        match self.exponent {
            0.5 => vmath::map(values, |v| -v.max(T::ZERO).sqrt().sqrt()),
            1.5 => vmath::map(values, |v| {
                let distance = v.max(T::ZERO).sqrt();
                -(distance * distance.sqrt())
            }),
            _ => vmath::map(values, |v| -v.max(T::ZERO).sqrt()),
        }
    }

    /// A cone, whose tip has no gradient.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, measured: &[T], values: &[T], out: &mut [T]) {
        let half = T::from_f64(0.5 * self.exponent);
        for ((slope, &t), &v) in out.iter_mut().zip(measured).zip(values) {
            *slope = half * v / t;
        }
    }
}
