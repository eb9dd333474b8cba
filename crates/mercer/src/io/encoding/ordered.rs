//! Categories with an order, which become ranks: 0 for the first.

use std::collections::HashMap;

use super::infer::{category_text, is_missing_text};
use super::learn::{Choices, Missing, Reason};
use super::{EncodedColumn, Values};
use crate::error::Result;
use crate::io::column::Column;
use crate::io::table::Table;

/// How the cells of `column` become ranks in the order of `levels`, and how many are missing; an error for cells that hold none of
/// them, or that are missing and must not be.
pub(super) fn learn(
    column: &Column,
    levels: &[String],
    choices: &Choices,
) -> std::result::Result<(Values, usize), Reason> {
    let places = places(levels);
    let (mut ranks, mut missing, mut strangers) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..column.len() {
        let text = category_text(column, row);
        match places.get(text.as_str()) {
            Some(&place) => ranks.push(place),
            None if is_missing_text(&text) => missing.push(row),
            None => strangers.push(row),
        }
    }
    match (strangers.is_empty(), ranks.is_empty(), missing.is_empty()) {
        (false, ..) => return Err(Reason::NotInOrder(strangers)),
        (_, true, _) => return Err(Reason::Empty),
        (.., false) if !choices.is_filled() => return Err(Reason::Missing(missing)),
        _ => {}
    }
    let fill = choices.is_filled().then(|| fill(ranks, choices.missing));
    let (levels, unit) = (levels.to_vec(), choices.codes);
    Ok((Values::Ordered { levels, fill, unit }, missing.len()))
}

/// The rank of each of `levels`.
pub(super) fn places(levels: &[String]) -> HashMap<&str, usize> {
    levels.iter().enumerate().map(|(place, level)| (level.as_str(), place)).collect()
}

/// The rank that stands in for a missing cell: the lower median, so that it is one of the ranks, or the most frequent one.
fn fill(mut ranks: Vec<usize>, missing: Missing) -> usize {
    ranks.sort_unstable();
    if missing != Missing::MostFrequent {
        return ranks[(ranks.len() - 1) / 2];
    }
    let runs = ranks.chunk_by(|a, b| a == b).rev();
    runs.max_by_key(|run| run.len()).map_or(0, |run| run[0])
}

impl EncodedColumn {
    /// The ranks of a column, or, with `unit`, the ranks divided by the largest. A category that is not among `levels` has no rank: it is treated as
    /// missing, but for kernels that compare categories, where it differs from all others by 1 or more.
    pub(super) fn ranks(
        &self,
        table: &Table,
        index: usize,
        (levels, unit): (&[String], bool),
        places: &[Option<usize>],
    ) -> Result<Column> {
        let last = levels.len().saturating_sub(1).max(1) as f64;
        let step = if unit { 1.0 / last } else { 1.0 };
        let fill = self.fill_place();
        let rank = |(row, place): (usize, &Option<usize>)| match (place, fill) {
            (Some(place), _) => Ok(*place as f64 * step),
            (None, _) if unit => Ok((levels.len() + 1 + row) as f64),
            (None, Some(fill)) => Ok(fill as f64),
            (None, None) => {
                let listed = levels.join(", ");
                Err(table.fault(
                    row,
                    index,
                    &format!("holds none of the ordered categories {listed}"),
                ))
            }
        };
        Ok(Column::F64(places.iter().enumerate().map(rank).collect::<Result<_>>()?))
    }
}
