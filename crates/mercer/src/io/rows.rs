//! The rows of a table as samples: numbers, numbers without their zeros, or texts. What cannot be used is refused with its
//! place.

use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::select;
use crate::io::table::Table;
use crate::linalg::alloc;
use crate::points::{Csr, Strings};
use crate::real::Real;

impl Table {
    /// The numbers row by row: n × d, row-major. Text, missing and infinite cells are refused with their place.
    #[doc(hidden)]
    pub fn matrix<T: Real>(&self) -> Result<Vec<T>> {
        // Blocks of rows keep the strided side of the transposition within the cache.
        const BLOCK: usize = 64;
        let (n, d) = (self.n_rows(), self.n_columns());
        let size = n.checked_mul(d).ok_or_else(|| {
            Error::Shape(format!(
                "a table of {n} rows and {d} columns is too large for this machine"
            ))
        })?;
        let mut values = alloc::zeros(size)?;
        let full: Vec<usize> =
            (0..d).filter(|&j| !matches!(self.columns[j], Column::Sparse(_))).collect();
        for (block, out) in values.chunks_mut((BLOCK * d).max(1)).enumerate() {
            for &column in &full {
                self.fill(block * BLOCK, column, out)?;
            }
        }
        for (j, column) in self.columns.iter().enumerate() {
            let Column::Sparse(column) = column else { continue };
            for (row, _) in column.entries() {
                values[row * d + j] = self.cell(row, j)?;
            }
        }
        Ok(values)
    }

    /// Writes the numbers of a column, from a row on, to their places in `out`, whole rows of the table.
    fn fill<T: Real>(&self, from: usize, column: usize, out: &mut [T]) -> Result<()> {
        let rows = out.chunks_exact_mut(self.n_columns());
        let is_finite = match &self.columns[column] {
            Column::F64(cells) => {
                place(cells[from..].iter().map(|&v| T::from_f64(v)), rows, column)
            }
            Column::F32(cells) => {
                place(cells[from..].iter().map(|&v| T::from_f64(v.into())), rows, column)
            }
            _ => false,
        };
        if is_finite {
            return Ok(());
        }
        for (i, row) in out.chunks_exact_mut(self.n_columns()).enumerate() {
            row[column] = self.cell(from + i, column)?;
        }
        Ok(())
    }

    /// The numbers that are not zero, row by row, columns ascending. Cells are refused as [`Table::matrix`] does.
    #[doc(hidden)]
    pub fn sparse_rows<T: Real>(&self) -> Result<Csr<T>> {
        let (n, d) = (self.n_rows(), self.n_columns());
        let mut rows: Vec<Vec<(u32, T)>> = vec![Vec::new(); n];
        for (j, column) in self.columns.iter().enumerate() {
            let mut keep = |row: usize| -> Result<()> {
                let value = self.cell::<T>(row, j)?;
                if value != T::ZERO {
                    rows[row].push((j as u32, value));
                }
                Ok(())
            };
            match column {
                Column::Sparse(column) => column.entries().try_for_each(|(row, _)| keep(row))?,
                _ => (0..n).try_for_each(keep)?,
            }
        }
        let mut starts = vec![0];
        rows.iter().for_each(|row| starts.push(starts[starts.len() - 1] + row.len()));
        let (at, values): (Vec<u32>, Vec<T>) = rows.into_iter().flatten().unzip();
        Csr::new(n, d, &starts, &at, &values)
    }

    /// The cells of a column as texts, just as they are written. One without a character in it is missing, and is refused
    /// with its place.
    #[doc(hidden)]
    pub fn texts(&self, column: usize) -> Result<Strings> {
        let cells = &self.columns[column];
        let text = |row: usize| match cells.text(row) {
            text if text.trim().is_empty() => {
                let fault = "is missing a string: fill it in or remove the row first";
                Err(self.fault(row, column, fault))
            }
            text => Ok(text),
        };
        Strings::new((0..self.n_rows()).map(text).collect::<Result<Vec<String>>>()?)
    }

    /// Refuses a negative number, with its place.
    #[doc(hidden)]
    pub fn check_not_negative(&self) -> Result<()> {
        let wrong = |row: usize, column: usize, value: f64| {
            let fault = format!("is {value}, but histograms must not have negative values");
            Err(self.fault(row, column, &fault))
        };
        for (j, column) in self.columns.iter().enumerate() {
            let negative = match column {
                Column::Sparse(column) => column.entries().find(|(_, value)| *value < 0.0),
                column => (0..column.len())
                    .map(|row| (row, column.number(row).unwrap_or(0.0)))
                    .find(|(_, value)| *value < 0.0),
            };
            if let Some((row, value)) = negative {
                return wrong(row, j, value);
            }
        }
        Ok(())
    }

    /// An error about one cell: where it is, and what is wrong with it.
    #[doc(hidden)]
    pub fn fault(&self, row: usize, column: usize, fault: &str) -> Error {
        let place = match self.lines.get(row) {
            Some(line) => format!("line {line}"),
            None => format!("row {}", self.start + row as u64 + 1),
        };
        let column = select::describe(self, column);
        Error::format(&self.path, format!("{place}, {column} {fault}"))
    }

    fn unusable(&self, row: usize, column: usize, fault: &str, kind: (bool, bool)) -> Error {
        let (is_text, is_missing) = kind;
        match self.fault(row, column, fault) {
            Error::Format { path, message } => Error::Cell { path, message, is_text, is_missing },
            other => other,
        }
    }

    /// The number in a cell, if it can be used.
    fn cell<T: Real>(&self, row: usize, column: usize) -> Result<T> {
        let number = self.columns[column].number(row).map(T::from_f64);
        number.filter(|value| value.is_finite()).ok_or_else(|| self.refuse(row, column))
    }

    /// Why this cell cannot be used, where it is, and what to do.
    pub(crate) fn refuse(&self, row: usize, column: usize) -> Error {
        let cell = &self.columns[column];
        let text = cell.text(row);
        let number = cell.number(row);
        let fault = match number {
            None => {
                let shown: String = text.chars().take(40).collect();
                let fault = format!("holds text ({shown:?}) where a number is needed");
                return self.unusable(row, column, &fault, (true, false));
            }
            Some(value) if value.is_nan() => "is missing a value",
            Some(value) if value.is_infinite() => "holds an infinite number",
            Some(_) => "holds a number beyond the range of single precision",
        };
        let is_missing = number.is_some_and(f64::is_nan);
        self.unusable(row, column, &format!("{fault} ({text:?})"), (false, is_missing))
    }
}

/// Writes numbers to a place in each row; whether all of them are finite.
fn place<'a, T: Real>(
    cells: impl Iterator<Item = T>,
    rows: impl Iterator<Item = &'a mut [T]>,
    column: usize,
) -> bool {
    rows.zip(cells).fold(true, |is_finite, (row, value)| {
        row[column] = value;
        is_finite & value.is_finite()
    })
}
