//! Substrings of all lengths, each of the same weight.

use super::weighed::{Weighed, Weight};
use super::{StringKernel, UNIT, unit};
use crate::error::Result;
use crate::kernel::{Definite, Family, Input, Leaf, Tile};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct AllSubstrings(Weighed);

impl StringKernel for AllSubstrings {
    const FAMILY: Family = Family {
        name: "all_substrings",
        aliases: &[],
        doc: "Common substrings of any length, each counted as often as it occurs.",
        formula: "Σ_u #(u in x)·#(u in x')",
        parameters: &[UNIT],
        definite: Definite::Always,
        input: Input::Strings,
    };

    fn new(leaf: &Leaf) -> Result<Self> {
        let weight = Weight::Upto(usize::MAX);
        Ok(Self(Weighed { weight, unit: unit(leaf) }))
    }

    fn unit(&self) -> Unit {
        self.0.unit
    }

    fn shortest(&self) -> (&'static str, usize) {
        ("unit", 1)
    }

    fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        self.0.tile(rows, cols, out)
    }

    fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        self.0.diag(points, out)
    }
}
