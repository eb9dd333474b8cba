//! The additive χ² kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct AdditiveChi2;

impl Profile for AdditiveChi2 {
    const FAMILY: Family = Family {
        name: "additive_chi2",
        aliases: &[],
        doc: "The sum of harmonic means: large where both histograms are large.",
        formula: "Σ 2·x_i·x'_i/(x_i + x'_i)",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Histograms,
    };
    const MEASURE: Measure = Measure::ChiProduct;

    fn new(_: &Leaf) -> Self {
        AdditiveChi2
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Identity
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    /// Near 0 the harmonic mean is bounded by a cone, not by a plane.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ONE);
    }
}
