//! Tables as rows of numbers: which columns of a table are meant, how they are scaled, and in which
//! number type they are.

use mercer::io::{Column, Dtype, ReadOptions, Table, read_table};
use mercer::linalg::view::MatRef;
use mercer::model::{Scaling, ScalingKind};
use mercer::points::Dense;
use mercer::real::Real;
use mercer::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::args::{ColumnArgs, Precision, TableArgs};
use crate::run::Session;

/// A column that is carried along: its name and cells.
pub type Label = (String, Column);

/// The columns to compute with and the one to carry along.
#[derive(Debug)]
pub struct Chosen {
    /// The columns to compute with.
    pub features: Table,
    /// The column to carry along.
    pub label: Option<Label>,
    /// Where both lay in the table.
    pub places: Places,
}

/// Where the columns of a model lay in the table it was fitted on; kept in the model file, so that
/// they are found again in a table without names.
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
}

/// A column that is predicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its place, counted from 0.
    pub column: usize,
}

/// The longest list of columns that is noted down in a model file.
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

/// Reads the table that `args` name.
pub fn read(session: &Session, args: &TableArgs) -> Result<Table> {
    session.progress.begin("reading");
    let options = ReadOptions {
        format: args.format.into(),
        header: args.header.into(),
        delimiter: None,
        max_bytes: session.context.budget(),
    };
    let table = read_table(&args.source, &options)?;
    session.context.poll()?;
    Ok(table)
}

/// Takes the columns out of `table` that `args` name.
pub fn choose(table: Table, args: &ColumnArgs) -> Result<Chosen> {
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    let label_column = label.map(|which| table.find(which)).transpose()?.or(table.label);
    let mut positions = match columns {
        Some(which) => table.choose(which)?,
        None => (0..table.n_columns()).collect(),
    };
    positions.retain(|&i| Some(i) != label_column);
    // The notes of a model file are small. A longer list is of use for few, and `--columns` of
    // `transform` is their way.
    let is_noted = columns.is_some() && positions.len() <= MOST_NOTED;
    let places = Places {
        table_columns: table.n_columns(),
        columns: if is_noted { positions } else { Vec::new() },
        label: label_column.map(|i| table.name(i)),
        label_column,
        targets: Vec::new(),
        weights_column: None,
    };
    let split = table.split(columns, label)?;
    Ok(Chosen { features: split.features, label: split.label, places })
}

/// The number type of rows, kernel values and coefficients, and that of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Types {
    /// In which the model works.
    pub work: Dtype,
    /// In which results are given.
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

/// Where the scaling of rows comes from.
#[derive(Debug, Clone, Copy)]
pub enum Scales<'a> {
    /// From the rows themselves.
    Learn(ScalingKind),
    /// From an earlier table; none leaves rows as they are.
    Apply(Option<&'a Scaling>),
}

/// The scaled rows of a table (n × d, row-major) with their scaling.
#[derive(Debug)]
pub struct Rows<T> {
    /// The numbers.
    pub values: Vec<T>,
    /// Rows.
    pub n: usize,
    /// Columns.
    pub d: usize,
    /// What was done to every column.
    pub scaling: Option<Scaling>,
}

impl<T: Real> Rows<T> {
    /// The rows of `features`. Rows of a table in double precision are scaled before they are
    /// rounded to single precision: a column far from zero keeps its digits that way.
    pub fn of(features: &Table, scales: Scales<'_>) -> Result<Self> {
        if T::NAME == "f32" && !features.is_f32() {
            let wide = Rows::<f64>::scaled(features, scales)?;
            let values = narrowed(wide.values, wide.n, wide.d)?;
            return Ok(Rows { values, n: wide.n, d: wide.d, scaling: wide.scaling });
        }
        Self::scaled(features, scales)
    }

    fn scaled(features: &Table, scales: Scales<'_>) -> Result<Self> {
        let (n, d) = (features.n_rows(), features.n_columns());
        let mut values = features.matrix::<T>()?;
        let scaling = match scales {
            Scales::Learn(ScalingKind::None) => None,
            Scales::Learn(kind) => Some(Scaling::learn(kind, &values, d)),
            Scales::Apply(scaling) => scaling.cloned(),
        };
        if let Some(scaling) = &scaling {
            scaling.apply(&mut values, d)?;
        }
        Ok(Self { values, n, d, scaling })
    }

    /// The rows in place.
    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::new(&self.values, self.n, self.d, self.d)
    }

    /// The rows as samples of a kernel method.
    pub fn dense(self) -> Result<Dense<T>> {
        Dense::from_vec(self.values, self.n, self.d)
    }
}

fn narrowed<T: Real>(values: Vec<f64>, n: usize, d: usize) -> Result<Vec<T>> {
    let narrow: Vec<T> = values.iter().map(|&v| T::of(v)).collect();
    if narrow.iter().all(|v| v.is_finite()) {
        return Ok(narrow);
    }
    // The library's own conversion knows the words for what went wrong, and where.
    Dense::from_vec(values, n, d)?.convert::<T>().map(|rows| rows.data().to_vec())
}

/// Refuses a table of one row.
pub fn at_least_two(table: &Table) -> Result<()> {
    if table.n_rows() < 2 {
        let message = "there is one row, and nothing to learn from it: at least two are needed";
        return Err(about(table, message.into()));
    }
    Ok(())
}

/// An error about the file that `table` came from.
pub fn about(table: &Table, message: String) -> Error {
    Error::format(&table.path, message)
}
