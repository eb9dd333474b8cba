//! The exponential χ² kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Chi2 {
    gamma: f64,
}

impl Profile for Chi2 {
    const FAMILY: Family = Family {
        name: "chi2",
        aliases: &["exponential_chi2"],
        doc: "Similarity of histograms by χ² distance: differences count less where both are large.",
        formula: "exp(-gamma·Σ (x_i - x'_i)²/(x_i + x'_i))",
        parameters: &[Parameter {
            name: "gamma",
            doc: "How fast the kernel decays with distance.",
            default: Some(Value::Number(1.0)),
            domain: Domain::NotNegative,
            rules: &[Rule::Mean],
            instead_of: None,
            per_column: false,
        }],
        definite: Definite::Always,
        input: Input::Histograms,
    };
    const MEASURE: Measure = Measure::ChiDistance;

    fn new(leaf: &Leaf) -> Self {
        Self { gamma: leaf.number("gamma") }
    }

    fn constants(&self) -> Vec<f64> {
        vec![self.gamma]
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Exponential { rate: self.gamma }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        vmath::exp_scaled(values, T::from_f64(-self.gamma));
    }

    /// Near 0 the distance grows like the numbers themselves, not like their squares.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], values: &[T], out: &mut [T]) {
        let factor = T::from_f64(-self.gamma);
        out.iter_mut().zip(values).for_each(|(slope, &v)| *slope = factor * v);
    }
}
