//! Tables as input of kernels: kinds of columns, scaling and precision.

mod blocks;
mod booleans;
mod encoding;
mod input;
mod input_kind;
mod numbers;

use mercer::Dtype;
use mercer::io::encoding::Encoding;
use mercer::io::{Column, ReadOptions, Table, read_table};
use mercer::{Error, Result};
use serde::{Deserialize, Serialize};

pub use blocks::{by_landmarks, by_output, stream};
pub use booleans::with_booleans;
pub use encoding::{Encoded, encode, learn as learn_encoding, places, summary as encoding_summary};
pub use input::Prepared;
pub use input_kind::{ColumnGroup, InputKind, kernel_of, usual_scale};
pub use numbers::{Numbers, Rows, Scales};

use crate::args::{Precision, TableArgs};
use crate::run::Session;

/// The label column: its name and cells.
pub type Label = (String, Column);

/// The positions of a model's columns in its training table; stored in the model file to match tables
/// without a header.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Places {
    /// Columns of the whole table.
    pub table_columns: usize,
    /// The columns computed with, counted from 0; empty for all that no other field names.
    pub columns: Vec<usize>,
    /// The name of the label column.
    pub label: Option<String>,
    /// The label column, counted from 0.
    pub label_column: Option<usize>,
    /// The names of further label columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_labels: Vec<String>,
    /// The columns that are predicted.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// The column of weights, counted from 0.
    #[serde(default)]
    pub weights_column: Option<usize>,
    /// The name of the column of weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// What was to be done about missing values, if that was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The names of unused columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// How columns became numbers; new rows become numbers in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Rows of the training table that were left out because a value was missing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_rows: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
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
            && self.encoding.as_ref().is_none_or(Encoding::is_sound)
    }

    /// The names of all label columns.
    pub fn labels(&self) -> Option<String> {
        let first = self.label.as_ref()?;
        let all = std::iter::once(first).chain(&self.more_labels).map(String::as_str);
        Some(all.collect::<Vec<_>>().join(","))
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
    let options = read_options(session, args, input_kind);
    let table = match blocks::is_directory(&args.source) {
        Some(path) => blocks::read_all(path, &options)?,
        None => read_table(&args.source, &options)?,
    };
    if let Some(names) = table.names.as_ref().filter(|_| table.header_is_guess && !session.quiet) {
        session.progress.clear();
        crate::summary::warn(&format!(
            "the first line ({}) was read as column names: if it is a row, add --header no; if it is not, --header yes silences this note",
            names.iter().take(6).cloned().collect::<Vec<_>>().join(",")
        ));
    }
    session.note_file(&args.source, table.n_rows());
    session.context.poll()?;
    Ok(table)
}

/// How the table that `args` name is read.
fn read_options(session: &Session, args: &TableArgs, input_kind: &InputKind) -> ReadOptions {
    ReadOptions {
        format: args.format.into(),
        header: args.header.into(),
        delimiter: None,
        as_written: input_kind.has_strings(),
        max_bytes: session.context.budget(),
    }
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
