//! `mercer inspect TABLE`: what a table holds, column by column, and what is suspicious in it.

use std::collections::{HashMap, HashSet};

use mercer::Result;
use mercer::io::encoding::infer::{ColumnType, Inferred, infer};
use mercer::io::{Column, Table};
use serde::Serialize;

use crate::describe::listed;
use crate::facts::counted;
use crate::failure::Failure;
use crate::stdout;
use crate::summary::{self, Lines, shown};
use crate::terminal_table;

/// Categories that are listed one by one.
const LISTED_LEVELS: usize = 6;
/// Rows that are shown as understood.
const SHOWN_ROWS: usize = 3;
/// The most columns that are shown on a terminal.
const SHOWN_COLUMNS: usize = 200;

/// What is known about a table.
#[derive(Debug, Serialize)]
struct TableObject {
    table: String,
    rows: usize,
    columns: Vec<ColumnObject>,
    /// Rows that are equal to an earlier row.
    duplicate_rows: usize,
    /// What may be wrong.
    notes: Vec<String>,
}

/// What is known about a column.
#[derive(Debug, Serialize)]
struct ColumnObject {
    /// Counted from 1.
    position: usize,
    name: String,
    /// `number`, `category`, `date`, `text` or `empty`.
    #[serde(rename = "type")]
    kind: &'static str,
    missing: usize,
    distinct: usize,
    /// The smallest number.
    min: Option<f64>,
    /// The median number.
    median: Option<f64>,
    /// The largest number.
    max: Option<f64>,
    /// The categories with the number of their rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<(String, usize)>>,
    /// A few cells as they were read.
    examples: Vec<String>,
}

/// Prints what `table` holds.
pub fn inspect_table(table: &Table, json: bool) -> std::result::Result<(), Failure> {
    let object = describe(table)?;
    if json {
        return summary::print_object(&object).map_err(Failure::Print);
    }
    let mut lines = Lines::titled(format!(
        "{}: {} × {}",
        object.table,
        counted(object.rows, "row"),
        counted(object.columns.len(), "column")
    ));
    let of_kind = |kind: &str| {
        let names = object.columns.iter().filter(|column| column.kind == kind);
        names.map(|column| column.name.clone()).collect::<Vec<_>>()
    };
    for (kind, title) in
        [("number", "numbers"), ("category", "categories"), ("date", "dates"), ("text", "text")]
    {
        let names = of_kind(kind);
        if !names.is_empty() {
            lines.add(title, format!("{}: {}", names.len(), listed(&names)));
        }
    }
    lines.warn(&object.notes);
    let text = lines.text();
    let columns = terminal_table::aligned(&as_table(&object), SHOWN_COLUMNS, usize::MAX);
    stdout::print(&format!("{text}\n{columns}")).map_err(Failure::Print)
}

fn describe(table: &Table) -> Result<TableObject> {
    let inferred: Vec<Inferred> = table.columns.iter().map(infer).collect();
    let columns: Vec<ColumnObject> =
        (0..table.n_columns()).map(|index| column(table, index, &inferred[index])).collect();
    let duplicate_rows = duplicates(table);
    let notes = notes(table, &columns, &inferred, duplicate_rows);
    Ok(TableObject {
        table: shown(&table.path),
        rows: table.n_rows(),
        columns,
        duplicate_rows,
        notes,
    })
}

fn column(table: &Table, index: usize, inferred: &Inferred) -> ColumnObject {
    let cells = &table.columns[index];
    let counts = counts(cells, inferred);
    let (kind, is_number) = match &inferred.column_type {
        ColumnType::Number => ("number", true),
        ColumnType::NumberWithTexts(_) => ("number", true),
        ColumnType::Category(_) => ("category", false),
        ColumnType::Date { .. } => ("date", false),
        ColumnType::Text(_) => ("text", false),
        ColumnType::Empty => ("empty", false),
    };
    let mut numbers: Vec<f64> = match is_number {
        true => {
            (0..cells.len()).filter_map(|row| cells.number(row)).filter(|v| !v.is_nan()).collect()
        }
        false => Vec::new(),
    };
    numbers.sort_by(f64::total_cmp);
    let categories = match &inferred.column_type {
        ColumnType::Category(levels) => {
            let count =
                |level: &String| (level.clone(), counts.get(level.as_str()).copied().unwrap_or(0));
            Some(levels.iter().map(count).collect())
        }
        _ => None,
    };
    ColumnObject {
        position: index + 1,
        name: table.name(index),
        kind,
        missing: inferred.missing.len(),
        distinct: counts.len(),
        min: numbers.first().copied(),
        median: (!numbers.is_empty()).then(|| numbers[numbers.len() / 2]),
        max: numbers.last().copied(),
        categories,
        examples: (0..cells.len().min(SHOWN_ROWS)).map(|row| cells.text(row)).collect(),
    }
}

