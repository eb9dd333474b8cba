//! The sigmoid kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Sigmoid {
    gamma: f64,
    coef0: f64,
}

impl Profile for Sigmoid {
    const FAMILY: Family = Family {
        name: "sigmoid",
        aliases: &["tanh"],
        doc: "The hyperbolic tangent (neural network) kernel. Not positive definite in general.",
        formula: "tanh(gamma·xᵀx' + coef0)",
        parameters: &[
            Parameter {
                name: "gamma",
                doc: "The weight of the dot product.",
                default: Some(Value::Rule(Rule::Auto)),
                domain: Domain::NotNegative,
                rules: &[Rule::Scale, Rule::Auto],
                instead_of: None,
                per_column: false,
            },
            Parameter {
                name: "coef0",
                doc: "The constant.",
                default: Some(Value::Number(1.0)),
                domain: Domain::Any,
                rules: &[],
                instead_of: None,
                per_column: false,
            },
        ],
        definite: Definite::No,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::Dot;

    fn new(leaf: &Leaf) -> Self {
        Self { gamma: leaf.number("gamma"), coef0: leaf.number("coef0") }
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.gamma, self.coef0]
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Tanh { gamma: self.gamma, coef0: self.coef0 }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        let (gamma, coef0) = (T::from_f64(self.gamma), T::from_f64(self.coef0));
        vmath::map(values, |v| gamma * v + coef0);
        vmath::tanh(values);
    }

    fn slopes<T: Real>(&self, _: &[T], values: &[T], out: &mut [T]) {
        let gamma = T::from_f64(self.gamma);
        out.iter_mut().zip(values).for_each(|(slope, &v)| *slope = gamma * (T::ONE - v * v));
    }

    fn log_slopes(&self, name: &str, measured: &[f64], values: &[f64], out: &mut [f64]) {
        for ((slope, &t), &v) in out.iter_mut().zip(measured).zip(values) {
            let inner = if name == "gamma" { self.gamma * t } else { self.coef0 };
            *slope = inner * (1.0 - v * v);
        }
    }
}
