//! The polynomial kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Poly {
    degree: u32,
    gamma: f64,
    coef0: f64,
}

impl Poly {
    /// Degree, gamma and coef0.
    pub(super) fn parameters(&self) -> (u32, f64, f64) {
        (self.degree, self.gamma, self.coef0)
    }
}

impl Profile for Poly {
    const FAMILY: Family = Family {
        name: "poly",
        aliases: &["polynomial"],
        doc: "All products of up to `degree` features.",
        formula: "(gamma·xᵀx' + coef0)^degree",
        parameters: &[
            Parameter {
                name: "degree",
                doc: "The exponent.",
                default: Some(Value::Number(3.0)),
                domain: Domain::PositiveInteger,
                rules: &[],
                instead_of: None,
                per_column: false,
            },
            Parameter {
                name: "gamma",
                doc: "The weight of the dot product.",
                default: Some(Value::Number(1.0)),
                domain: Domain::NotNegative,
                rules: &[Rule::Scale, Rule::Auto],
                instead_of: None,
                per_column: false,
            },
            Parameter {
                name: "coef0",
                doc: "The constant; above 0 it includes the products of fewer features.",
                default: Some(Value::Number(1.0)),
                domain: Domain::Any,
                rules: &[],
                instead_of: None,
                per_column: false,
            },
        ],
        definite: Definite::When("coef0 is not negative", |leaf| leaf.number("coef0") >= 0.0),
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::Dot;

    fn new(leaf: &Leaf) -> Self {
        Self {
            degree: leaf.number("degree") as u32,
            gamma: leaf.number("gamma"),
            coef0: leaf.number("coef0"),
        }
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.gamma, self.coef0]
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Power { gamma: self.gamma, coef0: self.coef0, degree: self.degree }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        let (gamma, coef0) = (T::from_f64(self.gamma), T::from_f64(self.coef0));
        vmath::map(values, |v| gamma * v + coef0);
        vmath::powi(values, self.degree);
    }

    fn slopes<T: Real>(&self, measured: &[T], _: &[T], out: &mut [T]) {
        let (gamma, coef0) = (T::from_f64(self.gamma), T::from_f64(self.coef0));
        out.copy_from_slice(measured);
        vmath::map(out, |t| gamma * t + coef0);
        vmath::powi(out, self.degree - 1);
        let factor = T::from_f64(f64::from(self.degree) * self.gamma);
        vmath::map(out, |v| factor * v);
    }

    fn log_slopes(&self, name: &str, measured: &[f64], values: &[f64], out: &mut [f64]) {
        self.slopes(measured, values, out);
        for (slope, &t) in out.iter_mut().zip(measured) {
            *slope *= if name == "gamma" { t } else { self.coef0 / self.gamma };
        }
        if self.gamma == 0.0 {
            let share = if name == "gamma" { 0.0 } else { f64::from(self.degree) };
            out.iter_mut().zip(values).for_each(|(slope, v)| *slope = share * v);
        }
    }
}
