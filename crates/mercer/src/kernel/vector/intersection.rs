//! The histogram intersection kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Intersection;

impl Profile for Intersection {
    const FAMILY: Family = Family {
        name: "intersection",
        aliases: &["histogram_intersection"],
        doc: "The overlap of two histograms.",
        formula: "Σ min(x_i, x'_i)",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Histograms,
    };
    const MEASURE: Measure = Measure::Minimum;

    fn new(_: &Leaf) -> Self {
        Intersection
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Identity
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    /// The smaller of two numbers has a kink wherever two histograms agree in one place.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ONE);
    }
}
