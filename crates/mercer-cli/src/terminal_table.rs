//! A table on standard output: its first rows, aligned, for people at a terminal; all of it as CSV
//! for a pipe.

use std::io::{IsTerminal, Write};

use crate::plot::grouped;

/// A table of numbers with an optional column of text before them.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    /// The names of the number columns.
    pub names: &'a [String],
    /// The numbers, row-major: n × `names.len()`.
    pub values: &'a [f64],
    /// A name and one text per row, written before the numbers.
    pub label: Option<(&'a str, &'a [String])>,
}

/// Rows shown on a terminal.
const SHOWN_ROWS: usize = 10;
/// The longest text of a cell on a terminal.
const LONGEST_CELL: usize = 24;

impl Table<'_> {
    /// Prints the table on standard output, in the form that suits what standard output is.
    pub fn print(&self) -> std::io::Result<()> {
        let mut output = std::io::stdout().lock();
        if output.is_terminal() {
            output.write_all(self.aligned(SHOWN_ROWS).as_bytes())?;
        } else {
            self.write_csv(&mut output, b',')?;
        }
        output.flush()
    }

    /// Writes all of the table as CSV. Numbers are written so that reading them gives the same
    /// numbers.
    pub fn write_csv(&self, output: impl Write, delimiter: u8) -> std::io::Result<()> {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(output);
        let label = self.label.map(|(name, _)| name);
        writer.write_record(label.into_iter().chain(self.names.iter().map(String::as_str)))?;
        for row in 0..self.rows() {
            let label = self.label.map(|(_, texts)| texts[row].clone());
            let numbers = self.row(row).iter().map(|value| format!("{value:?}"));
            writer.write_record(label.into_iter().chain(numbers))?;
        }
        writer.flush()
    }

    /// The first `limit` rows in aligned columns, and how many more there are.
    pub fn aligned(&self, limit: usize) -> String {
        let shown = self.rows().min(limit);
        let mut columns: Vec<Vec<String>> = Vec::new();
        if let Some((name, texts)) = self.label {
            columns.push(text_column(name, &texts[..shown]));
        }
        for (index, name) in self.names.iter().enumerate() {
            let values: Vec<f64> = (0..shown).map(|row| self.row(row)[index]).collect();
            columns.push(number_column(name, &values));
        }
        let mut text: String = (0..=shown).map(|line| joined(&columns, line)).collect();
        match self.rows() - shown {
            0 => {}
            1 => text.push_str("… 1 more row\n"),
            more => text.push_str(&format!("… {} more rows\n", grouped(more))),
        }
        text
    }

    fn rows(&self) -> usize {
        match self.label {
            Some((_, texts)) => texts.len(),
            None => self.values.len() / self.names.len().max(1),
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.names.len()..(row + 1) * self.names.len()]
    }
}

fn joined(columns: &[Vec<String>], line: usize) -> String {
    let cells: Vec<&str> = columns.iter().map(|column| column[line].as_str()).collect();
    format!("{}\n", cells.join("  ").trim_end())
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
/// number.
fn number_column(name: &str, values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    let plain = largest == 0.0 || (1e-3..1e6).contains(&largest);
    let decimals = if largest >= 1.0 { 6 - (largest.log10() as usize).min(5) } else { 6 };
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

    fn names() -> Vec<String> {
        ["c1", "c2"].map(String::from).into()
    }

    #[test]
    fn columns_are_aligned_and_cut() {
        let labels: Vec<String> = ["a", "long\u{1b}[2J", "b"].map(String::from).into();
        let values = [1.5, -2.0, 0.25, 1e-9, 3.0, 0.0];
        let table = Table { names: &names(), values: &values, label: Some(("kind", &labels)) };
        assert_eq!(
            table.aligned(2),
            "kind            c1         c2\n\
             a         1.500000  -2.000000\n\
             long [2J  0.250000   0.000000\n\
             … 1 more row\n"
        );
    }

    #[test]
    fn the_cut_says_how_many_rows_are_left() {
        let values = vec![0.0; 20_000];
        let table = Table { names: &names(), values: &values, label: None };
        assert!(table.aligned(10).ends_with("… 9,990 more rows\n"));
    }

    #[test]
    fn csv_is_complete_exact_and_quoted() {
        let labels: Vec<String> = ["x,y", "z"].map(String::from).into();
        let values = [0.1 + 0.2, 1e-300, -1.0, 2.0];
        let table = Table { names: &names(), values: &values, label: Some(("kind", &labels)) };
        let mut bytes = Vec::new();
        table.write_csv(&mut bytes, b',').unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, "kind,c1,c2\n\"x,y\",0.30000000000000004,1e-300\nz,-1.0,2.0\n");
    }

    #[test]
    fn tiny_and_huge_columns_have_exponents() {
        assert_eq!(number_column("c", &[1e-8, 0.0]), ["         c", "1.00000e-8", " 0.00000e0"]);
        assert_eq!(number_column("c", &[123456.7])[1], "123456.7");
    }
}
