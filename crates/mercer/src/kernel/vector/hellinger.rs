//! The Hellinger kernel, also called Bhattacharyya's coefficient.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Hellinger;

impl Profile for Hellinger {
    const FAMILY: Family = Family {
        name: "hellinger",
        aliases: &["bhattacharyya"],
        doc: "The dot product of the square roots, which gives small counts more weight.",
        formula: "Σ √(x_i·x'_i)",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Histograms,
    };
    const MEASURE: Measure = Measure::Hellinger;

    fn new(_: &Leaf) -> Self {
        Hellinger
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Identity
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    /// The square root has no slope at 0.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ONE);
    }
}
