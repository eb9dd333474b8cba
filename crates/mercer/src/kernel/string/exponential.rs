//! Substrings of all lengths, long ones less than short ones.

use super::weighed::{Weighed, Weight};
use super::{StringKernel, UNIT, unit};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Tile, Value};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct Exponential(Weighed);

impl StringKernel for Exponential {
    const FAMILY: Family = Family {
        name: "exponential",
        aliases: &[],
        doc: "Common substrings of any length: the longer, the less each counts.",
        formula: "Σ_u decay^|u|·#(u in x)·#(u in x')",
        parameters: &[
            Parameter {
                name: "decay",
                doc: "The weight of each symbol of a substring.",
                default: Some(Value::Number(0.5)),
                domain: Domain::Share,
                rules: &[],
                instead_of: None,
            },
            UNIT,
        ],
        definite: Definite::Always,
        input: Input::Strings,
    };

    fn new(leaf: &Leaf) -> Result<Self> {
        let weight = Weight::Power(leaf.number("decay"));
        Ok(Self(Weighed { weight, unit: unit(leaf) }))
    }

    fn unit(&self) -> Unit {
        self.0.unit
    }

    fn shortest(&self) -> (&'static str, usize) {
        ("decay", 1)
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
