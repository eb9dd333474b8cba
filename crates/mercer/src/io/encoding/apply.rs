//! Applying an encoding to a table.

use super::date::Moment;
use super::infer::{category_text, is_missing_text};
use super::{EncodedColumn, Encoding, Values, ordered};
use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::table::Table;

/// Cells of one column that were not as in training.
#[derive(Default)]
struct Unusual {
    filled: usize,
    /// Rows with a category that the training table does not have.
    unknown: Vec<usize>,
}

impl Encoding {
    /// The table of numbers, and what to report about it: cells that were filled, and categories that are not known.
    /// The columns of `table` are those of the encoding, in its order.
    pub fn apply(&self, table: Table) -> Result<(Table, Vec<String>)> {
        if table.n_columns() != self.columns.len() {
            let (expected, found) = (self.columns.len(), table.n_columns());
            return Err(Error::Features { expected, found });
        }
        let mut notes = Vec::new();
        let (mut names, mut columns, mut indicators) = (Vec::new(), Vec::new(), Vec::new());
        for (index, encoded) in self.columns.iter().enumerate() {
            let mut unusual = Unusual::default();
            let outputs = encoded.encode(&table, index, &mut unusual)?;
            notes.extend(unusual.notes(&table, index, encoded));
            if encoded.is_indicator() {
                indicators.extend(columns.len()..columns.len() + outputs.len());
            }
            names.extend(encoded.outputs());
            columns.extend(outputs);
        }
        let names = table.names.is_some().then_some(names);
        let encoded = Table { names, columns, indicators, label: None, ..table };
        Ok((encoded, notes))
    }
}

impl Unusual {
    fn notes(&self, table: &Table, index: usize, encoded: &EncodedColumn) -> Vec<String> {
        let mut notes = Vec::new();
        if self.filled > 0 {
            let cells = if self.filled == 1 { "cell" } else { "cells" };
            notes.push(format!(
                "column {:?}: {} missing {cells} filled with {}",
                encoded.name,
                self.filled,
                encoded.fill_text()
            ));
        }
        if let Some(&row) = self.unknown.first() {
            let (count, text) = (self.unknown.len(), category_text(&table.columns[index], row));
            let rows = if count == 1 { "row has" } else { "rows have" };
            notes.push(format!(
                "column {:?}: {count} {rows} a category that the training set does not have (first {text:?}), which \
                 {}",
                encoded.name,
                encoded.fate_of_unknown()
            ));
        }
        notes
    }
}

impl EncodedColumn {
    /// What stands in for a missing cell, as text.
    pub fn fill_text(&self) -> String {
        match &self.values {
            Values::Number { fill } | Values::Range { fill, .. } => {
                fill.map_or_else(String::new, |fill| fill.to_string())
            }
            Values::Category { levels, fill, .. }
            | Values::Code { levels, fill }
            | Values::Ordered { levels, fill, .. } => {
                fill.map_or_else(String::new, |place| format!("{:?}", levels[place]))
            }
            Values::Date { .. } | Values::Unchanged => String::new(),
        }
    }

    /// What becomes of a category that the training set does not have.
    fn fate_of_unknown(&self) -> String {
        match &self.values {
            Values::Ordered { unit: false, .. } => {
                format!("has no rank: {} takes its place", self.fill_text())
            }
            _ => "equals no other".into(),
        }
    }

    /// The place of the category that stands in for a missing one.
    pub(super) fn fill_place(&self) -> Option<usize> {
        match &self.values {
            Values::Category { fill, .. }
            | Values::Code { fill, .. }
            | Values::Ordered { fill, .. } => *fill,
            _ => None,
        }
    }

