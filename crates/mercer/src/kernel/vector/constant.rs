//! The constant kernel.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(in crate::kernel) struct Constant;

impl Profile for Constant {
    const FAMILY: Family = Family {
        name: "constant",
        aliases: &[],
        doc: "The same value for all pairs: added to another kernel, it gives the model an intercept.",
        formula: "1",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Vectors,
    };
    const MEASURE: Measure = Measure::Constant;

    fn new(_: &Leaf) -> Self {
        Constant
    }

    fn formula(&self, _: usize) -> Formula {
        Formula::One
    }

    fn apply<T: Real>(&self, _: &mut [T]) {}

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(T::ZERO);
    }
}
