//! Columns that the user calls categories.

use mercer::io::Table;
use mercer::io::encoding::CategoryColumns;
use mercer::{Error, Result};

use crate::args::{EncodingArgs, Order};

/// The columns of `--categories` and `--ordered`, counted among the features, which stand at `positions` in the table.
pub fn of(table: &Table, args: &EncodingArgs, positions: &[usize]) -> Result<CategoryColumns> {
    let unordered = match &args.categories {
        Some(which) => among(table, &table.choose(which)?, positions, "--categories")?,
        None => Vec::new(),
    };
    let ordered = args.ordered.iter().map(|order| one_ordered(table, order, positions));
    let ordered = ordered.collect::<Result<Vec<_>>>()?;
    check_once(&unordered, &ordered)?;
    Ok(CategoryColumns { unordered, ordered })
}

fn one_ordered(table: &Table, order: &Order, positions: &[usize]) -> Result<(usize, Vec<String>)> {
    let column = table.find(&order.column)?;
    Ok((among(table, &[column], positions, "--ordered")?[0], order.levels.clone()))
}

/// The places of `columns` among the features.
fn among(
    table: &Table,
    columns: &[usize],
    positions: &[usize],
    flag: &'static str,
) -> Result<Vec<usize>> {
    let place = |column: &usize| {
        positions.iter().position(|i| i == column).ok_or_else(|| {
            let message = format!("column {:?} is not among the features", table.name(*column));
            Error::parameter(flag, message)
        })
    };
    columns.iter().map(place).collect()
}

fn check_once(unordered: &[usize], ordered: &[(usize, Vec<String>)]) -> Result<()> {
    for (place, (column, _)) in ordered.iter().enumerate() {
        if unordered.contains(column) {
            let message = "a column cannot be in --categories, too";
            return Err(Error::parameter("--ordered", message));
        }
        if ordered[..place].iter().any(|(other, _)| other == column) {
            return Err(Error::parameter("--ordered", "the order of a column is given twice"));
        }
    }
    Ok(())
}
