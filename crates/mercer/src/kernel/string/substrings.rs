//! Substrings of all lengths up to p, each of the same weight.

use super::embedding::Lengths;
use super::weighed::{Weighed, Weight};
use super::{StringKernel, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Tile, Value};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

/// Few lengths are counted text by text, once; of many, each pair of texts is compared by itself.
#[derive(Debug, Clone)]
pub(super) enum Substrings {
    Few(Lengths),
    Many(Weighed),
}

/// The longest substrings that are counted text by text: a list of them takes memory for each length.
const FEW: usize = 8;

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
        let (p, unit) = (whole(leaf, "p"), unit(leaf));
        Ok(match p {
            ..=FEW => Self::Few(Lengths { unit, lengths: 1..=p }),
            _ => Self::Many(Weighed { weight: Weight::Upto(p), unit }),
        })
    }

    fn unit(&self) -> Unit {
        match self {
            Self::Few(lengths) => lengths.unit,
            Self::Many(weighed) => weighed.unit,
        }
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
        match self {
            Self::Few(lengths) => lengths.tile(rows, cols, out),
            Self::Many(weighed) => weighed.tile(rows, cols, out),
        }
    }

    fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        match self {
            Self::Few(lengths) => lengths.diag(points, out),
            Self::Many(weighed) => weighed.diag(points, out),
        }
    }
}
