//! One column of a table, and what a cell of text stands for.

use std::fmt::{Display, LowerExp, Write};

use crate::io::sparse_column::SparseColumn;

/// One column. All columns of a table have the same length.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers in double precision. A missing value of a binary format is NaN.
    F64(Vec<f64>),
    /// Numbers that the file holds in single precision.
    F32(Vec<f32>),
    /// Numbers most of which are zero.
    Sparse(SparseColumn),
    /// Cells as written. A column of numbers with a missing value, or with an integer that f64 cannot hold, is text
    /// too, so that nothing is lost where the column is only kept in the output.
    Text(Vec<String>),
}

impl Column {
    /// Numbers if every cell is one, else text.
    pub(crate) fn from_cells(cells: &[&str]) -> Self {
        match cells.iter().map(|cell| exact_number(cell)).collect() {
            Some(values) => Column::F64(values),
            None => Column::Text(cells.iter().map(|&cell| cell.to_owned()).collect()),
        }
    }

    /// The number of cells.
    #[doc(hidden)]
    pub fn len(&self) -> usize {
        match self {
            Column::F64(values) => values.len(),
            Column::F32(values) => values.len(),
            Column::Sparse(values) => values.len(),
            Column::Text(cells) => cells.len(),
        }
    }

    /// Whether there is no cell.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Only the cells of `rows`, in that order.
    #[doc(hidden)]
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Column::F64(values) => Column::F64(rows.iter().map(|&row| values[row]).collect()),
            Column::F32(values) => Column::F32(rows.iter().map(|&row| values[row]).collect()),
            Column::Text(cells) => {
                Column::Text(rows.iter().map(|&row| cells[row].clone()).collect())
            }
            Column::Sparse(values) => {
                let mut taken = SparseColumn::zeros(rows.len());
                for (place, &row) in rows.iter().enumerate() {
                    taken.push(place as u32, values.number(row));
                }
                Column::Sparse(taken)
            }
        }
    }

    /// Leaves no cell. Numbers keep their memory for others.
    pub(crate) fn clear(&mut self) {
        match self {
            Column::F64(values) => values.clear(),
            Column::F32(values) => values.clear(),
            Column::Text(cells) => cells.clear(),
            Column::Sparse(_) => *self = Column::F64(Vec::new()),
        }
    }

    /// Appends the cells of `more`.
    pub(crate) fn append(&mut self, more: Self) {
        match (&mut *self, more) {
            (Column::F64(to), Column::F64(from)) => to.extend(from),
            (Column::F32(to), Column::F32(from)) => to.extend(from),
            (Column::Text(to), Column::Text(from)) => to.extend(from),
            (Column::Sparse(to), Column::Sparse(from)) => to.append(&from),
            (column, more @ Column::Text(_)) | (column @ Column::Text(_), more) => {
                let texts =
                    |column: &Column| (0..column.len()).map(|row| column.text(row)).collect();
                let (mut all, more): (Vec<String>, Vec<String>) = (texts(column), texts(&more));
                all.extend(more);
                *column = Column::Text(all);
            }
            (column, more) => {
                let numbers = |column: &Column| {
                    (0..column.len()).filter_map(|row| column.number(row)).collect::<Vec<f64>>()
                };
                *column = Column::F64([numbers(column), numbers(&more)].concat());
            }
        }
    }

    /// The cell as it is written in text: numbers with the fewest digits that read back as the same number.
    #[doc(hidden)]
    pub fn text(&self, row: usize) -> String {
        let mut text = String::new();
        self.push_text(row, &mut text);
        text
    }

    /// Appends [`Column::text`] to `text`.
    pub(crate) fn push_text(&self, row: usize, text: &mut String) {
        match self {
            Column::F64(values) => push_shortest(text, values[row], values[row].abs()),
            Column::F32(values) => push_shortest(text, values[row], values[row].abs().into()),
            Column::Sparse(values) => {
                push_shortest(text, values.number(row), values.number(row).abs());
            }
            Column::Text(cells) => text.push_str(&cells[row]),
        }
    }

    /// The cell as a number; NaN where it is missing, nothing where it is other text.
    #[doc(hidden)]
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Column::F64(values) => Some(values[row]),
            Column::F32(values) => Some(f64::from(values[row])),
            Column::Sparse(values) => Some(values.number(row)),
            Column::Text(cells) if is_missing(&cells[row]) => Some(f64::NAN),
            Column::Text(cells) => parse_number(&cells[row]),
        }
    }
}

/// `{}` never uses an exponent and `{:e}` always does; both give the shortest digits that read back.
pub(crate) fn push_shortest<T: Display + LowerExp>(text: &mut String, value: T, magnitude: f64) {
    let plain = magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) || !magnitude.is_finite();
    let pushed = if plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
    pushed.expect("a string takes any text");
}

/// A cell of text as a number. Words for a missing value are no numbers.
pub(crate) fn parse_number(cell: &str) -> Option<f64> {
    cell.trim().parse().ok().filter(|value: &f64| !value.is_nan())
}

/// A cell of text as a number, if no digit is lost by it: the integers that f64 cannot hold and those with
/// leading zeros are identifiers more often than quantities, and stay text. Where numbers are needed, they
/// are taken as such all the same.
pub(crate) fn exact_number(cell: &str) -> Option<f64> {
    let text = cell.trim();
    let value = text.parse().ok().filter(|value: &f64| !value.is_nan())?;
    let padded = matches!(text.as_bytes(), [b'0', b'0'..=b'9', ..]);
    let lost = || text.len() > 15 && text.parse::<i128>().is_ok_and(|whole| value as i128 != whole);
    (!padded && !lost()).then_some(value)
}

/// Whether a cell stands for a missing value.
pub(crate) fn is_missing(cell: &str) -> bool {
    const WORDS: [&str; 9] = ["", "na", "n/a", "nan", "null", "none", "nil", "?", "-"];
    let cell = cell.trim().trim_start_matches(['+', '-', '#']);
    cell.len() <= 4 && WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}
