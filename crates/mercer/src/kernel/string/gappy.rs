//! Gappy windows, also called gapped k-mers: substrings of which some places do not count.

use super::differing::{Differing, binomial, check_window};
use super::{StringKernel, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Tile, Value};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct Gappy(Differing);

impl StringKernel for Gappy {
    const FAMILY: Family = Family {
        name: "gappy",
        aliases: &[],
        doc: "Common substrings of g symbols of which any m are left out: gapped (g-m)-mers.",
        formula: "Σ_u #(u in x)·#(u in x'), u a window of g symbols with m of them left out",
        parameters: &[
            Parameter {
                name: "g",
                doc: "The length of the windows, at most 63.",
                default: Some(Value::Number(6.0)),
                domain: Domain::PositiveInteger,
                rules: &[],
                instead_of: None,
            },
            Parameter {
                name: "m",
                doc: "How many symbols of a window are left out, fewer than g.",
                default: Some(Value::Number(2.0)),
                domain: Domain::Count,
                rules: &[],
                instead_of: None,
            },
            UNIT,
        ],
        definite: Definite::Always,
        input: Input::Strings,
    };

    fn new(leaf: &Leaf) -> Result<Self> {
        let (length, m) = (whole(leaf, "g"), whole(leaf, "m"));
        check_window("g", length, m)?;
        // Two windows agree on those choices of length - m places that avoid the d where they differ.
        let weights = (0..=m).map(|d| binomial(length - d, length - m)).collect();
        Ok(Self(Differing { length, weights, unit: unit(leaf) }))
    }

    fn unit(&self) -> Unit {
        self.0.unit
    }

    fn shortest(&self) -> (&'static str, usize) {
        ("g", self.0.length)
    }

    fn constants(&self) -> Vec<f64> {
        self.0.weights.clone()
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
