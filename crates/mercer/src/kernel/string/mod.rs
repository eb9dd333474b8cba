//! Kernels on texts.
//!
//! A text is a sequence of symbols: characters, bytes or words. To add a family: write its file (a [`StringKernel`]), name
//! its module here and its type in the registry below. Its text form, help, checks and tests follow from the description
//! in the file.

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
    doc: "What a symbol is: a Unicode character, a byte of UTF-8, or a word between white space.",
    default: Some(Value::Word("chars")),
    domain: Domain::Words(&Unit::NAMES),
    rules: &[],
    instead_of: None,
};

fn unit(leaf: &Leaf) -> Unit {
    let name = leaf.word(UNIT.name);
    Unit::named(name).unwrap_or_else(|| panic!("no unit is called {name}"))
}

/// The number of a parameter that is 0, 1, 2, …
fn whole(leaf: &Leaf, name: &str) -> usize {
    leaf.number(name) as usize
}

/// One family of kernels on texts.
trait StringKernel: Sized {
    /// The family's description.
    const FAMILY: Family;

    /// The member with the parameters of `leaf`, which are within their domains but may not go together.
    fn new(leaf: &Leaf) -> Result<Self>;

    /// What a symbol is.
    fn unit(&self) -> Unit;

    /// The parameter that says how many symbols in a row a text must have to share anything with another, and that number.
    fn shortest(&self) -> (&'static str, usize);

    /// The numbers that values are made of, each of which must be finite in the type of the values.
    fn constants(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Writes k(row i, column j) to place (i, j) of `out`.
    fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()>;

    /// Writes k(x, x) of every text.
    fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()>;
}

/// Refuses texts of which none is long enough to share anything with another: all values would be 0.
fn check_length(kernel: &impl StringKernel, strings: &Strings) -> Result<()> {
    let (name, needed) = kernel.shortest();
    let longest = Sequences::of(strings, kernel.unit()).longest();
    if needed <= longest {
        return Ok(());
    }
    let unit = match kernel.unit() {
        Unit::Chars => "characters",
        Unit::Bytes => "bytes",
        Unit::Words => "words",
    };
    let message = match longest {
        0 => format!("no text has any {unit}"),
        _ => format!("no text has {name} = {needed} {unit}: the longest has {longest}"),
    };
    Err(Error::parameter(name, message))
}

macro_rules! registry {
    ($($family:ident in $module:ident),* $(,)?) => {
        /// A member of any family of kernels on texts.
        #[derive(Debug, Clone)]
        pub struct StringMember(Member);

        #[derive(Debug, Clone)]
        enum Member {
            $($family($module::$family)),*
        }

        impl StringMember {
            /// The member that `leaf` describes, whose parameters are numbers and words within their domains. Refuses
            /// numbers that do not go together.
            pub fn new(leaf: &Leaf) -> Result<Self> {
                match leaf.family().name {
                    $(name if name == $module::$family::FAMILY.name => {
                        $module::$family::new(leaf).map(Member::$family).map(Self)
                    })*
                    name => unreachable!("the family '{name}' is not in the registry"),
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
                match &self.0 {
                    $(Member::$family(kernel) => kernel.tile(rows, cols, out)),*
                }
            }

            /// Writes k(x, x) of every text to `out`, of length `points.len()`.
            pub fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
                assert_eq!(out.len(), points.len(), "diagonal and span differ");
                match &self.0 {
                    $(Member::$family(kernel) => kernel.diag(points, out)),*
                }
            }

            /// The numbers that values are made of, each of which must be finite in the type of the values.
            pub fn constants(&self) -> Vec<f64> {
                match &self.0 {
                    $(Member::$family(kernel) => kernel.constants()),*
                }
            }

            /// Refuses `strings` if none is long enough for any value but 0.
            pub fn check(&self, strings: &Strings) -> Result<()> {
                match &self.0 {
                    $(Member::$family(kernel) => check_length(kernel, strings)),*
                }
            }
        }

        /// All families of kernels on texts.
        pub(super) fn families() -> &'static [&'static Family] {
            &[$(&$module::$family::FAMILY),*]
        }
    };
}

registry! {
    Spectrum in spectrum,
    Substrings in substrings,
    Exponential in exponential,
    AllSubstrings in all_substrings,
    Mismatch in mismatch,
    Gappy in gappy,
    Subsequences in subsequences,
    Edit in edit,
}