/// How often each value of a column occurs, missing ones aside.
fn counts(cells: &Column, inferred: &Inferred) -> HashMap<String, usize> {
    let missing: HashSet<usize> = inferred.missing.iter().copied().collect();
    let mut counts = HashMap::new();
    for row in (0..cells.len()).filter(|row| !missing.contains(row)) {
        *counts.entry(cells.text(row).trim().to_owned()).or_insert(0) += 1;
    }
    counts
}

/// Rows that are equal to an earlier one.
fn duplicates(table: &Table) -> usize {
    let mut seen = HashSet::with_capacity(table.n_rows());
    let row_text = |row: usize| {
        let cells: Vec<String> = table.columns.iter().map(|column| column.text(row)).collect();
        cells.join("\u{1f}")
    };
    (0..table.n_rows()).filter(|&row| !seen.insert(row_text(row))).count()
}

fn notes(
    table: &Table,
    columns: &[ColumnObject],
    inferred: &[Inferred],
    duplicate_rows: usize,
) -> Vec<String> {
    let mut notes = Vec::new();
    if table.header_is_guess {
        notes.push(
            "the first line was read as column names, but nothing but text stands below it: --header no if it is a row"
                .into(),
        );
    }
    if duplicate_rows > 0 {
        let are = if duplicate_rows == 1 { "is" } else { "are" };
        notes.push(format!("{} {are} equal to an earlier row", counted(duplicate_rows, "row")));
    }
    let rows = table.n_rows();
    for (column, inferred) in columns.iter().zip(inferred) {
        let name = &column.name;
        match &inferred.column_type {
            ColumnType::NumberWithTexts(wrong) => {
                let cells = &table.columns[column.position - 1];
                notes.push(format!(
                    "column {name:?} holds numbers, but text in {} (first {:?} in {})",
                    counted(wrong.len(), "row"),
                    cells.text(wrong[0]),
                    place(table, wrong[0])
                ));
            }
            ColumnType::Empty => notes.push(format!("column {name:?} has no values")),
            ColumnType::Category(levels) if levels.len() == 1 => {
                notes.push(format!("column {name:?} has the same value in all rows"));
            }
            ColumnType::Number if column.distinct == 1 && rows > 1 => {
                notes.push(format!("column {name:?} has the same value in all rows"));
            }
            ColumnType::Number if looks_like_identifier(column, rows) => notes.push(format!(
                "column {name:?} counts the rows: leave it out with --columns '^{name}'"
            )),
            ColumnType::Text(distinct) if *distinct == rows => notes.push(format!(
                "column {name:?} has a different text in every row: a name (--label '{name}'), or text for a string kernel"
            )),
            _ => {}
        }
    }
    notes
}

/// Whether a column holds whole numbers one after the other.
fn looks_like_identifier(column: &ColumnObject, rows: usize) -> bool {
    let (Some(min), Some(max)) = (column.min, column.max) else { return false };
    rows > 10 && column.distinct == rows && max - min == (rows - 1) as f64 && min.fract() == 0.0
}

fn place(table: &Table, row: usize) -> String {
    match table.lines.get(row) {
        Some(line) => format!("line {line}"),
        None => format!("row {}", row + 1),
    }
}

/// A number with four significant digits; whole numbers as they are.
fn in_short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    let shown = if value.fract() == 0.0 && value.abs() < 1e9 { value } else { rounded };
    Column::F64(vec![shown]).text(0)
}

fn as_table(object: &TableObject) -> Table {
    let text = |cell: &dyn Fn(&ColumnObject) -> String| {
        Column::Text(object.columns.iter().map(cell).collect())
    };
    let number = |value: Option<f64>| value.map_or_else(String::new, in_short);
    let values = |column: &ColumnObject| match &column.categories {
        None => {
            number(column.min)
                + &match (column.median, column.max) {
                    (Some(median), Some(max)) => {
                        format!(" … {} … {}", number(Some(median)), number(Some(max)))
                    }
                    _ => String::new(),
                }
        }
        Some(categories) => {
            let mut shown: Vec<String> = categories
                .iter()
                .take(LISTED_LEVELS)
                .map(|(level, count)| format!("{level} ({count})"))
                .collect();
            if categories.len() > LISTED_LEVELS {
                shown.push("…".into());
            }
            shown.join(", ")
        }
    };
    let names = ["#", "column", "type", "missing", "distinct", "range or categories", "first rows"];
    let columns = vec![
        text(&|c| c.position.to_string()),
        text(&|c| c.name.clone()),
        text(&|c| c.kind.to_string()),
        text(&|c| c.missing.to_string()),
        text(&|c| c.distinct.to_string()),
        text(&values),
        text(&|c| c.examples.join(" | ")),
    ];
    Table::new(names.map(String::from).into(), columns)
}
