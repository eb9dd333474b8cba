//! The overlap kernel, for categories.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::linalg::vmath;
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Overlap;

impl Profile for Overlap {
    const FAMILY: Family = Family {
        name: "overlap",
        aliases: &["equality", "matching"],
        doc: "The share of features in which two rows are equal, for codes of categories.",
        formula: "1/d·Σ [x_i = x'_i]",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Categories,
    };
    const MEASURE: Measure = Measure::Mismatches;

    fn new(_: &Leaf) -> Self {
        Overlap
    }

    fn formula(&self, d: usize) -> Formula {
        Formula::Complement { share: d.max(1) as f64 }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        vmath::map(values, |v| T::ONE - v);
    }

    /// It jumps wherever two rows agree in one feature.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(-T::ONE);
    }
}
