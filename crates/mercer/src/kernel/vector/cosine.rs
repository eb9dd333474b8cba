//! The cosine kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Cosine;

impl Profile for Cosine {
    const FAMILY: Family = Family {
        name: "cosine",
        aliases: &[],
        doc: "The cosine of the angle between two rows; 0 where a row is zero.",
        formula: "xᵀx' / (‖x‖·‖x'‖)",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::Cosine;

    fn new(_: &Leaf) -> Self {
        Cosine
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Identity
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ONE);
    }
}
