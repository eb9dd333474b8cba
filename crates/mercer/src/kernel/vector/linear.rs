//! The linear kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Linear;

impl Profile for Linear {
    const FAMILY: Family = Family {
        name: "linear",
        aliases: &[],
        doc: "The dot product: kernel methods become their linear counterparts.",
        formula: "xᵀx'",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::Dot;

    fn new(_: &Leaf) -> Self {
        Linear
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::Identity
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ONE);
    }
}
