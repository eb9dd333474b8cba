//! The Laplacian kernel.

use super::{Formula, Measure, Profile, RowMap};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Laplacian {
    gamma: f64,
}

impl Profile for Laplacian {
    const FAMILY: Family = Family {
        name: "laplacian",
        aliases: &["laplace"],
        doc: "Similarity by absolute differences, less sensitive to single outlying features than rbf.",
        formula: "exp(-gamma·Σ|x_i - x'_i|)",
        parameters: &[Parameter {
            name: "gamma",
            doc: "How fast the kernel decays with distance.",
            default: Some(Value::Rule(Rule::Auto)),
            domain: Domain::NotNegative,
            rules: &[Rule::Auto],
            instead_of: None,
            per_column: true,
        }],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::Manhattan;

    fn new(leaf: &Leaf) -> Self {
        // Where each column has a gamma of its own, the rows come scaled by them.
        Self { gamma: leaf.optional("gamma").unwrap_or(1.0) }
    }

    fn row_map(leaf: &Leaf) -> Option<RowMap> {
        RowMap::scale(leaf, "gamma", |gamma| gamma)
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

    /// A sum of absolute differences has a kink wherever two rows agree in one feature.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], values: &[T], out: &mut [T]) {
        let factor = T::from_f64(-self.gamma);
        out.iter_mut().zip(values).for_each(|(slope, &v)| *slope = factor * v);
    }
}
