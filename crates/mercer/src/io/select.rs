//! Which columns of a table are meant: `a,b,3-7`, `^id`.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};
use crate::io::table::Table;
use crate::kernel::nearest;

/// A column for messages: its name in quotes, or its position.
pub(super) fn describe(table: &Table, column: usize) -> String {
    match table.names.as_ref().and_then(|names| names.get(column)) {
        Some(name) if !name.is_empty() => format!("column {name:?}"),
        _ => format!("column {}", column + 1),
    }
}

/// See [`Table::choose`].
pub(super) fn choose(table: &Table, which: &str) -> Result<Vec<usize>> {
    let mut chosen: Vec<usize> = Vec::new();
    for (place, item) in which.split(',').map(str::trim).enumerate() {
        // A name that starts with the mark is still a name.
        let excluded = item.strip_prefix('^').filter(|_| by_name(table, item).is_empty());
        if excluded.is_some() && place == 0 {
            chosen.extend(0..table.n_columns());
        }
        let positions = resolve(table, excluded.unwrap_or(item))?;
        match excluded {
            Some(_) => chosen.retain(|i| !positions.contains(i)),
            None if positions.clone().any(|i| chosen.contains(&i)) => {
                return Err(refuse(table, format!("{item:?} selects a column twice")));
            }
            None => chosen.extend(positions),
        }
    }
    if chosen.is_empty() {
        return Err(refuse(table, format!("{which:?} selects no column")));
    }
    Ok(chosen)
}

/// See [`Table::is_all_but`].
pub(super) fn is_all_but(table: &Table, which: &str) -> bool {
    let first = which.split(',').next().unwrap_or_default().trim();
    first.starts_with('^') && by_name(table, first).is_empty()
}

/// See [`Table::named`].
pub(super) fn named(table: &Table, name: &str) -> Result<usize> {
    let found = match table.names {
        Some(_) => by_name(table, name),
        None => (0..table.n_columns()).filter(|&i| table.name(i) == name).collect(),
    };
    match found[..] {
        [one] => Ok(one),
        [] => Err(absent(table, name)),
        [first, second, ..] => Err(named_twice(table, name, [first, second])),
    }
}

/// See [`Table::find`].
pub(super) fn find(table: &Table, which: &str) -> Result<usize> {
    let positions = resolve(table, which.trim())?;
    if positions.start() != positions.end() {
        return Err(refuse(
            table,
            format!("{which:?} selects several columns where one is needed"),
        ));
    }
    Ok(*positions.start())
}

/// A name first, then a position, then a range of positions.
fn resolve(table: &Table, item: &str) -> Result<RangeInclusive<usize>> {
    match by_name(table, item)[..] {
        [one] => return Ok(one..=one),
        [first, second, ..] => return Err(named_twice(table, item, [first, second])),
        [] => {}
    }
    let Some((first, last)) = by_position(table, item) else {
        return Err(absent(table, item));
    };
    if first == 0 || first > last || last > table.n_columns() {
        let message =
            format!("{item:?} is out of range: the table has columns 1 to {}", table.n_columns());
        return Err(refuse(table, message));
    }
    Ok(first - 1..=last - 1)
}

fn named_twice(table: &Table, name: &str, [first, second]: [usize; 2]) -> Error {
    let message = format!(
        "columns {} and {} are both named {name:?}: select by position",
        first + 1,
        second + 1
    );
    refuse(table, message)
}

/// Columns of a name; a table without names calls its columns `x0`, `x1`, ….
fn by_name(table: &Table, name: &str) -> Vec<usize> {
    let Some(names) = &table.names else {
        let place = name.strip_prefix('x').and_then(|digits| digits.parse::<usize>().ok());
        return place
            .filter(|&i| i < table.n_columns() && table.name(i) == name)
            .into_iter()
            .collect();
    };
    (0..names.len()).filter(|&i| names[i].trim() == name).collect()
}

fn by_position(table: &Table, item: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    match item.split_once('-') {
        None => number(item).map(|one| (one, one)),
        Some((first, "")) => Some((number(first)?, table.n_columns())),
        Some((first, last)) => Some((number(first)?, number(last)?)),
    }
}

/// There is no such column: the nearest name, or all.
fn absent(table: &Table, item: &str) -> Error {
    let names = table.names.as_deref().unwrap_or_default();
    let message = match nearest(item, names.iter().map(String::as_str)) {
        Some(name) => format!("there is no column {item:?}: did you mean {name:?}?"),
        None => format!("there is no column {item:?}: {}", offer(table)),
    };
    refuse(table, message)
}

/// What could have been meant.
fn offer(table: &Table) -> String {
    const SHOWN: usize = 12;
    match &table.names {
        Some(names) => {
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("the columns are {}{more}", names[..names.len().min(SHOWN)].join(", "))
        }
        None => {
            format!("the table has no header: select by position from 1 to {}", table.n_columns())
        }
    }
}

fn refuse(table: &Table, message: String) -> Error {
    Error::format(&table.path, message)
}
