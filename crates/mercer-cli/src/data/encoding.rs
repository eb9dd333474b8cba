//! Columns as they are in a table, and as a kernel takes them: missing values, categories and dates.

use mercer::io::Table;
use mercer::io::encoding::infer::infer;
use mercer::io::encoding::{
    CategoryColumns, Choices, ColumnFault, EncodedColumn, Encoding, Missing, Reason, Values,
};
use mercer::{Error, Result};

use super::input_kind::{ColumnGroup, InputKind};
use crate::args::{Dates, EncodingArgs};

/// The most columns whose encoding is stored although they are plain numbers.
const MOST_PLAIN: usize = 1000;

/// The columns as numbers, and how they became so.
pub struct Encoded {
    /// The table of numbers.
    pub features: Table,
    /// What new rows go through too; none if nothing was to be done.
    pub encoding: Option<Encoding>,
}

/// Turns the columns of `features` into numbers for a kernel of `input_kind`. `categories` are
/// columns that hold categories whatever they look like.
pub fn encode(
    features: Table,
    input_kind: &InputKind,
    args: &EncodingArgs,
    categories: CategoryColumns,
) -> Result<Encoded> {
    if let InputKind::Groups(groups) = input_kind {
        return encode_groups(features, groups, args, &categories);
    }
    if !input_kind.is_encoded() {
        check_unused(args, input_kind)?;
        return Ok(Encoded { features, encoding: None });
    }
    let is_wide = features.n_columns() > MOST_PLAIN || features.is_sparse();
    if is_wide && categories.is_empty() && is_complete(&features) {
        return Ok(Encoded { features, encoding: None });
    }
    let encoding = learn(&features, input_kind, args, categories)?;
    let (features, _) = encoding.apply(features)?;
    Ok(Encoded { features, encoding: Some(encoding) })
}

/// How the columns of `features` become numbers.
pub fn learn(
    features: &Table,
    input_kind: &InputKind,
    args: &EncodingArgs,
    categories: CategoryColumns,
) -> Result<Encoding> {
    let choices = choices(args, categories, input_kind);
    Encoding::learn(features, &choices).map_err(|faults| refuse(features, &faults))
}

/// As [`encode`], for a kernel on groups of columns. Each column stays one, so that the kernel finds it in its place.
fn encode_groups(
    features: Table,
    groups: &[ColumnGroup],
    args: &EncodingArgs,
    categories: &CategoryColumns,
) -> Result<Encoded> {
    let (mut columns, mut faults, mut start) = (Vec::new(), Vec::new(), 0);
    for group in groups {
        let places: Vec<usize> = (start..start + group.names.len()).collect();
        start += places.len();
        let part = features.clone().keep(&places);
        if !group.input_kind.is_encoded() {
            let unchanged = |name: &String| EncodedColumn {
                name: name.clone(),
                values: Values::Unchanged,
                missing: 0,
            };
            columns.extend(group.names.iter().map(unchanged));
            continue;
        }
        let choices = choices(args, categories.among(&places), &group.input_kind);
        match Encoding::learn(&part, &choices) {
            Ok(encoding) => columns.extend(encoding.columns),
            Err(found) => faults.extend(
                found
                    .into_iter()
                    .map(|fault| ColumnFault { column: places[fault.column], ..fault }),
            ),
        }
    }
    let is_free = |fault: &&ColumnFault| matches!(fault.reason, Reason::FreeText(_));
    if let Some(fault) = faults.iter().find(is_free) {
        return Err(super::about(&features, free_text(&features.name(fault.column))));
    }
    if !faults.is_empty() {
        return Err(refuse(&features, &faults));
    }
    if let Some(column) = columns.iter().find(|column| column.outputs().len() != 1) {
        return Err(super::about(&features, several(column)));
    }
    let encoding = Encoding { columns };
    if encoding.columns.iter().all(|column| column.values == Values::Unchanged) {
        return Ok(Encoded { features, encoding: None });
    }
    let (features, _) = encoding.apply(features)?;
    Ok(Encoded { features, encoding: Some(encoding) })
}

/// Why a column of texts cannot be used by a kernel on numbers that names it.
fn free_text(name: &str) -> String {
    format!(
        "column {name:?} holds text, but its kernel takes numbers: compare it by a string kernel, as in \
         column('{name}': spectrum(p=3)), or by overlap with --categories '{name}'"
    )
}

/// Why a column that becomes several cannot be used by a kernel on groups of columns.
fn several(column: &EncodedColumn) -> String {
    let name = &column.name;
    match column.values {
        Values::Date { .. } => format!(
            "column {name:?} holds dates, which a kernel on groups of columns cannot use: expand them to columns of numbers first"
        ),
        _ => format!(
            "column {name:?} holds categories, but its kernel takes numbers: compare them by overlap or gower, as in \
             column('{name}': overlap)"
        ),
    }
}

fn choices(args: &EncodingArgs, categories: CategoryColumns, input_kind: &InputKind) -> Choices {
    Choices {
        missing: args.missing.map_or(Missing::default(), Missing::from),
        dates: args.dates.into(),
        categories,
        codes: *input_kind == InputKind::Categories,
    }
}

/// Whether all columns are numbers and no cell is missing.
fn is_complete(features: &Table) -> bool {
    use mercer::io::Column;
    features.columns.iter().all(|column| match column {
        Column::Sparse(_) => true,
        Column::Text(_) => false,
        numbers => infer(numbers).missing.is_empty(),
    })
}

