//! Substrings of all lengths up to p, each of the same weight.

use super::embedding::Lengths;
use super::weighed::{Weighed, Weight};
use super::{Algorithm, StringMember, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};

/// The longest substrings that are counted text by text: a list of them takes memory for each length.
const FEW: usize = 8;

pub(super) const FAMILY: Family = Family {
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
            per_column: false,
        },
        UNIT,
    ],
    definite: Definite::Always,
    input: Input::Strings,
};

/// The member with the parameters of `leaf`: few lengths are counted text by text, once; of many, each pair of texts is
/// compared by itself.
pub(super) fn member(leaf: &Leaf) -> Result<StringMember> {
    let (p, unit) = (whole(leaf, "p"), unit(leaf));
    let algorithm = match p {
        ..=FEW => Algorithm::Counted(Lengths { unit, lengths: 1..=p }),
        _ => Algorithm::Weighed(Weighed { weight: Weight::Upto(p), unit }),
    };
    Ok(StringMember { algorithm, unit, shortest: ("p", 1) })
}
