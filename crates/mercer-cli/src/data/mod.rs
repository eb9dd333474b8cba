//! Tables as input of kernels: kinds of columns, scaling and precision.

mod input;
mod input_kind;
mod numbers;

use mercer::Dtype;
use mercer::io::{Column, ReadOptions, Table, read_table};
use mercer::{Error, Result};
use serde::{Deserialize, Serialize};

pub use input::Prepared;
pub use input_kind::{InputKind, kernel_of};
pub use numbers::{Numbers, Rows, Scales};

use crate::args::{Precision, TableArgs};
use crate::run::Session;

/// The label column: its name and cells.
pub type Label = (String, Column);

/// The positions of a model's columns in its training table; stored in the model file to match tables
/// without a header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// Columns of the whole table.
    pub table_columns: usize,
    /// The columns computed with, counted from 0; empty for all that no other field names.
    pub columns: Vec<usize>,
    /// The name of the label column.
    pub label: Option<String>,
    /// The label column, counted from 0.
    pub label_column: Option<usize>,
    /// The columns that are predicted.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// The column of weights, counted from 0.
    #[serde(default)]
    pub weights_column: Option<usize>,
    /// The names of unused columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A column that is predicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its place, counted from 0.
    pub column: usize,
}

/// The longest list of columns that is stored in a model file.
pub const MOST_NOTED: usize = 10_000;

impl Places {
    /// Whether every position lies within the table; a file may hold anything.
    pub fn is_sound(&self) -> bool {
        let targets = self.targets.iter().map(|target| &target.column);
        let mut positions = self.columns.iter().chain(&self.label_column).chain(targets);
        positions.all(|&position| position < self.table_columns)
    }

    /// The columns computed with, counted from 0.
    pub fn features(&self) -> Vec<usize> {
        if !self.columns.is_empty() {
            return self.columns.clone();
        }
        let is_target = |i: usize| self.targets.iter().any(|target| target.column == i);
        let is_other = |i: usize| Some(i) == self.label_column || Some(i) == self.weights_column;
        (0..self.table_columns).filter(|&i| !is_target(i) && !is_other(i)).collect()
    }
}

/// Reads the table that `args` name, whose columns are of `input_kind`.
pub fn read(session: &Session, args: &TableArgs, input_kind: &InputKind) -> Result<Table> {
    session.progress.begin("reading");
    let options = ReadOptions {
        format: args.format.into(),
        header: args.header.into(),
        delimiter: None,
        as_written: input_kind.has_strings(),
        max_bytes: session.context.budget(),
    };
    let table = read_table(&args.source, &options)?;
    session.context.poll()?;
    Ok(table)
}

/// The precision of the computation and of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Types {
    /// Of the computation.
    pub work: Dtype,
    /// Of the results.
    pub result: Dtype,
}

impl Types {
    /// What `precision` means for `features`.
    pub fn of(precision: Precision, features: &Table) -> Self {
        let (work, result) = match precision {
            Precision::Auto if features.is_f32() => (Dtype::F32, Dtype::F32),
            Precision::Auto | Precision::F64 => (Dtype::F64, Dtype::F64),
            Precision::F32 => (Dtype::F32, Dtype::F32),
            Precision::Mixed => (Dtype::F32, Dtype::F64),
        };
        Self { work, result }
    }
}

/// Refuses a table of one row.
pub fn at_least_two(table: &Table) -> Result<()> {
    if table.n_rows() < 2 {
        let message = "the table has only one row; at least two are required";
        return Err(about(table, message.into()));
    }
    Ok(())
}

/// An error about the file that `table` came from.
pub fn about(table: &Table, message: String) -> Error {
    Error::format(&table.path, message)
}
