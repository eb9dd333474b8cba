//! Substrings of all lengths up to p, each of the same weight.

use super::embedding::Lengths;
use super::{StringKernel, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Tile, Value};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct Substrings(Lengths);

impl StringKernel for Substrings {
    const FAMILY: Family = Family {
        name: "substrings",
        aliases: &[],
        doc: "Common substrings of 1 to p symbols, each counted as often as it occurs.",
        formula: "Σ_u #(u in x)·#(u in x'), u of length 1 to p",
        parameters: &[
            Parameter {
                name: "p",
                doc: "The length of the longest substrings.",
                default: Some(Value::Number(5.0)),
                domain: Domain::PositiveInteger,
                rules: &[],
                instead_of: None,
            },
            UNIT,
        ],
        definite: Definite::Always,
        input: Input::Strings,
    };

    fn new(leaf: &Leaf) -> Result<Self> {
        let p = whole(leaf, "p");
        Ok(Self(Lengths { unit: unit(leaf), lengths: 1..=p }))
    }

    fn unit(&self) -> Unit {
        self.0.unit
    }

    fn shortest(&self) -> (&'static str, usize) {
        ("p", 1)
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
