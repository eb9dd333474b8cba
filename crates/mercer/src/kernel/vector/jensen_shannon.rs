//! The Jensen–Shannon kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct JensenShannon;

impl Profile for JensenShannon {
    const FAMILY: Family = Family {
        name: "jensen_shannon",
        aliases: &["js"],
        doc: "The overlap of two histograms in bits: 1 for equal distributions, 0 for disjoint ones.",
        formula: "½·Σ [x_i·log₂((x_i + x'_i)/x_i) + x'_i·log₂((x_i + x'_i)/x'_i)]",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Histograms,
    };
    const MEASURE: Measure = Measure::JensenShannon;

    fn new(_: &Leaf) -> Self {
        JensenShannon
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Identity
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    /// The logarithm has no slope at 0.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ONE);
    }
}
