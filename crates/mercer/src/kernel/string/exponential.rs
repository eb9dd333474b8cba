//! Substrings of all lengths, long ones less than short ones.

use super::weighed::{Weighed, Weight};
use super::{Algorithm, StringMember, UNIT, unit};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};

pub(super) const FAMILY: Family = Family {
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
            per_column: false,
        },
        UNIT,
    ],
    definite: Definite::Always,
    input: Input::Strings,
};

/// The member with the parameters of `leaf`.
pub(super) fn member(leaf: &Leaf) -> Result<StringMember> {
    let (weight, unit) = (Weight::Power(leaf.number("decay")), unit(leaf));
    Ok(StringMember {
        algorithm: Algorithm::Weighed(Weighed { weight, unit }),
        unit,
        shortest: ("decay", 1),
    })
}