/// Refuses flags that mean nothing for this kind of input.
fn check_unused(args: &EncodingArgs, input_kind: &InputKind) -> Result<()> {
    let is_filled = args.missing.is_some_and(|missing| {
        matches!(Missing::from(missing), Missing::Median | Missing::MostFrequent)
    });
    let given = [
        (is_filled, "--missing"),
        (args.dates == Dates::Expand, "--dates"),
        (args.categories.is_some(), "--categories"),
        (!args.ordered.is_empty(), "--ordered"),
    ];
    let Some((_, flag)) = given.into_iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
    let message = format!("does not apply to a kernel on {}", input_kind.name());
    Err(Error::parameter(flag, message))
}

/// One error about all columns that cannot be used.
fn refuse(table: &Table, faults: &[ColumnFault]) -> Error {
    const SHOWN: usize = 20;
    let texts: Vec<String> = faults.iter().take(SHOWN).map(|fault| explain(table, fault)).collect();
    let message = match &texts[..] {
        [one] if faults.len() == 1 => one.clone(),
        texts => {
            let more = if faults.len() > SHOWN { "\n  …" } else { "" };
            format!("{} columns cannot be used:\n  {}{more}", faults.len(), texts.join("\n  "))
        }
    };
    super::about(table, message)
}

fn explain(table: &Table, fault: &ColumnFault) -> String {
    let (column, name) = (&table.columns[fault.column], table.name(fault.column));
    let example = |row: usize| column.text(row).chars().take(40).collect::<String>();
    match &fault.reason {
        Reason::Missing(rows) => format!(
            "column {name:?}: {}; fill them with --missing median, or leave the rows out with --missing drop",
            places(table, rows, "value is missing", "values are missing")
        ),
        Reason::MissingDates(rows) => format!(
            "column {name:?}: {}; leave the rows out with --missing drop",
            places(table, rows, "date is missing", "dates are missing")
        ),
        Reason::Dates => format!(
            "column {name:?} holds dates: use their parts with --dates expand, or leave it out with --columns '^{name}'"
        ),
        Reason::Texts(rows) => format!(
            "column {name:?} holds text among numbers ({:?}; {}): correct it, or leave the column out with --columns \
             '^{name}'",
            example(rows[0]),
            places(table, rows, "cell is text", "cells are text")
        ),
        Reason::FreeText(distinct) => format!(
            "column {name:?} holds text with {distinct} different values in {} rows ({:?}): leave it out with --columns \
             '^{name}', keep it in the output with --label '{name}', treat it as categories with --categories '{name}', or \
             compare it with a string kernel",
            column.len(),
            example(0)
        ),
        Reason::NotInOrder(rows) => format!(
            "column {name:?} holds values that its order in --ordered does not list ({:?}; {}): add them to the order",
            example(rows[0]),
            places(table, rows, "cell is not in it", "cells are not in it")
        ),
        Reason::Empty => {
            format!("column {name:?} has no values: leave it out with --columns '^{name}'")
        }
    }
}

/// `3 values are missing (lines 4, 9, 12)`.
pub fn places(table: &Table, rows: &[usize], one: &str, many: &str) -> String {
    const SHOWN: usize = 5;
    let place = |&row: &usize| table.lines.get(row).map_or(row as u64 + 1, |line| *line);
    let shown: Vec<String> = rows.iter().take(SHOWN).map(|row| place(row).to_string()).collect();
    let unit = if table.lines.is_empty() { "row" } else { "line" };
    let (what, plural) = if rows.len() == 1 { (one, "") } else { (many, "s") };
    let more = if rows.len() > SHOWN { ", …" } else { "" };
    format!("{} {what} ({unit}{plural} {}{more})", rows.len(), shown.join(", "))
}

/// What an encoding did, for the summary: missing cells, categories and dates.
pub fn summary(encoding: &Encoding) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let filled: Vec<_> = encoding.columns.iter().filter(|column| column.missing > 0).collect();
    if !filled.is_empty() {
        let cells: usize = filled.iter().map(|column| column.missing).sum();
        let each: Vec<String> = filled
            .iter()
            .take(6)
            .map(|column| {
                format!("{} ({}, by {})", column.name, column.missing, column.fill_text())
            })
            .collect();
        let more = if filled.len() > each.len() { ", …" } else { "" };
        let unit = if cells == 1 { "value" } else { "values" };
        lines.push(("missing", format!("{cells} {unit} filled: {}{more}", each.join(", "))));
    }
    let levels = |values: &Values| match values {
        Values::Category { levels, .. }
        | Values::Code { levels, .. }
        | Values::Ordered { levels, .. } => Some(levels.len()),
        _ => None,
    };
    let named = encoding.columns.iter().filter_map(|c| Some((&c.name, levels(&c.values)?)));
    let named: Vec<String> = named.map(|(name, count)| format!("{name} ({count})")).collect();
    if !named.is_empty() {
        lines.push(("categories", crate::describe::listed(&named)));
    }
    let ordered = encoding.columns.iter().filter_map(|column| match &column.values {
        Values::Ordered { levels, .. } => Some(format!("{} ({})", column.name, levels.join(" < "))),
        _ => None,
    });
    let ordered: Vec<String> = ordered.collect();
    if !ordered.is_empty() {
        lines.push(("ordered", crate::describe::listed(&ordered)));
    }
    let is_date = |values: &Values| matches!(values, Values::Date { .. });
    let dates: Vec<String> = encoding
        .columns
        .iter()
        .filter(|column| is_date(&column.values))
        .map(|column| column.name.clone())
        .collect();
    if !dates.is_empty() {
        let what = "year, month, day and weekday";
        lines.push(("dates", format!("{} as {what}", crate::describe::listed(&dates))));
    }
    lines
}
