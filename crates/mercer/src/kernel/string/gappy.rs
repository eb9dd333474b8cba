//! Gappy windows, also called gapped k-mers: substrings of which some places do not count.

use super::differing::{Differing, binomial, check_window};
use super::{Algorithm, StringMember, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Value};

pub(super) const FAMILY: Family = Family {
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
            per_column: false,
        },
        Parameter {
            name: "m",
            doc: "How many symbols of a window are left out, fewer than g.",
            default: Some(Value::Number(2.0)),
            domain: Domain::Count,
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
    let (length, m, unit) = (whole(leaf, "g"), whole(leaf, "m"), unit(leaf));
    check_window("g", length, m)?;
    // Two windows agree on those choices of length - m places that avoid the d where they differ.
    let weights = (0..=m).map(|d| binomial(length - d, length - m)).collect();
    let algorithm = Algorithm::Differing(Differing { length, weights, unit });
    Ok(StringMember { algorithm, unit, shortest: ("g", length) })
}
