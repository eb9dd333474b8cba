//! Whether a target is a class or a value, where the command line leaves it open.
//!
//! LIBSVM text has no other way to write classes than numbers, so that few distinct integers are classes there.

use std::collections::HashSet;

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
    match args.requested() {
        Some(TaskKind::Classification) => return TargetKind::Classes,
        Some(TaskKind::Regression) => return TargetKind::Values,
        None => {}
    }
    let marked =
        table.label.filter(|&i| target.is_none_or(|which| table.find(which).ok() == Some(i)));
    let Some(classes) = marked.and_then(|column| classes(&table.columns[column])) else {
        return TargetKind::Either;
    };
    if !session.quiet {
        session.progress.clear();
        warn(&format!(
            "{}: the labels are {classes} distinct integers and are treated as classes: add --task regression if they are \
             values, or --classify to end this note",
            shown(&table.path)
        ));
    }
    TargetKind::Classes
}

/// The number of distinct values, if they are few integers.
fn classes(column: &Column) -> Option<usize> {
    let mut distinct = HashSet::new();
    for row in 0..column.len() {
        let value = column.number(row).filter(|value| value.fract() == 0.0)?;
        distinct.insert(value.to_bits());
        if distinct.len() > MOST_CLASSES {
            return None;
        }
    }
    let count = distinct.len();
    (count == 2 || count > 2 && count * 5 <= column.len()).then_some(count)
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
}
