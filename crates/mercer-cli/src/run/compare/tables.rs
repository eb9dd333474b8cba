//! Two tables as one, whose rows come one behind the other.

use mercer::io::{Source, Table};
use mercer::{Error, Result};

use crate::args::{CompareArgs, TableArgs};
use crate::data::{self, InputKind};
use crate::describe::listed;
use crate::facts::counted;
use crate::run::{Chosen, Session};
use crate::summary::shown;

/// The rows of both tables, how many of them are old, and what else is to be said.
pub fn read(
    session: &Session,
    args: &CompareArgs,
    input_kind: &InputKind,
) -> Result<(Table, usize, Vec<String>)> {
    if args.table.source == Source::Stdin && args.new == Source::Stdin {
        let message = "only one of both tables can be read from standard input";
        return Err(Error::parameter("NEW", message));
    }
    let old = data::read(session, &args.table, input_kind)?;
    let TableArgs { format, header, .. } = args.table;
    let of_new = TableArgs { source: args.new.clone(), format, header };
    let new = data::read(session, &of_new, input_kind)?;
    let (new, notes) = aligned(&old, new, args)?;
    let first = old.n_rows();
    let mut joined = old;
    joined.append(new)?;
    // Rows of either table are meant where something is wrong with one.
    joined.path =
        format!("{} and {}", shown(args.table.source.path()), shown(args.new.path())).into();
    Ok((joined, first, notes))
}

/// The columns of the new table in the order of the old one.
fn aligned(old: &Table, new: Table, args: &CompareArgs) -> Result<(Table, Vec<String>)> {
    let (Some(names), Some(found)) = (&old.names, &new.names) else {
        return match old.n_columns() == new.n_columns() {
            true => Ok((new, Vec::new())),
            false => {
                let message = format!(
                    "the table has {}, but {} has {}",
                    counted(new.n_columns(), "column"),
                    shown(args.table.source.path()),
                    old.n_columns()
                );
                Err(data::about(&new, message))
            }
        };
    };
    let missing: Vec<String> = names.iter().filter(|name| !found.contains(name)).cloned().collect();
    if !missing.is_empty() {
        let message = format!(
            "the columns {} of {} are missing: rename them, or choose others with --columns",
            listed(&missing),
            shown(args.table.source.path())
        );
        return Err(data::about(&new, message));
    }
    let more: Vec<String> = found.iter().filter(|name| !names.contains(name)).cloned().collect();
    let note = format!("columns of the new table alone are left out: {}", listed(&more));
    let notes = if more.is_empty() { Vec::new() } else { vec![note] };
    let positions = names.iter().map(|name| new.named(name)).collect::<Result<Vec<usize>>>()?;
    Ok((new.keep(&positions), notes))
}

/// Refuses tables of fewer than two rows.
pub fn at_least_two(first: usize, all: usize) -> Result<()> {
    match [("old", first), ("new", all - first)].into_iter().find(|(_, rows)| *rows < 2) {
        None => Ok(()),
        Some((which, rows)) => Err(Error::Shape(format!(
            "at least two rows of each table are required, but the {which} one has {rows}"
        ))),
    }
}

/// A note about rows that were left out.
pub fn dropped(chosen: &Chosen) -> Option<String> {
    let count = chosen.places.dropped_rows;
    (count > 0).then(|| format!("{} with a missing value left out", counted(count, "row")))
}
