//! Gower's similarity, for tables of numbers and categories.

use super::{Formula, Measure, Profile};
use crate::kernel::{Definite, Family, Input, Leaf};
use crate::linalg::vmath;
use crate::real::Real;

/// A mean of triangular kernels, each of which is positive definite on the whole line. Where numbers lie between 0 and 1, a
/// feature adds what Gower's coefficient adds; where they are codes of categories, 1 for equal ones and 0 for others.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Gower;

impl Profile for Gower {
    const FAMILY: Family = Family {
        name: "gower",
        aliases: &[],
        doc: "Gower's similarity of mixed rows: numbers between 0 and 1, and whole numbers as codes of categories.",
        formula: "1/d·Σ max(0, 1 - |x_i - x'_i|)",
        parameters: &[],
        definite: Definite::Always,
        input: Input::Categories,
    };
    const MEASURE: Measure = Measure::Gower;

    fn new(_: &Leaf) -> Self {
        Gower
    }

    fn formula(&self, d: usize) -> Formula {
        Formula::Complement { share: d.max(1) as f64 }
    }

    fn apply<T: Real>(&self, values: &mut [T]) {
        vmath::map(values, |v| T::ONE - v);
    }

    /// It has a kink wherever two rows agree in one feature.
    fn is_smooth(&self) -> bool {
        false
    }

    fn slopes<T: Real>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out.fill(-T::ONE);
    }
}
