//! Encoded cells as they were in the table.

use mercer::io::encoding::Values;
use mercer::io::{Column, Table};

use super::{SourceColumn, number};
use crate::plot::{shortened, significant};

/// Digits of numbers.
const DIGITS: usize = 4;
/// Characters of a text.
const LONGEST: usize = 24;

/// What `row` of `features` held in the column `source` of the table.
pub fn cell_text(features: &Table, source: &SourceColumn, row: usize) -> String {
    if let Column::Text(texts) = &features.columns[source.columns.start] {
        return shortened(&texts[row], LONGEST);
    }
    let cells: Vec<f64> =
        source.columns.clone().map(|column| number(&features.columns[column], row)).collect();
    value_text(source.values.as_ref(), &cells)
}

/// What encoded `cells` stand for.
pub fn value_text(values: Option<&Values>, cells: &[f64]) -> String {
    let level = |levels: &[String], place: f64| {
        let known = place >= 0.0 && place.fract() == 0.0;
        let level = levels.get(place as usize).filter(|_| known);
        level.map_or("unknown".into(), |level| shortened(level, LONGEST))
    };
    match values {
        Some(Values::Category { levels, each: false, .. }) if levels.len() == 2 => {
            level(levels, cells[0].round())
        }
        Some(Values::Category { levels, .. }) => {
            let place = cells.iter().position(|cell| *cell == 1.0);
            level(levels, place.map_or(-1.0, |place| place as f64))
        }
        Some(Values::Code { levels, .. }) => level(levels, cells[0]),
        Some(Values::Ordered { levels, unit, .. }) => {
            let steps = if *unit { (levels.len() - 1).max(1) as f64 } else { 1.0 };
            level(levels, (cells[0] * steps).round())
        }
        Some(Values::Range { .. }) => significant(in_units(values, cells[0]), DIGITS),
        Some(Values::Date { .. }) => format!("{:04}-{:02}-{:02}", cells[0], cells[1], cells[2]),
        Some(Values::Number { .. } | Values::Unchanged) | None => significant(cells[0], DIGITS),
    }
}

/// A number of an encoded column in units of the table.
pub fn in_units(values: Option<&Values>, cell: f64) -> f64 {
    match values {
        Some(Values::Range { low, high, .. }) if high > low => low + cell * (high - low),
        Some(Values::Range { low, .. }) => low + cell,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_as_in_the_table() {
        let levels: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let fill = None;
        let three = Values::Category { levels: levels.clone(), fill, each: false };
        let two = Values::Category { levels: levels[..2].to_vec(), fill, each: false };
        let ordered = Values::Ordered { levels: levels.clone(), fill, unit: true };
        let range = Values::Range { low: 10.0, high: 30.0, fill: None };
        for (values, cells, text) in [
            (three.clone(), &[0.0, 0.0, 1.0][..], "c"),
            (three, &[0.0; 3], "unknown"),
            (two.clone(), &[0.0], "a"),
            (two, &[1.0], "b"),
            (ordered, &[0.5], "b"),
            (Values::Code { levels, fill }, &[7.0], "unknown"),
            (range, &[0.25], "15"),
            (Values::Date { time: false }, &[2024.0, 2.0, 9.0, 5.0], "2024-02-09"),
            (Values::Number { fill: None }, &[1.23456], "1.235"),
        ] {
            assert_eq!(value_text(Some(&values), cells), text);
        }
    }
}
