//! String kernels.
//!
//! A string is a sequence of symbols: characters, bytes or words. To add a family: write its file (a description, and a function that
//! makes a member, by a way to compare texts that exists or a new one), name it in the registry below. Its text form, help, checks
//! and tests follow from the description in the file.

mod automaton;
mod batch;
mod coded;
mod differing;
mod embedding;
mod map;
mod rules;
mod weighed;
mod windows;

mod all_substrings;
mod edit;
mod exponential;
mod gappy;
mod mismatch;
mod spectrum;
mod subsequences;
mod substrings;

#[cfg(test)]
mod tests;

pub use map::StringMap;
pub(super) use rules::rule_value;

use crate::error::{Error, Result};
use crate::kernel::{Domain, Family, Leaf, Parameter, Tile, Value};
use crate::points::{Sequences, Span, Strings, Unit};
use crate::real::Real;

/// What a symbol of a text is, which every family lets the user choose.
const UNIT: Parameter = Parameter {
    name: "unit",
    doc: "What a symbol is: a Unicode character, a byte of UTF-8, or a word separated by white space.",
    default: Some(Value::Word("chars")),
    domain: Domain::Words(&Unit::NAMES),
    rules: &[],
    instead_of: None,
    per_column: false,
};

fn unit(leaf: &Leaf) -> Unit {
    let name = leaf.word(UNIT.name);
    Unit::named(name).unwrap_or_else(|| panic!("no unit is called {name}"))
}

/// The number of a parameter that is 0, 1, 2, …
fn whole(leaf: &Leaf, name: &str) -> usize {
    leaf.number(name) as usize
}

/// A member of any family of kernels on texts.
#[derive(Debug, Clone)]
pub struct StringMember {
    algorithm: Algorithm,
    /// What a symbol is.
    unit: Unit,
    /// The parameter that says how many symbols in a row a text must have to share anything with another, and that number.
    shortest: (&'static str, usize),
}

/// How two texts are compared. Families share the ways.
#[derive(Debug, Clone)]
enum Algorithm {
    Counted(embedding::Lengths),
    Weighed(weighed::Weighed),
    Differing(differing::Differing),
    Subsequences(subsequences::Subsequences),
    Edit(edit::Edit),
}

/// A description, and what makes a member of a leaf whose parameters are numbers and words within their domains; numbers that do
/// not go together are refused.
type Registered = (&'static Family, fn(&Leaf) -> Result<StringMember>);

const REGISTRY: [Registered; 8] = [
    (&spectrum::FAMILY, spectrum::member),
    (&substrings::FAMILY, substrings::member),
    (&exponential::FAMILY, exponential::member),
    (&all_substrings::FAMILY, all_substrings::member),
    (&mismatch::FAMILY, mismatch::member),
    (&gappy::FAMILY, gappy::member),
    (&subsequences::FAMILY, subsequences::member),
    (&edit::FAMILY, edit::member),
];

/// All families of kernels on texts.
pub(super) fn families() -> Vec<&'static Family> {
    REGISTRY.iter().map(|(family, _)| *family).collect()
}

impl StringMember {
    /// The member that `leaf` describes.
    pub fn new(leaf: &Leaf) -> Result<Self> {
        let name = leaf.family().name;
        match REGISTRY.iter().find(|(family, _)| family.name == name) {
            Some((_, member)) => member(leaf),
            None => unreachable!("the family '{name}' is not in the registry"),
        }
    }

    /// Writes k(row i, column j) to place (i, j) of `out`, whose shape is `rows.len()` × `cols.len()`.
    pub fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        assert_eq!((out.rows(), out.cols()), (rows.len(), cols.len()), "tile and spans differ");
        if rows.is_empty() || cols.is_empty() {
            return Ok(());
        }
        match &self.algorithm {
            Algorithm::Counted(algorithm) => algorithm.tile(rows, cols, out),
            Algorithm::Weighed(algorithm) => algorithm.tile(rows, cols, out),
            Algorithm::Differing(algorithm) => algorithm.tile(rows, cols, out),
            Algorithm::Subsequences(algorithm) => algorithm.tile(rows, cols, out),
            Algorithm::Edit(algorithm) => algorithm.tile(rows, cols, out),
        }
    }

    /// Writes k(x, x) of every text to `out`, of length `points.len()`.
    pub fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        assert_eq!(out.len(), points.len(), "diagonal and span differ");
        match &self.algorithm {
            Algorithm::Counted(algorithm) => algorithm.diag(points, out),
            Algorithm::Weighed(algorithm) => algorithm.diag(points, out),
            Algorithm::Differing(algorithm) => algorithm.diag(points, out),
            Algorithm::Subsequences(algorithm) => algorithm.diag(points, out),
            Algorithm::Edit(algorithm) => algorithm.diag(points, out),
        }
    }

    /// The numbers that values are made of, each of which must be finite in the type of the values.
    pub fn constants(&self) -> Vec<f64> {
        match &self.algorithm {
            Algorithm::Differing(algorithm) => algorithm.weights.clone(),
            Algorithm::Edit(algorithm) => vec![algorithm.gamma],
            Algorithm::Counted(_) | Algorithm::Weighed(_) | Algorithm::Subsequences(_) => {
                Vec::new()
            }
        }
    }

    /// Refuses `strings` if none is long enough to share anything with another: all values would be 0.
    pub fn check(&self, strings: &Strings) -> Result<()> {
        let (name, needed) = self.shortest;
        let longest = Sequences::of(strings, self.unit).longest();
        if needed <= longest {
            return Ok(());
        }
        let unit = match self.unit {
            Unit::Chars => "characters",
            Unit::Bytes => "bytes",
            Unit::Words => "words",
        };
        let message = match longest {
            0 => format!("no string has any {unit}"),
            _ => format!("no string has {name} = {needed} {unit}: the longest has {longest}"),
        };
        Err(Error::parameter(name, message))
    }
}
