//! Whether a target is a class or a value, where the command line leaves it open.
//!
//! LIBSVM text has no other way to write classes than numbers, so that few distinct integers are classes there.

use std::collections::HashSet;

use mercer::Result;
use mercer::io::stream::TableStream;
use mercer::io::{Column, Table};

use super::Session;
use super::columns::TargetKind;
use crate::args::{TaskArgs, TaskKind};
use crate::summary::{shown, warn};

/// The most classes that are assumed without being asked for.
const MOST_CLASSES: usize = 30;

/// The kind of the target of `table`, which is said if it is an assumption.
pub fn target_kind(
    session: &Session,
    args: &TaskArgs,
    table: &Table,
    target: Option<&str>,
) -> TargetKind {
    requested(args).unwrap_or_else(|| match marked(table, target) {
        Some(column) => assumed(session, table, classes(&table.columns[column])),
        None => TargetKind::Either,
    })
}

/// The same for a table in blocks, whose labels are looked at until they cannot be classes; and whether that took a pass.
pub fn target_kind_in_blocks(
    session: &Session,
    args: &TaskArgs,
    stream: &mut TableStream,
    target: Option<&str>,
) -> Result<(TargetKind, bool)> {
    if let Some(kind) = requested(args) {
        return Ok((kind, false));
    }
    let Some(column) = marked(stream.head(), target) else {
        return Ok((TargetKind::Either, false));
    };
    let mut seen = Distinct::default();
    stream.rewind();
    while let Some(table) = stream.next_table()? {
        session.context.poll()?;
        if !seen.add(&table.columns[column]) {
            return Ok((TargetKind::Either, false));
        }
    }
    Ok((assumed(session, stream.head(), seen.classes()), true))
}

/// What the command line says.
fn requested(args: &TaskArgs) -> Option<TargetKind> {
    args.requested().map(|task| match task {
        TaskKind::Classification => TargetKind::Classes,
        TaskKind::Regression => TargetKind::Values,
    })
}

/// The column of the labels that a table marks, if that is the target.
fn marked(table: &Table, target: Option<&str>) -> Option<usize> {
    table.label.filter(|&i| target.is_none_or(|which| table.find(which).ok() == Some(i)))
}

/// The kind of labels with so many distinct integers, if they are such.
fn assumed(session: &Session, table: &Table, classes: Option<usize>) -> TargetKind {
    let Some(classes) = classes else { return TargetKind::Either };
    if !session.quiet {
        session.progress.clear();
        warn(&format!(
            "{}: the labels are {classes} distinct integers and are treated as classes: add --task regression if they are \
             values, or --classify to silence this note",
            shown(&table.path)
        ));
    }
    TargetKind::Classes
}

/// The number of distinct values, if they are few integers.
fn classes(column: &Column) -> Option<usize> {
    let mut seen = Distinct::default();
    seen.add(column).then(|| seen.classes()).flatten()
}

/// Distinct integers among values.
#[derive(Default)]
struct Distinct {
    values: HashSet<u64>,
    rows: usize,
}

impl Distinct {
    /// Adds a column; false if the values are not integers, or too many for classes.
    fn add(&mut self, column: &Column) -> bool {
        self.rows += column.len();
        (0..column.len()).all(|row| {
            let value = column.number(row).filter(|value| value.fract() == 0.0);
            self.values.extend(value.map(f64::to_bits));
            value.is_some() && self.values.len() <= MOST_CLASSES
        })
    }

    /// How many there are, if they are few.
    fn classes(&self) -> Option<usize> {
        let count = self.values.len();
        (count == 2 || count > 2 && count * 5 <= self.rows).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_integers_are_classes() {
        let of = |values: &[f64]| classes(&Column::F64(values.to_vec()));
        assert_eq!(of(&[1.0, -1.0, 1.0]), Some(2));
        assert_eq!(of(&[1.0, 2.0, 3.0].repeat(5)), Some(3));
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]), None);
        assert_eq!(of(&[1.0, 1.5]), None);
        assert_eq!(of(&[1.0, f64::NAN]), None);
        assert_eq!(of(&[1.0, 1.0]), None);
    }

    #[test]
    fn labels_in_order_are_counted_over_all_blocks() {
        let mut seen = Distinct::default();
        assert!(seen.add(&Column::F64(vec![1.0; 9])) && seen.classes().is_none());
        assert!(seen.add(&Column::F64(vec![2.0; 9])) && seen.classes() == Some(2));
        assert!(!seen.add(&Column::F64(vec![2.5])));
    }
}
