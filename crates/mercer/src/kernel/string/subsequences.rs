//! The kernel of gap-weighted subsequences.

use super::batch::lanes;
use super::coded::Coded;
use super::{Algorithm, StringMember, UNIT, unit, whole};
use crate::error::{Error, Result};
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Tile, Value};
use crate::linalg::subsequences::{self, LANES, LONGEST, Workspace};
use crate::points::{Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct Subsequences {
    p: usize,
    decay: f64,
    unit: Unit,
}

/// Beyond the end of a row and of a column: numbers that no symbol has, and unlike each other.
const ROW_END: f64 = -1.0;
const COL_END: f64 = -2.0;

pub(super) const FAMILY: Family = Family {
    name: "subsequences",
    aliases: &[],
    doc: "Common subsequences of p symbols, which need not be contiguous: the wider they are spread, the less \
          they count.",
    formula: "Σ_u Σ decay^(span of u in x + span of u in x'), u of length p",
    parameters: &[
        Parameter {
            name: "p",
            doc: "The length of the subsequences, at most 255.",
            default: Some(Value::Number(3.0)),
            domain: Domain::PositiveInteger,
            rules: &[],
            instead_of: None,
            per_column: false,
        },
        Parameter {
            name: "decay",
            doc: "The weight of each symbol that a subsequence spans.",
            default: Some(Value::Number(0.5)),
            domain: Domain::Share,
            rules: &[],
            instead_of: None,
            per_column: false,
        },
        UNIT,
    ],
    definite: Definite::Always,
    input: Input::Strings,
};

/// The member with the parameters of `leaf`.
pub(super) fn member(leaf: &Leaf) -> Result<StringMember> {
    let (p, unit) = (whole(leaf, "p"), unit(leaf));
    if p > LONGEST {
        let message = format!("subsequences have at most {LONGEST} symbols, not {p}");
        return Err(Error::parameter("p", message));
    }
    let algorithm = Algorithm::Subsequences(Subsequences { p, decay: leaf.number("decay"), unit });
    Ok(StringMember { algorithm, unit, shortest: ("p", p) })
}

impl Subsequences {
    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let (rows, cols) = Coded::pair(rows, cols, self.unit);
        let mut workspace = Workspace::default();
        for together in cols.by_length().chunks(LANES) {
            let y = lanes(&cols, together, COL_END, f64::from);
            for i in 0..rows.n() {
                let x = lanes(&rows, &[i], ROW_END, f64::from);
                let sums = subsequences::sums(&x, &y, self.p, self.decay, &mut workspace);
                together.iter().zip(sums).for_each(|(&j, sum)| out.row(i)[j] = T::from_f64(sum));
            }
        }
        Ok(())
    }

    pub(super) fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        let texts = Coded::one(points, self.unit);
        let mut workspace = Workspace::default();
        for together in texts.by_length().chunks(LANES) {
            let x = lanes(&texts, together, ROW_END, f64::from);
            let y = lanes(&texts, together, COL_END, f64::from);
            let sums = subsequences::sums(&x, &y, self.p, self.decay, &mut workspace);
            together.iter().zip(sums).for_each(|(&i, sum)| out[i] = T::from_f64(sum));
        }
        Ok(())
    }
}
