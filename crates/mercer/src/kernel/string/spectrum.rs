//! The spectrum kernel: substrings of one length.

use super::embedding::Lengths;
use super::{Algorithm, StringMember, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};

pub(super) const FAMILY: Family = Family {
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
    Ok(StringMember {
        algorithm: Algorithm::Counted(Lengths { unit, lengths: p..=p }),
        unit,
        shortest: ("p", p),
    })
}
