//! A table on standard output: its first rows and columns, aligned, for people at a terminal; all
//! of it as CSV for a pipe.

use std::io::{BufWriter, IsTerminal, Write};

use mercer::io::{Column, Format, Table, encode_table};

use crate::plot::grouped;
use crate::stdout;

/// Rows shown on a terminal.
const SHOWN_ROWS: usize = 10;
/// The longest text of a cell on a terminal.
const LONGEST_CELL: usize = 32;
/// The width of a terminal of unknown width.
const USUAL_WIDTH: usize = 100;
const GAP: &str = "  ";

/// Prints `table` on standard output, in the form that suits what standard output is.
pub fn print(table: &Table) -> std::io::Result<()> {
    print_up_to(SHOWN_ROWS, table)
}

/// Prints `table` like [`print()`], with so many rows at most for people.
pub fn print_up_to(rows: usize, table: &Table) -> std::io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 16, stdout::handle());
    if std::io::stdout().is_terminal() {
        let width = terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| width.0.into());
        output.write_all(aligned(table, rows, width).as_bytes())?;
    } else {
        encode_table(Format::Csv, table, &mut output)?;
    }
    output.flush()
}

/// The first `limit` rows in aligned columns, as many as fit `width` characters, and how much more
/// there is.
pub fn aligned(table: &Table, limit: usize, width: usize) -> String {
    let shown = table.n_rows().min(limit);
    let columns: Vec<Vec<String>> =
        (0..table.n_columns()).map(|index| cells(table, index, shown)).collect();
    let fitting = fitting(&columns, width);
    let mut text: String = (0..=shown).map(|line| joined(&columns[..fitting], line)).collect();
    let rest = [(table.n_rows() - shown, "row"), (columns.len() - fitting, "column")];
    let rest: Vec<String> = rest
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| more(*count, what))
        .collect();
    if !rest.is_empty() {
        text.push_str(&format!("… {}\n", rest.join(" and ")));
    }
    text
}

fn more(count: usize, what: &str) -> String {
    format!("{} more {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// How many columns fit; at least one is shown.
fn fitting(columns: &[Vec<String>], width: usize) -> usize {
    let mut used = 0;
    let fits = |column: &&Vec<String>| {
        used += column[0].chars().count() + if used > 0 { GAP.len() } else { 0 };
        used <= width
    };
    columns.iter().take_while(fits).count().max(1).min(columns.len())
}

fn joined(columns: &[Vec<String>], line: usize) -> String {
    let cells: Vec<&str> = columns.iter().map(|column| column[line].as_str()).collect();
    format!("{}\n", cells.join(GAP).trim_end())
}

/// The header and the first cells of a column, padded to one width.
fn cells(table: &Table, index: usize, shown: usize) -> Vec<String> {
    let (name, column) = (table.name(index), &table.columns[index]);
    match column {
        Column::Text(texts) => text_column(&name, &texts[..shown]),
        numbers => {
            let number = |row| numbers.number(row).unwrap_or(f64::NAN);
            number_column(&name, &(0..shown).map(number).collect::<Vec<f64>>())
        }
    }
}

/// The header and cells of a text column, padded on the right.
fn text_column(name: &str, texts: &[String]) -> Vec<String> {
    let cells: Vec<String> =
        std::iter::once(name).chain(texts.iter().map(String::as_str)).map(printable).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    cells.into_iter().map(|cell| format!("{cell:<width$}")).collect()
}

/// A cell on one line, without control characters that could move the terminal's cursor.
fn printable(text: &str) -> String {
    let safe: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if safe.chars().count() <= LONGEST_CELL {
        return safe;
    }
    safe.chars().take(LONGEST_CELL - 1).chain(['…']).collect()
}

/// The header and cells of a number column, padded on the left. Cells have the same number of
/// decimals, or all have an exponent where plain decimals would be long or lose the smallest
/// number. Whole numbers, such as classes, have no decimals.
fn number_column(name: &str, values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    let plain = largest == 0.0 || (1e-3..1e6).contains(&largest);
    let whole = values.iter().all(|v| v.fract() == 0.0) && largest > 0.0;
    let decimals = match largest {
        _ if whole => 0,
        _ if largest >= 1.0 => 6 - (largest.log10() as usize).min(5),
        _ => 6,
    };
    let cell = |value: &f64| match plain {
        true => format!("{value:.decimals$}"),
        false => format!("{value:.5e}"),
    };
    let cells: Vec<String> =
        std::iter::once(printable(name)).chain(values.iter().map(cell)).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    cells.into_iter().map(|cell| format!("{cell:>width$}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: Vec<Column>) -> Table {
        let names = ["kind", "c1", "c2"][3 - columns.len()..].iter();
        Table::new(names.map(|name| name.to_string()).collect(), columns)
    }

    #[test]
    fn columns_are_aligned_and_cut() {
        let kinds: Vec<String> = ["a", "long\u{1b}[2J", "b"].map(String::from).into();
        let (c1, c2) = (vec![1.5, 0.25, 3.0], vec![-2.5, 1e-9, 0.0]);
        let table = table(vec![Column::Text(kinds), Column::F64(c1), Column::F64(c2)]);
        assert_eq!(
            aligned(&table, 2, 80),
            "kind            c1         c2\n\
             a         1.500000  -2.500000\n\
             long [2J  0.250000   0.000000\n\
             … 1 more row\n"
        );
        assert!(aligned(&table, 2, 20).starts_with("kind            c1\n"));
        assert!(aligned(&table, 2, 20).ends_with("… 1 more row and 1 more column\n"));
        assert!(aligned(&table, 2, 1).starts_with("kind\n"));
    }

    #[test]
    fn the_cut_says_how_many_rows_are_left() {
        let values = vec![0.0; 10_000];
        let table = table(vec![Column::F64(values.clone()), Column::F64(values)]);
        assert!(aligned(&table, 10, 80).ends_with("… 9,990 more rows\n"));
    }

    #[test]
    fn numbers_have_the_digits_that_they_need() {
        assert_eq!(number_column("c", &[1e-8, 0.0]), ["         c", "1.00000e-8", " 0.00000e0"]);
        assert_eq!(number_column("c", &[123456.7])[1], "123456.7");
        assert_eq!(number_column("class", &[1.0, 12.0]), ["class", "    1", "   12"]);
    }
}
