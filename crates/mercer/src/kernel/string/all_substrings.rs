//! Substrings of all lengths, each of the same weight.

use super::weighed::{Weighed, Weight};
use super::{Algorithm, StringMember, UNIT, unit};
use crate::error::Result;
use crate::kernel::{Definite, Family, Input, Leaf};

pub(super) const FAMILY: Family = Family {
    name: "all_substrings",
    aliases: &[],
    doc: "Common substrings of any length, each counted as often as it occurs.",
    formula: "Σ_u #(u in x)·#(u in x')",
    parameters: &[UNIT],
    definite: Definite::Always,
    input: Input::Strings,
};

/// The member with the parameters of `leaf`.
pub(super) fn member(leaf: &Leaf) -> Result<StringMember> {
    let (weight, unit) = (Weight::Upto(usize::MAX), unit(leaf));
    Ok(StringMember {
        algorithm: Algorithm::Weighed(Weighed { weight, unit }),
        unit,
        shortest: ("unit", 1),
    })
}
