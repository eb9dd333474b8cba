//! The Gaussian kernel, also called radial basis function (RBF) kernel.

use std::f64::consts::FRAC_1_SQRT_2;

use super::{Formula, Measure, Profile, RowMap};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Value};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Rbf {
    gamma: f64,
}

impl Profile for Rbf {
    const FAMILY: Family = Family {
        name: "rbf",
        aliases: &["gaussian"],
        doc: "Similarity: 1 for equal rows, decaying smoothly to 0 with their distance.",
        formula: "exp(-gamma·‖x - x'‖²)",
        parameters: &[
            Parameter {
                name: "gamma",
                doc: "How fast the kernel decays with squared distance.",
                default: Some(Value::Rule(Rule::Scale)),
                domain: Domain::NotNegative,
                rules: &[Rule::Scale, Rule::Auto],
                instead_of: None,
                per_column: true,
            },
            Parameter {
                name: "sigma",
                doc: "The standard deviation of the Gaussian; gamma = 1/(2·sigma²).",
                default: None,
                domain: Domain::Positive,
                rules: &[Rule::Median],
                instead_of: Some("gamma"),
                per_column: true,
            },
            Parameter {
                name: "width",
                doc: "The distance at which the kernel is 1/e; gamma = 1/width².",
                default: None,
                domain: Domain::Positive,
                rules: &[Rule::Median],
                instead_of: Some("gamma"),
                per_column: true,
            },
        ],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::SquaredDistance;

    fn new(leaf: &Leaf) -> Self {
        let from_sigma = || leaf.optional("sigma").map(|sigma| 0.5 / (sigma * sigma));
        let from_width = || leaf.optional("width").map(|width| 1.0 / (width * width));
        // Where each column has a width of its own, the rows come scaled by them.
        let gamma = || leaf.optional("gamma").unwrap_or(1.0);
        Self { gamma: from_sigma().or_else(from_width).unwrap_or_else(gamma) }
    }

    fn row_map(leaf: &Leaf) -> Option<RowMap> {
        RowMap::scale(leaf, "gamma", f64::sqrt)
            .or_else(|| RowMap::scale(leaf, "sigma", |sigma| FRAC_1_SQRT_2 / sigma))
            .or_else(|| RowMap::scale(leaf, "width", f64::recip))
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

    fn slopes<T: Real>(&self, _: &[T], values: &[T], out: &mut [T]) {
        let factor = T::from_f64(-self.gamma);
        out.iter_mut().zip(values).for_each(|(slope, &v)| *slope = factor * v);
    }

    fn measured_from(&self, value: f64) -> Option<f64> {
        (self.gamma > 0.0).then(|| -value.ln() / self.gamma)
    }
}
