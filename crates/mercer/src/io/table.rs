//! A table as it was read: named columns of numbers or text, and where they came from.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::select;

/// Columns of equal length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The columns' names, if the file gives any.
    pub names: Option<Vec<String>>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The column that the format itself says is the label (LIBSVM text), counted from 0.
    pub label: Option<usize>,
    /// The file, for messages; empty for a table that was made here.
    pub path: PathBuf,
    /// The line of the file on which each row starts, counted from 1; empty for binary formats.
    pub lines: Vec<u64>,
    /// Rows of the file before the first one here, for messages about formats without lines.
    #[doc(hidden)]
    pub start: u64,
    /// Whether the first line was taken for names although it may be a row.
    #[doc(hidden)]
    pub header_is_guess: bool,
    /// The columns of zeros and ones that an encoding made, counted from 0; they are not scaled.
    #[doc(hidden)]
    pub indicators: Vec<usize>,
}

/// A table taken apart for learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The chosen columns, without the label.
    pub features: Table,
    /// The label's name and cells.
    pub label: Option<(String, Column)>,
}

impl Table {
    /// A table that is made here, to be written.
    pub fn new(names: Vec<String>, columns: Vec<Column>) -> Self {
        Self { names: Some(names), columns, ..Self::default() }
    }

    /// The number of rows, n.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// The number of columns, d.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// A name for every column: the file's, or `x0`, `x1`, … where it has none.
    #[doc(hidden)]
    pub fn name(&self, column: usize) -> String {
        let named = self.names.as_ref().and_then(|names| names.get(column));
        named.cloned().unwrap_or_else(|| format!("x{column}"))
    }

    /// Whether every column is in single precision, so that computing may stay there.
    #[doc(hidden)]
    pub fn is_f32(&self) -> bool {
        !self.columns.is_empty() && self.columns.iter().all(|c| matches!(c, Column::F32(_)))
    }

    /// The columns that `which` lists, counted from 0: names, positions counted from 1, ranges of positions (`3-7`, `3-`
    /// for all from 3 on), separated by commas; `^` before an item leaves it out, and a list that starts so
    /// starts from all columns. A name goes before a position that looks the same.
    #[doc(hidden)]
    pub fn choose(&self, which: &str) -> Result<Vec<usize>> {
        select::choose(self, which)
    }

    /// Whether `which` lists columns to be left out.
    #[doc(hidden)]
    pub fn is_all_but(&self, which: &str) -> bool {
        select::is_all_but(self, which)
    }

    /// The one column that `which` names, by name or position counted from 1.
    #[doc(hidden)]
    pub fn find(&self, which: &str) -> Result<usize> {
        select::find(self, which)
    }

    /// Only the columns at `positions`, in that order.
    #[doc(hidden)]
    pub fn keep(mut self, positions: &[usize]) -> Self {
        let place = |column: &usize| positions.iter().position(|i| i == column);
        self.label = self.label.and_then(|label| place(&label));
        self.indicators = self.indicators.iter().filter_map(place).collect();
        if positions.iter().enumerate().all(|(at, &i)| at == i) {
            // The first ones stay where they are: tables of text can have millions.
            self.columns.truncate(positions.len());
            self.names.iter_mut().for_each(|names| names.truncate(positions.len()));
            return self;
        }
        self.names = self.names.map(|names| positions.iter().map(|&i| names[i].clone()).collect());
        let mut mentions = vec![0usize; self.columns.len()];
        positions.iter().for_each(|&i| mentions[i] += 1);
        let mut left = std::mem::take(&mut self.columns);
        for &i in positions {
            // A column moves at its last mention, and is copied only where it is asked for twice.
            mentions[i] -= 1;
            let moved = if mentions[i] == 0 {
                std::mem::replace(&mut left[i], Column::F64(Vec::new()))
            } else {
                left[i].clone()
            };
            self.columns.push(moved);
        }
        self
    }

    /// Only the rows at `rows`, in that order.
    #[doc(hidden)]
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        let lines = match self.lines.is_empty() {
            true => Vec::new(),
            false => rows.iter().map(|&row| self.lines[row]).collect(),
        };
        let columns = self.columns.iter().map(|column| column.take(rows)).collect();
        let (names, path) = (self.names.clone(), self.path.clone());
        let (label, indicators) = (self.label, self.indicators.clone());
        let start = self.start;
        Self { names, columns, label, path, lines, indicators, start, ..Self::default() }
    }

    /// Appends the rows of `more`, which has the same columns. Numbers become text where text follows, or precedes.
    #[doc(hidden)]
    pub fn append(&mut self, more: Self) -> Result<()> {
        if more.n_columns() != self.n_columns() {
            return Err(Error::format(
                &more.path,
                "the rows have other columns than the previous ones",
            ));
        }
        self.lines.extend(more.lines);
        for (column, more) in self.columns.iter_mut().zip(more.columns) {
            column.append(more);
        }
        Ok(())
    }

    /// Takes the table apart: `columns` (see [`Table::choose`]; all if none are named) without the label, and the label
    /// (by name or position; if none is named, the one that the format itself marks). Positions are those of the
    /// whole table in both.
    #[doc(hidden)]
    pub fn split(self, columns: Option<&str>, label: Option<&str>) -> Result<Split> {
        let label = label.map(|which| self.find(which)).transpose()?.or(self.label);
        let mut positions = match columns {
            Some(which) => self.choose(which)?,
            None => (0..self.n_columns()).collect(),
        };
        positions.retain(|&i| Some(i) != label);
        if positions.is_empty() {
            return Err(Error::format(&self.path, "no feature column is left"));
        }
        let label = label.map(|i| (self.name(i), self.columns[i].clone()));
        Ok(Split { features: self.keep(&positions), label })
    }

    /// The one column that is called `name`; a table without names calls its columns `x0`, `x1`, ….
    #[doc(hidden)]
    pub fn named(&self, name: &str) -> Result<usize> {
        select::named(self, name)
    }

    /// Whether zeros are left out of some column, so that they are not to be written out.
    #[doc(hidden)]
    pub fn is_sparse(&self) -> bool {
        self.columns.iter().any(|column| matches!(column, Column::Sparse(_)))
    }
}
