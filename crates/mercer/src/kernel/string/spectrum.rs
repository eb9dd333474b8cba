//! The spectrum kernel: substrings of one length.

use super::embedding::Lengths;
use super::{StringKernel, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Tile, Value};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct Spectrum(Lengths);

impl StringKernel for Spectrum {
    const FAMILY: Family = Family {
        name: "spectrum",
        aliases: &[],
        doc: "Common substrings of p symbols, each counted as often as it occurs.",
        formula: "Σ_u #(u in x)·#(u in x'), u of length p",
        parameters: &[
            Parameter {
                name: "p",
                doc: "The length of the substrings.",
                default: Some(Value::Number(3.0)),
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
        Ok(Self(Lengths { unit: unit(leaf), lengths: p..=p }))
    }

    fn unit(&self) -> Unit {
        self.0.unit
    }

    fn shortest(&self) -> (&'static str, usize) {
        ("p", *self.0.lengths.end())
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
