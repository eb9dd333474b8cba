//! The mismatch kernel (Leslie et al., 2004): substrings that may differ in a few places.

use super::differing::{Differing, binomial, check_window};
use super::{Algorithm, StringMember, UNIT, unit, whole};
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Value};

pub(super) const FAMILY: Family = Family {
    name: "mismatch",
    aliases: &[],
    doc: "Common substrings of k symbols, with up to m mismatches.",
    formula: "Σ_u #(u in x, up to m differences)·#(u in x', up to m differences), u of length k",
    parameters: &[
        Parameter {
            name: "k",
            doc: "The length of the substrings, at most 63.",
            default: Some(Value::Number(5.0)),
            domain: Domain::PositiveInteger,
            rules: &[],
            instead_of: None,
            per_column: false,
        },
        Parameter {
            name: "m",
            doc: "How many symbols may differ, fewer than k.",
            default: Some(Value::Number(1.0)),
            domain: Domain::Count,
            rules: &[],
            instead_of: None,
            per_column: false,
        },
        Parameter {
            name: "alphabet",
            doc: "The size of the alphabet; auto: the number of distinct symbols in the training strings.",
            default: Some(Value::Rule(Rule::Auto)),
            domain: Domain::PositiveInteger,
            rules: &[Rule::Auto],
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
    let (length, m, unit) = (whole(leaf, "k"), whole(leaf, "m"), unit(leaf));
    check_window("k", length, m)?;
    let alphabet = leaf.number("alphabet");
    let weights = (0..=length.min(2 * m)).map(|d| near_both(length, m, d, alphabet)).collect();
    let algorithm = Algorithm::Differing(Differing { length, weights, unit });
    Ok(StringMember { algorithm, unit, shortest: ("k", length) })
}

/// How many words of k symbols differ in at most m places from each of two words that differ from one another in d.
///
/// Such a word agrees with the first in `a` of the d places, with the second in `b` of them, and with neither in the others; of the
/// k - d places where the two agree, it differs in `c`.
fn near_both(k: usize, m: usize, d: usize, alphabet: f64) -> f64 {
    let (other, third) = ((alphabet - 1.0).max(0.0), (alphabet - 2.0).max(0.0));
    let mut sum = 0.0;
    for a in 0..=d {
        for b in 0..=d - a {
            for c in 0..=k - d {
                if d - a + c <= m && d - b + c <= m {
                    let shared = binomial(k - d, c) * other.powi(c as i32);
                    let differing = binomial(d, a) * binomial(d - a, b);
                    sum += shared * differing * third.powi((d - a - b) as i32);
                }
            }
        }
    }
    sum
}
