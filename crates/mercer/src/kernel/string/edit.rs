//! A Gaussian of the edit distance.

use super::batch::lanes;
use super::coded::{Coded, Local};
use super::{Algorithm, StringMember, UNIT, unit};
use crate::context::Stream;
use crate::error::Result;
use crate::kernel::{Definite, Domain, Family, Input, Leaf, Parameter, Rule, Tile, Value};
use crate::linalg::edit_distance::{LANES, Pattern};
use crate::linalg::vmath;
use crate::points::{Points, Span, Strings, Unit};
use crate::real::Real;

#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) gamma: f64,
    unit: Unit,
}

pub(super) const FAMILY: Family = Family {
    name: "edit",
    aliases: &[],
    doc: "Similarity by edit distance: 1 for equal strings, decaying with the symbols to substitute, insert or \
          delete; not positive definite.",
    formula: "exp(-d(x, x')²/width²), d the edit distance",
    parameters: &[
        // By default from the data: distances of names and of pages differ a hundredfold.
        Parameter {
            name: "width",
            doc: "The distance at which the kernel is 1/e; median: of at most 256 strings.",
            default: Some(Value::Rule(Rule::Median)),
            domain: Domain::Positive,
            rules: &[Rule::Median],
            instead_of: None,
            per_column: false,
        },
        Parameter {
            name: "gamma",
            doc: "How fast the kernel decays with squared distance; width = 1/√gamma.",
            default: None,
            domain: Domain::Positive,
            rules: &[],
            instead_of: Some("width"),
            per_column: false,
        },
        UNIT,
    ],
    definite: Definite::No,
    input: Input::Strings,
};

/// The member with the parameters of `leaf`. Empty texts have distances too.
pub(super) fn member(leaf: &Leaf) -> Result<StringMember> {
    let from_width = || 1.0 / (leaf.number("width") * leaf.number("width"));
    let (gamma, unit) = (leaf.optional("gamma").unwrap_or_else(from_width), unit(leaf));
    Ok(StringMember {
        algorithm: Algorithm::Edit(Edit { gamma, unit }),
        unit,
        shortest: ("width", 0),
    })
}

impl Edit {
    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let square = |distance: usize| T::from_f64((distance * distance) as f64);
        distances(rows, cols, self.unit, |i, j, distance| out.row(i)[j] = square(distance));
        (0..out.rows()).for_each(|i| vmath::exp_scaled(out.row(i), T::from_f64(-self.gamma)));
        Ok(())
    }

    pub(super) fn diag<T: Real>(&self, _: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        out.fill(T::ONE);
        Ok(())
    }
}

/// Calls `found` with the distance of every row to every column.
fn distances(
    rows: Span<'_, Strings>,
    cols: Span<'_, Strings>,
    unit: Unit,
    mut found: impl FnMut(usize, usize, usize),
) {
    let (rows, cols) = Coded::pair(rows, cols, unit);
    let order = cols.by_length();
    let end = cols.alphabet as u32;
    let batches: Vec<(&[usize], Vec<[u32; LANES]>)> =
        order.chunks(LANES).map(|some| (some, lanes(&cols, some, end, |symbol| symbol))).collect();
    let mut local = Local::new(rows.alphabet);
    let mut numbered = Vec::new();
    for i in 0..rows.n() {
        let (own, alphabet) = local.take(rows.get(i));
        let pattern = Pattern::new(&own, alphabet);
        for (together, symbols) in &batches {
            numbered.clear();
            numbered.extend(symbols.iter().map(|all| all.map(|symbol| local.number(symbol))));
            let length = |lane: usize| together.get(lane).map_or(0, |&j| cols.get(j).len());
            let distances = pattern.distances(&numbered, &std::array::from_fn(length));
            together.iter().zip(distances).for_each(|(&j, distance)| found(i, j, distance));
        }
    }
}

/// More texts than this are thinned out before their distances are taken: long ones take a while.
const MEDIAN_TEXTS: usize = 256;

/// The median distance of two texts, or of two of a fixed choice of texts; none of one text alone.
pub(super) fn median_distance(strings: &Strings, unit: Unit) -> Option<f64> {
    let some = match strings.n() {
        n if n <= MEDIAN_TEXTS => strings.clone(),
        n => strings.select(&Stream::new(0, "median width").sample(n, MEDIAN_TEXTS)),
    };
    let mut all = Vec::new();
    distances(Span::all(&some), Span::all(&some), unit, |i, j, distance| {
        all.extend((j < i).then_some(distance));
    });
    all.sort_unstable();
    let middle = all.len() / 2;
    match all.len() % 2 {
        _ if all.is_empty() => None,
        0 => Some((all[middle - 1] + all[middle]) as f64 / 2.0),
        _ => Some(all[middle] as f64),
    }
}