    fn encode(&self, table: &Table, index: usize, unusual: &mut Unusual) -> Result<Vec<Column>> {
        let column = &table.columns[index];
        match &self.values {
            Values::Unchanged => Ok(vec![column.clone()]),
            Values::Number { fill } => Ok(vec![filled(column, *fill, unusual)]),
            Values::Range { low, high, fill } => {
                let factor = if high > low { 1.0 / (high - low) } else { 1.0 };
                let mut scaled = |row: usize| {
                    let value = column.number(row).ok_or_else(|| table.refuse(row, index))?;
                    Ok((stand_in(value, *fill, unusual) - low) * factor)
                };
                let values = (0..column.len()).map(&mut scaled).collect::<Result<Vec<f64>>>()?;
                Ok(vec![Column::F64(values)])
            }
            Values::Category { levels, fill, each } => {
                let places = self.places(table, index, levels, *fill, unusual)?;
                let column = |level: usize| {
                    let is = |place: &Option<usize>| f64::from(u8::from(*place == Some(level)));
                    Column::F64(places.iter().map(is).collect())
                };
                Ok(match levels.len() {
                    2 if !each => vec![column(1)],
                    count => (0..count).map(column).collect(),
                })
            }
            Values::Code { levels, fill } => {
                let places = self.places(table, index, levels, *fill, unusual)?;
                Ok(vec![numbered(&places, levels.len())])
            }
            Values::Ordered { levels, fill, unit } => {
                let places = self.places(table, index, levels, *fill, unusual)?;
                Ok(vec![self.ranks(table, index, (levels, *unit), &places)?])
            }
            Values::Date { time } => dates(table, index, *time),
        }
    }

    /// The place of each row's category; none where it is not known.
    fn places(
        &self,
        table: &Table,
        index: usize,
        levels: &[String],
        fill: Option<usize>,
        unusual: &mut Unusual,
    ) -> Result<Vec<Option<usize>>> {
        let column = &table.columns[index];
        let known = ordered::places(levels);
        let mut places = Vec::with_capacity(column.len());
        for row in 0..column.len() {
            let text = category_text(column, row);
            let place = known.get(text.as_str()).copied();
            places.push(match (place, fill) {
                (Some(place), _) => Some(place),
                (None, Some(fill)) if is_missing_text(&text) => {
                    unusual.filled += 1;
                    Some(fill)
                }
                (None, None) if is_missing_text(&text) => return Err(table.refuse(row, index)),
                _ => {
                    unusual.unknown.push(row);
                    None
                }
            });
        }
        Ok(places)
    }
}

/// The places as numbers. A category that is not known differs from all `count` others, and from other unknown ones by its row.
fn numbered(places: &[Option<usize>], count: usize) -> Column {
    let number = |(row, place): (usize, &Option<usize>)| match place {
        Some(place) => *place as f64,
        None => (count + 1 + row) as f64,
    };
    Column::F64(places.iter().enumerate().map(number).collect())
}

/// The numbers of a column. Cells that are no numbers stay, and are refused with their place where numbers are needed.
fn filled(column: &Column, fill: Option<f64>, unusual: &mut Unusual) -> Column {
    match column {
        Column::F32(values) if values.iter().any(|v| v.is_nan()) => {
            let value = |&v: &f32| stand_in(f64::from(v), fill, unusual) as f32;
            Column::F32(values.iter().map(value).collect())
        }
        Column::F64(values) if values.iter().any(|v| v.is_nan()) => {
            Column::F64(values.iter().map(|&v| stand_in(v, fill, unusual)).collect())
        }
        Column::Text(cells) => {
            let numbers: Option<Vec<f64>> =
                (0..cells.len()).map(|row| column.number(row)).collect();
            match numbers {
                Some(numbers) => {
                    Column::F64(numbers.into_iter().map(|v| stand_in(v, fill, unusual)).collect())
                }
                None => column.clone(),
            }
        }
        column => column.clone(),
    }
}

fn stand_in(value: f64, fill: Option<f64>, unusual: &mut Unusual) -> f64 {
    match fill {
        Some(fill) if value.is_nan() => {
            unusual.filled += 1;
            fill
        }
        _ => value,
    }
}

fn dates(table: &Table, index: usize, time: bool) -> Result<Vec<Column>> {
    let column = &table.columns[index];
    let moment = |row: usize| {
        Moment::parse(&column.text(row)).ok_or_else(|| {
            let text: String = column.text(row).chars().take(40).collect();
            table.fault(row, index, &format!("holds {text:?} where a date is needed (YYYY-MM-DD)"))
        })
    };
    let moments = (0..column.len()).map(moment).collect::<Result<Vec<Moment>>>()?;
    let part = |part: fn(&Moment) -> f64| Column::F64(moments.iter().map(part).collect());
    let mut columns = vec![
        part(|m| m.year as f64),
        part(|m| f64::from(m.month)),
        part(|m| f64::from(m.day)),
        part(|m| m.weekday() as f64),
    ];
    if time {
        columns.push(part(|m| m.hour.unwrap_or(0.0)));
    }
    Ok(columns)
}
